"""What the type variables of a generic class stand for, in a class that derives from it or in ``Class[int]``."""

from collections.abc import Mapping
from types import UnionType
from typing import Any, Self, TypeVar, Union, get_args, get_origin

from wiremap.registry.annotations import UNKNOWN

Arguments = Mapping[Any, Any]
"""Types by the type variables that they are given for."""


def arguments_in(base: type, declared: Any) -> Arguments:
    """Return what the variables of *base* stand for in *declared*: the same, or what derives from it, or an alias."""
    plain = get_origin(declared) or declared
    known: dict[type, Arguments] = {plain: _paired(plain, get_args(declared))}
    for klass in plain.__mro__:
        given = known.setdefault(klass, {})
        for written in vars(klass).get("__orig_bases__", ()):
            origin = get_origin(written)
            if isinstance(origin, type) and origin not in known:
                known[origin] = _paired(origin, tuple(with_arguments(one, given) for one in get_args(written)))
    return known.get(base, {})


def unknown_in(generic: Any) -> Arguments:
    """Return the variables of a *generic* class or alias, each as unknown."""
    return dict.fromkeys(getattr(generic, "__parameters__", ()), UNKNOWN)


def with_arguments(annotation: Any, known: Arguments) -> Any:
    """Return *annotation* with each type variable that is known replaced by what it stands for."""
    if isinstance(annotation, TypeVar) or annotation is Self:
        return known.get(annotation, annotation)
    if Self in known and get_origin(annotation) in (Union, UnionType):
        return Union[tuple(with_arguments(one, known) for one in get_args(annotation))]  # noqa: UP007 -- of a tuple
    if not known or isinstance(annotation, type) or not (free := getattr(annotation, "__parameters__", ())):
        return annotation
    try:
        return annotation[tuple(known.get(one, one) for one in free)]
    except TypeError:  # somebody's generic, which is evaluated here
        return UNKNOWN


def _paired(generic: Any, arguments: tuple[Any, ...]) -> Arguments:
    variables = getattr(generic, "__parameters__", ())
    return dict(zip(variables, arguments, strict=True)) if len(variables) == len(arguments) else {}
