from collections.abc import Mapping
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wiremap.selection import facts as kinds
from wiremap.selection.facts import ABSENT, UNSTABLE, Fact, Outcome, Trace
from wiremap.selection.verdicts import Reason, StaleFacts, Verdict, verdicts

_keys = st.sampled_from("abc")
_values = st.sampled_from("123")
_facts = st.dictionaries(_keys, _values, max_size=3).map(
    lambda values: frozenset(Fact(kinds.FILE, key, value) for key, value in values.items())
)
_traces = st.lists(
    st.builds(Trace, st.just("t"), _facts, st.sampled_from(get_args(Outcome)), st.just(0.1), st.integers(1, 9)),
    max_size=5,
    unique_by=lambda trace: trace.facts,
)


def fact(value: str, kind: str = kinds.FILE, key: str = "data.txt") -> Fact:
    return Fact(kind, key, value)


def trace(*facts: Fact, outcome: Outcome = "passed", sequence: int = 1) -> Trace:
    return Trace("t", frozenset(facts), outcome, 0.1, sequence)


def verdict(*traces: Trace, now: Mapping[str, str]) -> Verdict:
    (found,) = verdicts(["t"], {"t": traces}, lambda _kind, key: now.get(key, ABSENT))
    return found


def rules(found: Verdict) -> set[str]:
    return {reason.rule for reason in found.reasons}


# Whether a test runs.


@given(_traces, st.dictionaries(_keys, _values))
def test_a_test_is_skipped_only_if_some_trace_that_did_not_fail_holds_entirely(
    traces: list[Trace], now: dict[str, str]
) -> None:
    found = verdict(*traces, now=now)

    holding = [
        one for one in traces if one.outcome != "failed" and all(now.get(each.key) == each.value for each in one.facts)
    ]
    assert found.runs or holding


@given(_traces, st.dictionaries(_keys, _values))
def test_the_latest_trace_that_holds_decides(traces: list[Trace], now: dict[str, str]) -> None:
    found = verdict(*traces, now=now)

    holding = [one for one in traces if all(now.get(each.key) == each.value for each in one.facts)]
    latest = max((one.sequence for one in holding), default=0)
    outcomes = {one.outcome for one in holding if one.sequence == latest}
    if len(outcomes) == 1 or not holding:
        assert found.runs is (not holding or outcomes == {"failed"})


def test_a_test_without_a_trace_is_new() -> None:
    assert rules(verdict(now={})) == {"new"}


def test_a_failure_is_owed_until_it_passes() -> None:
    failed = trace(fact("1"), outcome="failed")

    assert rules(verdict(failed, now={"data.txt": "1"})) == {"failed"}
    assert not verdict(trace(fact("1"), sequence=2), now={"data.txt": "1"}).runs


def test_a_skipped_test_is_remembered_like_a_passed_one() -> None:
    assert not verdict(trace(fact("1"), outcome="skipped"), now={"data.txt": "1"}).runs


def test_going_back_to_an_earlier_state_finds_its_trace() -> None:
    traces = trace(fact("1")), trace(fact("2"), sequence=2)

    assert not verdict(*traces, now={"data.txt": "1"}).runs
    assert not verdict(*traces, now={"data.txt": "2"}).runs
    assert verdict(*traces, now={"data.txt": "3"}).runs


def test_a_trace_of_fewer_facts_that_failed_later_wins_over_an_earlier_pass() -> None:
    passed = trace(fact("1"), fact("1", key="more.txt"))
    failed = trace(fact("1"), outcome="failed", sequence=2)

    assert rules(verdict(passed, failed, now={"data.txt": "1", "more.txt": "1"})) == {"failed"}


def test_what_changed_during_the_run_never_holds() -> None:
    assert rules(verdict(trace(fact(UNSTABLE)), now={"data.txt": "1"})) == {"unseen"}


def test_an_absence_holds_while_nothing_is_there() -> None:
    absent = trace(fact(ABSENT))

    assert not verdict(absent, now={}).runs
    assert verdict(absent, now={"data.txt": "1"}).runs


def test_verdicts_come_in_the_order_of_the_tests() -> None:
    found = verdicts(["b", "a", "c"], {}, lambda _kind, _key: ABSENT)

    assert [one.test for one in found] == ["b", "a", "c"]


def test_each_fact_is_looked_up_once_for_all_tests() -> None:
    asked: list[str] = []

    def value(_kind: str, key: str) -> str:
        asked.append(key)
        return "1"

    traces = {name: [Trace(name, frozenset({fact("1"), fact(name, key=name)}), "passed", 0.1)] for name in "abc"}

    verdicts("abc", traces, value)

    assert sorted(asked) == ["a", "b", "c", "data.txt"]


# Why.


@pytest.mark.parametrize(
    ("stale", "now", "sentence"),
    [
        (fact("1", kinds.FUNCTION, "a.py::f"), "2", "it rests on a.py::f, which changed"),
        (fact("1", kinds.FUNCTION, "a.py::f"), ABSENT, "it rests on a.py::f, which is gone"),
        (fact("1", kinds.MODULE, "a.py"), "2", "it rests on the import of a.py, which changed"),
        (fact("1", kinds.SOURCE, "a.py"), "2", "it rests on a.py, of which the parts were not observed, which changed"),
        (fact("1", kinds.IMPORT, "a"), "2", "it imports a, and something else may answer to that name now"),
        (fact("1", kinds.FILE, "a.txt"), "2", "it read a.txt, which changed"),
        (fact(ABSENT, kinds.FILE, "a.txt"), "2", "it read a.txt, which was not there and is now"),
        (fact("1", kinds.VARIABLE, "HOME"), "2", "variable HOME changed"),
        (
            fact("CPython 3.11.7", kinds.ENVIRONMENT, "python"),
            "CPython 3.11.9",
            "python 3.11.7 -> 3.11.9",
        ),
    ],
)
def test_the_reason_says_what_the_test_rested_on_and_what_happened(stale: Fact, now: str, sentence: str) -> None:
    found = verdict(trace(stale), now={stale.key: now})

    assert found.reasons == (Reason("changed", sentence, stale.unit),)


def test_several_causes_are_all_listed_in_order() -> None:
    found = verdict(trace(fact("1", key="b"), fact("1", key="a")), now={})

    assert [reason.detail for reason in found.reasons] == ["it read a, which is gone", "it read b, which is gone"]


def test_a_change_after_a_failure_tells_both() -> None:
    found = verdict(trace(fact("1"), outcome="failed"), now={"data.txt": "2"})

    assert rules(found) == {"changed", "failed"}


def test_the_latest_trace_that_did_not_fail_explains() -> None:
    old, new = trace(fact("1", key="old"), sequence=1), trace(fact("1", key="new"), sequence=2)

    found = verdict(old, new, now={})

    assert [reason.detail for reason in found.reasons] == ["it read new, which is gone"]


def test_something_unseen_is_a_rule_of_its_own() -> None:
    found = verdict(trace(fact("1", kinds.PROJECT, "*")), now={"*": "2"})

    assert rules(found) == {"unseen"}
    assert "a child process" in found.reasons[0].detail


def test_stale_facts_are_those_whose_value_is_another_now() -> None:
    one = trace(fact("1", key="a"), fact("1", key="b"), fact("2", key="c"))

    stale = StaleFacts(lambda _kind, _key: "1").of_all([one])

    assert stale == [fact("2", key="c")]
