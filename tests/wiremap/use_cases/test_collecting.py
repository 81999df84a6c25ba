from pathlib import Path

import pytest

from tests.wiremap.projects import clean_environment, new_project
from wiremap.errors import CollectionFailedError, SettingsError
from wiremap.use_cases.collecting import affected


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PYTEST_ADDOPTS", "PYTHONDONTWRITEBYTECODE", "PYTEST_DISABLE_PLUGIN_AUTOLOAD"):
        monkeypatch.setenv(name, clean_environment()[name])


def test_the_answer_is_a_document_and_the_root_that_pytest_took(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    new_project(tmp_path, {"tests/test_a.py": "def test_f(): pass\n"})
    monkeypatch.chdir(tmp_path / "tests")

    answer = affected()

    assert answer.document["schema"] == "wiremap.verdict/1"
    assert [entry["test"] for entry in answer.document["run"]] == ["tests/test_a.py::test_f"]
    assert answer.rootdir == tmp_path


def test_arguments_choose_what_is_asked_about(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    new_project(tmp_path, {"test_a.py": "def test_f(): pass\n", "test_b.py": "def test_g(): pass\n"})
    monkeypatch.chdir(tmp_path)

    answer = affected(["test_b.py"])

    assert [entry["test"] for entry in answer.document["run"]] == ["test_b.py::test_g"]


def test_a_pytest_that_gives_up_is_an_error_with_what_it_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    new_project(tmp_path, {"pytest.ini": "[pytest]\naddopts = --no-such-option\n"})
    monkeypatch.chdir(tmp_path)

    with pytest.raises(CollectionFailedError, match=r"(?s)exit code 4.*--no-such-option.*\[collection-failed\]"):
        affected()


def test_settings_that_can_not_be_used_are_told_as_such(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pyproject = "[tool.wiremap]\nvariable = 3\n"
    new_project(tmp_path, {"test_a.py": "def test_f(): pass\n", "pyproject.toml": pyproject})
    monkeypatch.chdir(tmp_path)

    with pytest.raises(SettingsError, match=r"pyproject\.toml can't be used: "):
        affected()


def test_a_bare_locale_is_the_same_to_pytest_and_to_the_command_line(tmp_path: Path) -> None:
    bare = {"LC_ALL": ""}
    project = new_project(tmp_path, {"test_a.py": "def test_f(): pass\n"})
    project.record(env=bare)

    assert project.affected(env=bare).run == set()
