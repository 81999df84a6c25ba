from collections.abc import Iterator
from pathlib import Path

import pytest

from wiremap.project.environment import Environment
from wiremap.project.sources import ProjectSources
from wiremap.project.state import ProjectState
from wiremap.selection import facts as kinds
from wiremap.selection.facts import Fact, Trace
from wiremap.selection.report import Report
from wiremap.store.map import Map
from wiremap.tracing.territory import Territory
from wiremap.tracing.variables import Variables
from wiremap.use_cases.selecting import Collected, select


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Map]:
    opened = Map(tmp_path / ".wiremap")
    yield opened
    opened.close()


def state(root: Path, store: Map) -> ProjectState:
    return ProjectState(ProjectSources(root, store), Territory(root), Variables(), Environment())


def record(root: Path, store: Map, *tests: str) -> None:
    """Record *tests*, each of which rests on `app.py::f` as it is now, as a session would."""
    project = state(root, store)
    fact = Fact(kinds.FUNCTION, "app.py::f", project.value(kinds.FUNCTION, "app.py::f"))
    with store:
        store.record(Trace(test, frozenset({fact}), "passed", 0.1) for test in tests)
        store.record_baseline({"app.py": str(project.sources.digest("app.py"))})
        project.sources.remember()


def selected(root: Path, store: Map, *tests: str, whole: bool = True, **errors: str) -> Report:
    return select(state(root, store), store, Collected(tests, errors, whole=whole))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "app.py").write_text("def f(): return 1\n")
    return tmp_path


def test_what_holds_is_skipped_and_what_changed_runs(root: Path, store: Map) -> None:
    record(root, store, "t")
    before = selected(root, store, "t")

    (root / "app.py").write_text("def f(): return 2\n")
    after = selected(root, store, "t")

    assert before.skip == ["t"]
    assert [verdict.test for verdict in after.run] == ["t"]
    assert [(change.unit, change.kind) for change in after.changes] == [("app.py::f", "local")]


def test_nothing_is_a_change_before_anything_was_recorded(root: Path, store: Map) -> None:
    report = selected(root, store, "t")

    assert (report.changes, [verdict.test for verdict in report.run]) == ((), ["t"])


def test_a_change_that_no_test_rests_on_is_told_and_runs_nothing(root: Path, store: Map) -> None:
    record(root, store, "t")
    (root / "other.py").write_text("")

    report = selected(root, store, "t")

    assert [(change.file, change.detail) for change in report.changes] == [("other.py", "file added")]
    assert report.run == []


def test_what_is_no_longer_collected_is_gone_if_everything_was_collected(root: Path, store: Map) -> None:
    record(root, store, "t", "old")

    assert selected(root, store, "t").gone == ("old",)
    assert selected(root, store, "t", whole=False).gone == ()


@pytest.mark.parametrize(
    ("recorded", "whole", "told"),
    [
        ("t.py::old", True, False),
        ("t.py::old", False, True),
        ("t.py::now[0]", True, False),
        ("t.py::now[0]", False, False),
        ("broken.py::t", True, True),
    ],
)
def test_only_records_of_tests_that_may_exist_tell_changes(
    root: Path, store: Map, recorded: str, *, whole: bool, told: bool
) -> None:
    record(root, store, "t.py::now[1]")
    with store:
        store.record([Trace(recorded, frozenset({Fact(kinds.VARIABLE, "LANG", "another")}), "passed", 0.1)])

    report = selected(root, store, "t.py::now[1]", whole=whole, **{"broken.py": "SyntaxError"})

    assert [change.file for change in report.changes] == ["$LANG"] * told


def test_what_cannot_be_collected_runs_and_keeps_its_tests(root: Path, store: Map) -> None:
    record(root, store, "broken::t", "t")

    report = selected(root, store, "t", broken="SyntaxError: no")

    assert [(verdict.test, verdict.reasons[0].rule) for verdict in report.run] == [("broken", "error")]
    assert report.gone == ()
    assert report.counts == (0, 1)


def test_selecting_remembers_what_it_read(root: Path, store: Map) -> None:
    record(root, store, "t")
    (root / "app.py").write_text("def f(): return 2\n")
    selected(root, store, "t")

    digest = str(ProjectSources(root).digest("app.py"))

    assert state(root, store).sources.units_of_digest(digest) is not None
