from typing import get_args

from hypothesis import given
from hypothesis import strategies as st

from wiremap.selection.facts import UNSTABLE, Fact, Outcome, Trace
from wiremap.selection.flakiness import FlakyTest, flaky_tests


def trace(outcome: Outcome, sequence: int = 1, **values: str) -> Trace:
    return Trace("t", frozenset(Fact("file", key, value) for key, value in values.items()), outcome, 0.1, sequence)


def flaky(*traces: Trace) -> list[FlakyTest]:
    return flaky_tests({"t": traces})


def test_equal_facts_and_two_outcomes_are_flaky() -> None:
    assert flaky(trace("passed", 1, a="1"), trace("failed", 2, a="1")) == [
        FlakyTest("t", ("failed", "passed"), last_outcome="failed")
    ]


def test_one_outcome_is_not() -> None:
    assert flaky(trace("passed", a="1"), trace("passed", a="2")) == []


def test_another_outcome_of_other_facts_is_not() -> None:
    assert flaky(trace("passed", a="1"), trace("failed", a="2")) == []


def test_a_run_that_ended_early_had_the_same_input_if_it_disagrees_on_nothing() -> None:
    assert len(flaky(trace("passed", a="1", b="1"), trace("failed", a="1"))) == 1
    assert len(flaky(trace("passed", a="1", b="1"), trace("failed", a="1", c="1"))) == 1


def test_a_skip_is_an_outcome_like_another() -> None:
    assert len(flaky(trace("passed", a="1"), trace("skipped", a="1"))) == 1


def test_what_changed_while_it_ran_is_no_evidence() -> None:
    assert flaky(trace("passed", a=UNSTABLE), trace("failed", a=UNSTABLE)) == []


def test_only_the_runs_that_contradict_one_another_count() -> None:
    contradiction = trace("passed", 1, a="1"), trace("failed", 2, a="1")

    assert flaky(*contradiction, trace("skipped", 3, a="2")) == [
        FlakyTest("t", ("failed", "passed"), last_outcome="failed")
    ]


def test_tests_come_sorted() -> None:
    traces = [trace("passed"), trace("failed")]

    assert [one.test for one in flaky_tests({"b": traces, "a": traces})] == ["a", "b"]


_runs = st.lists(
    st.tuples(st.integers(0, 3), st.lists(st.sampled_from("01"), min_size=3, max_size=3)), min_size=2, max_size=6
)


@given(_runs, st.lists(st.sampled_from(get_args(Outcome)), min_size=16, max_size=16))
def test_a_test_that_follows_from_what_it_reads_is_never_called_flaky(
    runs: list[tuple[int, list[str]]], outcomes: list[Outcome]
) -> None:
    """Such a test reads `a`, then `b` if `a` was 1, then `c` if `b` was 1; its outcome follows from the values read."""
    traces = []
    for sequence, world in runs:
        read = {}
        for key, value in zip("abc", world, strict=True):
            read[key] = value
            if value == "0":
                break
        outcome = outcomes[int("".join(read.values()).ljust(3, "0"), 2)]
        traces.append(trace(outcome, sequence, **read))

    assert flaky(*traces) == []
