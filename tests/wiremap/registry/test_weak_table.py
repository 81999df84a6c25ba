import gc

from wiremap.registry.weak_table import WeakTable


class Unhashable:
    __hash__ = None  # type: ignore[assignment] # as a tensor's owner or a plain dataclass may be

    def __eq__(self, other: object) -> bool:
        raise AssertionError("was compared")


def test_keys_are_neither_hashed_nor_compared() -> None:
    table: WeakTable[str] = WeakTable()
    first, second = Unhashable(), Unhashable()

    assert table.put(first, "first")
    assert table.get(first) == "first"
    assert table.get(second) is None


def test_an_entry_goes_with_its_object() -> None:
    table: WeakTable[int] = WeakTable()
    key = Unhashable()
    table.put(key, 1)
    table.put(key, 2)

    assert table.get(key) == 2
    del key
    gc.collect()
    assert len(table) == 0


def test_what_can_not_be_referenced_weakly_is_refused() -> None:
    table: WeakTable[int] = WeakTable()

    assert not table.put(1, 1)
    assert table.get(1) is None


def test_an_entry_can_be_taken_out() -> None:
    table: WeakTable[int] = WeakTable()
    key, other = Unhashable(), Unhashable()
    table.put(key, 1)

    table.discard(key)
    table.discard(other)

    assert len(table) == 0
