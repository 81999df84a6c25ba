"""Rule `reaches-inside`, by source: a component reaches another by its cells, and not past them.

What an attribute of a component refers to is told by annotations, by what `__init__` stores, by the ids of components
(`Model.attention` is what `Model` holds as `attention`), and by the cells that it is handed. Where that is not known,
nothing is found.
"""

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from wiremap.checks.findings import REACHES_INSIDE, Finding
from wiremap.checks.source_classes import ClassName, Function, SourceClass, SourceCode
from wiremap.checks.wiring import Wiring

_BEHIND_METHODS = ("__self__", "__func__", "__wrapped__", "__closure__", "__globals__")
_BEHIND_OBJECTS = ("__dict__", "__slots__")
Classes = frozenset[ClassName]


def reaching_inside(code: SourceCode, wiring: Wiring) -> Iterator[Finding]:
    """Yield each place at which a component reaches past the cells of another."""
    attributes = {one: _attributes(one, code, wiring) for one in wiring.kin}
    for name, cls in code.classes.items():
        if owners := wiring.owners(name):
            reader = _Reader(cls, owners, attributes, code, wiring)
            for method in cls.methods():
                yield from reader.read(method)


@dataclass(slots=True)
class _Scope:
    """What is known of the names in one method.

    Attributes:
        me: The name of the instance, if there is one.
        components: Names that refer to components of certain classes.
        chains: Names that stand for a chain of attributes of the instance.
    """

    me: str | None
    components: dict[str, Classes] = field(default_factory=dict)
    chains: dict[str, list[str]] = field(default_factory=dict)


class _Reader:
    """Reads the methods of one class, which stands for the components that *owners* are."""

    def __init__(
        self,
        cls: SourceClass,
        owners: Sequence[ClassName],
        attributes: Mapping[ClassName, Mapping[str, Classes]],
        code: SourceCode,
        wiring: Wiring,
    ) -> None:
        self._cls = cls
        self._owners = owners
        self._attributes = attributes
        self._code = code
        self._wiring = wiring

    def read(self, method: Function) -> Iterator[Finding]:
        """Yield what one method finds, each place once."""
        scope = self._scope(method)
        seen: set[tuple[int, str]] = set()
        inner: set[int] = set()
        for node in ast.walk(method):
            if id(node) in inner or not (chain := _chain(node, inner)):
                continue
            for message, fix, other in self._breaches(chain, scope):
                key = (_line(node), message)
                if key not in seen:
                    seen.add(key)
                    yield self._finding(method, node, message, fix, other)

    def _finding(self, method: Function, node: ast.AST, message: str, fix: str, other: ClassName) -> Finding:
        unit = f"{self._cls.unit}.{method.name}"
        ids = [
            *(id_ for owner in self._owners for id_ in self._wiring.ids[owner]),
            *(one.short for one in self._owners),
        ]
        edges = [f"{id_} -> {other.short}" for id_ in ids]
        subjects = tuple(dict.fromkeys([unit, *ids, *edges]))
        return Finding(
            self._cls.path,
            _line(node),
            REACHES_INSIDE,
            f"{self._cls.name.short}.{method.name} {message}.",
            fix,
            subjects,
        )

    # What names stand for

    def _scope(self, method: Function) -> _Scope:
        marks = {ast.unparse(mark) for mark in method.decorator_list}
        arguments = [*method.args.posonlyargs, *method.args.args, *method.args.kwonlyargs]
        is_bound = not marks & {"staticmethod", "classmethod"} and bool(arguments)
        scope = _Scope(arguments[0].arg if is_bound else None)
        for argument in arguments[is_bound:]:
            if found := self._components(self._code.meaning(argument.annotation, self._cls.name.module)):
                scope.components[argument.arg] = found
        assigned = [node for node in ast.walk(method) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]
        names = [node.id for node in assigned]
        for node in ast.walk(method):
            if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
                name, chain = node.targets[0].id, _chain(node.value, set())
                if chain and chain[0] == scope.me and names.count(name) == 1:
                    scope.chains[name] = chain
        for name in names:  # bound anew, it may be anything
            scope.components.pop(name, None)
        return scope

    def _components(self, name: ClassName | None) -> Classes:
        """Return the registered classes that *name* may stand for, if none of them is the reader's own."""
        return _others(frozenset(self._wiring.owners(name)) if name else frozenset(), self._owners, self._wiring)

    # What a chain does

    def _breaches(self, chain: list[str], scope: _Scope) -> Iterator[tuple[str, str, ClassName]]:
        first, *rest = scope.chains.get(chain[0], chain[:1]) + chain[1:]
        if first == scope.me:
            yield from self._from_instance(first, rest)
        elif first in scope.components:
            yield from self._into(scope.components[first], first, rest)
        elif first not in scope.chains:
            for end in range(1, len(chain)):
                node = _expression(chain[:end])
                found = self._code.meaning(node, self._cls.name.module)
                if found is not None and (classes := self._components(found)) and found in self._code.classes:
                    yield from self._into(classes, ".".join(chain[:end]), chain[end:])
                    return

    def _from_instance(self, me: str, rest: list[str]) -> Iterator[tuple[str, str, ClassName]]:
        if not rest[1:]:
            return
        name, following = rest[:2]
        for owner in self._owners:
            written = f"{me}.{name}"
            if others := self._others(self._wiring.cells[owner].get(name, ())):
                if _is_private(following) or following in _BEHIND_METHODS:
                    yield self._breach(f"reads {written}.{following}, past the cell {name!r} of", following, others)
                return
            if others := self._others(self._wiring.interfaces[owner].get(name, ())):
                past = [one for one in rest[1:3] if _is_private(one) or one in _BEHIND_METHODS]
                if past:
                    path = ".".join([written, *rest[1 : rest.index(past[0]) + 1]])
                    yield self._breach(f"reads {path}, past the interface {name!r} of", past[0], others)
                return
            if others := self._others(self._attributes[owner].get(name, ())):
                yield from self._into(others, written, rest[1:])
                return

    def _into(self, classes: Classes, written: str, rest: list[str]) -> Iterator[tuple[str, str, ClassName]]:
        """Yield what is wrong with reading *rest* of a component of one of *classes*, which is *written* so."""
        if not rest:
            return
        name = rest[0]
        if _is_private(name) or name in _BEHIND_OBJECTS:
            yield self._breach(f"reads {written}.{name}, which is private to", name, classes)
            return
        held = frozenset(one for cls in classes for one in self._attributes[cls].get(name, ()))
        inner = self._others(held)
        if inner and not any(self._wiring.are_joined(owner, one) for owner in self._owners for one in inner):
            which = min(inner).short
            message = f"takes {which} out of {min(classes).short}, by {written}.{name}"
            yield message, f"Hand over as a cell what it needs of {which}: orch.register(...).", min(inner)
        elif inner:
            yield from self._into(inner, f"{written}.{name}", rest[1:])

    def _breach(self, message: str, name: str, others: Classes) -> tuple[str, str, ClassName]:
        other = min(others)
        fix = f"Give {other.short} a cell for that and register it: orch.register(provider, cell, consumer)."
        if name in _BEHIND_METHODS:
            fix = f"Register what it needs of {other.short} as a cell of its own."
        return f"{message} {other.short}", fix, other

    def _others(self, classes: Iterable[ClassName]) -> Classes:
        return _others(frozenset(classes), self._owners, self._wiring)


def _others(classes: Classes, owners: Sequence[ClassName], wiring: Wiring) -> Classes:
    is_own = any(wiring.are_kin(one, owner) for one in classes for owner in owners)
    return frozenset() if is_own else classes


def _attributes(name: ClassName, code: SourceCode, wiring: Wiring) -> Mapping[str, Classes]:
    """Return the attributes of components of a class that refer to components, with the classes of these."""
    found: dict[str, set[ClassName]] = {}
    for above in sorted(wiring.kin[name]):
        cls = code.classes.get(above)
        for attribute, expression in _stored(cls) if cls else ():
            meant = code.meaning(expression, above.module)
            if meant is not None and (owners := wiring.owners(meant)):
                found.setdefault(attribute, set()).update(owners)
    for attribute, classes in wiring.parts[name].items():
        found.setdefault(attribute, set()).update(classes)
    return {attribute: frozenset(classes) for attribute, classes in found.items()}


def _stored(cls: SourceClass) -> Iterator[tuple[str, ast.expr | None]]:
    """Yield each attribute with an expression that tells its class: an annotation, or what is called."""
    for statement in cls.node.body:
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            yield statement.target.id, statement.annotation
    for method in cls.methods():
        arguments = [*method.args.posonlyargs, *method.args.args, *method.args.kwonlyargs]
        annotated = {one.arg: one.annotation for one in arguments}
        me = arguments[0].arg if arguments else ""
        for node in ast.walk(method):
            if isinstance(node, ast.Assign | ast.AnnAssign):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                for target in targets:
                    if _chain(target, set())[:-1] == [me] and isinstance(target, ast.Attribute):
                        yield target.attr, _told_by(node, annotated)


def _told_by(node: ast.Assign | ast.AnnAssign, annotated: Mapping[str, ast.expr | None]) -> ast.expr | None:
    if isinstance(node, ast.AnnAssign):
        return node.annotation
    if isinstance(node.value, ast.Name):
        return annotated.get(node.value.id)
    return node.value.func if isinstance(node.value, ast.Call) else None


def _chain(node: ast.AST, inner: set[int]) -> list[str]:
    """Return `a`, `b`, `c` for `a.b.c`, or for `getattr(a.b, "c")`; the nodes below are added to *inner*."""
    if isinstance(node, ast.Name):
        return [node.id]
    below: ast.AST
    if isinstance(node, ast.Attribute):
        below, name = node.value, node.attr
    elif (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in ("getattr", "setattr", "hasattr")
        and len(node.args) > 1
        and isinstance(node.args[1], ast.Constant)
        and isinstance(node.args[1].value, str)
    ):
        below, name = node.args[0], node.args[1].value
    else:
        return []
    inner.add(id(below))
    before = _chain(below, inner)
    return [*before, name] if before else []


def _expression(names: list[str]) -> ast.expr:
    node: ast.expr = ast.Name(names[0], ast.Load())
    for name in names[1:]:
        node = ast.Attribute(node, name, ast.Load())
    return node


def _is_private(name: str) -> bool:
    return name.startswith("_") and not (name.startswith("__") and name.endswith("__"))


def _line(node: ast.AST) -> int:
    return int(getattr(node, "lineno", 1))
