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
from wiremap.selection.facts import Fact, Trace, matching
from wiremap.selection.wiring_changes import Wiring

CurrentValue = Callable[[str, str], str]
"""Takes kind and key of a fact, returns the value found now."""

Concern = Callable[[Trace, Iterable[Fact]], Mapping[Fact, str]]
"""Takes a trace and the stale facts of it; returns those about names that concern its test, and why."""


def everything_concerns(_trace: Trace, stale: Iterable[Fact]) -> Mapping[Fact, str]:
    """Let every stale fact about names concern every test."""
    return {fact: "" for fact in stale if fact.kind in (kinds.CLASSES, kinds.NAMES)}


Judge = Callable[[Trace, Iterable[Fact]], Mapping[Fact, Wiring]]
"""Takes a trace and the stale facts of it; returns what became of the recipes among them."""


def nothing_is_known(_trace: Trace, _stale: Iterable[Fact]) -> Mapping[Fact, Wiring]:
    """Take recipes for functions like others."""
    return {}


@dataclass(frozen=True, slots=True, order=True)
class Reason:
    """Why a test runs.

    Attributes:
        rule: `new`, `failed`, `changed`, `topology`, `unseen` or `error`.
        detail: One sentence for people.
        unit: `path::unit` that changed, where it is one.
    """

    rule: str
    detail: str
    unit: str | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """The answer for one test: it runs, for all these reasons, or it is proved unaffected when there is none.

    Attributes:
        test: The node id.
        reasons: Why it runs.
        cut_off: Units of recipes that changed and are proved to do the same for it, where it does not run.
    """

    test: str
    reasons: tuple[Reason, ...] = ()
    cut_off: tuple[str, ...] = ()

    @property
    def runs(self) -> bool:
        """Whether the test runs."""
        return bool(self.reasons)


def verdicts(
    tests: Iterable[str],
    traces: Mapping[str, Sequence[Trace]],
    current_value: CurrentValue,
    concern: Concern = everything_concerns,
) -> list[Verdict]:
    """Return one verdict for each of *tests*, in their order."""
    stale = StaleFacts(current_value, concern)
    return [verdict(test, traces.get(test, ()), stale) for test in tests]


def verdict(test: str, traces: Sequence[Trace], stale: "StaleFacts") -> Verdict:
    """Return the verdict on *test*, of which these are the *traces*."""
    if not traces:
        return Verdict(test, (Reason("new", "it has no recorded run"),))
    newest_first = sorted(traces, key=lambda trace: (trace.sequence, trace.outcome == "failed"), reverse=True)
    for trace in newest_first:
        if not stale.of(trace):
            return Verdict(test, _failed()) if trace.outcome == "failed" else Verdict(test, (), stale.cut_off(trace))
    # The freshest record explains best: its facts are closest to what is found now.
    reference = next((trace for trace in newest_first if trace.outcome != "failed"), newest_first[0])
    wirings = stale.wirings(reference)
    reasons = [
        _rewired(fact, wirings[fact]) if fact in wirings else _changed(fact, stale.now(fact), what)
        for fact, what in stale.of(reference).items()
    ]
    if newest_first[0].outcome == "failed":
        reasons.extend(_failed())
    return Verdict(test, tuple(sorted(set(reasons))))


def _failed() -> tuple[Reason, ...]:
    return (Reason("failed", "it failed when it last ran"),)


def _rewired(fact: Fact, wiring: Wiring) -> Reason:
    if wiring.result == "other":
        return Reason("topology", f"it was wired by {fact.key}, which does other things: {wiring.detail}", fact.unit)
    detail = f"it rests on {fact.key}, which changed, and is not proved to wire as before: {wiring.detail}"
    return Reason("changed", detail, fact.unit)


def _changed(fact: Fact, now: str, what: str) -> Reason:
    if fact.kind == kinds.PROJECT:
        detail = (
            "something ran unseen (a child process, or another tool held the trace hook), and a project file changed"
        )
        return Reason("unseen", detail)
    if now.startswith(kinds.UNCOMPILED):
        return Reason("unseen", f"what {fact.key!r} matches is not known: {now.removeprefix(kinds.UNCOMPILED)}")
    if fact.value == kinds.UNSTABLE and fact.kind == kinds.WIRING:
        return Reason("unseen", f"what {fact.key!r} matched when the test ran is not known")
    if fact.value == kinds.UNSTABLE:
        return Reason("unseen", f"{fact.key} changed while the test was recorded", fact.unit)
    sentence = _sentence(fact, now)
    return Reason("changed", f"{sentence}: {what}" if what else sentence, fact.unit)


def _sentence(fact: Fact, now: str) -> str:
    if is_of_environment(fact):
        return difference(fact, now)
    if fact.kind == kinds.WIRING:
        return f"it declares to depend on the wiring {fact.key!r}, of which a match changed"
    what = {
        kinds.FUNCTION: f"it rests on {fact.key}",
        kinds.MODULE: f"it rests on the import of {fact.key}",
        kinds.CLASSES: f"it rests on the import of {fact.key}",
        kinds.NAMES: f"it rests on the import of {fact.key}",
        kinds.SOURCE: f"it rests on {fact.key}, of which the parts were not observed",
        kinds.IMPORT: f"it imports {fact.key}",
        kinds.FILE: f"it read {fact.key}",
        kinds.WIRED: f"it declares to depend on wiring with {fact.key}",
        kinds.PRESENCE: f"it asked whether {fact.key} exists",
    }[fact.kind]
    return f"{what}, {_what_happened(fact, now)}"


def _what_happened(fact: Fact, now: str) -> str:
    if fact.kind == kinds.IMPORT and kinds.ABSENT not in (fact.value, now):
        return "and something else may answer to that name now"
    if now == kinds.ABSENT:
        return "which is gone"
    if fact.value == kinds.ABSENT:
        return "which was not there and is now"
    return "which changed"


class StaleFacts:
    """Finds facts that hold no longer and concern a test; looks each one up once, for all that it is asked."""

    def __init__(
        self, current_value: CurrentValue, concern: Concern = everything_concerns, judge: Judge = nothing_is_known
    ) -> None:
        self._current_value = current_value
        self._concern = concern
        self._judge = judge
        self._now: dict[tuple[str, str], str] = {}
        # By identity: tests share sets, and comparing those would take longer than all the rest. Each is kept with it,
        # so that no other gets its id.
        self._stale: dict[int, tuple[AbstractSet[Fact], list[Fact]]] = {}
        self._concerning: dict[tuple[str, int], Mapping[Fact, str]] = {}
        self._wirings: dict[int, Mapping[Fact, Wiring]] = {}

    def of(self, trace: Trace) -> Mapping[Fact, str]:
        """Return the stale facts, sorted, each with what concerns the test where there is more to say."""
        stale = self._stale_of(trace.facts)
        if not stale:
            return {}
        key = (trace.function, id(trace.facts))
        if key not in self._concerning:
            self._concerning[key] = self._find_concerning(trace, stale)
        return self._concerning[key]

    def wirings(self, trace: Trace) -> Mapping[Fact, Wiring]:
        """Return what became of the recipes of *trace* that changed, as far as their ways are known."""
        stale = self._stale_of(trace.facts)
        if id(trace.facts) not in self._wirings:
            self._wirings[id(trace.facts)] = self._judge(trace, stale) if stale else {}
        return self._wirings[id(trace.facts)]

    def all_wirings(self, traces: Iterable[Trace]) -> dict[str, set[Wiring]]:
        """Return what became of the recipes of any of *traces* that changed, by their units."""
        distinct = {id(trace.facts): trace for trace in traces}.values()
        found: dict[str, set[Wiring]] = {}
        for trace in distinct:
            for fact, wiring in self.wirings(trace).items():
                found.setdefault(fact.key, set()).add(wiring)
        return found

    def cut_off(self, trace: Trace) -> tuple[str, ...]:
        """Return the units of recipes that changed and do the same for the test of *trace*."""
        return tuple(sorted(fact.key for fact, one in self.wirings(trace).items() if one.result == "same"))

    def of_all(self, traces: Iterable[Trace]) -> list[Fact]:
        """Return the facts of any of *traces* that hold no longer, whether they concern it or not; sorted."""
        return sorted({fact for trace in traces for fact in self._stale_of(trace.facts)})

    def _find_concerning(self, trace: Trace, stale: list[Fact]) -> Mapping[Fact, str]:
        concerns = self._concern(trace, stale)
        same = {fact for fact, one in self.wirings(trace).items() if one.result == "same"}
        return {
            fact: concerns.get(fact, "")
            for fact in stale
            if fact not in same
            if fact in concerns or fact.kind not in (kinds.CLASSES, kinds.NAMES) or fact.value == kinds.UNSTABLE
        }

    def _stale_of(self, facts: AbstractSet[Fact]) -> list[Fact]:
        if id(facts) not in self._stale:
            self._stale[id(facts)] = (facts, sorted(self._find(facts)))
        return self._stale[id(facts)][1]

    def _find(self, facts: AbstractSet[Fact]) -> Iterable[Fact]:
        return matching(facts, self._is_stale)

    def _is_stale(self, fact: Fact) -> bool:
        return fact.kind != kinds.RECIPE and self.now(fact) != fact.value

    def now(self, fact: Fact) -> str:
        """Return the value that *fact* would have if it were recorded now."""
        key = (fact.kind, fact.key)
        if key not in self._now:
            self._now[key] = self._current_value(fact.kind, fact.key)
        return self._now[key]
