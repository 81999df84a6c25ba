"""A table from objects to values that neither keeps the objects alive nor asks them for a hash."""

import weakref
from typing import Generic, TypeVar, cast

V = TypeVar("V")


class _Reference(weakref.ref[object]):
    """A weak reference that knows the address of its object after that has gone."""

    __slots__ = ("address",)
    address: int


class WeakTable(Generic[V]):
    """Maps objects, by identity, to values; an entry goes when its object does.

    ``weakref.WeakKeyDictionary`` would compare objects with ``==``, which for tensors and dataclasses is
    a question with side effects or no answer. Values must not refer to their key, or the entry stays.
    """

    def __init__(self) -> None:
        self._entries: dict[int, tuple[_Reference, V]] = {}

    def get(self, key: object) -> V | None:
        """Return the value kept for *key*, or None."""
        entry = self._entries.get(id(key))
        return entry[1] if entry is not None and entry[0]() is key else None

    def put(self, key: object, value: V) -> bool:
        """Keep *value* for *key*; return False, and keep nothing, if *key* can't be weakly referenced."""
        if not is_weakly_referable(key):
            return False
        reference = _Reference(key, self._forget)
        reference.address = id(key)
        self._entries[reference.address] = (reference, value)
        return True

    def discard(self, key: object) -> None:
        """Keep nothing for *key* from now on."""
        if self.get(key) is not None:
            del self._entries[id(key)]

    def __len__(self) -> int:
        return len(self._entries)

    def _forget(self, reference: weakref.ref[object]) -> None:
        address = cast(_Reference, reference).address
        entry = self._entries.get(address)
        if entry is not None and entry[0] is reference:
            del self._entries[address]


def is_weakly_referable(value: object) -> bool:
    """Tell whether a weak reference to *value* can be made, without the cost of trying."""
    return type(value).__weakrefoffset__ != 0
