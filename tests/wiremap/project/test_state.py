from pathlib import Path

import pytest

from wiremap.project.environment import Environment
from wiremap.project.sources import ProjectSources
from wiremap.project.state import ProjectState
from wiremap.selection import facts as kinds
from wiremap.selection.facts import ABSENT, Fact
from wiremap.tracing.territory import Territory
from wiremap.tracing.variables import Variables


def value(root: Path, kind: str, key: str) -> str:
    environment = Environment(always=frozenset({Fact(kinds.ENVIRONMENT, "python", "3.x")}))
    return ProjectState(ProjectSources(root), Territory(root), Variables(), environment).value(kind, key)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "a.py").write_text("import b\ndef f(): return 1\n")
    (tmp_path / "data.txt").write_text("1")
    return tmp_path


@pytest.mark.parametrize(
    ("kind", "key", "touches", "leaves"),
    [
        (kinds.FUNCTION, "a.py::f", "import b\ndef f(): return 2\n", "import c\ndef f(): return 1\n"),
        (kinds.MODULE, "a.py", "import c\ndef f(): return 1\n", "import b\ndef f(): return 2\n"),
        (kinds.SOURCE, "a.py", "import b\ndef f(): return 1\n# why\n", "import b\ndef f(): return 1\n"),
    ],
)
def test_a_fact_about_source_changes_with_its_part_only(
    root: Path, kind: str, key: str, touches: str, leaves: str
) -> None:
    before = value(root, kind, key)

    (root / "a.py").write_text(touches)
    touched = value(root, kind, key)
    (root / "a.py").write_text(leaves)
    left = value(root, kind, key)

    assert touched != before
    assert left == before


@pytest.mark.parametrize(
    ("kind", "key"),
    [
        (kinds.FUNCTION, "a.py::gone"),
        (kinds.FUNCTION, "gone.py::f"),
        (kinds.MODULE, "gone.py"),
        (kinds.SOURCE, "gone.py"),
        (kinds.IMPORT, "gone"),
        (kinds.FILE, "gone.txt"),
        (kinds.VARIABLE, "WIREMAP_TEST_UNSET"),
        (kinds.ENVIRONMENT, "gone"),
        ("kind of a later version", "a.py"),
    ],
)
def test_what_is_not_there_is_absent(root: Path, kind: str, key: str) -> None:
    assert value(root, kind, key) == ABSENT


def test_an_import_changes_when_another_file_answers_to_the_name(root: Path) -> None:
    before = value(root, kinds.IMPORT, "a")

    (root / "lib").mkdir()
    (root / "lib" / "a.py").write_text("")

    assert value(root, kinds.IMPORT, "a") != before


def test_a_file_changes_with_its_bytes(root: Path) -> None:
    before = value(root, kinds.FILE, "data.txt")

    (root / "data.txt").write_text("2")

    assert value(root, kinds.FILE, "data.txt") != before


def test_a_variable_changes_with_its_value(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WIREMAP_TEST", "1")
    before = value(root, kinds.VARIABLE, "WIREMAP_TEST")

    monkeypatch.setenv("WIREMAP_TEST", "2")

    assert value(root, kinds.VARIABLE, "WIREMAP_TEST") != before


def test_the_environment_is_what_was_given(root: Path) -> None:
    assert value(root, kinds.ENVIRONMENT, "python") == "3.x"


def test_the_project_changes_with_any_file(root: Path) -> None:
    before = value(root, kinds.PROJECT, "*")

    (root / "data.txt").write_text("2")

    assert value(root, kinds.PROJECT, "*") != before
