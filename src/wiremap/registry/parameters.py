"""A digest of the plain-data attributes of a component: with what parameters it was built.

Rule: every attribute that the instance stores is digested, under its name, and the digest is None as soon
as one can't be. Digestible are None, booleans, numbers, strings and bytes of exactly these types; lists,
tuples, sets and dictionaries of digestible things, up to 10,000 in one; members of enumerations, by name;
instances of dataclasses, by all that they store; and functions and classes that can be imported by name, as
that name (what is in them is source, which has fingerprints of its own). Another component, of this graph
or of the local one inside, counts only as being there, since edges say which; a cell that was handed to this
one is left out. A function or class that is a component is digested as its name, and a ``functools.partial``
as what it is made of. So what can't be told apart for certain makes the digest None, and whoever relies on it
must then assume a difference.
"""

import sys
from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import is_dataclass
from enum import Enum
from functools import partial
from types import BuiltinFunctionType, FunctionType
from typing import Any, Final

from wiremap.registry.attributes import stored_attributes
from wiremap.registry.containment import own_attributes

_CONTAINERS: Final = (list, tuple, set, frozenset, dict, OrderedDict)
_SCALARS: Final = (type(None), bool, int, float, complex, str, bytes)
_NAMED: Final = (type, FunctionType, BuiltinFunctionType)
_MAX_DEPTH: Final = 32  # deeper is a structure that refers to itself
_MAX_ITEMS: Final = 10_000  # more is data, not a parameter

IsComponent = Callable[[object], bool]


def parameters_digest(component: object, is_component: IsComponent) -> str | None:
    """Return 32 hexadecimal digits over the attributes of *component*, or None; the module has the rule."""
    from hashlib import blake2b  # noqa: PLC0415 -- keeps `import wiremap` cheap

    try:
        text = _encode(_parameters(component), is_component, 0)
    except _UndigestibleError:
        return None
    return blake2b(text.encode(errors="surrogatepass"), digest_size=16).hexdigest()


def _parameters(component: object) -> object:
    if isinstance(component, _NAMED):
        return component
    if isinstance(component, partial):
        return [component.func, component.args, component.keywords, own_attributes(component)]
    return own_attributes(component)


class _UndigestibleError(Exception):
    """Some value has no canonical form; never leaves this module."""


def _encode(value: Any, is_component: IsComponent, depth: int) -> str:
    """Return text that is equal for equal values and no others."""
    if depth > _MAX_DEPTH:
        raise _UndigestibleError
    if type(value) in _SCALARS:
        return f"{type(value).__name__}:{value!r}"
    if is_component(value) and depth:
        return "component"
    if isinstance(value, Enum) and value.name is not None:
        return f"enum:{_importable_name(type(value))}.{value.name}"
    if isinstance(value, _NAMED):
        return f"name:{_importable_name(value)}"
    inner = (f"{label}={_encode(part, is_component, depth + 1)}" for label, part in _parts(value))
    # Sets have no order of their own that two processes would agree on.
    ordered = sorted(inner) if isinstance(value, set | frozenset) else inner
    return f"{type(value).__module__}.{type(value).__qualname__}({', '.join(ordered)})"


def _parts(value: Any) -> Iterable[tuple[str, Any]]:
    if is_dataclass(value):
        return stored_attributes(value).items()
    if type(value) not in _CONTAINERS or len(value) > _MAX_ITEMS:
        raise _UndigestibleError
    if isinstance(value, list | tuple):
        return ((str(index), item) for index, item in enumerate(value))
    if isinstance(value, set | frozenset):
        return (("", item) for item in value)
    if all(type(key) in _SCALARS for key in value):
        return ((repr(key), item) for key, item in value.items())
    raise _UndigestibleError


def _importable_name(value: Any) -> str:
    module, qualname = getattr(value, "__module__", None), value.__qualname__
    found: object = sys.modules.get(module or "")
    for part in qualname.split("."):
        found = getattr(found, part, None)
    if found is not value:
        raise _UndigestibleError
    return f"{module}:{qualname}"
