"""Functions that may find their work done: they test a place that outlives the call, and store to it.

A place is a name: `rates` for a global, `_rates` for `self._rates`, `cache` for `cache[key]`. So two objects
with an attribute of one name count as one place, which widens and never narrows.

Who keeps what is stored is the object that changes. `self.rate = 1` changes `self`, and `self._rates[key] = 1`
what `self._rates` is. That is the object's own if all that the file binds to an attribute of that name is made
on the spot, `{}` or `Table()`; what came from elsewhere, or stands in a class, others may have too, so that the
process keeps it.
"""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from wiremap.source.keepers import PROCESS, Keepers
from wiremap.source.tree import Function, walk

_INITIALISERS = frozenset({"__init__", "__post_init__"})
_MISSES = frozenset({"KeyError", "AttributeError", "LookupError", "IndexError", "NameError"})
_MUTATORS = frozenset(
    {"add", "append", "appendleft", "extend", "insert", "push", "put", "set", "setdefault", "update", "__setitem__"}
)
_REFERENCES = (ast.Name, ast.Attribute, ast.Subscript)


def keepers(functions: Mapping[str, list[Function]], tree: ast.Module) -> dict[str, Keepers]:
    """Return for each of the *functions* of the file *tree* who keeps what it may fill and skip the next time.

    Such a function tests a place and stores to it; or it tests one, perhaps by way of another function of its
    class or module, and calls a third of these that stores to it.
    """
    own = _own_attributes(tree)
    habits = {name: _habits(definitions, own) for name, definitions in functions.items()}
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


def _habits(definitions: list[Function], own: Mapping[str, bool]) -> _Habits:
    walked = [(function, walk(function)) for function in definitions]
    return _Habits(
        stores=frozenset(store for function, nodes in walked for store in _stores(function, nodes, own)),
        tests=frozenset(name for _, nodes in walked for name in _tests(nodes)),
        names=frozenset(name for _, nodes in walked for name in _names_read(nodes)),
    )


def _stores(function: Function, nodes: Sequence[ast.AST], own: Mapping[str, bool]) -> Iterator[tuple[str, int]]:
    shared = {name for node in nodes if isinstance(node, (ast.Global, ast.Nonlocal)) for name in node.names}
    variables = _Variables(function, nodes, shared, own)
    nobody = 0 if function.name in _INITIALISERS else None  # has the object yet
    for target in _targets(nodes):
        if isinstance(target, ast.Attribute | ast.Subscript):
            yield from ((_place(target), one) for one in variables.holders(target.value) if one != nobody)
        elif isinstance(target, ast.Name) and target.id in shared:
            yield target.id, PROCESS


class _Variables:
    """What the variables of a function stand for: parameters, places that outlive the call, or what it made itself."""

    def __init__(
        self, function: Function, nodes: Sequence[ast.AST], shared: AbstractSet[str], own: Mapping[str, bool]
    ) -> None:
        arguments = function.args
        self._own = own
        self._positions = {one.arg: place for place, one in enumerate(arguments.posonlyargs + arguments.args)}
        self._bound: dict[str, list[ast.expr]] = {
            one.arg: [] for one in (arguments.vararg, arguments.kwarg) if one is not None
        }
        for node in nodes:
            for name, value in _bindings(node) if type(node) in _BINDERS else ():
                if name not in shared:
                    self._bound.setdefault(name, []).extend([value] if value is not None else [])

    def holders(self, node: ast.expr, followed: frozenset[str] = frozenset()) -> set[int]:
        """Return who keeps what is stored in the object that *node* gives: nobody, if the call made it itself."""
        match node:
            case ast.Name(id=name):
                return self._holders_of_variable(name, followed)
            case ast.Attribute(value=owner, attr=name) if self._own.get(name, name == "__dict__"):
                return self.holders(owner, followed)
            case ast.Attribute(value=owner) | ast.Subscript(value=owner):
                return {PROCESS for _ in self.holders(owner, followed)}  # others may have it too
            case ast.Call() if not _is_made(node):
                return {PROCESS}
            case ast.BoolOp() | ast.IfExp() | ast.NamedExpr():
                return {one for part in _alternatives(node) for one in self.holders(part, followed)}
            case _:
                return set()

    def _holders_of_variable(self, name: str, followed: frozenset[str]) -> set[int]:
        if name in followed:
            return set()
        found = set[int]()
        if name in self._positions:
            found.add(self._positions[name] if self._own.get("__dict__", True) else PROCESS)
        elif name not in self._bound:
            found.add(PROCESS)
        return found.union(*(self.holders(value, followed | {name}) for value in self._bound.get(name, ())))


def _alternatives(node: ast.BoolOp | ast.IfExp | ast.NamedExpr) -> list[ast.expr]:
    if isinstance(node, ast.BoolOp):
        return node.values
    return [node.body, node.orelse] if isinstance(node, ast.IfExp) else [node.value]


def _own_attributes(tree: ast.Module) -> dict[str, bool]:
    """Return the attributes that are bound in the file, and whether to nothing that another object may have as well."""
    made: dict[str, bool] = {}
    for node in walk(tree):
        for name, is_made in _attributes_bound(node):
            made[name] = made.get(name, True) and is_made
    return made


def _attributes_bound(node: ast.AST) -> Iterator[tuple[str, bool]]:
    """Yield each attribute that *node* itself binds, and whether that is something made there."""
    match node:
        case ast.Assign(targets=targets, value=value):
            yield from ((one.attr, _is_made(value)) for one in targets if isinstance(one, ast.Attribute))
        case ast.AnnAssign(target=ast.Attribute(attr=name), value=ast.expr() as value):
            yield name, _is_made(value)
        case ast.Tuple(elts=parts, ctx=ast.Store()) | ast.List(elts=parts, ctx=ast.Store()):
            yield from ((one.attr, False) for one in parts if isinstance(one, ast.Attribute))
        case ast.For(target=ast.Attribute(attr=name)) | ast.withitem(optional_vars=ast.Attribute(attr=name)):
            yield name, False
        case ast.Call():
            if (attribute := _attribute_set(node)) is not None:
                yield attribute.attr, _is_made(node.args[2])
        case ast.ClassDef(body=body):
            for statement in body:
                yield from _bound_in_class(statement)
        case _:
            pass


def _bound_in_class(node: ast.stmt) -> Iterator[tuple[str, bool]]:
    """Yield what a class binds: all of its objects have that, and can change it unless it is a constant."""
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            yield name, False
        case ast.Assign(targets=targets, value=value):
            names = [one for target in targets for one in walk(target) if isinstance(one, ast.Name)]
            yield from ((one.id, isinstance(value, ast.Constant)) for one in names)
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.Call(func=function)):
            yield name, _last_name(function) == "field"  # of a dataclass
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
            yield name, isinstance(value, ast.Constant)
        case _:
            pass


_MADE = (
    ast.Constant, ast.Dict, ast.DictComp, ast.JoinedStr, ast.List, ast.ListComp, ast.Set, ast.SetComp, ast.Tuple,
)  # fmt: skip
_MAKERS = frozenset({"bytearray", "copy", "deepcopy", "defaultdict", "deque", "dict", "list", "new", "set", "sorted"})
_NAMED_LIKE_A_CLASS = re.compile(r"_*[A-Z]\w*|\w*(class|cls)_*")


def _is_made(node: ast.expr) -> bool:
    """Tell whether an expression surely gives something new: a literal, a copy, or an object of a class."""
    if isinstance(node, ast.Call):
        name = _last_name(node.func)
        return name in _MAKERS or _NAMED_LIKE_A_CLASS.fullmatch(name) is not None
    return isinstance(node, _MADE)


def _last_name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


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


# Asked first, since most nodes are none of them.
_BINDERS = frozenset({ast.Assign, ast.AnnAssign, ast.NamedExpr, ast.ExceptHandler})


def _bindings(node: ast.AST) -> Iterator[tuple[str, ast.expr | None]]:
    """Yield each variable that *node* itself binds, with the value where there is one."""
    if isinstance(node, ast.Assign):
        yield from ((target.id, node.value) for target in node.targets if isinstance(target, ast.Name))
    elif isinstance(node, ast.ExceptHandler) and node.name:
        yield node.name, None
    elif isinstance(node, ast.AnnAssign | ast.NamedExpr) and isinstance(node.target, ast.Name):
        yield node.target.id, node.value
