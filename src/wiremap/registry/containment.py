"""What a component holds: its child modules, and the objects that its attributes refer to.

A module is recognised by the ``named_children`` of its class, so that no array library is imported.
Attributes are read from where they are stored, never through ``getattr``: a property may do work.
"""

from collections.abc import Callable, Iterable, Iterator
from types import MemberDescriptorType
from typing import Any

Held = tuple[str, object]


def held_objects(component: object, stop: Callable[[object], bool] = lambda _: False) -> Iterator[Held]:
    """Yield the attribute path and the object for everything that *component* holds, each object once.

    Child modules are followed to any depth, except below an object for which *stop* is true. Other
    attributes are followed one level, through lists, tuples and the values of dictionaries.
    """
    seen = {id(component)}
    todo = list(_directly_held(component))
    for path, value in todo:  # grows while it is walked, so that what is near comes first
        if id(value) in seen:
            continue
        seen.add(id(value))
        yield path, value
        if _is_module(value) and not stop(value):
            todo.extend((f"{path}.{name}", child) for name, child in _children(value))


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


def _slot_names(klass: type) -> Iterable[str]:
    slots = klass.__dict__.get("__slots__", ())
    return (slots,) if isinstance(slots, str) else tuple(slots)


def _directly_held(component: object) -> Iterator[Held]:
    is_module = _is_module(component)
    if is_module:
        yield from _children(component)
    for name, value in stored_attributes(component).items():
        if is_module and name == "_modules":
            continue  # the children, under the names that they have been yielded with
        yield name, value
        for key, item in _items(value):
            yield f"{name}.{key}", item


def _items(value: object) -> Iterable[tuple[object, object]]:
    if isinstance(value, dict):
        return [(key, item) for key, item in value.items() if isinstance(key, str | int)]
    if isinstance(value, list | tuple):
        return enumerate(value)
    return ()


def _is_module(value: object) -> bool:
    return callable(getattr(type(value), "named_children", None))


def _children(module: Any) -> Iterable[Held]:
    return list(module.named_children())
