"""Whether the code of a class may read an attribute: what tells a cell that is used from one that is not.

Compiled code has the names of all attributes that it asks for, and all texts that it could ask for by
``getattr``. So a name that the code of a class and of those that it derives from mentions nowhere is not read
there. What can't be told for certain counts as read: a class with code in C or in a descriptor of somebody's
own; one with no method that does work, whose attributes must be for others; one that asks for attributes whose
names it computes.
"""

from collections.abc import Iterable, Iterator
from functools import cached_property, partialmethod
from types import (
    ClassMethodDescriptorType,
    CodeType,
    FunctionType,
    GetSetDescriptorType,
    MemberDescriptorType,
    MethodDescriptorType,
    WrapperDescriptorType,
)
from typing import Any, Final, Generic, NamedTuple

from wiremap.registry.weak_table import WeakTable

# Descriptors in C that are data, or methods of built-in classes, which ask for no attribute of ours.
_BUILT_IN: Final = (
    ClassMethodDescriptorType,
    GetSetDescriptorType,
    MemberDescriptorType,
    MethodDescriptorType,
    WrapperDescriptorType,
)
_ASKING_BY_NAME: Final = frozenset({"__dict__", "__getattribute__", "attrgetter", "getattr", "methodcaller", "vars"})
# Methods that make, show, compare and copy, which for many classes a decorator writes.
_OF_DATA: Final = frozenset(
    f"__{name}__"
    for name in (
        *("new", "init", "post_init", "repr", "str", "hash", "eq", "ne", "lt", "le", "gt", "ge"),
        *("setattr", "delattr", "getstate", "setstate", "reduce", "copy", "deepcopy", "replace"),
    )
)


class _Mentions(NamedTuple):
    """What the code in the body of one class mentions.

    Attributes:
        names: Names of attributes and variables, and texts.
        is_complete: Whether all code could be seen.
        has_methods: Whether there is a method that may do work.
    """

    names: frozenset[str]
    is_complete: bool
    has_methods: bool


_known: WeakTable[_Mentions] = WeakTable()


def may_read(cls: type, name: str) -> bool:
    """Tell whether code of *cls*, or of a class that it derives from, may read the attribute *name* of an instance."""
    mentions = {klass: _mentions_of(klass) for klass in cls.__mro__ if klass not in (object, Generic)}
    if not all(found.is_complete for found in mentions.values()):
        return True
    if not any(found.has_methods for found in mentions.values()):
        return True
    # A base class from elsewhere may compute names, as nn.Module does, but hardly those of our cells.
    family = [found for klass, found in mentions.items() if _package(klass) == _package(cls)]
    if any(found.names & _ASKING_BY_NAME for found in family):
        return True
    return any(name in found.names for found in mentions.values())


def _package(cls: type) -> str:
    return cls.__module__.partition(".")[0]


def _mentions_of(klass: type) -> _Mentions:
    known = _known.get(klass)
    if known is None:
        known = _read(klass)
        _known.put(klass, known)
    return known


def _read(klass: type) -> _Mentions:
    names: set[str] = set()
    is_complete, has_methods = True, False
    for key, value in vars(klass).items():
        functions = list(_functions_in(value))
        is_complete = is_complete and None not in functions
        codes = [function.__code__ for function in functions if function]
        for code in codes:
            names.update(_names_in(code))
        has_methods = has_methods or (bool(codes) and key not in _OF_DATA)
    return _Mentions(frozenset(names), is_complete, has_methods)


def _functions_in(value: Any) -> Iterator[FunctionType | None]:
    """Yield the functions that a class attribute is made of, and None for a part that can't be seen."""
    seen: set[int] = set()
    todo = [value]
    while todo:
        part = todo.pop()
        if id(part) in seen:
            continue
        seen.add(id(part))
        inner = _inside(part)
        if isinstance(part, FunctionType):
            yield part
        elif not inner and hasattr(type(part), "__get__") and not _is_known_data(part):
            yield None
        todo.extend(inner)


def _inside(part: Any) -> list[Any]:
    """Return what a function or a wrapper around one is made of."""
    if isinstance(part, property):
        return [function for function in (part.fget, part.fset, part.fdel) if function]
    if isinstance(part, cached_property | partialmethod):
        return [part.func]
    inner = [part.__func__] if isinstance(part, staticmethod | classmethod) else []
    if isinstance(part, FunctionType):
        # A decorator that forgets functools.wraps still keeps the function, as a variable of its wrapper.
        inner = [value for value in map(_content, part.__closure__ or ()) if isinstance(value, FunctionType)]
    if hasattr(type(part), "__get__") and (wrapped := getattr(part, "__wrapped__", None)):
        inner.append(wrapped)
    return inner


def _content(cell: Any) -> object:
    try:
        return cell.cell_contents
    except ValueError:  # not filled yet
        return None


def _is_known_data(part: object) -> bool:
    return isinstance(part, _BUILT_IN) or _package(type(part)) == "wiremap"


def _names_in(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    yield from _texts_in(code.co_consts)


def _texts_in(constants: Iterable[object]) -> Iterator[str]:
    for constant in constants:
        if isinstance(constant, str):
            yield constant
        elif isinstance(constant, tuple | frozenset):
            yield from _texts_in(constant)
        elif isinstance(constant, CodeType):  # a function inside, or a comprehension
            yield from _names_in(constant)
