"""Which tests run, given the map and the project as they are now."""

import contextlib
import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from wiremap.project.state import ProjectState
from wiremap.selection.changes import Change, fact_changes, held_changes, rewired_changes, source_changes
from wiremap.selection.facts import COLLECTED_TEST, Trace, function_of, newest, of_collections, of_tests
from wiremap.selection.installed_copies import notes_of_copies
from wiremap.selection.name_changes import NameChanges
from wiremap.selection.order import likeliest_first
from wiremap.selection.report import Report
from wiremap.selection.verdicts import Reason, StaleFacts, Verdict, verdict
from wiremap.selection.wiring_changes import WiringChanges
from wiremap.store.map import Map
from wiremap.use_cases.component_index import component_index
from wiremap.wording import counted


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


class Selection:
    """The verdicts on all recorded tests, for the project as it is now."""

    def __init__(self, project: ProjectState, store: Map, *, until: int | None = None) -> None:
        """Decide on all recorded tests.

        What was recorded after the sequence *until* does not count: several processes must come to one selection.
        """
        self._project = project
        self._store = store
        self._stale = StaleFacts(
            project.value, NameChanges(project.sources).concern, WiringChanges(project.sources).judge
        )
        recorded = store.traces(until=until)
        self._traces = of_tests(recorded)
        self._collections = of_collections(recorded)
        self._decided = {test: verdict(test, found, self._stale) for test, found in self._traces.items()}

    def unaffected_tests(self, file: str) -> tuple[str, ...] | None:
        """Return the tests of *file* (a node id) if it would be collected as it was and each is proved unaffected.

        None means that the file must be collected: it is new, or something that decides which tests it holds has
        changed, or one of them runs.
        """
        newest_first = sorted(self._collections.get(file, ()), key=lambda trace: trace.sequence, reverse=True)
        for trace in newest_first:
            if not verdict(file, [trace], self._stale).runs:
                tests = tuple(sorted(fact.key for fact in trace.facts if fact.kind == COLLECTED_TEST))
                return None if any(self._verdict(test).runs for test in tests) else tests
        return None

    def report(self, collected: Collected) -> Report:
        """Return the verdict for each collected test, with the changes that it rests on. Writes nothing but caches."""
        errors = [Verdict(test, (Reason("error", detail),)) for test, detail in sorted(collected.errors.items())]
        decided = errors + _told_apart([self._verdict(test) for test in collected.tests])
        existing = list(_that_may_exist(collected, self._traces))
        recorded = {test: self._traces[test] for test in collected.tests if test in self._traces}
        changes = _changes(self._project, self._store, recorded, existing, self._stale)
        report = Report(
            changes=tuple(changes),
            verdicts=tuple(decided),
            gone=tuple(_gone(collected, self._traces)),
            notes=(*self._store.notes, *_notes(decided), *self._notes_of_copies(changes, existing)),
            components=component_index(self._store, self._project.settings),
        )
        # What was read is remembered where that is possible at once; it is no part of the answer.
        with contextlib.suppress(sqlite3.OperationalError), self._store:
            self._project.sources.remember()
        return report

    def _notes_of_copies(self, changes: Sequence[Change], existing: Sequence[Trace]) -> list[str]:
        changed = {change.file for change in changes}
        providers = self._project.environment.distributions.providers
        return notes_of_copies(changed, existing, self._project.sources.files, providers)

    def order(self, tests: Sequence[str]) -> list[int]:
        """Return the places of *tests* in the order in which they had better run: likeliest to fail, cheapest first."""
        seconds = {test: newest(found).duration for test, found in self._traces.items()}
        return likeliest_first(tests, {test: self._verdict(test) for test in tests}, seconds)

    def _verdict(self, test: str) -> Verdict:
        return self._decided[test] if test in self._decided else verdict(test, (), self._stale)


def select(project: ProjectState, store: Map, collected: Collected) -> Report:
    """Return the verdict for each collected test, with the changes that it rests on. Writes nothing but caches."""
    return Selection(project, store).report(collected)


def _told_apart(decided: list[Verdict]) -> list[Verdict]:
    """Let tests run that share a name with another: no trace tells whose it is."""
    count = Counter(verdict.test for verdict in decided)
    reason = Reason("unseen", "another test has the same name")
    return [Verdict(one.test, tuple(sorted({*one.reasons, reason}))) if count[one.test] > 1 else one for one in decided]


def _changes(
    project: ProjectState,
    store: Map,
    recorded: Mapping[str, Sequence[Trace]],
    existing: Sequence[Trace],
    stale: StaleFacts,
) -> list[Change]:
    sources = project.sources
    baseline = store.baseline()
    if not baseline:
        return []
    digests = {path: digest for path in sources.python_files if (digest := sources.digest(path)) is not None}
    outside = {path: sources.digest(path) or "" for path in baseline if path.startswith("../")}
    now = digests | {path: digest for path, digest in outside.items() if digest}
    changed = source_changes(baseline, now, sources.units_of_digest, sources.units)
    found = {*changed, *fact_changes(stale.of_all(existing), stale.now)}
    told = set(rewired_changes(found, stale.all_wirings(existing)))
    # The baseline is of the last recording; tests that it left out may owe their answer for longer. Those that are
    # proved unaffected owe none.
    owed = {fact for traces in recorded.values() for fact in stale.of(newest(traces))}
    return sorted(told | set(held_changes(sorted(owed), told, sources.units)))


def _that_may_exist(collected: Collected, traces: Mapping[str, Sequence[Trace]]) -> Iterator[Trace]:
    """Yield the newest record of each test that is collected or may exist besides.

    The record of one that is gone never gets newer, so what it tells would be told for ever. Where only some tests were
    collected, other parameters of their functions are taken to be gone: a new time of day makes new ones each time.
    """
    here, gone = set(collected.tests), set(_gone(collected, traces))
    functions = {function_of(test) for test in here}
    for test, found in traces.items():
        trace = newest(found)
        if test in here or (test not in gone and trace.function not in functions):
            yield trace


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
    for one in decided:
        for reason in one.reasons:
            if reason.rule == "unseen":
                by_detail[reason.detail] = by_detail.get(reason.detail, 0) + 1
    return [f"{detail}: {counted(count, 'test')} to run" for detail, count in sorted(by_detail.items())]
