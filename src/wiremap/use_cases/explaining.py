"""Why a test runs or does not: the chain from the change to the test."""

from collections import Counter, deque
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from wiremap.errors import NothingRecordedError, UncollectedTestError, UnknownTestError
from wiremap.graph import Graph
from wiremap.selection.components import ComponentIndex
from wiremap.selection.facts import FUNCTION, Trace
from wiremap.store.map import FOLDER, Map
from wiremap.use_cases.collecting import affected


@dataclass(frozen=True, slots=True)
class Cause:
    """One reason, followed back to the change.

    Attributes:
        detail: The sentence of the verdict.
        unit: `path::unit` that changed, if it is one.
        line: Its line now.
        component: The component that it belongs to, if any.
        cell: The cell that it is, if any.
        consumers: Who is handed the cell.
        chain: Units from the test to the change, each calling the next; empty when no calls connect them.
    """

    detail: str
    unit: str | None = None
    line: int | None = None
    component: str | None = None
    cell: str | None = None
    consumers: tuple[str, ...] = ()
    chain: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Explanation:
    """The answer for one test.

    Attributes:
        test: The node id.
        runs: Whether it runs.
        causes: Why; empty when it is proved unaffected.
        evidence: What the proof rests on: how many facts of each kind hold.
        last_outcome: How the latest recorded run ended; None without one.
        last_duration: How long that took, in seconds.
        notes: What must be told of the map.
    """

    test: str
    runs: bool
    causes: tuple[Cause, ...]
    evidence: Mapping[str, int]
    last_outcome: str | None
    last_duration: float | None
    notes: tuple[str, ...]


def explain(test: str) -> Explanation:
    """Return why *test* runs or does not.

    Raises:
        UnknownTestError: pytest does not collect such a test.
        UncollectedTestError: pytest could not collect the file that it stands in.
        NothingRecordedError: No test was ever recorded.
    """
    answer = affected()
    reasons = {entry["test"]: entry["reasons"] for entry in answer.document["run"]}
    if test not in reasons and test not in answer.document["skip"]:
        file = test.partition("::")[0]
        if file in reasons:
            raise UncollectedTestError(test, file, reasons[file][0]["detail"])
        raise UnknownTestError(test, [*reasons, *answer.document["skip"]])
    store = Map(answer.rootdir / FOLDER)
    try:
        traces = store.traces()
        if not traces:
            raise NothingRecordedError(answer.document["notes"])
        components = ComponentIndex(Graph.from_json(text) for text in store.graphs().values())
        lines = {change["unit"]: change["line"] for change in answer.document["changes"]}
        trace = max(traces.get(test, []), key=lambda one: one.sequence, default=None)
        links = _Calls(store.calls(), trace)
        causes = tuple(_cause(reason, components, lines, links) for reason in reasons.get(test, ()))
    finally:
        store.close()
    return Explanation(
        test=test,
        runs=test in reasons,
        causes=causes,
        evidence=dict(sorted(Counter(fact.kind for fact in trace.facts).items())) if trace else {},
        last_outcome=trace.outcome if trace else None,
        last_duration=trace.duration if trace else None,
        notes=tuple(store.notes),
    )


def _cause(
    reason: Mapping[str, Any], components: ComponentIndex, lines: Mapping[str, int | None], links: "_Calls"
) -> Cause:
    unit = reason["unit"]
    if unit is None:
        return Cause(reason["detail"])
    place = components.place(unit)
    return Cause(
        detail=reason["detail"],
        unit=unit,
        line=lines.get(unit),
        component=place.component if place else None,
        cell=place.cell if place else None,
        consumers=place.consumers if place else (),
        chain=links.chain(unit),
    )


class _Calls:
    """The calls among the functions that one test rests on."""

    def __init__(self, callers: Mapping[str, set[str]], trace: Trace | None) -> None:
        self._callers = callers
        self._within = {fact.key for fact in trace.facts if fact.kind == FUNCTION} if trace else set()
        self._test = _unit_of_test(trace.test) if trace else ""

    def chain(self, unit: str) -> tuple[str, ...]:
        """Return the shortest chain of calls from the test's function to *unit*."""
        next_step = {unit: ""}
        pending = deque([unit])
        while pending:
            callee = pending.popleft()
            if callee == self._test:
                return tuple(_follow(next_step, callee))
            for caller in sorted(self._callers.get(callee, ())):
                if caller in self._within and caller not in next_step:
                    next_step[caller] = callee
                    pending.append(caller)
        return ()


def _follow(next_step: Mapping[str, str], start: str) -> list[str]:
    chain = []
    while start:
        chain.append(start)
        start = next_step[start]
    return chain


def _unit_of_test(test: str) -> str:
    """Return `path::Class.function` of a node id `path::Class::function[parameters]`."""
    path, _, rest = test.partition("::")
    return f"{path}::{rest.partition('[')[0].replace('::', '.')}"
