"""One pytest session under wiremap: translates pytest's hooks to contexts, and its items to verdicts.

It decides nothing: what is recorded and what runs is decided by the use cases.
"""

import contextlib
import dataclasses
import functools
import json
import sqlite3
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from wiremap.errors import WiremapError
from wiremap.graph import Graph
from wiremap.project.environment import environment_facts
from wiremap.project.files import project_root
from wiremap.project.settings import Settings, read_settings
from wiremap.project.sources import ProjectSources
from wiremap.project.state import ProjectState
from wiremap.pytest_plugin.items import doctest_units, folder_facts, may_still_run, watched_fixtures
from wiremap.pytest_plugin.options import collects_everything, decisive_options, ini_values, loaded_plugins
from wiremap.pytest_plugin.pace import Pace
from wiremap.pytest_plugin.summary import summary_lines
from wiremap.registry import observers
from wiremap.selection.facts import Fact
from wiremap.selection.report import Report
from wiremap.store.map import FOLDER, Map
from wiremap.tracing.observation import Observation
from wiremap.tracing.recorder import Recorder
from wiremap.tracing.territory import Territory
from wiremap.tracing.variables import Variables
from wiremap.use_cases.recording import RanTest, RecordedSession, record
from wiremap.use_cases.selecting import Collected, select

_COUNTS = "wiremap_counts"
_UNTIL = "wiremap_until"


def begin(config: pytest.Config) -> None:
    """Register the session's hooks, and start to record unless only verdicts are asked for."""
    try:
        session = WiremapSession(config)
    except WiremapError as error:
        raise pytest.UsageError(str(error)) from None
    config.pluginmanager.register(session, "wiremap-session")


class WiremapSession:
    """The hooks of one session: of a plain run, of the controller of pytest-xdist, or of one of its workers."""

    def __init__(self, config: pytest.Config) -> None:
        options = config.known_args_namespace
        self._config = config
        self._report_path: str | None = options.wiremap_report
        # Who asks for a record of everything gets it, also beside an `addopts = --wiremap`.
        self._selects: bool = (options.wiremap and not options.wiremap_record) or self._report_path is not None
        self._variables = Variables()
        self._root = project_root(config.rootpath)
        self._settings: Settings = read_settings(config.rootpath)
        self._store = Map(config.rootpath / FOLDER)
        self._report: Report | None = None
        self._collect_errors: dict[str, str] = {}
        self._shared: dict[str, Observation] = {}
        self._fixtures: dict[int, tuple[Any, Observation]] = {}
        self._running: RanTest | None = None
        self._phases: set[str] = set()
        self._worker_counts: list[tuple[int, int]] = []
        self._failures: list[str] = []
        self._num_recorded = 0
        self._until: int | None = None
        self._pace = Pace()
        self._interim: dict[int, int] = {}
        """Tests that were recorded in the middle of the session, by identity, with the sequence of that record."""
        self._session: RecordedSession | None = None
        self._unsubscribe = observers.subscribe(self._note_graph)
        if self._report_path is None and not options.collectonly:
            self._sources = ProjectSources(self._root, self._store)
            recorder = Recorder(self._root, self._variables, self._sources.keepers, watched_fixtures())
            self._session = RecordedSession(recorder, files_before=self._sources.files)
            recorder.start()

    # Collection.

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_make_collect_report(self, collector: pytest.Collector) -> Generator[None, Any, Any]:
        """Attribute what runs while something is collected to all tests that are found below it."""
        if self._session is None:
            return (yield)
        seen = self._shared.setdefault(collector.nodeid, Observation())
        with self._session.recorder.context(seen):
            return (yield)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Remember what could not be collected."""
        if report.failed:
            self._collect_errors[report.nodeid] = _last_line(report.longreprtext)

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Leave out the tests that are proved unaffected."""
        if not self._selects or _is_controller(config):
            return
        with self._unobserved():
            self._report = self._select([item.nodeid for item in items])
        if self._report is None:
            return  # without evidence everything runs
        skipped = set(self._report.skip)
        deselected = [item for item in items if item.nodeid in skipped]
        if deselected and self._report_path is None:
            config.hook.pytest_deselected(items=deselected)
            items[:] = [item for item in items if item.nodeid not in skipped]

    def pytest_collection_finish(self) -> None:
        """Write the verdicts, when only they are asked for."""
        if self._report_path is not None and self._report is None:
            self._report = self._select([])  # nothing was collected, so no item was modified

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
        with self._unobserved():
            ran = self._begin(item, own)
        self._running = ran
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
        with recorder.context(seen):
            return (yield)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> Generator[None, Any, Any]:
        """Note which wider fixtures the test used, before they are torn down."""
        if self._running is not None:
            self._running.observations = [*self._running.observations, *self._fixtures_of(item)]
        return (yield)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note how the phases of a test end."""
        ran = self._running
        if ran is None or report.nodeid != ran.test:
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
        self._unsubscribe()
        if self._session is not None:
            self._session.recorder.stop()
        try:
            if self._session is not None and self._session.tests and self._store.obstacle is None:
                with self._store:
                    self._sources.remember()  # what was parsed meanwhile
                record(self._session, self._state(), self._store, instead_of=set(self._interim.values()))
                self._num_recorded = len(self._session.tests)
        except (WiremapError, sqlite3.Error) as error:
            self._failures.append(f"Nothing was recorded, since the map can't be written: {error}")
        finally:
            self._store.close()
        if self._report_path is not None:
            self._write_report(self._report_path)
        self._tell_controller()
        nothing_left = session.exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED and any(
            skipped for _, skipped in self._counts()
        )
        if nothing_left:
            session.exitstatus = pytest.ExitCode.OK

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Tell a worker of pytest-xdist which records count: those that were there when the session began."""
        if self._until is None:
            self._until = self._store.latest()
        node.workerinput[_UNTIL] = self._until

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Take over what a worker of pytest-xdist selected."""
        counts = getattr(node, "workeroutput", {}).get(_COUNTS)
        if counts is not None:
            self._worker_counts.append(tuple(counts))

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say what was selected, and why."""
        if self._report_path is not None:
            return
        counts = self._counts()
        told = self._report.notes if self._report is not None else ()
        notes = [note for note in (*self._store.notes, *self._failures) if note not in told]
        for line in summary_lines(self._report, counts[0] if counts else None, self._num_recorded, notes):
            terminalreporter.write_line(line)

    # Steps.

    def _select(self, tests: list[str]) -> Report | None:
        whole = self._report_path is not None and collects_everything(self._config)
        collected = Collected(tuple(tests), self._collect_errors, whole)
        # Workers of pytest-xdist must agree, also one that starts later in the place of one that crashed.
        until = getattr(self._config, "workerinput", {}).get(_UNTIL)
        try:
            return select(self._state(), self._store, collected, until=until)
        except sqlite3.Error as error:
            self._failures.append(f"Every test runs, since the map can't be read: {error}. Delete it to begin anew.")
            return None

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
                sequence = record(dataclasses.replace(session, tests=ready), self._state(), self._store)
                self._interim.update((id(ran), sequence) for ran in ready)

    def _state(self) -> ProjectState:
        environment = environment_facts(
            pytest_configuration=ini_values(self._config),
            options=decisive_options(self._config),
            plugins=loaded_plugins(self._config),
            declared={name: self._variables.digest(name) for name in self._settings.variables},
            search_path=self._variables.value("PYTHONPATH"),
        )
        sources = ProjectSources(self._root, self._store)
        return ProjectState(sources, self._territory(), self._variables, environment)

    def _territory(self) -> Territory:
        return Territory(self._root) if self._session is None else self._session.recorder.territory

    def _begin(self, item: pytest.Item, own: Observation) -> RanTest:
        assert self._session is not None, "only what is recorded begins"  # noqa: S101 - ours to keep
        recorder = self._session.recorder
        shared = [self._shared[node.nodeid] for node in item.listchain() if node.nodeid in self._shared]
        return RanTest(
            test=item.nodeid,
            observations=[own, recorder.session, *shared],
            roots=self._roots_of(item.path),
            units=doctest_units(item, recorder.territory),
            facts=self._folder_facts(item.path),
        )

    def _write_report(self, path: str) -> None:
        if self._report is None:
            answer: dict[str, object] = {"error": "; ".join(self._failures)}
        else:
            answer = {"report": self._report.as_document(), "rootdir": str(self._config.rootpath)}
        Path(path).write_text(json.dumps(answer), encoding="utf-8")

    @functools.cache  # noqa: B019 - the session lives as long as the process
    def _folder_facts(self, test_file: Path) -> frozenset[Fact]:
        return folder_facts(test_file, self._territory())

    @functools.cache  # noqa: B019 - as above
    def _roots_of(self, test_file: Path) -> frozenset[str]:
        """Return a test's own module, the conftest files that apply to it, and the project's other plugins."""
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

    def _note_graph(self, graph: Graph) -> None:
        if self._session is not None:
            self._session.graphs[graph.digest] = graph.to_json()
            self._session.recorder.current.graphs.add(graph.digest)

    def _counts(self) -> list[tuple[int, int]]:
        if self._report is not None:
            return [(len(self._report.run), len(self._report.skip))]
        return self._worker_counts

    def _tell_controller(self) -> None:
        output = getattr(self._config, "workeroutput", None)
        if output is not None and self._report is not None:
            output[_COUNTS] = self._counts()[0]


def _is_controller(config: pytest.Config) -> bool:
    return config.pluginmanager.hasplugin("dsession")


def _applies(plugin_file: Path, test_file: Path) -> bool:
    return plugin_file.name != "conftest.py" or plugin_file.parent in test_file.parents


def _last_line(text: str) -> str:
    lines = [line.removeprefix("E").strip() for line in text.splitlines() if line.startswith("E")]
    return lines[-1] if lines else (text.strip().splitlines() or ["it could not be collected"])[-1]
