"""The attributes that an object stores, read from where they are stored: a property may do work, so none is run."""

from collections.abc import Iterable
from types import MemberDescriptorType
from typing import Any, TypeGuard


def stored_attributes(component: object) -> dict[str, object]:
    """Return the attributes that *component* itself stores, in its ``__dict__`` or in slots."""
    stored = dict(instance_dict(component))
    for klass in type(component).__mro__:
        for name in _slot_names(klass):
            member = klass.__dict__.get(name)
            if name not in stored and isinstance(member, MemberDescriptorType):
                try:
                    stored[name] = member.__get__(component, klass)
                except AttributeError:
                    continue  # an empty slot stores nothing
    return stored


def instance_dict(component: object) -> Any:
    """Return the mapping in which *component* stores its attributes; an empty one if it has none.

    Past what the class may do when it is asked for an attribute, as in all of this module.
    """
    return object.__getattribute__(component, "__dict__") if type(component).__dictoffset__ else {}


def is_class(value: object) -> TypeGuard[type]:
    """Tell whether *value* is a class; ``isinstance`` would ask the object too, by its attribute ``__class__``."""
    return issubclass(type(value), type)


def _slot_names(klass: type) -> Iterable[str]:
    slots = klass.__dict__.get("__slots__", ())
    return (slots,) if isinstance(slots, str) else tuple(slots)
