from typing import get_args

from hypothesis import given
from hypothesis import strategies as st

from wiremap.selection.facts import Outcome
from wiremap.store.trace_rows import KEPT_PER_TEST, TraceRow, kept_rows, pack_rows, unpack_rows

_rows = st.lists(
    st.builds(
        TraceRow,
        set_id=st.integers(0, 9),
        outcome=st.sampled_from(get_args(Outcome)),
        duration=st.floats(0, 9),
        sequence=st.integers(0, 9),
    ),
    max_size=12,
)
MOST = 2


def kept(*rows: TraceRow) -> list[TraceRow]:
    """Keep two of each environment; sets of even and of odd numbers are of two environments."""
    return kept_rows(rows, lambda key: key % 2, lambda key: key, MOST)


def row(set_id: int, sequence: int, outcome: Outcome = "passed") -> TraceRow:
    return TraceRow(set_id, outcome, 1.0, sequence)


@given(st.text(), _rows)
def test_rows_come_back(test: str, rows: list[TraceRow]) -> None:
    assert unpack_rows(test, pack_rows(test, rows)) == rows


@given(_rows.filter(bool), st.data())
def test_any_damaged_byte_is_noticed(rows: list[TraceRow], data: st.DataObject) -> None:
    packed = bytearray(pack_rows("t", rows))

    packed[data.draw(st.integers(0, len(packed) - 1))] ^= data.draw(st.integers(1, 255))

    assert unpack_rows("t", bytes(packed)) is None


def test_rows_of_another_test_are_refused() -> None:
    assert unpack_rows("u", pack_rows("t", [row(1, 1)])) is None


def test_the_newest_of_each_environment_are_kept() -> None:
    assert kept(row(2, 1), row(4, 2), row(6, 3), row(1, 0)) == [row(1, 0), row(4, 2), row(6, 3)]


def test_one_set_and_outcome_is_one_trace_and_its_newest_run_counts() -> None:
    assert kept(row(2, 1), row(2, 3), row(2, 2)) == [row(2, 3)]


def test_a_failure_is_not_forgotten_before_the_pass_that_it_overrules() -> None:
    overruled, failure = row(2, 1), row(2, 2, "failed")

    found = kept(overruled, failure, row(4, 3, "failed"))

    assert overruled not in found
    assert failure in found


def test_there_is_a_bound_for_a_test_however_many_environments_there_are() -> None:
    rows = [row(number, number) for number in range(KEPT_PER_TEST + 10)]

    found = kept_rows(rows, lambda key: key, lambda key: key, MOST)

    assert found == rows[10:]


@given(_rows, _rows)
def test_keeping_after_each_of_two_merges_is_keeping_once(one: list[TraceRow], other: list[TraceRow]) -> None:
    assert kept(*kept(*one), *other) == kept(*one, *other) == kept(*other, *one)
