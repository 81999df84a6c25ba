"""Annotations as types: strings and forward references looked up where they were written."""

import sys
from collections.abc import Mapping
from functools import partial
from inspect import unwrap
from types import FunctionType
from typing import Any, Final, get_args, get_origin, get_type_hints

UNKNOWN: Final = Any
"""The type of what says none, or one that exists for type checkers only."""


def resolved(annotation: Any, names: Mapping[str, Any]) -> Any:
    """Return *annotation* with every name in it looked up in *names*, or ``UNKNOWN`` where one is missing."""
    holder = type("Holder", (), {"__annotations__": {"it": annotation}})
    try:
        return without_alias(get_type_hints(holder, globalns=dict(names), localns={})["it"])
    except Exception:  # noqa: BLE001 -- somebody's annotation, which is evaluated here
        return UNKNOWN


def without_alias(declared: Any) -> Any:
    """Return what *declared* stands for, where a statement like ``type Pair[T] = tuple[T, T]`` gave it a name."""
    # By its name: before Python 3.12 there is none, and typing_extensions has one of its own.
    while type(alias := get_origin(declared) or declared).__name__ == "TypeAliasType":
        try:
            declared = alias.__value__[get_args(declared)] if get_args(declared) else alias.__value__
        except Exception:  # noqa: BLE001 -- the statement evaluates its right-hand side only now
            return UNKNOWN
    return declared


def names_in_class(cls: type) -> Mapping[str, Any]:
    """Return the global names of the module that *cls* was written in, and its own."""
    module = sys.modules.get(cls.__module__)
    return {cls.__name__: cls, **(vars(module) if module else {})}


def names_around(function: Any) -> Mapping[str, Any]:
    """Return the global names of the module that *function* was written in; none for what is not Python."""
    written = _written(function)
    return written.__globals__ if isinstance(written, FunctionType) else {}


def _written(called: Any) -> Any:
    """Return the function whose signature *called* has."""
    while isinstance(called, partial):
        called = called.func
    called = unwrap(called)
    if isinstance(called, type):
        called = called.__init__ if isinstance(called.__init__, FunctionType) else called.__new__  # type: ignore[misc] # read
    elif not isinstance(called, FunctionType) and not hasattr(called, "__func__"):
        called = getattr(type(called), "__call__", None)  # noqa: B004 -- it is read
    return getattr(called, "__func__", called)
