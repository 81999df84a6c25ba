"""What is known of the names of a module, statement by statement: the ground on which code is called plain."""

import abc
import ast
import builtins
import collections
import collections.abc
import contextlib
import dataclasses
import datetime as dt
import enum
import functools
import inspect
import io
import math
import operator
import os
import pathlib
import random
import re
import string
import sys
import time
import types
import typing
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

Sort = Literal["", "value", "text", "function", "class", "property", "variable", "fixture"]
"""What a name is bound to: a value that is no type, a string, a function, a class or type, a property, a type
variable, a fixture of pytest; or anything.
"""

Kind = Literal["", "plain", "abstract", "sealed", "derived"]
"""How a class is made: by `type`; by something that looks at its members, as `ABCMeta` does; so that what derives
from it is not followed; or as the classes are that it derives from. Nothing for what is no class."""


@dataclass(frozen=True, slots=True)
class Bound:
    """What a name is surely bound to.

    Attributes:
        sort: What is known of the value.
        origin: The dotted name in the standard library for what was imported from there.
        kind: How the class is made that it names, if it is a class of this module.
        members: What is known of that class's attributes, as far as these surely give a value.
    """

    sort: Sort = ""
    origin: str = ""
    kind: Kind = ""
    members: Mapping[str, Sort] = field(default_factory=dict)


@dataclass(slots=True)
class Scope:
    """The names of a module, or of a class in it, at one point.

    Attributes:
        bound: Names that are surely bound.
        uncertain: Names that may be bound to anything, or not at all.
        outer: The scope around a class.
        is_clouded: Whether something may have bound names that are not known.
    """

    bound: dict[str, Bound] = field(default_factory=dict)
    uncertain: set[str] = field(default_factory=set)
    outer: "Scope | None" = None
    is_clouded: bool = False

    def find(self, name: str) -> Bound | None:
        """Return what *name* is bound to where it is read here, or None if it may be bound to nothing."""
        if name in self.bound:
            found = self.bound[name]
            return Bound() if self.is_clouded else found
        if name in self.uncertain:
            return None
        if self.outer is not None:
            return self.outer.find(name)
        if not hasattr(builtins, name):
            return None
        return Bound() if self.is_clouded else Bound(_sort_of(getattr(builtins, name)), name)

    def bind(self, name: str, bound: Bound) -> None:
        """Note that *name* is bound now."""
        self.uncertain.discard(name)
        self.bound[name] = bound

    def lose(self, name: str) -> None:
        """Note that *name* may be bound to anything now, or to nothing."""
        self.bound.pop(name, None)
        self.uncertain.add(name)


def standard(dotted: str) -> Bound | None:
    """Return what is known of that name in the standard library, or None if there is none of that name.

    Only some modules are looked into, so that the answer is the same in every process.
    """
    for module in _LOOKED_INTO:
        if dotted.startswith(f"{module.__name__}."):
            found: object = module
            for part in dotted.removeprefix(f"{module.__name__}.").split("."):
                members = getattr(found, "__dict__", {})
                if part not in members:
                    return None
                found = members[part]
            return Bound(_sort_of(found), dotted)
    return Bound("", dotted)


def is_looked_into(dotted: str) -> bool:
    """Tell whether `standard` knows whether there is something of that name."""
    return any(dotted.startswith(f"{module.__name__}.") for module in _LOOKED_INTO)


# The longer name first.
_LOOKED_INTO: Final = (
    collections.abc, abc, ast, collections, contextlib, dataclasses, dt, enum, functools, inspect, io, math, operator,
    os, pathlib, random, re, string, sys, time, types, typing,
)  # fmt: skip


def _sort_of(value: object) -> Sort:
    if isinstance(value, type):
        return "class"
    if isinstance(value, types.FunctionType | types.BuiltinFunctionType):
        return "function"
    if isinstance(value, str):
        return "text"
    return "value" if isinstance(value, int | float | tuple | dict | list) else ""


def exception_names() -> frozenset[str]:
    """Return the names of the built-in exceptions."""
    return frozenset(
        name for name, value in vars(builtins).items() if isinstance(value, type) and issubclass(value, BaseException)
    )
