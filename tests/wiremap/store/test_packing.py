from hypothesis import given
from hypothesis import strategies as st

from wiremap.store.packing import pack, unpack


@given(st.sets(st.integers(1, 2**40)))
def test_numbers_come_back_in_order(numbers: set[int]) -> None:
    assert list(unpack(pack(sorted(numbers)))) == sorted(numbers)


def test_neighbours_take_one_byte_each() -> None:
    assert len(pack(range(1000, 1100))) == 2 + 99


def test_nothing_is_no_bytes() -> None:
    assert pack([]) == b""
    assert list(unpack(b"")) == []
