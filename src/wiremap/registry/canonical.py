"""The canonical form of plain data: a text that is equal for equal values and no others, in every process.

There is one for None, booleans, numbers, strings and bytes of exactly these types; lists, tuples, sets and
dictionaries of what has one, up to 10,000 items each; members of enumerations, by name; instances of dataclasses, by
all that they store; functions and classes that can be imported by name, as that name (what is in them is source,
which has fingerprints of its own); any other Python function, by its compiled code, its defaults and what it closes
over, so that lambdas differ if they do something else, and not if only lines shift; ``functools.partial``, as what it
is made of; bound methods, as the function and the state of the object.
"""

import re
import sys
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import is_dataclass
from enum import Enum
from functools import partial
from types import BuiltinFunctionType, CellType, CodeType, FunctionType, MethodType
from typing import Any, Final

from wiremap.registry.attributes import stored_attributes

CONTAINERS: Final = (list, tuple, set, frozenset, dict, OrderedDict)
SCALARS: Final = (type(None), bool, int, float, complex, str, bytes)
NAMED: Final = (type, FunctionType, BuiltinFunctionType)
COMPONENT: Final = "component"
"""The canonical form of any component."""
ABSOLUTE: Final = re.compile(r"""['"](?:/|\\\\|~[/\\]|[A-Za-z]:[/\\]|file:)""")
"""What absolute paths begin with, in source."""
_MAX_BEGINNING: Final = 16
_MAX_DEPTH: Final = 32  # deeper is a structure that refers to itself
_MAX_ITEMS: Final = 10_000  # more is data, not a parameter
_MAX_VALUES: Final = 200_000  # in all: lists that hold one list twice, which does so too, grow beyond bounds
_MAX_DECIMAL_BITS: Final = 10_000  # Python refuses to write longer integers in decimal

IsComponent = Callable[[object], bool]


class UndigestibleError(Exception):
    """Some value has no canonical form; never leaves the modules that ask for one."""


class Encoder:
    """Writes the canonical form of one value."""

    def __init__(self, is_component: IsComponent) -> None:
        self._is_component = is_component
        self._num_values = 0
        self._functions: list[FunctionType] = []
        """Those being written, the outermost first."""
        self.is_portable = True
        """Whether another Python on another machine writes the same: compiled code and absolute paths differ there."""

    def encode(self, value: Any, depth: int = 0) -> str:
        """Return the canonical form of *value*; at depth 0 a component is a value like others.

        Raises:
            UndigestibleError: There is none.
        """
        self._num_values += 1
        if depth > _MAX_DEPTH or self._num_values > _MAX_VALUES:
            raise UndigestibleError
        kind = type(value)
        if kind in SCALARS:
            self.is_portable = self.is_portable and not _is_absolute(value)
            return f"{kind.__name__}:{_scalar(value)}"
        if self._is_component(value) and depth:
            return COMPONENT
        # Asked of the type: an object may do work when it is asked for its class.
        if issubclass(kind, Enum) and value._name_ is not None:
            return f"enum:{_importable_name(kind)}.{value._name_}"
        if issubclass(kind, NAMED):
            return self._encode_named(value, depth)
        inner = (f"{label}={self.encode(part, depth + 1)}" for label, part in self._parts(value))
        # Sets have no order of their own that two processes would agree on.
        ordered = sorted(inner) if issubclass(kind, set | frozenset) else inner
        return f"{kind.__module__}.{kind.__qualname__}({', '.join(ordered)})"

    def _encode_named(self, value: Any, depth: int) -> str:
        try:
            return f"name:{_importable_name(value)}"
        except UndigestibleError:
            if type(value) is not FunctionType:
                raise
        self.is_portable = False
        if value in self._functions:
            return f"function:{self._functions.index(value)}"
        self._functions.append(value)
        try:
            inner = [f"{label}={self.encode(part, depth + 1)}" for label, part in _parts_of_function(value)]
        finally:
            self._functions.pop()
        return f"function({_code(value.__code__)}, {', '.join(inner)})"

    def _parts(self, value: Any) -> Iterable[tuple[str, Any]]:
        kind = type(value)
        if is_dataclass(kind):
            return stored_attributes(value).items()
        if kind is partial:
            return (("func", value.func), ("args", value.args), ("keywords", value.keywords))
        if kind is MethodType:
            return self._parts_of_method(value)
        if kind not in CONTAINERS or len(value) > _MAX_ITEMS:
            raise UndigestibleError
        if isinstance(value, list | tuple):
            return ((str(index), item) for index, item in enumerate(value))
        if isinstance(value, set | frozenset):
            return (("", item) for item in value)
        if all(type(key) in SCALARS for key in value):
            self.is_portable = self.is_portable and not any(map(_is_absolute, value))
            return ((_scalar(key), item) for key, item in value.items())
        raise UndigestibleError

    def _parts_of_method(self, method: MethodType) -> Iterable[tuple[str, Any]]:
        owner, kind = method.__self__, type(method.__self__)
        is_plain = kind is not object and all(base is object or not _is_builtin(base) for base in kind.__mro__)
        if self._is_component(owner) or not is_plain:
            return (("func", method.__func__), ("self", owner))
        return (("func", method.__func__), ("class", kind), ("self", stored_attributes(owner)))


def _is_builtin(kind: type) -> bool:
    is_heap_type = 1 << 9
    return not kind.__flags__ & is_heap_type


def _parts_of_function(function: FunctionType) -> Iterator[tuple[str, Any]]:
    yield "defaults", function.__defaults__
    yield "kwdefaults", function.__kwdefaults__
    yield "attributes", function.__dict__
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        yield f"closure.{name}", _content(cell)


def _content(cell: CellType) -> tuple[object, ...]:
    try:
        return (cell.cell_contents,)
    except ValueError:  # nothing has been assigned yet
        return ()


def _code(code: CodeType) -> str:
    """Return what *code* does, without where it is written."""
    names = (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
    counts = (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags)
    consts = ", ".join(map(_constant, code.co_consts))
    return (
        f"code({code.co_name!r}, {names}, {counts}, {code.co_code.hex()}, {code.co_exceptiontable.hex()}, [{consts}])"
    )


def _constant(value: Any) -> str:
    if isinstance(value, CodeType):
        return _code(value)
    if isinstance(value, tuple | frozenset):
        inner = [_constant(item) for item in value]
        return f"{type(value).__name__}({', '.join(sorted(inner) if isinstance(value, frozenset) else inner)})"
    return f"{type(value).__name__}:{_scalar(value)}"


def _is_absolute(value: object) -> bool:
    return isinstance(value, str | bytes) and ABSOLUTE.search(repr(value[:_MAX_BEGINNING])) is not None


def _scalar(value: Any) -> str:
    is_long = type(value) is int and value.bit_length() > _MAX_DECIMAL_BITS
    return hex(value) if is_long else repr(value)


def _importable_name(value: Any) -> str:
    try:
        module, qualname = getattr(value, "__module__", None), value.__qualname__
        found: object = sys.modules.get(module or "")
        for part in qualname.split("."):
            found = getattr(found, part, None)
    except Exception as error:  # a metaclass or a module may do anything when it is asked for a name
        raise UndigestibleError from error
    if found is not value:
        raise UndigestibleError
    return f"{module}:{qualname}"
