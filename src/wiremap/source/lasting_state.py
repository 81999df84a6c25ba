"""Functions that may find their work done: they test a place that outlives the call, and store to it.

A place is a name: `rates` for a global, `_rates` for `self._rates`, `cache` for `cache[key]`. So two objects
with an attribute of one name count as one place, which widens and never narrows.
"""

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from wiremap.source.keepers import PROCESS, Keepers
from wiremap.source.tree import Function, walk

_INITIALISERS = frozenset({"__init__", "__post_init__"})
_MISSES = frozenset({"KeyError", "AttributeError", "LookupError", "IndexError", "NameError"})
_MUTATORS = frozenset(
    {"add", "append", "appendleft", "extend", "insert", "push", "put", "set", "setdefault", "update", "__setitem__"}
)
_REFERENCES = (ast.Name, ast.Attribute, ast.Subscript)


def keepers(functions: Mapping[str, list[Function]]) -> dict[str, Keepers]:
    """Return for each of the *functions* of one file who keeps what it may fill and skip the next time.

    Such a function tests a place and stores to it; or it tests one, perhaps by way of another function of its
    class or module, and calls a third of these that stores to it.
    """
    habits = {name: _habits(definitions) for name, definitions in functions.items()}
    return {name: _keepers(name, habit, habits) for name, habit in habits.items()}


@dataclass(frozen=True, slots=True)
class _Habits:
    """What a function does with places.

    Attributes:
        stores: Places that it stores to and that outlive it, each with who holds it.
        tests: Names that decide which way it goes.
        names: All names that it reads.
    """

    stores: frozenset[tuple[str, int]]
    tests: frozenset[str]
    names: frozenset[str]


def _keepers(name: str, habit: _Habits, habits: Mapping[str, _Habits]) -> Keepers:
    found = {holder for place, holder in habit.stores if place in habit.tests}
    if habit.tests:
        neighbour = name.rpartition(".")[0] + "." if "." in name else ""
        asked = [habits[key] for one in habit.tests if (key := neighbour + one) in habits]
        tests = habit.tests.union(*(other.names for other in asked))
        called = [habits[key] for one in habit.names if (key := neighbour + one) in habits]
        # What a neighbour stores on its own first argument is ours: methods call one another on one object.
        shared = (0, PROCESS) if neighbour else (PROCESS,)
        found |= {holder for other in called for place, holder in other.stores if place in tests and holder in shared}
    return tuple(sorted(found))


def _habits(definitions: list[Function]) -> _Habits:
    walked = [(function, walk(function)) for function in definitions]
    return _Habits(
        stores=frozenset(store for function, nodes in walked for store in _stores(function, nodes)),
        tests=frozenset(name for _, nodes in walked for name in _tests(nodes)),
        names=frozenset(name for _, nodes in walked for name in _names_read(nodes)),
    )


def _stores(function: Function, nodes: Sequence[ast.AST]) -> Iterator[tuple[str, int]]:
    shared = {name for node in nodes if isinstance(node, (ast.Global, ast.Nonlocal)) for name in node.names}
    made_here = _variables_made_here(function, nodes) - shared
    parameters = [one.arg for one in function.args.posonlyargs + function.args.args]
    is_new = function.name in _INITIALISERS
    for target in _targets(nodes):
        root = _root(target)
        holder = parameters.index(root) if root in parameters else PROCESS
        if isinstance(target, ast.Name):
            if target.id in shared:
                yield target.id, PROCESS
        elif root not in made_here and not (is_new and holder == 0):
            yield _place(target), holder


def _targets(nodes: Sequence[ast.AST]) -> Iterator[ast.expr]:
    """Yield each expression that is assigned to, or that one of the usual methods changes."""
    for node in nodes:
        if isinstance(node, _REFERENCES) and isinstance(node.ctx, ast.Store):
            yield node
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _MUTATORS:
            # As if an item were stored: `cache.update(…)` is `cache[…] = …`.
            yield ast.Subscript(node.func.value, ast.Constant(None), ast.Store())
        elif isinstance(node, ast.Call) and (attribute := _attribute_set(node)) is not None:
            yield attribute


def _attribute_set(call: ast.Call) -> ast.Attribute | None:
    """Return `x.name` for `setattr(x, "name", …)` and `object.__setattr__(x, "name", …)`."""
    function = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    match call.args:
        case [owner, ast.Constant(value=str(name)), _] if function in ("setattr", "__setattr__"):
            return ast.Attribute(owner, name, ast.Store())
        case _:
            return None


def _place(target: ast.expr) -> str:
    while isinstance(target, ast.Subscript):
        target = target.value
    if isinstance(target, ast.Attribute):
        return target.attr
    return target.id if isinstance(target, ast.Name) else ""


def _tests(nodes: Sequence[ast.AST]) -> set[str]:
    """Return the names that decide which way a function goes, followed back through its variables."""
    decided_by = {
        name
        for node in nodes
        if type(node) in _DECIDERS
        for part in _deciding_parts(node)
        for name in _names_read(walk(part))
    }
    assignments = [
        (node, bound) for node in nodes if type(node) in _BINDERS and (bound := {name for name, _ in _bindings(node)})
    ]
    for _ in range(2):  # a variable that is tested, and one that this was made of
        for node, bound in assignments:
            value = getattr(node, "value", None)
            if isinstance(value, ast.expr) and not decided_by.isdisjoint(bound):
                decided_by.update(_names_read(walk(value)))
    return decided_by


# Asked first, since most nodes are none of them.
_DECIDERS = frozenset({ast.If, ast.IfExp, ast.While, ast.BoolOp, ast.Match, ast.Try, ast.comprehension})


def _deciding_parts(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.If | ast.IfExp | ast.While):
        yield node.test
    elif isinstance(node, ast.BoolOp):
        yield from node.values
    elif isinstance(node, ast.Match):
        yield node.subject
    elif isinstance(node, ast.Try) and any(_catches_a_miss(handler) for handler in node.handlers):
        yield from node.body  # `try: return cache[key]`
    elif isinstance(node, ast.comprehension):
        yield from node.ifs


def _catches_a_miss(handler: ast.ExceptHandler) -> bool:
    caught = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(isinstance(one, ast.Name) and one.id in _MISSES for one in caught)


def _names_read(nodes: Iterable[ast.AST]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            yield node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
            yield node.attr
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.isidentifier():
            yield node.value  # hasattr(self, "_rates")


def _variables_made_here(function: Function, nodes: Sequence[ast.AST]) -> set[str]:
    """Return variables that hold what the call made itself: a literal, a comprehension, a call's result.

    A variable that names something else (`cache = self._cache`) is a place, and so is a parameter, but for
    those that collect arguments.
    """
    arguments = function.args
    origins = {parameter.arg: True for parameter in (arguments.vararg, arguments.kwarg) if parameter is not None}
    for node in nodes:
        for name, is_made in _bindings(node) if type(node) in _BINDERS else ():
            origins[name] = origins.get(name, True) and is_made
    return {name for name, is_made in origins.items() if is_made}


# Asked first, since most nodes are none of them.
_BINDERS = frozenset({ast.Assign, ast.AnnAssign, ast.NamedExpr, ast.ExceptHandler})


def _bindings(node: ast.AST) -> Iterator[tuple[str, bool]]:
    if isinstance(node, ast.Assign):
        made = not isinstance(node.value, _REFERENCES)
        yield from ((target.id, made) for target in node.targets if isinstance(target, ast.Name))
    elif isinstance(node, ast.ExceptHandler) and node.name:
        yield node.name, True
    elif isinstance(node, ast.AnnAssign | ast.NamedExpr) and isinstance(node.target, ast.Name):
        yield node.target.id, not isinstance(node.value, _REFERENCES)


def _root(target: ast.expr) -> str:
    while isinstance(target, ast.Attribute | ast.Subscript):
        target = target.value
    return target.id if isinstance(target, ast.Name) else ""
