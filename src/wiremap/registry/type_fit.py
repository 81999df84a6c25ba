"""Whether a value of one type may stand where another type is declared, as far as that is certain here.

Type checkers decide this fully, from the source. At run time an answer is given only where it is certain:
what can't be told (type variables, names that exist for type checkers only, generics of somebody else)
fits. The relation is the one of the typing specification: subclasses, unions, ``None``, ``Any``, the numeric
promotions, the arguments of containers, callables by their signatures.
"""

import collections.abc
from types import NoneType, UnionType
from typing import Annotated, Any, ClassVar, Final, Literal, NewType, TypeVar, Union, get_args, get_origin

from wiremap.registry.signatures import is_callable_type, is_protocol, misfits_of_call, shape_of_type

_PROMOTIONS: Final = {(int, float), (int, complex), (float, complex)}
_WRAPPERS: Final = (Annotated, ClassVar, Final)


def fits(source: Any, target: Any) -> bool:
    """Return False if a value of type *source* certainly is no *target*."""
    source, target = _unwrapped(source), _unwrapped(target)
    if source is target or target is object or Any in (source, target):
        answer = True
    elif _is_union(source):
        answer = all(fits(part, target) for part in get_args(source))
    elif _is_union(target):
        answer = any(fits(source, part) for part in get_args(target))
    elif get_origin(target) is Literal:
        answer = get_origin(source) is Literal and set(get_args(source)) <= set(get_args(target))
    elif get_origin(source) is Literal:
        answer = all(fits(type(value), target) for value in get_args(source))
    elif is_callable_type(source) and is_callable_type(target):
        answer = not misfits_of_call(shape_of_type(source), shape_of_type(target), fits)
    else:
        answer = _is_subclass(source, target) and _arguments_fit(source, target)
    return answer


def _unwrapped(declared: Any) -> Any:
    """Return *declared* without what says nothing of the value, ``Any`` for what can't be told."""
    if declared is None:
        return NoneType
    while get_origin(declared) in _WRAPPERS:
        declared = next(iter(get_args(declared)), Any)
    if isinstance(declared, TypeVar | str) or declared in _WRAPPERS:
        return Any
    return declared


def _is_union(declared: Any) -> bool:
    return get_origin(declared) in (Union, UnionType)


def _is_subclass(source: Any, target: Any) -> bool:
    if isinstance(source, NewType):
        return fits(source.__supertype__, target)
    if isinstance(target, NewType):
        return False
    source, target = get_origin(source) or source, get_origin(target) or target
    if not (isinstance(source, type) and isinstance(target, type)) or is_protocol(target):
        return True  # special forms; and a protocol may be fulfilled by what only instances have
    try:
        return issubclass(source, target) or (source, target) in _PROMOTIONS
    except TypeError:
        return True


def _arguments_fit(source: Any, target: Any) -> bool:
    """Compare ``list[int]`` with ``Sequence[str]``: where both are containers of the standard library."""
    given, wanted = get_args(source), get_args(target)
    known = all(_is_standard(get_origin(side)) for side in (source, target))
    if not (given and wanted and known) or Ellipsis in (*given, *wanted):
        return True
    if len(given) != len(wanted):
        return get_origin(source) is not get_origin(target)
    return all(fits(one, other) or fits(other, one) for one, other in zip(given, wanted, strict=True))


def _is_standard(origin: Any) -> bool:
    return getattr(origin, "__module__", None) in ("builtins", collections.abc.__name__, "collections")
