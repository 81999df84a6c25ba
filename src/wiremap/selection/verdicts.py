"""Verdicts: which tests run, which are proved unaffected, and why.

A trace that passed is a memoised result (Mokhov, Mitchell, Peyton Jones, "Build systems à la carte", 2018,
"verifying traces"): a test is skipped only if some passing trace of it has every fact at the value found
now, and no failing trace that is at least as recent has the same.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from wiremap.selection import facts as kinds
from wiremap.selection.differences import difference, is_of_environment
from wiremap.selection.facts import Fact, InternedFacts, Trace

CurrentValue = Callable[[str, str], str]
"""Takes kind and key of a fact, returns the value found now."""


@dataclass(frozen=True, slots=True, order=True)
class Reason:
    """Why a test runs.

    Attributes:
        rule: `new`, `failed`, `changed`, `unseen` or `error`.
        detail: One sentence for people.
        unit: `path::unit` that changed, where it is one.
    """

    rule: str
    detail: str
    unit: str | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """The answer for one test: it runs, for all these reasons, or it is proved unaffected when there is none."""

    test: str
    reasons: tuple[Reason, ...] = ()

    @property
    def runs(self) -> bool:
        """Whether the test runs."""
        return bool(self.reasons)


def verdicts(tests: Iterable[str], traces: Mapping[str, Sequence[Trace]], current_value: CurrentValue) -> list[Verdict]:
    """Return one verdict for each of *tests*, in their order."""
    stale = _StaleFacts(current_value)
    return [Verdict(test, _reasons(traces.get(test, ()), stale)) for test in tests]


def stale_facts(traces: Iterable[Trace], current_value: CurrentValue) -> list[Fact]:
    """Return the facts of any of *traces* that hold no longer, each once, sorted."""
    stale = _StaleFacts(current_value)
    return sorted({fact for trace in traces for fact in stale.of(trace)})


def _reasons(traces: Sequence[Trace], stale: "_StaleFacts") -> tuple[Reason, ...]:
    if not traces:
        return (Reason("new", "it has no recorded run"),)
    newest_first = sorted(traces, key=lambda trace: (trace.sequence, trace.outcome == "failed"), reverse=True)
    for trace in newest_first:
        if not stale.of(trace):
            return _failed() if trace.outcome == "failed" else ()
    # The freshest record explains best: its facts are closest to what is found now.
    reference = next((trace for trace in newest_first if trace.outcome != "failed"), newest_first[0])
    reasons = [_changed(fact, stale.now(fact)) for fact in stale.of(reference)]
    if newest_first[0].outcome == "failed":
        reasons.extend(_failed())
    return tuple(sorted(set(reasons)))


def _failed() -> tuple[Reason, ...]:
    return (Reason("failed", "it failed when it last ran"),)


def _changed(fact: Fact, now: str) -> Reason:
    if fact.kind == kinds.PROJECT:
        detail = (
            "something ran unseen (a child process, or another tool held the trace hook), and a project file changed"
        )
        return Reason("unseen", detail)
    if fact.value == kinds.UNSTABLE:
        return Reason("unseen", f"{fact.key} changed while the test was recorded", fact.unit)
    return Reason("changed", _sentence(fact, now), fact.unit)


def _sentence(fact: Fact, now: str) -> str:
    if is_of_environment(fact):
        return difference(fact, now)
    what = {
        kinds.FUNCTION: f"it rests on {fact.key}",
        kinds.MODULE: f"it rests on the import of {fact.key}",
        kinds.SOURCE: f"it rests on {fact.key}, of which the parts were not observed",
        kinds.IMPORT: f"it imports {fact.key}",
        kinds.FILE: f"it read {fact.key}",
        kinds.PRESENCE: f"it asked whether {fact.key} exists",
    }[fact.kind]
    return f"{what}, {_what_happened(fact, now)}"


def _what_happened(fact: Fact, now: str) -> str:
    if fact.kind == kinds.IMPORT and kinds.ABSENT not in (fact.value, now):
        return "and something else answers to that name now"
    if now == kinds.ABSENT:
        return "which is gone"
    if fact.value == kinds.ABSENT:
        return "which was not there and is now"
    return "which changed"


class _StaleFacts:
    """Finds facts that hold no longer; looks each one up once, for all tests."""

    def __init__(self, current_value: CurrentValue) -> None:
        self._current_value = current_value
        self._now: dict[tuple[str, str], str] = {}
        # By identity: tests share sets, and comparing those would take longer than all the rest.
        self._stale: dict[int, tuple[AbstractSet[Fact], list[Fact]]] = {}

    def of(self, trace: Trace) -> list[Fact]:
        facts = trace.facts
        if id(facts) not in self._stale:
            self._stale[id(facts)] = (facts, sorted(self._find(facts)))
        return self._stale[id(facts)][1]

    def _find(self, facts: AbstractSet[Fact]) -> Iterable[Fact]:
        return facts.matching(self._is_stale) if isinstance(facts, InternedFacts) else filter(self._is_stale, facts)

    def _is_stale(self, fact: Fact) -> bool:
        return self.now(fact) != fact.value

    def now(self, fact: Fact) -> str:
        key = (fact.kind, fact.key)
        if key not in self._now:
            self._now[key] = self._current_value(fact.kind, fact.key)
        return self._now[key]
