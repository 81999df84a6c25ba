import pytest
from hypothesis import given
from hypothesis import strategies as st

from wiremap.store.packing import pack, unpack


@given(st.sets(st.integers(1, 2**32 - 1)))
def test_numbers_come_back_in_order(numbers: set[int]) -> None:
    assert list(unpack(pack(sorted(numbers)))) == sorted(numbers)


@pytest.mark.parametrize(("step", "num_bytes"), [(1, 1), (255, 1), (256, 2), (65_535, 2), (65_536, 4)])
def test_the_widest_gap_decides_how_many_bytes_each_takes(step: int, num_bytes: int) -> None:
    assert len(pack(range(step, 101 * step, step))) == 1 + 100 * num_bytes


def test_nothing_is_a_single_byte() -> None:
    assert len(pack([])) == 1
    assert list(unpack(pack([]))) == []


@pytest.mark.parametrize("damaged", [b"", b"x123", b"H123"])
def test_bytes_of_another_origin_are_refused(damaged: bytes) -> None:
    with pytest.raises(ValueError, match=r"gaps|bytes"):
        unpack(damaged)
