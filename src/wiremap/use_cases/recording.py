"""From what a session observed to traces in the map."""

import sys
import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from wiremap.project.state import ProjectState
from wiremap.selection import facts as kinds
from wiremap.selection.dependencies import DependencyResolver
from wiremap.selection.facts import Fact, Outcome, Trace
from wiremap.source.units import SourceUnits, UnitKey, unit_of_qualname
from wiremap.store.map import Map
from wiremap.tracing.file_stat import FileStat
from wiremap.tracing.observation import Observation
from wiremap.tracing.recorder import Recorder


@dataclass(slots=True)
class RanTest:
    """One test that ran to its end.

    Attributes:
        test: The node id.
        observations: What was seen in its own context and in those that it shares (fixtures, collection).
        roots: Project paths of its module, of the conftest files above it and of the project's plugins.
        units: Units that it rests on though it may not have executed them: what a doctest stands in.
        facts: Facts that are known without observation.
        outcome: How it ended.
        duration: Seconds.
    """

    test: str
    observations: Sequence[Observation]
    roots: frozenset[str]
    units: frozenset[UnitKey] = frozenset()
    facts: frozenset[Fact] = frozenset()
    outcome: Outcome = "passed"
    duration: float = 0.0


@dataclass(slots=True)
class RecordedSession:
    """What one process observed while it ran tests.

    Attributes:
        recorder: Who observed.
        graphs: JSON of each graph that was compiled, by digest.
        tests: The tests that ran to their end.
        files_before: The project's files when it began.
        started_ns: When it began.
    """

    recorder: Recorder
    graphs: dict[str, str] = field(default_factory=dict)
    tests: list[RanTest] = field(default_factory=list)
    files_before: dict[str, FileStat] = field(default_factory=dict)
    started_ns: int = field(default_factory=time.time_ns)


def record(session: RecordedSession, project: ProjectState, store: Map, *, instead_of: Collection[int] = ()) -> int:
    """Write the traces of *session* to *store*, in one transaction, and return their sequence.

    *project* is the state now: what was changed since the session began is found out and not trusted. What the same
    tests had of the sequences *instead_of*, which were written in the middle of the session, is dropped.
    """
    around = _Around(session, project)
    kept = [(one.code, one.work) for one in session.recorder.kept_work.all()]
    resolver = DependencyResolver(around, session.recorder.imports, kept)
    traces = [_trace(ran, resolver, project.environment) for ran in session.tests]
    with store:
        sequence = store.record(traces, instead_of=instead_of)
        store.record_calls(_calls(session.recorder))
        store.record_graphs(session.graphs, {ran.test: _graphs_of(ran) for ran in session.tests})
        store.record_baseline(_baseline(project, traces))
        project.sources.remember()
        store.tidy()
    return sequence


def _trace(ran: RanTest, resolver: DependencyResolver, environment: frozenset[Fact]) -> Trace:
    facts = resolver.facts(ran.observations, ran.roots, ran.units) | ran.facts | environment
    return Trace(ran.test, facts, ran.outcome, ran.duration)


def _graphs_of(ran: RanTest) -> list[str]:
    return sorted({digest for one in ran.observations for digest in one.graphs})


def _calls(recorder: Recorder) -> set[tuple[str, str]]:
    calls = set()
    for caller, callee in recorder.callers.values():
        names = []
        for code in (caller, callee):
            path = recorder.territory.code_path(code.co_filename)
            names.append(f"{path}::{unit_of_qualname(code.co_qualname)}")
        if names[0] != names[1]:
            calls.add((names[0], names[1]))
    return calls


def _baseline(project: ProjectState, traces: Iterable[Trace]) -> dict[str, str]:
    """Return the digests of all Python files, and of those outside of the root that a test rests on."""
    facts = {fact for distinct in {trace.facts for trace in traces} for fact in distinct}
    outside = {path for fact in facts if (path := fact.path) and path.startswith("../") and path.endswith(".py")}
    paths = [*project.sources.python_files, *sorted(outside)]
    for path in paths:
        project.sources.units(path)  # so that a later change can be told unit by unit
    return {path: digest for path in paths if (digest := project.sources.digest(path)) is not None}


class _Around:
    """The project and the process as the resolver sees them; implements its `Surroundings`."""

    def __init__(self, session: RecordedSession, project: ProjectState) -> None:
        self._session = session
        self._project = project
        self._loaded: Mapping[str, object] = dict(sys.modules)
        self._values: dict[tuple[str, str], str] = {}
        self._data_paths: dict[str, str | None] = {}

    def units(self, path: str) -> SourceUnits:
        return self._project.sources.units(path)

    def code_path(self, filename: str) -> str | None:
        return self._session.recorder.territory.code_path(filename)

    def data_path(self, real: str) -> str | None:
        if real not in self._data_paths:
            territory = self._session.recorder.territory
            self._data_paths[real] = territory.relative(real) if territory.data_path(real) is not None else None
        return self._data_paths[real]

    def loaded_path(self, module: str) -> str | None:
        filename = getattr(self._loaded.get(module), "__file__", None)
        return self.code_path(filename) if isinstance(filename, str) else None

    def candidates(self, module: str) -> tuple[str, ...]:
        return self._project.sources.index.candidates(module)

    def value(self, kind: str, key: str) -> str:
        if (kind, key) not in self._values:
            self._values[kind, key] = self._find_value(kind, key)
        return self._values[kind, key]

    def _find_value(self, kind: str, key: str) -> str:
        path = Fact(kind, key, "").path
        if path is not None and not self._is_stable(path):
            return kinds.UNSTABLE
        if kind == kinds.PROJECT and not self._is_project_stable():
            return kinds.UNSTABLE
        return self._project.value(kind, key)

    def _is_stable(self, path: str) -> bool:
        """Tell whether the file is still the one that ran: it was not written since its import began."""
        now = self._project.sources.stat(path)
        stats = self._session.recorder.import_stats
        if path in stats:
            return stats[path] == now
        return now is None or now.mtime_ns < self._session.started_ns

    def _is_project_stable(self) -> bool:
        """Tell whether no file was edited while the tests ran. New ones are what the tests left."""
        now = self._project.sources.files
        return all(now.get(path, before) == before for path, before in self._session.files_before.items())
