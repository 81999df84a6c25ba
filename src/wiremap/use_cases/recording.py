"""From what a session observed to traces in the map."""

import functools
import os
import sys
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import CodeType
from typing import Self

from wiremap.project.libraries import loaded_libraries
from wiremap.project.sources import ProjectSources
from wiremap.project.state import ProjectState
from wiremap.registry.observers import observe_recipes
from wiremap.selection import facts as kinds
from wiremap.selection.dependencies import DependencyResolver
from wiremap.selection.environment import EnvironmentResolver, Evidence
from wiremap.selection.facts import Fact, Outcome, Trace, newest
from wiremap.source.keepers import Keepers
from wiremap.source.units import SourceUnits, UnitKey, unit_of_qualname
from wiremap.store.map import Map
from wiremap.tracing.file_stat import FileStat
from wiremap.tracing.observation import Observation
from wiremap.tracing.outside_names import outside_names
from wiremap.tracing.process_family import ProcessFamily
from wiremap.tracing.recipe_branches import RecipeBranches
from wiremap.tracing.recorder import Recorder
from wiremap.tracing.session_file import Session
from wiremap.tracing.territory import Territory
from wiremap.tracing.variables import Variables
from wiremap.tracing.watched_calls import Watcher
from wiremap.use_cases.wirings import Wirings


@dataclass(slots=True)
class RanTest:
    """One test that ran to its end.

    Attributes:
        test: The node id.
        observations: What was seen in its own context and in those that it shares (fixtures, collection).
        roots: Project paths of its module, of the conftest files above it and of the project's plugins.
        units: Units that it rests on though it may not have executed them: what a doctest stands in.
        facts: Facts that are known without observation.
        wirings: Patterns of the wiring that it declares to depend on.
        outcome: How it ended.
        duration: Seconds.
    """

    test: str
    observations: Sequence[Observation]
    roots: frozenset[str]
    units: frozenset[UnitKey] = frozenset()
    facts: frozenset[Fact] = frozenset()
    wirings: frozenset[str] = frozenset()
    outcome: Outcome = "passed"
    duration: float = 0.0


@dataclass(slots=True)
class RecordedSession:
    """What one process observed while it ran tests.

    Attributes:
        recorder: Who observed.
        family: Its child processes.
        recipes: Who knows the recipes that tell which branches they take.
        graphs: JSON of each graph that was compiled, by digest.
        tests: The tests that ran to their end.
        collections: The test files that were collected whole, each as if its collection were a test.
        files_before: The project's files when it began.
        started_ns: When it began.
    """

    recorder: Recorder
    family: ProcessFamily
    recipes: RecipeBranches | None = None
    graphs: dict[str, str] = field(default_factory=dict)
    tests: list[RanTest] = field(default_factory=list)
    collections: list[RanTest] = field(default_factory=list)
    files_before: dict[str, FileStat] = field(default_factory=dict)
    started_ns: int = field(default_factory=time.time_ns)
    pid: int = field(default_factory=os.getpid)

    @classmethod
    def begin(
        cls,
        root: Path,
        variables: Variables,
        sources: ProjectSources,
        watched: Mapping[int, tuple[CodeType, Watcher]] | None = None,
    ) -> Self:
        """Start to record the project at *root*; *watched* is foreign code whose calls matter, with what to note."""
        session = Session(Territory(root), variables)
        family = ProcessFamily(session)

        def keepers_of(path: str, qualname: str) -> Keepers:
            return sources.keepers(path, unit_of_qualname(qualname))

        recorder = Recorder(session, keepers_of, watched, family)
        recipes = RecipeBranches(session.territory.code_path, recorder.on_branch, recorder.unobserved)
        observe_recipes(recipes.watch)
        recorder.start()
        return cls(recorder, family, recipes, files_before=sources.files)

    def belongs_here(self) -> bool:
        """Tell whether this is the process that it began in, and none that forked off."""
        return os.getpid() == self.pid


def record(
    session: RecordedSession,
    project: ProjectState,
    store: Map,
    *,
    wirings: Wirings | None = None,
    instead_of: Collection[int] = (),
) -> int:
    """Write the traces of *session* to *store*, in one transaction, and return their sequence.

    *project* is the state now: what was changed since the session began is found out and not trusted. What the same
    tests had of the sequences *instead_of*, which were written in the middle of the session, is dropped.
    """
    around = _Around(session, project, wirings)
    kept = [(one.code, one.work) for one in session.recorder.kept_work.all()]
    _settle_processes(session, around, [work for _, work in kept])
    recipes = session.recipes.whole() if session.recipes is not None else {}
    resolver = DependencyResolver(around, session.recorder.imports, kept, recipes)
    environment = _environment_resolver(session, project)

    @functools.cache  # many tests share a set
    def complete(facts: frozenset[Fact]) -> frozenset[Fact]:
        facts |= environment.facts(facts)
        if project.settings.ignores_anything:
            facts = frozenset(fact for fact in facts if not project.is_ignored(fact))
        return facts

    traces = [_trace(ran, resolver, around, complete) for ran in (*session.tests, *session.collections)]
    with store:
        sequence = store.record(traces, instead_of=instead_of)
        store.record_calls(_calls(session.recorder))
        store.graphs.record("run", session.graphs, {ran.test: _graphs_of(ran) for ran in session.tests})
        store.record_baseline(_baseline(project, traces))
        store.record_outside_names(outside_names(session.recorder.territory))
        project.sources.remember()
        store.tidy()
    return sequence


def record_crashes(tests: Iterable[str], project: ProjectState, store: Map) -> None:
    """Remember that *tests* failed in a process that died with them, and with what it had seen of them.

    Such a test rests on what it last rested on, as far as anybody knows. One with no trace runs anyway.
    """
    known = store.traces()
    latest = [newest(known[test]) for test in sorted(tests) if test in known]
    with store:
        store.record([replace(trace, facts=_as_now(trace.facts, project), outcome="failed") for trace in latest])


def _as_now(facts: AbstractSet[Fact], project: ProjectState) -> frozenset[Fact]:
    # The environment was that of the process that died.
    return frozenset(
        fact
        if fact.kind in (kinds.ENVIRONMENT, kinds.RECIPE, kinds.WIRING)
        else fact._replace(value=project.value(fact.kind, fact.key))
        for fact in facts
    )


def _settle_processes(session: RecordedSession, around: "_Around", kept: list[Observation]) -> None:
    """Take in what the child processes did. They may import modules that were here before anybody watched."""
    imports = session.recorder.imports
    unwatched = around.loaded_paths() - imports.keys()
    seen = [one for ran in (*session.tests, *session.collections) for one in ran.observations]
    session.family.settle([*seen, *kept], imports, unwatched)
    session.graphs.update(session.family.graphs())
    session.recorder.foreign.absorb(session.family.foreign())


def _trace(
    ran: RanTest,
    resolver: DependencyResolver,
    around: "_Around",
    complete: Callable[[frozenset[Fact]], frozenset[Fact]],
) -> Trace:
    is_collection = ran.outcome == "collected"
    facts = resolver.facts(ran.observations, ran.roots, ran.units, whole=is_collection)
    wired = {fact for pattern in ran.wirings for fact in around.wiring_facts(pattern)}
    return Trace(ran.test, complete(facts | ran.facts | wired), ran.outcome, ran.duration)


def _environment_resolver(session: RecordedSession, project: ProjectState) -> EnvironmentResolver:
    def names(fact: Fact) -> frozenset[str]:
        path, _, name = str(fact.unit).partition("::")
        units = project.sources.units(path).units
        read = units.values() if fact.kind == kinds.SOURCE else filter(None, [units.get(name)])
        return frozenset[str]().union(*(unit.names for unit in read))

    recorder = session.recorder
    environment = project.environment
    of_all = [(kinds.LIBRARY, name) for name in loaded_libraries(recorder.territory.root)]
    of_all += [(kinds.DATA, pattern) for pattern in project.settings.data]
    always = environment.always | {Fact(*one, project.value(*one)) for one in of_all}
    return EnvironmentResolver(
        Evidence(
            environment.distributions,
            recorder.foreign,
            project.value,
            names,
            always,
            environment.on_demand,
            environment.option_names,
        )
    )


def _graphs_of(ran: RanTest) -> list[str]:
    return sorted({digest for one in ran.observations for digest in one.graphs})


def _calls(recorder: Recorder) -> set[tuple[str, str]]:
    units: dict[int, str] = {}
    for code in {id(code): code for call in recorder.callers.values() for code in call}.values():
        path = recorder.territory.code_path(code.co_filename)
        units[id(code)] = f"{path}::{unit_of_qualname(code.co_qualname)}"
    return {(units[one], units[other]) for one, other in recorder.callers if units[one] != units[other]}


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

    def __init__(self, session: RecordedSession, project: ProjectState, wirings: Wirings | None) -> None:
        self._wirings = wirings
        self._session = session
        self._project = project
        self._loaded: Mapping[str, object] = dict(sys.modules)
        self._values: dict[tuple[str, str], str] = {}
        self._data_paths: dict[str, str | None] = {}
        self._foreign_files: set[str] | None = None

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

    def loaded_paths(self) -> set[str]:
        """Return the project files of all modules that the process has loaded."""
        return {path for module in self._loaded if (path := self.loaded_path(module)) is not None}

    def candidates(self, module: str) -> tuple[str, ...]:
        return self._project.sources.index.candidates(module)

    def is_foreign_import(self, path: str) -> bool:
        if self._foreign_files is None:
            foreign = self._session.recorder.foreign
            self._foreign_files = foreign.files | {file for name in foreign.modules for file in self.candidates(name)}
        return path in self._foreign_files

    def wiring_facts(self, pattern: str) -> Iterator[Fact]:
        """Yield what *pattern* matches, and the classes of the components in it."""
        keys = [(kinds.WIRING, pattern)]
        for source_path, name in sorted(self._wirings.classes(pattern) if self._wirings is not None else ()):
            # The graph knows a path below an import root, the project one below its own root.
            keys += [
                (kinds.WIRED, f"{path}::{name}")
                for path in self._project.sources.python_files
                if path == source_path or path.endswith(f"/{source_path}")
            ]
        yield from (Fact(kind, key, self.value(kind, key)) for kind, key in keys)

    def value(self, kind: str, key: str) -> str:
        if (kind, key) not in self._values:
            self._values[kind, key] = self._find_value(kind, key)
        return self._values[kind, key]

    def _find_value(self, kind: str, key: str) -> str:
        path = Fact(kind, key, "").path
        if path is not None and not self._is_stable(path):
            return kinds.UNSTABLE
        if kind in (kinds.PROJECT, kinds.WIRING) and not self._is_project_stable():
            return kinds.UNSTABLE
        value = self._project.value(kind, key)
        return kinds.UNSTABLE if value.startswith(kinds.UNCOMPILED) else value

    def _is_stable(self, path: str) -> bool:
        """Tell whether the file is still the one that ran: it was not written since its import began."""
        now = self._project.sources.stat(path)
        stats = self._session.recorder.import_stats
        is_as_imported = path not in stats or stats[path] == now
        if path in stats and path not in self._session.family.modules():
            return is_as_imported
        # A child process may have read another version than this one did.
        return is_as_imported and (now is None or now.mtime_ns < self._session.started_ns)

    def _is_project_stable(self) -> bool:
        """Tell whether no file was edited while the tests ran. New ones are what the tests left."""
        now = self._project.sources.files
        return all(now.get(path, before) == before for path, before in self._session.files_before.items())
