"""Flaky tests: equal dependencies, different outcomes.

A test that depends on nothing but its facts reads the same facts in the same order until one has another value.
So two runs that disagree on no fact had the same input, also where one ended early and has fewer: if their
outcomes differ, something that nobody saw decided.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from wiremap.selection.facts import UNSTABLE, Fact, Outcome, Trace, newest


@dataclass(frozen=True, slots=True)
class FlakyTest:
    """A test whose outcome does not follow from what it rests on.

    Attributes:
        test: The node id.
        outcomes: How its runs with one input ended, sorted.
        last_outcome: How the latest of those ended.
    """

    test: str
    outcomes: tuple[Outcome, ...]
    last_outcome: Outcome


def flaky_tests(traces: Mapping[str, Sequence[Trace]]) -> list[FlakyTest]:
    """Return the flaky ones among the tests of *traces*, sorted."""
    return [found for test in sorted(traces) if (found := _flaky(test, traces[test])) is not None]


def _flaky(test: str, traces: Sequence[Trace]) -> FlakyTest | None:
    if len({trace.outcome for trace in traces}) == 1:
        return None
    values = [(trace, _values(trace.facts)) for trace in traces]
    stable = [(trace, by_key) for trace, by_key in values if UNSTABLE not in by_key.values()]
    contradicting = [
        pair
        for (one, its), (other, others) in combinations(stable, 2)
        if one.outcome != other.outcome and _agree(its, others)
        for pair in (one, other)
    ]
    if not contradicting:
        return None
    latest = newest(contradicting)
    return FlakyTest(test, tuple(sorted({trace.outcome for trace in contradicting})), latest.outcome)


def _values(facts: Iterable[Fact]) -> dict[tuple[str, str], str]:
    return {(fact.kind, fact.key): fact.value for fact in facts}


def _agree(one: Mapping[tuple[str, str], str], other: Mapping[tuple[str, str], str]) -> bool:
    return all(other.get(key, value) == value for key, value in one.items())
