"""Annotations that surely can be evaluated, and on which names that rests.

`Order | None` fails when `Order` is no type, so that who evaluates it is concerned by what `Order` is.
"""

import ast
import collections.abc
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from wiremap.source.scope import Bound, Scope, standard
from wiremap.source.tree import walk


@dataclass(slots=True)
class Annotations:
    """Judges annotations that are evaluated in one scope.

    Attributes:
        scope: Where names are looked up.
        are_lazy: Whether annotations are not evaluated at all.
        rests_on: What has to be as it is for those that were judged to succeed: an operator with the name that must
            be a type, or a whole expression.
    """

    scope: Scope
    are_lazy: bool = False
    rests_on: set[str] = field(default_factory=set)

    def is_alias(self, node: ast.expr) -> bool:
        """Tell whether the expression surely gives a type, evaluated at once."""
        return isinstance(node, ast.Subscript | ast.BinOp) and self._is_plain(node)

    def are_plain(self, nodes: Iterable[ast.expr | None]) -> bool:
        """Tell whether each of the annotations surely gives a value."""
        return self.are_lazy or all(node is None or self._is_plain(node) for node in nodes)

    def is_type(self, node: ast.expr) -> bool:
        """Tell whether the annotation surely gives something that `typing` takes for a type."""
        return self._is_type(node, "[")

    def _is_plain(self, node: ast.expr) -> bool:
        match node:
            case ast.Constant() | ast.Name():
                return not isinstance(node, ast.Name) or self.scope.find(node.id) is not None
            case ast.Attribute():
                return self._is_type(node, ".")
            case ast.Subscript():
                return self._is_plain_subscript(node)
            case ast.BinOp(op=ast.BitOr()):
                return self._is_plain_union(node)
            case _:
                return False

    def _is_plain_union(self, node: ast.BinOp) -> bool:
        sides = (node.left, node.right)
        if any(isinstance(one, ast.Constant) and one.value is not None for one in sides):
            return False
        return all(self._is_type(one, "|") for one in sides) and not all(isinstance(one, ast.Constant) for one in sides)

    def _is_type(self, node: ast.expr, operator: str) -> bool:
        match node:
            case ast.Constant(value=None):
                return True
            case ast.Constant(value=str(text)):
                return _is_expression(text)
            case ast.Name() | ast.Attribute():
                bound = find(node, self.scope)
                if bound is None or bound.sort in _NO_TYPES or bound.origin in _NO_ARGUMENTS:
                    return False
                if bound.sort == "" and not bound.origin.startswith("typing."):
                    self.rests_on.add(f"{operator} {node.id if isinstance(node, ast.Name) else node.attr}")
                return True
            case ast.Constant():
                return False
            case _:
                return self._is_plain(node)

    def _is_plain_subscript(self, node: ast.Subscript) -> bool:  # noqa: PLR0911 - a table in the form of code
        generic = find(node.value, self.scope)
        if generic is None or generic.sort in (*_NO_TYPES, "variable"):
            return False
        if not generic.origin:
            self.rests_on.add(ast.unparse(node))
            return is_of_types(node)
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        match generic.origin.removeprefix("typing."):
            case "Literal":
                return all(isinstance(part, ast.Constant) for part in parts)
            case "Callable" | "collections.abc.Callable":
                return len(parts) == 2 and self._are_types([*_signature(parts[0]), parts[1]])  # noqa: PLR2004 - by definition
            case "Tuple" | "tuple":
                return self._are_types(parts[:-1] if len(parts) == 2 and _is_ellipsis(parts[1]) else parts)  # noqa: PLR2004 - X, ...
            case "Union":
                return self._are_types(parts)
            case name if name in _NUM_ARGUMENTS:
                return len(parts) == _NUM_ARGUMENTS[name] and self._are_types(parts)
            case name if name in _TAKE_ANYTHING:
                return self._are_types(parts)
            case _:
                return False

    def _are_types(self, nodes: Iterable[ast.expr | None]) -> bool:
        return all(node is not None and self._is_type(node, "[") for node in nodes)


def find(node: ast.expr, scope: Scope) -> Bound | None:
    """Return what is known of the value of a name or a dotted name, or None if it may have none."""
    if isinstance(node, ast.Name):
        return scope.find(node.id)
    if not isinstance(node, ast.Attribute):
        return None
    owner = find(node.value, scope)
    if owner is None or owner.sort in (*_NO_TYPES, "variable"):
        return None
    return standard(f"{owner.origin}.{node.attr}") if owner.origin else Bound(owner.members.get(node.attr, ""))


def is_of_types(node: ast.expr) -> bool:
    """Tell whether the expression consists of what types are made of: names, brackets and unions."""
    return all(isinstance(one, _PARTS_OF_TYPES) for one in walk(node))


def _signature(node: ast.expr) -> Iterator[ast.expr | None]:
    """Yield the parameters of a callable type, or None for what is none."""
    if isinstance(node, ast.List):
        yield from node.elts
    elif not _is_ellipsis(node):
        yield None


_PARTS_OF_TYPES: Final = (
    ast.Name, ast.Attribute, ast.Subscript, ast.Constant, ast.Tuple, ast.List, ast.BinOp, ast.BitOr
)  # fmt: skip


def _is_ellipsis(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is ...


def _is_expression(text: str) -> bool:
    try:
        ast.parse(text, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


_NO_TYPES: Final = ("value", "text", "function", "property", "fixture")
# What can stand in no other type.
_NO_ARGUMENTS: Final = frozenset(
    f"typing.{name}"
    for name in (
        "Annotated", "ClassVar", "Concatenate", "Final", "Generic", "Literal", "NotRequired", "Optional", "Protocol",
        "Required", "TypeGuard", "TypeIs", "Union", "Unpack",
    )
)  # fmt: skip
_NUM_ARGUMENTS: Final = {
    **dict.fromkeys(
        (
            "AbstractSet", "AsyncIterable", "AsyncIterator", "Awaitable", "ClassVar", "Collection", "Container",
            "Counter", "Deque", "Final", "FrozenSet", "Iterable", "Iterator", "KeysView", "List", "MutableSequence",
            "MutableSet", "Optional", "Reversible", "Sequence", "Set", "Type", "ValuesView",
        ),
        1,
    ),
    **dict.fromkeys(("DefaultDict", "Dict", "ItemsView", "Mapping", "MutableMapping", "OrderedDict"), 2),
}  # fmt: skip
# These check nothing.
_TAKE_ANYTHING: Final = frozenset(
    {"dict", "frozenset", "list", "set", "type", "os.PathLike", "re.Match", "re.Pattern"}
    | {f"contextlib.Abstract{name}ContextManager" for name in ("", "Async")}
    | {f"collections.{name}" for name in ("ChainMap", "Counter", "OrderedDict", "defaultdict", "deque")}
    | {f"collections.abc.{name}" for name in set(collections.abc.__all__) - {"Buffer", "Callable", "Hashable", "Sized"}}
)
