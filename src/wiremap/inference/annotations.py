"""What an annotation declares: an object of a class, a container of such, something to call."""

import ast
from collections.abc import Callable
from typing import Final

from wiremap.inference.definitions import Class
from wiremap.inference.values import (
    NONE,
    OUTSIDE,
    UNKNOWN,
    ClassValue,
    Instance,
    Kind,
    Origin,
    Outside,
    TypeForm,
    Value,
    instance,
    maker,
    many,
    ours,
    outside_names,
    several,
    union,
)

Evaluate = Callable[[ast.expr], Value]

_WRAPPERS: Final = frozenset(
    {
        "Annotated", "Final", "ClassVar", "Required", "NotRequired", "ReadOnly", "InitVar", "ReferenceType", "Mapped",
    }
)  # fmt: skip
_MANY: Final = frozenset(
    {
        "list", "List", "set", "Set", "frozenset", "FrozenSet", "deque", "Deque", "Sequence", "MutableSequence",
        "Iterable", "Iterator", "Collection", "AbstractSet", "MutableSet", "Generator", "AsyncIterator",
        "AsyncIterable", "AsyncGenerator", "Reversible", "ContextManager", "AbstractContextManager",
        "AsyncContextManager", "AbstractAsyncContextManager", "Queue", "ModuleList", "WeakSet",
        "KeysView", "ValuesView",
    }
)  # fmt: skip
_KEYED: Final = frozenset(
    {
        "dict", "Dict", "Mapping", "MutableMapping", "defaultdict", "DefaultDict", "OrderedDict", "ModuleDict",
        "WeakValueDictionary", "WeakKeyDictionary", "MappingProxyType",
    }
)  # fmt: skip


def declared(node: ast.expr | None, evaluate: Evaluate, owner: Class | None) -> Value:
    """Return what the annotation *node* says of a value.

    Args:
        node: The annotation, None if there is none.
        evaluate: Gives the value of a name or attribute where the annotation stands.
        owner: The class that ``Self`` means.
    """
    match node:
        case None:
            return UNKNOWN
        case ast.Constant(value=value):
            return _of_constant(value, evaluate, owner)
        case ast.BinOp(op=ast.BitOr()):
            return union([declared(node.left, evaluate, owner), declared(node.right, evaluate, owner)])
        case ast.Subscript():
            return _of_subscript(node, evaluate, owner)
        case ast.Name() | ast.Attribute():
            return union(_of_kind(kind, owner) for kind in evaluate(node))
        case _:
            return OUTSIDE


def is_bare(value: Value) -> bool:
    """Tell whether there is no annotation, or one that leaves the class open; ``Any`` closes the question."""
    return not value or (outside_names(value) <= {"builtins.object", "None"} and not ours(value))


def _of_constant(value: object, evaluate: Evaluate, owner: Class | None) -> Value:
    if not isinstance(value, str):
        return NONE if value is None else OUTSIDE
    try:
        parsed = ast.parse(value.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return OUTSIDE
    return declared(parsed, evaluate, owner)


def _of_kind(kind: Kind, owner: Class | None) -> Value:
    match kind:
        case ClassValue(cls):
            return instance(cls, Origin.DECLARED)
        case TypeForm(declares):
            return declares
        case Outside(name) if name.rpartition(".")[2] == "Self" and owner is not None:
            return frozenset({Instance(owner, Origin.SELF)})
        case Outside():
            return frozenset({kind})
        case _:
            return UNKNOWN


def _of_subscript(node: ast.Subscript, evaluate: Evaluate, owner: Class | None) -> Value:
    head = evaluate(node.value)
    arguments = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    names = {name.rpartition(".")[2] for name in outside_names(head)}
    if not names:
        return union(_of_kind(kind, owner) for kind in head)  # a generic class of ours
    if not arguments:
        return OUTSIDE  # tuple[()]

    def inner(argument: ast.expr) -> Value:
        return declared(argument, evaluate, owner)

    return _of_generic(names, arguments, inner)


def _of_generic(names: set[str], arguments: list[ast.expr], inner: Callable[[ast.expr], Value]) -> Value:
    forms: dict[frozenset[str], Callable[[], Value]] = {
        frozenset({"Optional", "Union"}): lambda: union(map(inner, arguments)),
        frozenset({"Awaitable", "Coroutine", "Task", "Future"}): lambda: inner(arguments[-1]),
        frozenset({"type", "Type"}): lambda: _classes(inner(arguments[0])),
        frozenset({"Callable"}): lambda: maker(inner(arguments[-1]), is_declared=True),
        frozenset({"tuple", "Tuple"}): lambda: _tuple(arguments, inner),
        _WRAPPERS: lambda: inner(arguments[0]),
        frozenset({"ItemsView"}): lambda: many(several(map(inner, arguments))),
        _MANY: lambda: many(inner(arguments[0])),
        _KEYED: lambda: many(inner(arguments[-1]), keys=inner(arguments[0])),
    }
    return next((make() for known, make in forms.items() if names & known), OUTSIDE)


def _classes(value: Value) -> Value:
    return frozenset(ClassValue(kind.cls) for kind in value if isinstance(kind, Instance)) or OUTSIDE


def _tuple(arguments: list[ast.expr], inner: Callable[[ast.expr], Value]) -> Value:
    is_row = not (isinstance(arguments[-1], ast.Constant) and arguments[-1].value is Ellipsis)
    return several(map(inner, arguments)) if is_row else many(inner(arguments[0]))
