from hypothesis import example, given
from hypothesis import strategies as st

from wiremap.selection.shards import shards

_seconds = st.lists(st.floats(0, 1000), max_size=30)


def named(seconds: list[float]) -> dict[str, float]:
    return {f"test_{number}": one for number, one in enumerate(seconds)}


def best(seconds: list[float], number: int) -> float:
    """The longest shard of the best division, found by trying all."""
    if number == 1 or not seconds:
        return sum(seconds)
    return min(max(sum(seconds[:cut]), best(seconds[cut:], number - 1)) for cut in range(len(seconds) + 1))


@given(_seconds, st.integers(1, 8))
@example([0.0, 188.5, 0.0], 1)  # their sum depends on how it is rounded
def test_each_test_is_in_exactly_one_shard_and_order_stays(seconds: list[float], number: int) -> None:
    recorded = named(seconds)

    found = shards(list(recorded), number, recorded)

    assert len(found) == number
    assert [test for one in found for test in one.tests] == list(recorded)


@given(st.lists(st.floats(0.01, 1000), max_size=8), st.integers(1, 4))
def test_no_other_division_in_order_ends_sooner(seconds: list[float], number: int) -> None:
    recorded = named(seconds)

    longest = max(one.seconds for one in shards(list(recorded), number, recorded))

    assert longest <= best(seconds, number) + sum(seconds) * 1e-5


@given(_seconds, st.integers(1, 8))
def test_the_longest_shard_takes_at_most_one_test_more_than_its_part(seconds: list[float], number: int) -> None:
    recorded = named(seconds)

    found = shards(list(recorded), number, recorded)
    whole = sum(one.seconds for one in found)

    assert max(one.seconds for one in found) <= (whole / number + max(seconds, default=0)) * 1.00001 + 1e-3


def test_a_test_without_a_record_takes_the_mean_of_the_others() -> None:
    found = shards(["a", "b", "new"], 2, {"a": 1.0, "b": 3.0})

    assert [(one.tests, one.seconds) for one in found] == [(("a", "b"), 4.0), (("new",), 2.0)]


def test_without_any_record_shards_are_of_equal_number() -> None:
    assert [len(one.tests) for one in shards(["a", "b", "c", "d"], 2, {})] == [2, 2]


def test_no_tests_make_empty_shards() -> None:
    assert [one.tests for one in shards([], 3, {})] == [(), (), ()]
