"""Whether a value of one type may stand where another type is declared, as far as that is certain here.

Type checkers decide this fully, from the source. At run time an answer is given only where it is certain:
what can't be told (type variables, names that exist for type checkers only, generics of somebody else)
fits. The relation is the one of the typing specification: subclasses, unions, ``None``, ``Any``, the numeric
promotions, the arguments of containers, callables by their signatures.
"""

import collections.abc
import contextlib
from enum import EnumType
from types import NoneType, UnionType
from typing import Annotated, Any, ClassVar, Final, Literal, NewType, TypeVar, Union, get_args, get_origin, is_typeddict

from wiremap.registry.annotations import without_alias
from wiremap.registry.call_fit import misfits_of_call
from wiremap.registry.signatures import (
    is_callable_type,
    is_protocol,
    names_in_protocol,
    shape_of_type,
)

_PROMOTIONS: Final[dict[Any, tuple[type, ...]]] = {float: (int,), complex: (int, float)}
"""By type, what else may stand for it, with all that derives from that."""
_IMMUTABLE_TYPE: Final = 1 << 8  # Py_TPFLAGS_IMMUTABLETYPE
_ITEMS: Final[dict[Any, tuple[Any, ...]]] = {str: (str,), bytes: (int,)}
_STANDARD: Final = ("builtins", collections.abc.__name__, "collections", contextlib.__name__)
_BY_LAST_ARGUMENT: Final = (collections.abc.Awaitable, collections.abc.Coroutine)
"""What matters of them is what awaiting them gives."""
_BY_FIRST_ARGUMENT: Final = (contextlib.AbstractContextManager, contextlib.AbstractAsyncContextManager)
"""What matters of them is what is given to the ``with`` block."""
_WRAPPERS: Final = (Annotated, ClassVar, Final)


def fits(source: Any, target: Any) -> bool:
    """Return False if a value of type *source* certainly is no *target*."""
    try:
        return _fits(source, target)
    except RecursionError:
        return True  # two aliases that refer to themselves, such as those for what JSON can hold


def lists_values(declared: Any) -> bool:
    """Tell whether *declared* names values, one by one, instead of a type or beside some."""
    declared = _unwrapped(declared)
    return any(get_origin(part) is Literal for part in (declared, *get_args(declared)))


def value_fits(value: object, target: Any) -> bool:
    """Return False if *value*, whose type nobody has declared, certainly is no *target*."""
    target = _unwrapped(target)
    if _is_union(target):
        return any(value_fits(value, part) for part in get_args(target))
    if get_origin(target) is Literal:
        return any(type(value) is type(one) and value == one for one in get_args(target))
    if isinstance(target, NewType):
        return value_fits(value, target.__supertype__)
    return fits(type(value), target)


def _fits(source: Any, target: Any) -> bool:
    source, target = _unwrapped(source), _unwrapped(target)
    if source is target or target is object or Any in (source, target):
        answer = True
    elif alternatives := _alternatives(source, target):
        answer = all(_fits(part, target) for part in alternatives)
    elif _is_union(target):
        answer = any(_fits(source, part) for part in get_args(target))
    elif get_origin(target) is Literal:
        answer = get_origin(source) is Literal and set(get_args(source)) <= set(get_args(target))
    elif get_origin(source) is Literal:
        answer = _fits(type(get_args(source)[0]), target)
    elif is_callable_type(source) and is_callable_type(target):
        answer = not misfits_of_call(shape_of_type(source), shape_of_type(target), _fits)
    else:
        answer = _is_subclass(source, target) and _arguments_fit(source, target)
    return answer


def _alternatives(source: Any, target: Any) -> tuple[Any, ...]:
    """Return the types that *source* is one of, if it is several; a *target* may list all values that it has."""
    if _is_union(source):
        return get_args(source)
    values = _values_of(source)
    if get_origin(source) is Literal:
        return tuple(Literal[value] for value in values) if len(values) > 1 else ()
    return tuple(Literal[value] for value in values) if lists_values(target) else ()


def _values_of(source: Any) -> tuple[Any, ...]:
    """Return all values of type *source* where they can be listed."""
    if get_origin(source) is Literal:
        return get_args(source)
    if isinstance(source, EnumType):
        return tuple(source)
    return {bool: (False, True), NoneType: (None,)}.get(source, ()) if isinstance(source, type) else ()


def _unwrapped(declared: Any) -> Any:
    """Return *declared* without what says nothing of the value, ``Any`` for what can't be told."""
    declared = without_alias(declared)
    while get_origin(declared) in _WRAPPERS:
        declared = without_alias(next(iter(get_args(declared)), Any))
    if declared is None:
        return NoneType
    if isinstance(declared, TypeVar | str) or declared in _WRAPPERS:
        return Any
    return declared


def _is_union(declared: Any) -> bool:
    return get_origin(declared) in (Union, UnionType)


def _is_subclass(source: Any, target: Any) -> bool:
    if isinstance(source, NewType):
        return _fits(source.__supertype__, target)
    if isinstance(target, NewType):
        return False
    source, target = get_origin(source) or source, get_origin(target) or target
    if not (isinstance(source, type) and isinstance(target, type)):
        return True  # special forms
    if is_protocol(target):
        return not _lacks_members(source, target)
    try:
        # Which keys a dictionary has, only type checkers can tell.
        return issubclass(source, (dict if is_typeddict(target) else target, *_PROMOTIONS.get(target, ())))
    except TypeError:
        return True


def _lacks_members(source: type, protocol: type) -> bool:
    """Tell whether no object of type *source* can be what *protocol* says: others may have what no class shows."""
    is_bare = source is object or (source.__flags__ & _IMMUTABLE_TYPE and not source.__dictoffset__)
    names = (name for name in names_in_protocol(protocol) if not name.startswith("_"))
    return bool(is_bare) and not all(hasattr(source, name) for name in names)


def _arguments_fit(source: Any, target: Any) -> bool:
    """Compare ``list[int]`` with ``Sequence[str]``: where both are containers of the standard library."""
    given, wanted = get_args(source) or _ITEMS.get(source, ()), get_args(target)
    known = all(_is_standard(get_origin(side) or side) for side in (source, target))
    if not (given and wanted and known) or Ellipsis in (*given, *wanted):
        return True
    if get_origin(target) in _BY_LAST_ARGUMENT:
        given, wanted = given[-1:], wanted[-1:]
    elif get_origin(target) in _BY_FIRST_ARGUMENT:
        given, wanted = given[:1], wanted[:1]
    if len(given) != len(wanted):
        return get_origin(source) is not get_origin(target)
    return all(_fits(one, other) or _fits(other, one) for one, other in zip(given, wanted, strict=True))


def _is_standard(origin: Any) -> bool:
    return getattr(origin, "__module__", None) in _STANDARD
