"""What a component holds: its child modules, and the objects that its attributes refer to.

A module is recognised by the ``named_children`` of its class, so that no array library is imported. A cell that
was handed over is not held, and neither is what is referred to weakly.
"""

from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import partial
from types import MappingProxyType, MethodType
from typing import Any, Final

from wiremap.registry.attributes import stored_attributes
from wiremap.registry.state_cell import TABLE, wired_cells

Path = str | None
Held = tuple[Path, object]

_SCALARS: Final = frozenset((type(None), bool, int, float, complex, str, bytes))
_PLAIN: Final = _SCALARS | {list, tuple, dict, set, frozenset}
_MAX_ITEMS: Final = 10_000  # what has more is data: components are looked for in it, and not in its items


def held_objects(component: object, stop: Callable[[object], bool] = lambda _: False) -> Iterator[Held]:
    """Yield the attribute path and the object for everything that *component* holds, each object once, near ones first.

    Attributes are followed through plain containers, ``functools.partial`` and bound methods to any depth, child
    modules likewise, and neither below an object for which *stop* is true. The path is None where it would not
    read as a place: in a set, under a key that is no name or number, in a partial or bound method. In a container
    of more than 10,000 items, plain containers are not followed.
    """
    seen = {id(component)}
    ways: dict[type, Way | None] = {}
    todo = list(_attributes(component))
    for path, value in todo:  # grows while it is walked
        if id(value) in seen:
            continue
        seen.add(id(value))
        yield path, value
        kind = type(value)
        way = ways[kind] if kind in ways else ways.setdefault(kind, _way_into(kind))
        if way is not None and not stop(value):
            todo.extend(way(path, value))


def own_attributes(component: object) -> dict[str, object]:
    """Return the attributes that *component* stores, without the cells that it was handed."""
    handed = {TABLE, *wired_cells(component)}
    return {name: value for name, value in stored_attributes(component).items() if name not in handed}


def _attributes(component: Any) -> Iterator[Held]:
    is_module = _is_module(type(component))
    if is_module:
        yield from component.named_children()
    for name, value in own_attributes(component).items():
        # The children of a module have been found, under the names that they are known by.
        if type(value) not in _SCALARS and not (is_module and name == "_modules"):
            yield name, value


# What is inside an object that is held

Way = Callable[[Path, Any], Iterable[Held]]


def _way_into(kind: type) -> Way | None:
    """Return what lists the inside of an instance of *kind*, or None if it is not looked into."""
    if _is_module(kind):
        return _children
    return next((way for known, way in _WAYS.items() if issubclass(kind, known)), None)


def _is_module(kind: type) -> bool:
    return callable(getattr(kind, "named_children", None))


def _children(path: Path, module: Any) -> Iterable[Held]:
    return [(_joined(path, name), child) for name, child in module.named_children()]


def _values(path: Path, mapping: Any) -> Iterable[Held]:
    # Not what a derived class makes of `items`: it may do work.
    pairs = dict.items(mapping) if isinstance(mapping, dict) else mapping.items()
    left_out = _left_out_of(mapping)
    return [(_joined(path, key), value) for key, value in pairs if type(value) not in left_out]


def _numbered(path: Path, sequence: Collection[object]) -> Iterable[Held]:
    left_out = _left_out_of(sequence)
    return [(_joined(path, number), item) for number, item in enumerate(sequence) if type(item) not in left_out]


def _unnamed(_: Path, items: Collection[object]) -> Iterable[Held]:
    left_out = _left_out_of(items)
    return [(None, item) for item in items if type(item) not in left_out]


def _left_out_of(container: Collection[object]) -> frozenset[type]:
    return _PLAIN if len(container) > _MAX_ITEMS else _SCALARS


_WAYS: Final[dict[type, Way]] = {
    dict: _values,
    MappingProxyType: _values,
    list: _numbered,
    tuple: _numbered,
    set: _unnamed,
    frozenset: _unnamed,
    deque: _unnamed,
    partial: lambda path, call: _unnamed(path, (call.func, call.args, call.keywords)),
    MethodType: lambda path, method: _unnamed(path, (method.__self__,)),
}


def _joined(path: Path, step: object) -> Path:
    return f"{path}.{step}" if path is not None and isinstance(step, str | int) else None
