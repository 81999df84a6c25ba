"""What a component holds: its child modules, and the objects that its attributes refer to.

A module is recognised by the ``named_children`` of its class, so that no array library is imported. A cell that
was handed over is not held, and neither is what is referred to weakly.
"""

import gc
from collections import deque
from collections.abc import Callable, Iterable, Iterator
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
        yield from _named_children(component)
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
    return [(_joined(path, name), child) for name, child in _named_children(module)]


def _named_children(module: Any) -> list[tuple[str, object]]:
    try:
        return [(name, child) for name, child in module.named_children()]
    except Exception:  # noqa: BLE001 -- a method of that name may be anything, and a module that is being made has no children yet
        return []


def _values(path: Path, mapping: Any) -> Iterable[Held]:
    left_out = _left_out(dict.__len__(mapping))
    return [(_joined(path, key), value) for key, value in dict.items(mapping) if type(value) not in left_out]


def _values_of_proxy(path: Path, proxy: Any) -> Iterable[Held]:
    (mapping,) = gc.get_referents(proxy)  # a proxy asks its mapping everything, and that may be of any class
    return _values(path, mapping) if issubclass(type(mapping), dict) else ()


def _numbered(kind: Any) -> Way:
    def way(path: Path, sequence: Any) -> Iterable[Held]:
        left_out = _left_out(kind.__len__(sequence))
        items = enumerate(kind.__iter__(sequence))
        return [(_joined(path, number), item) for number, item in items if type(item) not in left_out]

    return way


def _unnamed(kind: Any) -> Way:
    def way(_: Path, items: Any) -> Iterable[Held]:
        left_out = _left_out(kind.__len__(items))
        return [(None, item) for item in kind.__iter__(items) if type(item) not in left_out]

    return way


def _parts(_: Path, call: Any) -> Iterable[Held]:
    return [(None, part) for part in parts_of_partial(call).values()]


def parts_of_partial(call: Any) -> dict[str, Any]:
    """Return what a ``functools.partial`` was made with."""
    stored: Any = partial
    return {name: vars(stored)[name].__get__(call) for name in ("func", "args", "keywords")}


def _left_out(num_items: int) -> frozenset[type]:
    return _PLAIN if num_items > _MAX_ITEMS else _SCALARS


# Each asks the class that it stands for, and not one derived from it: its methods may do work, or fail.
_WAYS: Final[dict[type, Way]] = {
    dict: _values,
    MappingProxyType: _values_of_proxy,
    list: _numbered(list),
    tuple: _numbered(tuple),
    set: _unnamed(set),
    frozenset: _unnamed(frozenset),
    deque: _unnamed(deque),
    partial: _parts,
    MethodType: lambda _, method: [(None, method.__self__)],
}


def _joined(path: Path, step: Any) -> Path:
    kind = type(step)
    if path is None or not issubclass(kind, str | int):
        return None
    return f"{path}.{str.__str__(step) if issubclass(kind, str) else int.__repr__(step)}"
