"""The attributes that an object stores, read from where they are stored: a property may do work, so none is run."""

from collections.abc import Iterable
from types import GetSetDescriptorType, MemberDescriptorType
from typing import Any, Final, TypeGuard

# What Python itself puts under the name ``__dict__`` of a class whose instances have one.
_OF_PYTHON: Final = (GetSetDescriptorType, MemberDescriptorType)
# Where ``nn.Module`` keeps what is no attribute to Python; its ``__getattr__`` looks there.
_MODULE_TABLES: Final = ("_parameters", "_buffers", "_modules")


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

    Past what the class may do when it is asked for an attribute, as in all of this module; also past a property
    that hides ``__dict__``.
    """
    descriptor = _dict_of(type(component))
    return {} if descriptor is None else descriptor.__get__(component)


def module_tables(component: object) -> list[dict[str, Any]]:
    """Return the tables of parameters, buffers and children that *component* keeps by name; none if it is no module."""
    stored = instance_dict(component)
    return [stored[table] for table in _MODULE_TABLES if isinstance(stored.get(table), dict)]


def has_instance_dict(cls: type) -> bool:
    """Tell whether instances of *cls* have a place for any attribute, and it can be reached."""
    return _dict_of(cls) is not None


def answers_itself(cls: type) -> bool:
    """Tell whether *cls* defines ``__getattr__``, which Python asks when an ``AttributeError`` comes up."""
    return any("__getattr__" in klass.__dict__ for klass in cls.__mro__)


def _dict_of(cls: type) -> Any:
    if cls.__dictoffset__:
        for klass in cls.__mro__:
            descriptor = klass.__dict__.get("__dict__")
            if type(descriptor) in _OF_PYTHON:
                return descriptor
    return None


def is_class(value: object) -> TypeGuard[type]:
    """Tell whether *value* is a class; ``isinstance`` would ask the object too, by its attribute ``__class__``."""
    return issubclass(type(value), type)


def _slot_names(klass: type) -> Iterable[str]:
    slots = klass.__dict__.get("__slots__", ())
    return (slots,) if isinstance(slots, str) else tuple(slots)
