"""The tests of a change between two states of which neither is the working tree: by the paths that were recorded."""

from collections.abc import Callable, Mapping, Sequence

from wiremap.selection import facts as kinds
from wiremap.selection.diff_report import DiffTests, RunningTest
from wiremap.selection.facts import Fact, Trace, matching
from wiremap.selection.touched import TouchedFacts
from wiremap.selection.verdicts import Concern, Reason

_SOURCES = (kinds.FUNCTION, *kinds.MODULES, kinds.SOURCE)


def tests_of_range(
    traces: Mapping[str, Sequence[Trace]],
    touched: TouchedFacts,
    value_before: Callable[[Fact], str],
    concern: Concern,
) -> DiffTests:
    """Return the tests that a change reaches, and those of which that is not known.

    Args:
        traces: The records of each test.
        touched: Which facts the change touches.
        value_before: The value of a fact about source at the base.
        concern: Which stale facts about modules concern a test.
    """
    run, skip = [], []
    for test in sorted(traces):
        decided = _decided(test, traces[test], touched, value_before, concern)
        run += [decided] if decided is not None else []
        skip += [test] if decided is None else []
    return DiffTests("recorded paths", tuple(run), tuple(skip))


def _decided(
    test: str,
    traces: Sequence[Trace],
    touched: TouchedFacts,
    value_before: Callable[[Fact], str],
    concern: Concern,
) -> RunningTest | None:
    def is_of_another_state(fact: Fact) -> bool:
        return fact.kind in _SOURCES and not touched(fact) and value_before(fact) != fact.value

    known = [trace for trace in traces if not matching(trace.facts, is_of_another_state)]
    if not known:
        reason = Reason("unseen", "it was recorded when other sources were there, or never to its end")
        return RunningTest(test, "unknown", (reason,))
    reasons = {one for trace in known for one in _reasons(trace, touched, value_before, concern)}
    return RunningTest(test, "reached", tuple(sorted(reasons))) if reasons else None


def _reasons(
    trace: Trace, touched: TouchedFacts, value_before: Callable[[Fact], str], concern: Concern
) -> list[Reason]:
    stale = sorted(matching(trace.facts, touched))
    named = [fact for fact in stale if fact.kind in (kinds.CLASSES, kinds.NAMES)]
    # What was recorded of another state than the base can't be told apart by name.
    judged = [fact for fact in named if fact.value == value_before(fact)]
    concerns = concern(trace, judged)
    return [Reason("changed", _sentence(fact), fact.unit) for fact in stale if fact not in judged or fact in concerns]


def _sentence(fact: Fact) -> str:
    return "it did something unseen" if fact.kind == kinds.PROJECT else f"it rests on {fact.key}"
