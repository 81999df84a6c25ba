"""One pytest session under wiremap: translates pytest's hooks to contexts, and its items to verdicts.

It decides nothing: what is recorded and what runs is decided by the use cases.
"""

import contextlib
import dataclasses
import functools
import json
import sqlite3
import sys
import tempfile
from collections.abc import Collection, Generator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from wiremap.errors import SettingsError, WiremapError
from wiremap.project.distributions import InstalledDistributions, installation_folders
from wiremap.project.environment import Environment, always_facts, on_demand_facts
from wiremap.project.files import project_root
from wiremap.project.settings import Settings, read_settings
from wiremap.project.sources import ProjectSources
from wiremap.project.state import ProjectState
from wiremap.pytest_plugin.collected_files import CollectedFile, collected_files
from wiremap.pytest_plugin.items import (
    doctest_imports,
    doctest_units,
    folder_facts,
    may_still_run,
    test_id,
    watched_fixtures,
)
from wiremap.pytest_plugin.options import choice_of_tests, collects_everything, may_leave_files_out, pytest_settings
from wiremap.pytest_plugin.pace import Pace
from wiremap.pytest_plugin.summary import change_lines, summary_lines
from wiremap.pytest_plugin.wiring_marks import wiring_patterns, without_bad_patterns
from wiremap.pytest_plugin.workers import (
    Agreement,
    WorkerNews,
    crashed_tests,
    is_controller,
    is_first_worker,
    news_of,
    tell_controller,
)
from wiremap.registry import observers
from wiremap.selection.environment import CHOICE
from wiremap.selection.facts import COLLECTED_TEST, ENVIRONMENT, Fact
from wiremap.store.map import FOLDER, Map
from wiremap.tracing.observation import Observation
from wiremap.tracing.territory import Territory
from wiremap.tracing.variables import Variables
from wiremap.use_cases.collection_errors import error_in_a_line
from wiremap.use_cases.recording import RanTest, RecordedSession, record, record_crashes
from wiremap.use_cases.wirings import Wirings, graphs_of, search_path_of

if TYPE_CHECKING:
    from wiremap.graph import Graph
    from wiremap.pytest_plugin.choice import Choice
    from wiremap.pytest_plugin.unaffected import UnaffectedFile
    from wiremap.selection.report import Report

_UNTIL = "wiremap_until"


def begin(config: pytest.Config) -> None:
    """Register the session's hooks, and start to record unless only verdicts are asked for."""
    try:
        session = WiremapSession(config)
    except WiremapError as error:
        report_path = config.known_args_namespace.wiremap_report
        if report_path is not None and isinstance(error, SettingsError):
            Path(report_path).write_text(json.dumps({"settings": error.args}), encoding="utf-8")
        raise pytest.UsageError(str(error)) from None
    config.pluginmanager.register(session, "wiremap-session")
    config.add_cleanup(session.close)


class WiremapSession:
    """The hooks of one session: of a plain run, of the controller of pytest-xdist, or of one of its workers."""

    def __init__(self, config: pytest.Config) -> None:
        options = config.known_args_namespace
        self._config = config
        self._report_path: str | None = options.wiremap_report
        # Who asks for a record of everything gets it, also beside an `addopts = --wiremap`.
        selects: bool = (options.wiremap and not options.wiremap_record) or self._report_path is not None
        self._variables = Variables()
        self._search_path = tuple(sys.path)
        self._root = project_root(config.rootpath)
        self._settings: Settings = read_settings(config.rootpath)
        self._wirings = Wirings(self._compiled_recipes)
        self._cleanup = contextlib.ExitStack()
        self._store = Map(self._map_folder())
        self._choice: Choice | None = None
        self._modules: dict[str, pytest.Module] = {}
        self._collect_errors: dict[str, str] = {}
        self._shared: dict[str, Observation] = {}
        self._fixtures: dict[int, tuple[Any, Observation]] = {}
        self._running: RanTest | None = None
        self._running_node = ""
        self._phases: set[str] = set()
        self._agreement = Agreement(config.rootpath / FOLDER)
        self._workers: list[WorkerNews] = []
        self._crashed: set[str] = set()
        self._failures: list[str] = []
        self._num_recorded = 0
        self._until: int | None = None
        self._pace = Pace()
        self._interim: dict[int, int] = {}
        """Tests that were recorded in the middle of the session, by identity, with the sequence of that record."""
        self._session: RecordedSession | None = None
        self._unsubscribe = observers.subscribe(self._note_graph)
        if selects:
            self._choice = self._begin_choice(keeps_order=options.wiremap_order == "file")
        if self._report_path is None and not options.collectonly:
            self._sources = ProjectSources(self._root, self._store)
            self._session = RecordedSession.begin(self._root, self._variables, self._sources, watched_fixtures())

    # Workers.

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionstart(self, session: pytest.Session) -> None:
        """Stop to record where the tests run in workers."""
        if self._session is not None and is_controller(session.config):
            self._session.recorder.stop()
            self._session = None

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Tell a worker where to agree with the others, and which records count: those that there were at first."""
        self._agreement.offer(node)
        if self._until is None:
            self._until = self._store.latest()
        node.workerinput[_UNTIL] = self._until

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Take over what a worker did."""
        news = news_of(node)
        if news is not None:
            self._workers.append(news)

    def close(self) -> None:
        """Stop to observe, also when pytest gives up before its session begins."""
        if self._session is not None:
            self._session.recorder.stop()
        self._unsubscribe()
        self._cleanup.close()

    @pytest.hookimpl(tryfirst=True)
    def pytest_cmdline_main(self, config: pytest.Config) -> None:
        """Let one process collect, and no workers of pytest-xdist, when only verdicts are asked for."""
        if self._report_path is not None and hasattr(config.option, "numprocesses"):
            config.option.numprocesses = 0

    # Collection.

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_make_collect_report(
        self, collector: pytest.Collector
    ) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
        """Attribute what runs while something is collected to all tests that are found below it."""
        if self._session is None:
            return without_bad_patterns((yield))
        if isinstance(collector, pytest.Module):
            self._modules[collector.nodeid] = collector
        seen = self._shared.setdefault(collector.nodeid, Observation())
        with self._session.recorder.context(seen):
            report = yield
        with self._unobserved():
            return without_bad_patterns(report)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Remember what could not be collected."""
        if report.failed:
            self._collect_errors[report.nodeid] = error_in_a_line(report.longreprtext, str(self._config.rootpath))

    @pytest.hookimpl(tryfirst=True)
    def pytest_pycollect_makemodule(self, module_path: Path, parent: pytest.Collector) -> "UnaffectedFile | None":
        """Put a stand-in for a file that has nothing to run, so that it is not imported."""
        if self._choice is None or not may_leave_files_out(self._config):
            return None
        with self._unobserved():
            return self._choice.stand_in(module_path, parent)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_collection_modifyitems(
        self, config: pytest.Config, items: list[pytest.Item]
    ) -> Generator[None, Any, Any]:
        """Leave out the tests that are proved unaffected, and put those first that are likeliest to fail."""
        before = list(items)
        result = yield
        if is_controller(config):
            return result
        with self._unobserved():
            self._note_collections(items)
            self._decide([test_id(item) for item in items])
            if self._choice is not None and self._report_path is None:
                self._choice.apply(config, items, is_ordered=_has_moved(items, before))
            self._compile_wirings(items)
        return result

    def pytest_collection_finish(self) -> None:
        """Write the verdicts, when only they are asked for."""
        if self._report_path is not None and self._report is None:
            self._decide([])  # nothing was collected, so no item was modified

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self) -> bool | None:
        """Run nothing, when only verdicts are asked for."""
        return True if self._report_path is not None else None

    # Running.

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, Any, Any]:
        """Attribute what runs in a test's set-up, call and tear-down to it."""
        if self._session is None:
            return (yield)
        own = Observation()
        ran = self._begin(item, own)
        if imports := doctest_imports(item):
            own.imports.update(imports)
        self._running, self._running_node = ran, item.nodeid
        self._phases = set()
        with self._session.recorder.context(own):
            result = yield
        self._running = None
        # A set-up alone (`--setup-only`) proves nothing, unless it decided the outcome.
        if "teardown" in self._phases and self._phases & {"call", "decided"}:
            self._session.tests.append(ran)
            if self._pace.is_due():
                self._record_interim(self._session)
        return result

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_fixture_setup(self, fixturedef: Any) -> Generator[None, Any, Any]:
        """Attribute the set-up of a wider fixture to every test that uses it, not to the first alone."""
        if self._session is None or fixturedef.scope == "function":
            return (yield)
        recorder = self._session.recorder
        _, seen = self._fixtures.setdefault(id(fixturedef), (fixturedef, Observation()))
        ending = contextlib.ExitStack()
        # What is added first is called last: between these two stands all that tears the fixture down.
        fixturedef.addfinalizer(ending.close)
        with recorder.context(seen):
            result = yield
        fixturedef.addfinalizer(lambda: self._begin_teardown(seen, ending))
        return result

    def _begin_teardown(self, fixture: Observation, ending: contextlib.ExitStack) -> None:
        """Attribute the tear-down of a wider fixture to who used it, and to the test during which it happens."""
        if self._session is None or not self._session.recorder.is_recording:
            return
        recorder, seen = self._session.recorder, Observation()
        fixture.kept[id(seen)] = recorder.current.kept[id(seen)] = seen
        ending.enter_context(recorder.context(seen))

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> Generator[None, Any, Any]:
        """Note which wider fixtures the test used, before they are torn down."""
        if self._running is not None:
            self._running.observations = [*self._running.observations, *self._fixtures_of(item)]
        return (yield)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note how the phases of a test end."""
        self._crashed |= crashed_tests(report)
        ran = self._running
        if ran is None or report.nodeid != self._running_node:
            return
        ran.duration += report.duration
        self._phases.add(report.when)
        if not report.passed:
            self._phases.add("decided")
        if report.failed:
            ran.outcome = "failed"
        elif report.skipped and not hasattr(report, "wasxfail") and ran.outcome == "passed":
            ran.outcome = "skipped"

    # The end.

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Write what was recorded; a run that had nothing to do is a success."""
        if self._session is not None and not self._session.belongs_here():
            return  # a process that forked off a test came all the way back
        self._unsubscribe()
        if self._session is not None:
            self._session.recorder.stop()
        try:
            if self._session is not None and self._session.tests and self._store.obstacle is None:
                with self._store:
                    self._sources.remember()  # what was parsed meanwhile
                self._record(self._session, instead_of=set(self._interim.values()))
                self._num_recorded = len(self._session.tests)
            if self._crashed and self._store.obstacle is None:
                record_crashes(self._crashed, self._state(), self._store)
        except (WiremapError, sqlite3.Error) as error:
            self._failures.append(f"Nothing was recorded, since the map can't be written: {error}")
        finally:
            self._store.close()
            if self._session is not None:
                self._session.family.close()
        if self._report_path is not None:
            self._write_report(self._report_path)
        self._agreement.end()
        tell_controller(self._config, self._news())
        nothing_left = session.exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED and any(
            skipped for _, skipped in self._counts()
        )
        if nothing_left:
            session.exitstatus = pytest.ExitCode.OK

    def pytest_terminal_summary(self, terminalreporter: "pytest.TerminalReporter") -> None:  # no public name in 8.0
        """Say what was selected, and why."""
        if self._report_path is not None:
            return
        counts = self._counts()
        news = [self._news(), *self._workers]
        changes = next((one.changes for one in news if one.changes), [])
        failures = {failure for one in news for failure in one.failures}
        notes = [note for note in (*self._store.notes, *sorted(failures)) if f"wiremap: {note}" not in changes]
        for line in summary_lines(counts[0] if counts else None, changes, sum(one.recorded for one in news), notes):
            terminalreporter.write_line(line)

    # Steps.

    @property
    def _report(self) -> "Report | None":
        return self._choice.report if self._choice is not None else None

    @property
    def _all_failures(self) -> list[str]:
        return [*self._failures, *(self._choice.failures if self._choice is not None else ())]

    def _begin_choice(self, *, keeps_order: bool) -> "Choice":
        from wiremap.pytest_plugin.choice import Choice  # noqa: PLC0415 - who only records need not wait for it
        from wiremap.use_cases.selecting import Selection  # noqa: PLC0415 - as said

        # Workers of pytest-xdist must agree, also one that starts later in the place of one that crashed.
        until = getattr(self._config, "workerinput", {}).get(_UNTIL)
        return Choice(
            lambda: Selection(self._state(), self._store, until=until), self._config.rootpath, keeps_order=keeps_order
        )

    def _decide(self, tests: list[str]) -> None:
        if self._choice is not None:
            whole = self._report_path is not None and collects_everything(self._config)
            self._choice.decide(tests, self._collect_errors, whole=whole)

    def _note_collections(self, items: list[pytest.Item]) -> None:
        if self._session is None or not may_leave_files_out(self._config) or not is_first_worker(self._config):
            return
        facts = {Fact(ENVIRONMENT, CHOICE, choice_of_tests(self._config))}
        for file in collected_files(self._modules.values(), items, self._shared, self._collect_errors):
            self._session.collections.append(self._collection(file, facts))

    def _compile_wirings(self, items: list[pytest.Item]) -> None:
        """Compile what the tests that run declare to depend on, before one of them may change anything."""
        patterns = [pattern for item in items for pattern in wiring_patterns(item)]
        if self._session is not None and patterns:
            self._failures += [
                f"The wiring {one!r} that tests declare matches nothing in the graphs of the recipes."
                for one in self._wirings.matching_nothing(patterns)
            ]

    def _collection(self, file: CollectedFile, facts: set[Fact]) -> RanTest:
        """Return the record of the collection of a file, as if that were a test."""
        assert self._session is not None, "only what is recorded is kept"  # noqa: S101 - ours to keep
        return RanTest(
            test=file.node,
            observations=[self._session.recorder.session, *file.observations],
            roots=self._roots_of(file.path),
            facts=self._folder_facts(file.path)
            | {Fact(COLLECTED_TEST, test, COLLECTED_TEST) for test in file.tests}
            | facts,
            outcome="collected",
        )

    def _record_interim(self, session: RecordedSession) -> None:
        """Record what has ended so far, so that little is lost if this process is killed.

        A test waits while a wider fixture of its may still run code that it would then rest on. At the end all are
        recorded anew: by then more may have been seen of what they share.
        """
        open_fixtures = {id(seen) for fixture, seen in self._fixtures.values() if may_still_run(fixture)}
        ready = [
            ran
            for ran in session.tests
            if id(ran) not in self._interim and open_fixtures.isdisjoint(map(id, ran.observations))
        ]
        # A thread of the tests may add to what is read here; then the next time will do, or the end.
        with self._unobserved(), self._pace.writing(), contextlib.suppress(WiremapError, sqlite3.Error, RuntimeError):
            if ready and self._store.obstacle is None:
                sequence = self._record(dataclasses.replace(session, tests=ready, collections=[]))
                self._interim.update((id(ran), sequence) for ran in ready)

    def _record(self, session: RecordedSession, instead_of: Collection[int] = ()) -> int:
        return record(session, self._state(), self._store, wirings=self._wirings, instead_of=instead_of)

    def _state(self) -> ProjectState:
        sources = ProjectSources(self._root, self._store)
        environment, wiring = self._environment(), self._wirings.value
        return ProjectState(sources, self._territory(), self._variables, environment, self._settings, wiring=wiring)

    def _compiled_recipes(self) -> "Mapping[str, Graph] | str":
        folder = self._config.rootpath
        search_path = search_path_of(folder, self._config.getini("pythonpath"))
        with self._unobserved():
            return graphs_of(self._settings.recipes, folder, self._variables.at_start, search_path)

    def _environment(self) -> Environment:
        settings = pytest_settings(self._config)
        root = str(self._root)
        territory = self._territory()
        return Environment(
            always_facts(settings, self._variables, root=root, settings=self._settings),
            on_demand_facts(settings, root),
            InstalledDistributions(
                installation_folders(self._search_path, root), lambda file: territory.code_path(file) is not None
            ),
            frozenset({*settings.options, *settings.shaping}),
        )

    def _map_folder(self) -> Path:
        folder = self._config.rootpath / FOLDER
        if self._report_path is None or folder.exists():
            return folder
        # Whoever only asks leaves nothing behind.
        return Path(self._cleanup.enter_context(tempfile.TemporaryDirectory())) / FOLDER

    def _territory(self) -> Territory:
        return Territory(self._root) if self._session is None else self._session.recorder.territory

    def _begin(self, item: pytest.Item, own: Observation) -> RanTest:
        assert self._session is not None, "only what is recorded begins"  # noqa: S101 - ours to keep
        recorder = self._session.recorder
        shared = [self._shared[node.nodeid] for node in item.listchain() if node.nodeid in self._shared]
        return RanTest(
            test=test_id(item),
            observations=[own, recorder.session, *shared],
            roots=self._roots_of(item.path),
            units=doctest_units(item, recorder.territory),
            facts=self._folder_facts(item.path),
            wirings=wiring_patterns(item),
        )

    def _write_report(self, path: str) -> None:
        if self._report is None:
            answer: dict[str, object] = {"error": "; ".join(self._all_failures)}
        else:
            answer = {"report": self._report.as_document(), "rootdir": str(self._config.rootpath)}
        Path(path).write_text(json.dumps(answer), encoding="utf-8")

    @functools.cache  # noqa: B019 - the session lives as long as the process
    def _folder_facts(self, test_file: Path) -> frozenset[Fact]:
        with self._unobserved():
            return folder_facts(test_file, self._territory())

    @functools.cache  # noqa: B019 - as above
    def _roots_of(self, test_file: Path) -> frozenset[str]:
        """Return a test's own module, the conftest files that apply to it, and the project's other plugins."""
        with self._unobserved():
            territory = self._territory()
            files = [str(test_file)] if test_file.suffix == ".py" else []
            for plugin in self._config.pluginmanager.get_plugins():
                filename = getattr(plugin, "__file__", None)
                if isinstance(filename, str) and _applies(Path(filename), test_file):
                    files.append(filename)
            return frozenset(path for file in files if (path := territory.code_path(file)) is not None)

    def _fixtures_of(self, item: pytest.Item) -> list[Observation]:
        """Return the observations of the wider fixtures that the test asked for, and of those that they asked for."""
        assert self._running is not None, "a test runs"  # noqa: S101 - ours to keep
        definitions = getattr(getattr(item, "_request", None), "_fixture_defs", {})
        pending = [*self._running.observations[0].fixtures, *map(id, definitions.values())]
        found: dict[int, Observation] = {}
        while pending:
            key = pending.pop()
            if key in self._fixtures and key not in found:
                found[key] = self._fixtures[key][1]
                pending.extend(found[key].fixtures)
        return list(found.values())

    def _unobserved(self) -> contextlib.AbstractContextManager[None]:
        return self._session.recorder.unobserved() if self._session else contextlib.nullcontext()

    def _note_graph(self, graph: "Graph") -> None:
        if self._session is not None:
            text = graph.to_json()
            self._session.graphs[graph.digest] = text
            self._session.recorder.on_graph(graph.digest, text)

    def _counts(self) -> list[tuple[int, int]]:
        if self._report is not None:
            return [self._report.counts]
        return [one.counts for one in self._workers if one.counts is not None]

    def _news(self) -> WorkerNews:
        report = self._report
        return WorkerNews(
            counts=None if report is None else report.counts,
            recorded=self._num_recorded,
            changes=[] if report is None else change_lines(report),
            failures=self._all_failures,
        )


def _has_moved(items: list[pytest.Item], before: list[pytest.Item]) -> bool:
    """Tell whether *items* stand in another order than they did *before*."""
    remaining = set(map(id, items))
    return [id(item) for item in before if id(item) in remaining] != [id(item) for item in items]


def _applies(plugin_file: Path, test_file: Path) -> bool:
    return plugin_file.name != "conftest.py" or plugin_file.parent in test_file.parents
