"""What containers give out: when they are iterated, indexed, unpacked, or asked by one of the usual methods."""

from collections.abc import Callable
from typing import Final

from wiremap.inference.values import (
    OUTSIDE,
    UNKNOWN,
    Instance,
    Kind,
    Many,
    Outside,
    Several,
    Value,
    many,
    several,
    union,
)

# Callables of other distributions that make a container of the elements of their first argument.
_COPIES: Final = frozenset(
    {
        "list", "tuple", "set", "frozenset", "sorted", "reversed", "iter", "deque", "UserList", "ModuleList",
        "cycle",
    }
)  # fmt: skip
_KEYED: Final = frozenset(
    {"dict", "OrderedDict", "UserDict", "ModuleDict", "WeakValueDictionary", "WeakKeyDictionary", "MappingProxyType"}
)
_EMPTY: Final = frozenset({"defaultdict"})
_FILTERS: Final = frozenset({"filter"})
_NUMBERED: Final = frozenset({"enumerate"})
_ZIPPED: Final = frozenset({"zip", "zip_longest", "product"})
# Of all arguments.
_ROWS: Final = frozenset({"Sequential"})

_ONE: Final = frozenset({"pop", "popleft", "get", "setdefault", "get_nowait", "__getitem__"})
FILLING: Final = frozenset(
    {"append", "appendleft", "add", "insert", "put", "put_nowait", "extend", "update", "setdefault", "__setitem__"}
)


def iterated(value: Value) -> Value:
    """Return what a loop over *value* sees."""
    return union(_iterated(kind) for kind in value)


def _iterated(kind: Kind) -> Value:
    match kind:
        case Many(element, keys):
            return element if keys is None else keys
        case Several(items):
            return union(items)
        case Outside():
            return OUTSIDE
        case _:
            return UNKNOWN


def held(value: Value) -> Value:
    """Return what lies in the containers in *value*: the values of a keyed one."""
    return union(kind.element if isinstance(kind, Many) else _iterated(kind) for kind in value)


def item(value: Value, index: object, *, is_slice: bool) -> Value:
    """Return what ``value[index]`` gives; *index* is None when it is not a constant."""
    if is_slice:
        return frozenset(kind for kind in value if not isinstance(kind, Instance))
    return union(_item(kind, index) for kind in value)


def _item(kind: Kind, index: object) -> Value:
    match kind:
        case Several(items) if isinstance(index, int):
            return items[index] if -len(items) <= index < len(items) else UNKNOWN
        case Many(element):
            return element
        case _:
            return _iterated(kind)


def unpacked(value: Value, count: int) -> list[Value]:
    """Return what each of *count* targets gets of *value*."""
    columns: list[list[Value]] = [[] for _ in range(count)]
    for kind in value:
        is_row = isinstance(kind, Several) and len(kind.items) == count
        row = kind.items if is_row and isinstance(kind, Several) else [_iterated(kind)] * count
        for column, one in zip(columns, row, strict=True):
            column.append(one)
    return [union(column) for column in columns]


def asked(container: Many | Several, method: str) -> Value:
    """Return what the *method* of a container returns."""
    itself = frozenset({container})
    element, row = held(itself), several([iterated(itself), held(itself)])
    if method in _ONE:
        return element
    answers = {
        "copy": itself,
        "__iter__": many(iterated(itself)),
        "keys": many(iterated(itself)),
        "values": many(element),
        "items": many(row),
        "popitem": row,
    }
    return answers.get(method, OUTSIDE)


def filled(container: Value, method: str, arguments: list[Value]) -> Value:
    """Return what is put into *container* by one of the ``FILLING`` methods: containers like it."""
    if not arguments:
        return UNKNOWN
    if not mappings_in(container):
        return many(held(arguments[0]) if method in ("extend", "update") else arguments[-1])
    if method == "update":
        return many(_values_of(arguments[0]), keys=_keys_of(arguments[0]))
    return many(union(arguments[1:2]), keys=arguments[0])


def made_of(name: str, arguments: list[Value], keywords: list[Value]) -> Value | None:
    """Return the container that the outside callable *name* makes of its arguments, or None if it makes none."""
    short = name.rpartition(".")[2]
    rows = [iterated(one) for one in arguments]
    makers: dict[frozenset[str], Callable[[], Value]] = {
        _KEYED: lambda: many(union([*map(_values_of, arguments), *keywords]), keys=union(map(_keys_of, arguments))),
        _COPIES: lambda: many(union(rows[:1])),
        _FILTERS: lambda: many(union(rows[1:2])),
        _ROWS: lambda: many(union([*arguments, *map(held, arguments)]) - OUTSIDE),
        _EMPTY: lambda: many(UNKNOWN, keys=UNKNOWN),
        _NUMBERED: lambda: many(several([OUTSIDE, union(rows[:1])])),
        _ZIPPED: lambda: many(several(rows)),
    }
    return next((make() for known, make in makers.items() if short in known), None)


def _values_of(value: Value) -> Value:
    """Return the values of the mappings in *value*, and of its rows of a key and a value."""
    mappings = mappings_in(value)
    return union([held(mappings), unpacked(iterated(value - mappings), 2)[1]])


def _keys_of(value: Value) -> Value:
    """Return the keys of the mappings in *value*, and of its rows of a key and a value."""
    mappings = mappings_in(value)
    return union([iterated(mappings), unpacked(iterated(value - mappings), 2)[0]])


def mappings_in(value: Value) -> Value:
    """Return the keyed containers in *value*."""
    return frozenset(kind for kind in value if isinstance(kind, Many) and kind.keys is not None)
