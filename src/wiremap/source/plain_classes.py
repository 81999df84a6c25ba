"""Classes that are made by doing no more than to bind their members, and that can surely be made."""

import ast
import collections.abc
import enum
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from wiremap.source.annotations import Annotations, find, is_of_types
from wiremap.source.plain_code import is_constant, is_named_tuple, sort_of, sort_of_function
from wiremap.source.scope import Bound, Kind, Scope, Sort, exception_names
from wiremap.source.tree import Function, walk

ANNOTATIONS: Final = "__annotations__"
_Members = Mapping[str, Sequence[ast.stmt]]


@dataclass(slots=True)
class PlainClass:
    """A class that does nothing else when it is made.

    Attributes:
        kind: How it is made.
        bases: What it derives from, as written, as far as that decides how it is made.
        is_whole: Whether something looks at all of its members when it is made.
        members: The statements that bind each member.
        attributes: What is known of those that whoever has the class surely finds.
        rests_on: See `Annotations`.
    """

    kind: Kind
    bases: tuple[str, ...] = ()
    is_whole: bool = False
    members: dict[str, list[ast.stmt]] = field(default_factory=dict)
    attributes: Mapping[str, Sort] = field(default_factory=dict)
    rests_on: set[str] = field(default_factory=set)


def plain_class(node: ast.ClassDef, around: Scope, *, are_lazy: bool, has_pytest: bool) -> PlainClass | None:
    """Return the class that a definition makes, or None if it may do more, or fail.

    Args:
        node: The definition.
        around: The scope of the module.
        are_lazy: Whether annotations are not evaluated.
        has_pytest: Whether `pytest` is the package of that name.
    """
    if node.keywords or getattr(node, "type_params", None):
        return None
    base = _base(node.bases, around)
    decorator = _decorator(node.decorator_list, around)
    if base is None or decorator is None:
        return None
    annotations = Annotations(Scope(outer=around, is_clouded=around.is_clouded), are_lazy)
    members = _members(node, annotations, has_pytest=has_pytest)
    if members is None or not _fits_slots(members, base) or not _binds_no_machinery(members):
        return None
    found = _shaped(base, decorator, members, annotations)
    if found is None:
        return None
    found.bases = base.unresolved
    if not base.unresolved and not decorator.name and base.shape in ("", "enum"):
        found.attributes = _attributes(annotations.scope, is_enum=base.shape == "enum")
    found.rests_on |= {base.rests_on} - {""}
    if not _HOOKS.isdisjoint(members):
        found.kind = "sealed"  # what derives from it is made by these
    return found


# As attributes of a class; descriptors give something else, and a method that is bound is no function.
_GIVE_THEMSELVES: Final = frozenset({"class", "function", "text", "value"})
_HOOKS: Final = frozenset({"__class_getitem__", "__init_subclass__", "__mro_entries__", "__set_name__"})
_SHAPES: Final = {
    **dict.fromkeys(("enum.Enum", "enum.Flag", "enum.IntEnum", "enum.IntFlag", "enum.StrEnum"), "enum"),
    "typing.NamedTuple": "tuple",
    "typing.Protocol": "protocol",
    "typing.TypedDict": "dict",
}
_BUILT_IN_BASES: Final = frozenset(
    {"bytearray", "bytes", "complex", "dict", "float", "frozenset", "int", "list", "set", "str", "tuple"}
)
_PLAIN_BASES: Final = frozenset({"object", "typing.Generic", "unittest.TestCase"}) | exception_names() | _BUILT_IN_BASES
# Classes of the standard library that may read any member of what derives from them, but not when it is made.
_STANDARD_BASES: Final = frozenset(
    {
        "abc.ABC", "argparse.Action", "argparse.ArgumentParser", "argparse.HelpFormatter",
        "ast.NodeTransformer", "ast.NodeVisitor", "cmd.Cmd", "code.InteractiveInterpreter",
        "collections.Counter", "collections.OrderedDict", "collections.UserDict", "collections.UserList",
        "collections.UserString", "collections.defaultdict", "collections.deque",
        "contextlib.AbstractAsyncContextManager", "contextlib.AbstractContextManager",
        "contextlib.ContextDecorator", "datetime.tzinfo", "functools.partial", "html.parser.HTMLParser",
        "http.server.BaseHTTPRequestHandler", "http.server.HTTPServer", "http.server.SimpleHTTPRequestHandler",
        "http.server.ThreadingHTTPServer", "io.BufferedIOBase", "io.BytesIO", "io.IOBase", "io.RawIOBase",
        "io.StringIO", "io.TextIOBase", "io.TextIOWrapper", "json.JSONDecoder", "json.JSONEncoder",
        "logging.Filter", "logging.Formatter", "logging.Handler", "logging.Logger", "logging.LoggerAdapter",
        "logging.StreamHandler", "random.Random", "socketserver.BaseRequestHandler",
        "socketserver.ThreadingMixIn", "string.Formatter", "textwrap.TextWrapper", "threading.Thread",
        "threading.local", "types.ModuleType", "types.SimpleNamespace", "unittest.IsolatedAsyncioTestCase",
    }
    | {f"collections.abc.{name}" for name in collections.abc.__all__}
)  # fmt: skip


@dataclass(slots=True)
class _Base:
    """What a class derives from.

    Attributes:
        kind: The kind of class that this makes.
        shape: What the class is a description of, if it is one: an enumeration, a named tuple, …
        origin: The one that gives the shape.
        unresolved: Those that are not known here, as written.
        rests_on: What must stay as it is if the class is to be made.
        is_built_in: Whether it has a layout of its own, to which no slots can be added.
    """

    kind: Kind = "plain"
    shape: str = ""
    origin: str = ""
    unresolved: tuple[str, ...] = ()
    rests_on: str = ""
    is_built_in: bool = False


def _base(bases: list[ast.expr], scope: Scope) -> _Base | None:
    found = _Base()
    for base in bases:
        if is_named_tuple(base, scope):
            found.is_built_in = True
            continue
        node = base.value if isinstance(base, ast.Subscript) else base
        bound = find(node, scope)
        if bound is not None and bound.origin in _SHAPES:
            shape = _SHAPES[bound.origin]
            is_alone = len(bases) == 1 and (node is base or (shape == "protocol" and is_of_types(base)))
            rests_on = "" if node is base else f"class({ast.unparse(base)})"
            # What derives from a protocol is one only if it says so: else its members are not looked at.
            kind: Kind = "abstract" if shape == "protocol" else "sealed"
            return _Base(kind, shape, bound.origin, rests_on=rests_on) if is_alone else None
        if bound is None or not is_of_types(base) or bound.sort not in ("", "class") or bound.kind == "sealed":
            return None
        if bound.kind == "abstract" or bound.origin in _STANDARD_BASES:
            found.kind = "abstract"
        elif bound.kind != "plain" and bound.origin not in _PLAIN_BASES:
            if bound.origin:
                return None
            found.unresolved += (ast.unparse(node),)
        found.is_built_in |= bound.origin in _BUILT_IN_BASES
    if len(bases) > 1 or found.unresolved or any(isinstance(base, ast.Subscript) for base in bases):
        found.rests_on = f"class({', '.join(map(ast.unparse, bases))})"
    if found.unresolved:
        found.kind = "derived"
    return found


@dataclass(frozen=True, slots=True)
class _Decorator:
    """What makes something of the class: a name, and the options that it was given."""

    name: str = ""
    options: frozenset[str] = frozenset()


_DECORATORS: Final = {
    "dataclasses.dataclass": "dataclass",
    "enum.unique": "unique",
    "functools.total_ordering": "total_ordering",
    "typing.runtime_checkable": "runtime_checkable",
}
_OPTIONS: Final = frozenset({"eq", "frozen", "init", "kw_only", "match_args", "order", "repr", "slots"})
_COMPARISONS: Final = frozenset({"__lt__", "__le__", "__gt__", "__ge__"})


def _decorator(nodes: list[ast.expr], scope: Scope) -> _Decorator | None:
    found = [one for one in nodes if (bound := find(one, scope)) is None or bound.origin != "typing.final"]
    if len(found) > 1:
        return None
    if not found:
        return _Decorator()
    node, options = found[0], frozenset[str]()
    if isinstance(node, ast.Call):
        values = {keyword.arg: keyword.value for keyword in node.keywords}
        given = {name: one.value for name, one in values.items() if isinstance(one, ast.Constant)}
        if node.args or not given.keys() == values.keys() <= _OPTIONS or not set(given.values()) <= {True, False}:
            return None
        if given.get("eq") is False and "order" in given:
            return None
        options = frozenset(name for name, value in given.items() if name is not None and value is True)
    bound = find(node.func if isinstance(node, ast.Call) else node, scope)
    name = _DECORATORS.get(bound.origin, "") if bound is not None else ""
    return _Decorator(name, options) if name and (name == "dataclass" or not isinstance(node, ast.Call)) else None


# Members


def _members(node: ast.ClassDef, annotations: Annotations, *, has_pytest: bool) -> dict[str, list[ast.stmt]] | None:
    members: dict[str, list[ast.stmt]] = {}
    for number, statement in enumerate(node.body):
        found = _member(statement, annotations, has_pytest=has_pytest)
        if found is None:
            return None
        if number == 0 and is_docstring(statement):
            found = {"__doc__": "value"}
        for name, sort in found.items():
            members.setdefault(name, []).append(statement)
            if name != ANNOTATIONS:
                annotations.scope.bind(name, Bound(sort))
    return members


def _member(  # noqa: PLR0911 - a table in the form of code
    node: ast.stmt, annotations: Annotations, *, has_pytest: bool
) -> dict[str, Sort] | None:
    """Return what a statement in a class binds, or None if it may do more."""
    match node:
        case ast.Pass() | ast.Expr(ast.Constant()):
            return {}
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            sort = sort_of_function(node, annotations, has_pytest=has_pytest)
            return None if sort is None else {node.name: sort}
        case ast.ClassDef():
            return {node.name: "class"} if _is_plain_within(node, annotations, has_pytest=has_pytest) else None
        case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation, value=value):
            if not annotations.are_plain([annotation]):
                return None
            if value is None:
                return {ANNOTATIONS: ""}
            sort = _sort_of_member(value, annotations)
            return None if sort is None else {name: sort, ANNOTATIONS: ""}
        case ast.Assign(targets=targets, value=value):
            sort = _sort_of_member(value, annotations)
            names = [target.id for target in targets if isinstance(target, ast.Name)]
            return None if sort is None or len(names) != len(targets) else dict.fromkeys(names, sort)
        case _:
            return None


def _is_plain_within(node: ast.ClassDef, annotations: Annotations, *, has_pytest: bool) -> bool:
    """Tell whether a class that stands in another is plain, with the module around it: it sees no names of the other.

    A metaclass that is not known might know `__set_name__`.
    """
    around = annotations.scope.outer or annotations.scope
    found = plain_class(node, around, are_lazy=annotations.are_lazy, has_pytest=has_pytest)
    if found is None or found.kind == "derived":
        return False
    annotations.rests_on |= found.rests_on
    return True


def _attributes(scope: Scope, *, is_enum: bool) -> dict[str, Sort]:
    """Return what is known of those attributes of a class that surely give a value: no descriptors, none mangled."""
    return {
        name: "value" if is_enum else bound.sort
        for name, bound in scope.bound.items()
        if bound.sort in _GIVE_THEMSELVES and (name.endswith("__") or not name.startswith("__"))
    }


def _sort_of_member(node: ast.expr, annotations: Annotations) -> Sort | None:
    """Return what the value is, or None if it may have a say when the class is made, as descriptors have."""
    scope = annotations.scope
    if isinstance(node, ast.Call) and (bound := find(node.func, scope)) and bound.origin == "dataclasses.field":
        return "value" if _is_field(node, scope) else None
    sort = sort_of(node, scope)
    if isinstance(node, ast.Name | ast.Attribute) and sort == "":
        annotations.rests_on.add(f"= {ast.unparse(node)}")  # a class, most often
    return None if isinstance(node, ast.Name) and sort == "property" else sort


def _is_field(node: ast.Call, scope: Scope) -> bool:
    values = {keyword.arg: keyword.value for keyword in node.keywords}
    flags = {"compare", "hash", "init", "kw_only", "repr"}
    if node.args or not values.keys() <= {"default", "default_factory", *flags} or len(values) < len(node.keywords):
        return False
    if {"default", "default_factory"} <= values.keys():
        return False
    return (
        ("default" not in values or is_constant(values["default"]))
        and ("default_factory" not in values or sort_of(values["default_factory"], scope) is not None)
        and all(isinstance(values[flag], ast.Constant) for flag in flags & values.keys())
    )


def _fits_slots(members: _Members, base: _Base) -> bool:
    for statement in members.get("__slots__", ()):
        value = statement.value if isinstance(statement, ast.Assign) else None
        parts = value.elts if isinstance(value, ast.Tuple | ast.List) else [value]
        names = [one.value for one in parts if isinstance(one, ast.Constant) and isinstance(one.value, str)]
        if base.is_built_in and parts:
            return False
        is_known = len(set(names)) == len(parts) and all(name.isidentifier() for name in names)
        if not is_known or not members.keys().isdisjoint(names) or "__dict__" in names or "__weakref__" in names:
            return False
    return True


_MACHINERY: Final = frozenset(
    {
        "__bases__", "__class__", "__class_getitem__", "__classcell__", "__dict__", "__init_subclass__", "__module__",
        "__mro_entries__", "__qualname__", "__set_name__", "__weakref__",
    }
)  # fmt: skip


def _binds_no_machinery(members: _Members) -> bool:
    """Tell whether nothing but functions is bound to names that `type` itself looks up.

    `__subclasshook__` has a say in checks against the bases of its class, which name that class nowhere.
    """
    if "__subclasshook__" in members:
        return False
    looked_up = [one for name, statements in members.items() if name in _MACHINERY for one in statements]
    return all(isinstance(one, Function) for one in looked_up)


# Shapes


def _shaped(  # noqa: PLR0911 - a table in the form of code
    base: _Base, decorator: _Decorator, members: dict[str, list[ast.stmt]], annotations: Annotations
) -> PlainClass | None:
    is_whole = bool(base.shape or decorator.name or base.kind == "abstract")
    found = PlainClass(base.kind, is_whole=is_whole, members=members, rests_on=annotations.rests_on)
    match base.shape, decorator.name:
        case "", "":
            return None if _has_fields(members, annotations.scope) else found
        case "", "total_ordering" if not base.unresolved:
            is_ordered = any(isinstance(one, Function) for name in _COMPARISONS for one in members.get(name, ()))
            return found if is_ordered and not _has_fields(members, annotations.scope) else None
        case "", "dataclass" if not base.unresolved:
            found.kind = "sealed"
            return found if _is_dataclass(members, decorator.options, annotations) else None
        case "enum", "" | "unique":
            return found if _is_enum(members, base.origin, annotations.scope) else None
        case "tuple", "":
            return found if _is_tuple(members, annotations) else None
        case "dict", "":
            return found if members.keys() <= {ANNOTATIONS, "__doc__"} and _have_types(members, annotations) else None
        case "protocol", "" | "runtime_checkable":
            return None if _has_fields(members, annotations.scope) else found
        case _:
            return None


def _fields(members: _Members) -> Iterator[ast.AnnAssign]:
    yield from (one for one in members.get(ANNOTATIONS, ()) if isinstance(one, ast.AnnAssign))


def _has_fields(members: _Members, scope: Scope) -> bool:
    values = [getattr(one, "value", None) for statements in members.values() for one in statements]
    return any(isinstance(one, ast.Call) and _is_call_of(one, "dataclasses.field", scope) for one in values)


def _is_call_of(node: ast.Call, origin: str, scope: Scope) -> bool:
    bound = find(node.func, scope)
    return bound is not None and bound.origin == origin


def _is_dataclass(members: _Members, options: frozenset[str], annotations: Annotations) -> bool:
    fields = list(_fields(members))
    names = {one.target.id for one in fields if isinstance(one.target, ast.Name)}
    return (
        len(names) == len(fields)
        and all(len(members.get(name, ())) <= 1 for name in names)
        and all(_is_plain_field(one, annotations.scope) for one in fields)
        and not _has_fields(
            {name: same for name, same in members.items() if name not in {*names, ANNOTATIONS}}, annotations.scope
        )
        and not ("frozen" in options and not {"__setattr__", "__delattr__"}.isdisjoint(members))
        and not ("order" in options and not _COMPARISONS.isdisjoint(members))
        and not ("slots" in options and "__slots__" in members)
        and ("kw_only" in options or _have_defaults_last([_has_default(one.value) for one in fields]))
    )


def _is_plain_field(node: ast.AnnAssign, scope: Scope) -> bool:
    """Tell whether it is a field like any other, with a default that can't be changed: others are refused."""
    parts = walk(node.annotation)
    if any(isinstance(one, ast.Name | ast.Attribute | ast.Constant) and _marker(one) for one in parts):
        return False
    if isinstance(node.value, ast.Call):
        is_empty = not node.value.args and _is_call_of(node.value, "frozenset", scope)
        return is_empty or _is_call_of(node.value, "dataclasses.field", scope)
    return node.value is None or is_constant(node.value)


_MARKERS: Final = frozenset({"ClassVar", "InitVar", "KW_ONLY"})


def _marker(node: ast.Name | ast.Attribute | ast.Constant) -> bool:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name in _MARKERS
        case ast.Constant(value=value):
            return any(marker in str(value) for marker in _MARKERS)


def _has_default(value: ast.expr | None) -> bool:
    if isinstance(value, ast.Call) and value.keywords:
        return any(keyword.arg in ("default", "default_factory") for keyword in value.keywords)
    return value is not None


def _have_defaults_last(have_defaults: Sequence[bool]) -> bool:
    return list(have_defaults) == sorted(have_defaults)


def _is_enum(members: _Members, origin: str, scope: Scope) -> bool:
    statements = [(name, one) for name, same in members.items() for one in same if name != "__doc__"]
    functions = [name for name, one in statements if isinstance(one, Function)]
    values = [(name, one.value) for name, one in statements if isinstance(one, ast.Assign)]
    if len(functions) + len(values) < len(statements):
        return False
    if not all(_is_name_in_enum(name) for name in functions if name not in ("__format__", "__repr__", "__str__")):
        return False
    if len({name for name, _ in values}) < len(values) or not all(_is_name_in_enum(name) for name, _ in values):
        return False
    if values and all(isinstance(value, ast.Call) and _is_call_of(value, "enum.auto", scope) for _, value in values):
        return True
    constants = [value.value for _, value in values if isinstance(value, ast.Constant)]
    if origin == "enum.Enum" and not constants:
        return all(isinstance(value, ast.Call) and _is_call_of(value, "object", scope) for _, value in values)
    return len(constants) == len(values) == len(set(constants)) and _are_values_of(origin, constants)


def _is_name_in_enum(name: str) -> bool:
    is_reserved = name.startswith("_") and (name.endswith("_") or name.startswith("__"))
    return not is_reserved and name not in vars(enum.Enum) and name not in ("mro", "name", "value")


def _are_values_of(origin: str, values: list[Any]) -> bool:
    sorts = {type(value) for value in values}
    match origin:
        case "enum.Enum":
            return len(sorts) <= 1
        case "enum.StrEnum":
            return sorts <= {str}
        case "enum.IntEnum":
            return sorts <= {int}
        case _:  # flags
            return sorts <= {int} and all(value > 0 and value & (value - 1) == 0 for value in values)


def _is_tuple(members: _Members, annotations: Annotations) -> bool:
    fields = list(_fields(members))
    names = [one.target.id for one in fields if isinstance(one.target, ast.Name)]
    return (
        not any(name.startswith("_") for name in names)
        and len(set(names)) == len(names)
        and all(
            isinstance(one, Function) or name in {*names, ANNOTATIONS, "__doc__"}
            for name, same in members.items()
            for one in same
        )
        and members.keys().isdisjoint(_RESERVED)
        and _have_types(members, annotations)
        and _have_defaults_last([one.value is not None for one in fields])
    )


_RESERVED: Final = frozenset(
    {
        "__new__", "__init__", "__slots__", "__getnewargs__", "_asdict", "_field_defaults", "_field_types", "_fields",
        "_make", "_replace", "_source", "__set_name__",
    }
)  # fmt: skip


def _have_types(members: _Members, annotations: Annotations) -> bool:
    return annotations.are_lazy or all(annotations.is_type(one.annotation) for one in _fields(members))


def is_docstring(node: ast.stmt) -> bool:
    """Tell whether a statement is text alone, which documents what it stands in first."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
