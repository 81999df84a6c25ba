import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest

from tests.wiremap.tracing.conftest import load
from tests.wiremap.tracing.recording import SOURCES, recording
from wiremap.project.environment import Environment
from wiremap.project.sources import ProjectSources
from wiremap.project.state import ProjectState
from wiremap.selection.facts import ENVIRONMENT, UNSTABLE, Fact, Trace
from wiremap.store.map import Map
from wiremap.tracing.observation import Observation
from wiremap.tracing.process_family import ProcessFamily
from wiremap.tracing.session_file import Session
from wiremap.tracing.territory import Territory
from wiremap.tracing.variables import Variables
from wiremap.use_cases.recording import RanTest, RecordedSession, record

__all__ = ["load"]

Load = Callable[[str, str], ModuleType]
PYTHON = Fact(ENVIRONMENT, "python", "3.x")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Map]:
    opened = Map(tmp_path / ".wiremap")
    yield opened
    opened.close()


def state(sources: ProjectSources, *environment: Fact) -> ProjectState:
    return ProjectState(sources, Territory(sources.root), Variables(), Environment(frozenset(environment)))


def family_of(root: Path) -> ProcessFamily:
    return ProcessFamily(Session(Territory(root), Variables()))


def run_and_record(root: Path, store: Map, load: Load, *, meanwhile: Callable[[], None] = lambda: None) -> Trace:
    """Run `app.outer` as the test `t`, with *meanwhile* inside, and return its trace."""
    with recording(root, SOURCES[0]) as recorder:
        session = RecordedSession(recorder, family_of(root))
        time.sleep(0.02)  # files that are written from now on are younger than the session
        with recorder.context(Observation()) as seen:
            load("app", "def outer(): return inner()\ndef inner(): return 1\ndef idle(): ...\n").outer()
            meanwhile()
    seen.graphs.add("digest")
    session.graphs["digest"] = "{}"
    session.tests.append(RanTest("t", [seen], frozenset(), duration=1.5))
    record(session, state(ProjectSources(root, store), PYTHON), store)
    return store.traces()["t"][0]


def keys(trace: Trace) -> set[str]:
    return {f"{fact.kind} {fact.key}" for fact in trace.facts}


def test_a_trace_holds_what_ran_and_the_environment(tmp_path: Path, store: Map, load: Load) -> None:
    trace = run_and_record(tmp_path, store, load)

    assert {"function app.py::outer", "function app.py::inner", "module app.py"} <= keys(trace)
    assert "function app.py::idle" not in keys(trace)
    assert PYTHON in trace.facts
    assert (trace.outcome, trace.duration) == ("passed", 1.5)


def test_calls_graphs_and_the_baseline_are_recorded_too(tmp_path: Path, store: Map, load: Load) -> None:
    run_and_record(tmp_path, store, load)

    assert "app.py::outer" in store.calls()["app.py::inner"]
    assert store.graphs.builders("run") == {"t": ["digest"]}
    assert store.baseline()["app.py"] == ProjectSources(tmp_path).digest("app.py")


def test_a_file_that_was_written_after_its_import_is_not_trusted(tmp_path: Path, store: Map, load: Load) -> None:
    def edit() -> None:
        (tmp_path / "app.py").write_text("def outer(): return 2\n")

    trace = run_and_record(tmp_path, store, load, meanwhile=edit)

    assert {fact.value for fact in trace.facts if fact.path == "app.py"} == {UNSTABLE}


def test_a_fault_half_way_records_nothing(tmp_path: Path, store: Map, load: Load) -> None:
    class FailingSources(ProjectSources):
        def remember(self) -> None:
            raise KeyboardInterrupt

    with recording(tmp_path, SOURCES[0]) as recorder:
        session = RecordedSession(recorder, family_of(tmp_path))
        load("app", "")
    session.tests.append(RanTest("t", [Observation()], frozenset()))

    with pytest.raises(KeyboardInterrupt):
        record(session, state(FailingSources(tmp_path, store)), store)

    assert (store.traces(), store.baseline()) == ({}, {})
