"""Calls of something that has type variables of its own, as ``def first(self, some: T) -> T`` has.

Whatever a type checker would solve a variable for, what is passed for it must fit that, and that must fit what is
expected: so a variable between the two never lets through what does not fit without it.
"""

import sys
from collections.abc import Callable, Sequence
from typing import Any, TypeVar, Union

from wiremap.registry.annotations import UNKNOWN, resolved


def limit_of(declared: Any) -> Any:
    """Return what a type variable can stand for at the most; anything else as it is."""
    if not isinstance(declared, TypeVar):
        return declared
    if declared.__constraints__:
        return Union[declared.__constraints__]  # noqa: UP007 -- of a tuple
    module = sys.modules.get(declared.__module__)
    return object if declared.__bound__ is None else resolved(declared.__bound__, vars(module) if module else {})


def solved(variable: TypeVar, passed: Sequence[Any], expected: Any, fits: Callable[[Any, Any], bool]) -> Any:
    """Return of the types that are *passed* for *variable* the first that does not fit, else the variable."""
    return next((one for one in passed if not fits(one, expected)), variable)


def may_be_any(variable: TypeVar, result: Any, fits: Callable[[Any, Any], bool]) -> bool:
    """Tell whether *result* may be what is expected where that is whatever the user's *variable* stands for."""
    if variable.__constraints__:
        return all(fits(result, one) for one in variable.__constraints__)
    return result is UNKNOWN or not isinstance(result, type)
