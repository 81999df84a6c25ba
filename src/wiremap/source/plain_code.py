"""Code that is known to do no more than to give a value: what it can't be seen to do, it does not do."""

import ast
import re
import struct
import warnings
from collections import namedtuple
from collections.abc import Iterable
from typing import Final

from wiremap.source.annotations import Annotations, find
from wiremap.source.scope import Scope, Sort, is_looked_into
from wiremap.source.tree import Function

_GIVE_FUNCTIONS: Final = frozenset(
    {
        "abc.abstractmethod", "contextlib.asynccontextmanager", "contextlib.contextmanager",
        "functools.cache", "functools.lru_cache",
        "typing.final", "typing.no_type_check", "typing.overload", "typing.override",
    }
)  # fmt: skip
_GIVE_DESCRIPTORS: Final[dict[str, Sort]] = {
    "classmethod": "", "functools.cached_property": "", "property": "property", "staticmethod": "",
}  # fmt: skip
_EMPTY: Final = frozenset(
    {
        "collections.Counter", "collections.OrderedDict", "collections.deque", "contextlib.ExitStack", "io.BytesIO",
        "io.StringIO", "itertools.count", "threading.Condition", "threading.Event", "threading.Lock", "threading.RLock",
        "threading.local", "types.SimpleNamespace", "weakref.WeakKeyDictionary", "weakref.WeakSet",
        "weakref.WeakValueDictionary",
    }
)  # fmt: skip
_COLLECTIONS: Final = ("dict", "frozenset", "list", "set", "tuple")


def sort_of_function(node: Function, annotations: Annotations, *, has_pytest: bool) -> Sort | None:
    """Return what a function definition binds its name to, or None if it may do more.

    Args:
        node: The definition.
        annotations: Judges annotations, in the scope in which the function is defined.
        has_pytest: Whether `pytest` is the package of that name.
    """
    scope, arguments = annotations.scope, node.args
    defaults = [*arguments.defaults, *arguments.kw_defaults]
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
    if not all(one is None or sort_of(one, scope) is not None for one in defaults):
        return None
    if not annotations.are_plain([*(one.annotation for one in every if one is not None), node.returns]):
        return None
    if has_pytest and len(node.decorator_list) == 1 and _makes_fixture(node.decorator_list[0], annotations):
        return "fixture"
    sort: Sort = "function"
    for number, decorator in enumerate(reversed(node.decorator_list)):
        is_outermost = number == len(node.decorator_list) - 1
        if has_pytest and _is_mark(decorator, annotations):
            continue  # it is noted on the function; which test has it is known by that test's own unit
        if _gives_a_function(decorator, scope):
            continue
        descriptor = _sort_of_descriptor(decorator, scope) if is_outermost else None
        if descriptor is None:
            return None
        sort = descriptor
    return sort


def sort_of(  # noqa: C901, PLR0911, PLR0912 - a table in the form of code
    node: ast.expr, scope: Scope
) -> Sort | None:
    """Return what evaluating the expression gives, or None if it may do more than to give a value."""
    match node:
        case ast.Constant(value=value):
            return "text" if isinstance(value, str) else "value"
        case ast.Name(id=name):
            bound = scope.find(name)
            # Under another name a fixture is another fixture.
            return None if bound is None or bound.sort == "fixture" else bound.sort
        case ast.Attribute():
            bound = find(node, scope)
            if bound is None or not (is_looked_into(bound.origin) or (bound.sort and not bound.origin)):
                return None
            return bound.sort
        case ast.JoinedStr(values=parts):
            return "text" if all(_is_plain_part(part, scope) for part in parts) else None
        case ast.BinOp(op=ast.Add(), left=left, right=right) if sort_of(left, scope) == sort_of(right, scope) == "text":
            return "text"
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            return "value" if _are_plain(parts, scope) else None
        case ast.Set(elts=parts):
            return "value" if _are_constants(parts) else None
        case ast.Dict(keys=keys, values=values):
            return "value" if _are_constants(keys) and _are_plain(values, scope) else None
        case ast.UnaryOp() | ast.BinOp() if _is_number(node):
            return "value"
        case ast.Subscript() | ast.BinOp():
            return "class" if _is_alias(node, scope) else None
        case ast.Lambda(args=arguments):
            defaults = [*arguments.defaults, *(one for one in arguments.kw_defaults if one is not None)]
            return "function" if _are_plain(defaults, scope) else None
        case ast.Call():
            return _sort_of_call(node, scope)
        case _:
            return None


def table_rests_on(node: ast.expr, scope: Scope) -> set[str] | None:
    """Return on which names it rests that a table can be made, brackets and braces of what is plain; None if more does.

    Each of them is hashed, which a class always can be.
    """
    match node:
        case ast.Dict(keys=keys, values=values):
            return _all_rest_on([*(_hash_rests_on(one, scope) for one in keys), *_values_rest_on(values, scope)])
        case ast.Set(elts=parts):
            return _all_rest_on(_hash_rests_on(one, scope) for one in parts)
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            return _all_rest_on(_values_rest_on(parts, scope))
        case _:
            return None if sort_of(node, scope) is None else set()


def _values_rest_on(nodes: Iterable[ast.expr], scope: Scope) -> list[set[str] | None]:
    return [table_rests_on(one, scope) for one in nodes]


def _hash_rests_on(node: ast.expr | None, scope: Scope) -> set[str] | None:
    match node:
        case ast.Constant():
            return set()
        case ast.Tuple(elts=parts):
            return _all_rest_on(_hash_rests_on(one, scope) for one in parts)
        case ast.Name(id=name):
            sort = sort_of(node, scope)
            return None if sort is None or sort in ("value", "variable", "property") else {f"{{{name}}}"}
        case _:
            return None


def _all_rest_on(parts: Iterable[set[str] | None]) -> set[str] | None:
    found: set[str] = set()
    for part in parts:
        if part is None:
            return None
        found |= part
    return found


def _is_plain_part(node: ast.expr, scope: Scope) -> bool:
    """Tell whether a part of an f-string is text already."""
    if isinstance(node, ast.FormattedValue):
        return node.format_spec is None and sort_of(node.value, scope) == "text"
    return isinstance(node, ast.Constant)


def _is_alias(node: ast.expr, scope: Scope) -> bool:
    annotations = Annotations(scope)
    return annotations.is_alias(node) and not annotations.rests_on


def is_constant(node: ast.expr | None) -> bool:
    """Tell whether the expression is a literal that can't be changed."""
    match node:
        case ast.Constant():
            return True
        case ast.Tuple(elts=parts):
            return all(is_constant(part) for part in parts)
        case ast.UnaryOp() | ast.BinOp():
            return _is_number(node)
        case _:
            return False


def _are_plain(nodes: Iterable[ast.expr], scope: Scope) -> bool:
    return all(sort_of(node, scope) is not None for node in nodes)


def _are_constants(nodes: Iterable[ast.expr | None]) -> bool:
    return all(isinstance(node, ast.Constant) for node in nodes)


# Calls


def _sort_of_call(  # noqa: C901, PLR0911, PLR0912 - a table in the form of code
    node: ast.Call, scope: Scope
) -> Sort | None:
    function = find(node.func, scope)
    keywords = {keyword.arg: keyword.value for keyword in node.keywords}
    match (function.origin if function else ""), node.args:
        case "object" | "enum.auto", [] if not keywords:
            return "value"
        case "logging.getLogger", [] if not keywords:
            return "value"
        case "logging.getLogger", [name] if not keywords and (_is_text(name) or _is_named(name, "__name__")):
            return "value"
        case "collections.namedtuple", _ if is_named_tuple(node, scope):
            return "class"
        case "typing.NewType", [name, of] if not keywords and _is_text(name) and sort_of(of, scope) == "class":
            return "class"
        case "typing.TypeVar", [name] if _is_text(name) and _are_options_of_variable(keywords, scope):
            return "variable"
        case "typing.ParamSpec", [name] if _is_text(name) and not keywords:
            return "variable"
        case "re.compile", [pattern, *flags] if not keywords and _is_pattern(pattern, flags, scope):
            return "value"
        case "struct.Struct", [ast.Constant(value=str(text))] if not keywords and _is_format(text):
            return "value"
        case "staticmethod" | "classmethod", [wrapped] if not keywords and sort_of(wrapped, scope) == "function":
            return "function"
        case "property", accessors if keywords.keys() <= {"doc"}:
            given = [*accessors, *keywords.values()]
            return "property" if len(accessors) <= 4 and _are_plain(given, scope) else None  # noqa: PLR2004 - by definition
        case origin, [] if origin in _EMPTY and not keywords:
            return "value"
        case "collections.defaultdict", [factory] if not keywords and sort_of(factory, scope) in ("class", "function"):
            return "value"
        case "contextvars.ContextVar", [name] if _is_text(name) and keywords.keys() <= {"default"}:
            return "value" if _are_plain(keywords.values(), scope) else None
        case origin, [] if origin in _COLLECTIONS and not keywords:
            return "value"
        case "dict", [ast.Dict(keys=keys, values=values)] if not keywords:
            return "value" if _are_constants([*keys, *values]) else None
        case origin, [ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Set(elts=parts)] if not keywords:
            return "value" if origin in _COLLECTIONS and origin != "dict" and _are_constants(parts) else None
        case _:
            return None


def is_named_tuple(node: ast.expr, scope: Scope) -> bool:
    """Tell whether it is `namedtuple("Point", "x y")`, with names that are allowed."""
    match node:
        case ast.Call(func=function, args=[ast.Constant(value=str(name)), fields], keywords=[]):
            bound = find(function, scope)
        case _:
            return False
    if bound is None or bound.origin != "collections.namedtuple" or isinstance(fields, ast.Set | ast.Dict):
        return False
    try:
        namedtuple(name, ast.literal_eval(fields))  # noqa: PYI024 - what it refuses is what is asked
    except (TypeError, ValueError):
        return False
    return True


def _are_options_of_variable(keywords: dict[str | None, ast.expr], scope: Scope) -> bool:
    match keywords:
        case {} if not keywords:
            return True
        case {"bound": bound} if len(keywords) == 1:
            annotations = Annotations(scope)
            return annotations.is_type(bound) and not annotations.rests_on
        case {"covariant": flag} | {"contravariant": flag} if len(keywords) == 1:
            return _is_flag(flag)
        case _:
            return False


# Decorators


def _gives_a_function(node: ast.expr, scope: Scope) -> bool:
    if isinstance(node, ast.Call):
        bound = find(node.func, scope)
        return bound is not None and bound.origin == "functools.lru_cache" and _are_options_of_cache(node)
    bound = find(node, scope)
    return bound is not None and bound.origin in _GIVE_FUNCTIONS


def _are_options_of_cache(node: ast.Call) -> bool:
    sizes = [*node.args, *(keyword.value for keyword in node.keywords if keyword.arg == "maxsize")]
    flags = [keyword.value for keyword in node.keywords if keyword.arg == "typed"]
    return (
        len(sizes) <= 1
        and len(sizes) + len(flags) == len(node.args) + len(node.keywords)
        and all(isinstance(one, ast.Constant) and isinstance(one.value, int | None) for one in sizes)
        and all(map(_is_flag, flags))
    )


def _sort_of_descriptor(node: ast.expr, scope: Scope) -> Sort | None:
    if isinstance(node, ast.Attribute) and node.attr in ("setter", "getter", "deleter"):
        owner = scope.find(node.value.id) if isinstance(node.value, ast.Name) else None
        return "property" if owner is not None and owner.sort == "property" else None
    bound = find(node, scope)
    return None if bound is None else _GIVE_DESCRIPTORS.get(bound.origin)


def _makes_fixture(node: ast.expr, annotations: Annotations) -> bool:
    """Tell whether it makes a fixture that nobody gets who does not ask for it by the name of the function."""
    match node:
        case ast.Call(func=function, args=[], keywords=keywords):
            given = {keyword.arg: keyword.value for keyword in keywords}
            params = given.pop("params", ast.Constant(None))
            is_known = given.keys() <= {"scope"} and all(_is_text(scope) for scope in given.values())
            return ast.unparse(function) == "pytest.fixture" and is_known and _is_given_to_mark(params, annotations)
        case _:
            return ast.unparse(node) == "pytest.fixture"


def _is_mark(node: ast.expr, annotations: Annotations) -> bool:
    if not isinstance(node, ast.Call):
        return ast.unparse(node).startswith("pytest.mark.")
    given = [*node.args, *(keyword.value for keyword in node.keywords)]
    return _is_mark(node.func, annotations) and all(_is_given_to_mark(one, annotations) for one in given)


def _is_given_to_mark(node: ast.expr, annotations: Annotations) -> bool:
    """Tell whether it is plain, or keeps what is: `pytest.param(1, marks=pytest.mark.slow)`, `functools.partial(f)`."""
    match node:
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            return all(_is_given_to_mark(one, annotations) for one in parts)
        case ast.Call(func=function, args=args, keywords=keywords) if ast.unparse(function) == "pytest.param":
            names = {keyword.arg for keyword in keywords}
            given = [*args, *(keyword.value for keyword in keywords)]
            return names <= {"id", "marks"} and all(_is_given_to_mark(one, annotations) for one in given)
        case ast.Call(func=function, args=[made, *args], keywords=keywords) if _is_partial(function, annotations.scope):
            given = [made, *args, *(keyword.value for keyword in keywords)]
            is_callable = _may_be_called(made, annotations) and all(keyword.arg for keyword in keywords)
            return is_callable and all(_is_given_to_mark(one, annotations) for one in given)
        case _:
            return sort_of(node, annotations.scope) is not None or _is_mark(node, annotations)


def _is_partial(node: ast.expr, scope: Scope) -> bool:
    bound = find(node, scope)
    return bound is not None and bound.origin == "functools.partial"


def _may_be_called(node: ast.expr, annotations: Annotations) -> bool:
    """Tell whether it is a function or class, or the name of what was one when the tests ran."""
    sort = sort_of(node, annotations.scope)
    if sort == "" and isinstance(node, ast.Name):
        annotations.rests_on.add(f"{node.id}()")
    return sort in ("class", "function") or (sort == "" and isinstance(node, ast.Name))


# Literals


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _is_flag(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, bool)


def _is_named(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _is_number(node: ast.expr) -> bool:
    match node:
        case ast.Constant(value=value):
            return type(value) in (int, float)
        case ast.UnaryOp(op=ast.USub() | ast.UAdd(), operand=operand):
            return _is_number(operand)
        case ast.BinOp(op=ast.Add() | ast.Sub() | ast.Mult(), left=left, right=right):
            return _is_number(left) and _is_number(right)
        case ast.BinOp(op=ast.Pow() | ast.LShift(), left=ast.Constant(value=left), right=ast.Constant(value=right)):
            return type(left) is type(right) is int and left > 0 and 0 <= right <= _LARGEST_POWER
        case _:
            return False


_LARGEST_POWER: Final = 1000


def _is_pattern(node: ast.expr, flags: list[ast.expr], scope: Scope) -> bool:
    if not (isinstance(node, ast.Constant) and isinstance(node.value, str | bytes)) or len(flags) > 1:
        return False
    flag = _flag(flags[0], scope) if flags else re.RegexFlag(0)
    if flag is None:
        return False
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # as some projects have it
            re.compile(node.value, flag)
    except (re.error, RecursionError, OverflowError, ValueError, Warning):
        return False
    return True


def _flag(node: ast.expr, scope: Scope) -> re.RegexFlag | None:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        left, right = _flag(node.left, scope), _flag(node.right, scope)
        return None if left is None or right is None else left | right
    bound = find(node, scope)
    flag = getattr(re, bound.origin.removeprefix("re."), None) if bound is not None else None
    return flag if isinstance(flag, re.RegexFlag) and flag != re.DEBUG else None


def _is_format(text: str) -> bool:
    try:
        struct.calcsize(text)
    except struct.error:
        return False
    return True
