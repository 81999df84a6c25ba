"""Which tests run, given the map and the project as they are now."""

import contextlib
import sqlite3
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from wiremap.graph import Graph
from wiremap.project.state import ProjectState
from wiremap.selection.changes import Change, fact_changes, source_changes
from wiremap.selection.components import ComponentIndex
from wiremap.selection.facts import Trace
from wiremap.selection.report import Report
from wiremap.selection.verdicts import Reason, Verdict, stale_facts, verdicts
from wiremap.store.map import Map


@dataclass(frozen=True, slots=True)
class Collected:
    """What pytest collected.

    Attributes:
        tests: Node ids, in the order in which they would run.
        errors: What could not be collected: node id to the error in a line.
        whole: Whether this is everything that the project's configuration collects.
    """

    tests: tuple[str, ...]
    errors: Mapping[str, str]
    whole: bool = False


def select(project: ProjectState, store: Map, collected: Collected, *, until: int | None = None) -> Report:
    """Return the verdict for each collected test, with the changes that it rests on. Writes nothing but caches.

    What was recorded after the sequence *until* does not count: several processes must come to one selection.
    """
    traces = store.traces(until=until)
    errors = [Verdict(test, (Reason("error", detail),)) for test, detail in sorted(collected.errors.items())]
    decided = errors + _told_apart(verdicts(collected.tests, traces, project.value))
    report = Report(
        changes=tuple(_changes(project, store, traces)),
        verdicts=tuple(decided),
        gone=tuple(_gone(collected, traces)),
        notes=(*store.notes, *_notes(decided)),
        components=ComponentIndex(Graph.from_json(text) for text in store.graphs().values()),
    )
    # What was read is remembered where that is possible at once; it is no part of the answer.
    with contextlib.suppress(sqlite3.OperationalError), store:
        project.sources.remember()
    return report


def _told_apart(decided: list[Verdict]) -> list[Verdict]:
    """Let tests run that share a name with another: no trace tells whose it is."""
    count = Counter(verdict.test for verdict in decided)
    reason = Reason("unseen", "another test has the same name")
    return [Verdict(one.test, tuple(sorted({*one.reasons, reason}))) if count[one.test] > 1 else one for one in decided]


def _changes(project: ProjectState, store: Map, traces: Mapping[str, Sequence[Trace]]) -> list[Change]:
    sources = project.sources
    baseline = store.baseline()
    if not baseline:
        return []
    digests = {path: digest for path in sources.python_files if (digest := sources.digest(path)) is not None}
    outside = {path: sources.digest(path) or "" for path in baseline if path.startswith("../")}
    now = digests | {path: digest for path, digest in outside.items() if digest}
    changed = source_changes(baseline, now, sources.units_of_digest, sources.units)
    newest = [max(of_test, key=lambda trace: trace.sequence) for of_test in traces.values()]
    stale = stale_facts(newest, project.value)
    return sorted({*changed, *fact_changes(stale, lambda fact: project.value(fact.kind, fact.key))})


def _gone(collected: Collected, traces: Mapping[str, object]) -> list[str]:
    if not collected.whole:
        return []
    uncollected = tuple(f"{node}::" for node in collected.errors)
    return [
        test
        for test in sorted(traces.keys() - set(collected.tests))
        if not (uncollected and test.startswith(uncollected))
    ]


def _notes(decided: Sequence[Verdict]) -> list[str]:
    by_detail: dict[str, int] = {}
    for verdict in decided:
        for reason in verdict.reasons:
            if reason.rule == "unseen":
                by_detail[reason.detail] = by_detail.get(reason.detail, 0) + 1
    unseen = [f"{detail}: {count} test{'s' * (count != 1)} to run" for detail, count in sorted(by_detail.items())]
    errors = [f"{one.test} could not be collected" for one in decided if any(r.rule == "error" for r in one.reasons)]
    return unseen + errors
