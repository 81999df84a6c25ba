from pathlib import Path

import pytest

from wiremap.project.map_folder import find_map_folder


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    (tmp_path / ".git").mkdir()
    (tmp_path / "pkg" / "tests").mkdir(parents=True)
    return tmp_path


def test_the_nearest_map_upwards_is_found(repository: Path) -> None:
    (repository / ".wiremap").mkdir()
    (repository / "pkg" / ".wiremap").mkdir()

    assert find_map_folder(repository / "pkg" / "tests", ".wiremap") == repository / "pkg" / ".wiremap"


def test_no_map_is_looked_for_outside_of_the_repository(tmp_path: Path) -> None:
    (tmp_path / ".wiremap").mkdir()
    (tmp_path / "repository" / ".git").mkdir(parents=True)

    assert find_map_folder(tmp_path / "repository", ".wiremap") == tmp_path / "repository" / ".wiremap"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("pytest.ini", ""),
        ("pyproject.toml", "[tool.pytest.ini_options]\naddopts = '-q'\n"),
        ("tox.ini", "[pytest]\naddopts = -q\n"),
        ("setup.cfg", "[tool:pytest]\naddopts = -q\n"),
    ],
)
def test_without_a_map_it_is_where_pytest_is_configured(repository: Path, name: str, text: str) -> None:
    (repository / "pkg" / name).write_text(text)
    (repository / "setup.py").touch()

    assert find_map_folder(repository / "pkg" / "tests", ".wiremap") == repository / "pkg" / ".wiremap"


def test_without_a_configuration_it_is_where_the_project_is_built(repository: Path) -> None:
    (repository / "pyproject.toml").write_text("[project]\nname = 'x'\n")

    assert find_map_folder(repository / "pkg" / "tests", ".wiremap") == repository / ".wiremap"


@pytest.mark.parametrize("marked", ["pytest.ini", "setup.py", None])
def test_without_a_repository_the_nearest_map_upwards_is_found(tmp_path: Path, marked: str | None) -> None:
    (tmp_path / ".wiremap").mkdir()
    (tmp_path / "src" / "pkg").mkdir(parents=True)
    if marked is not None:
        (tmp_path / marked).touch()

    assert find_map_folder(tmp_path / "src" / "pkg", ".wiremap") == tmp_path / ".wiremap"


@pytest.mark.parametrize("marked", ["pytest.ini", "pyproject.toml"])
def test_without_a_repository_no_map_is_looked_for_above_the_root_that_pytest_takes(
    tmp_path: Path, marked: str
) -> None:
    (tmp_path / ".wiremap").mkdir()
    (tmp_path / "project" / "tests").mkdir(parents=True)
    (tmp_path / "project" / marked).touch()

    assert find_map_folder(tmp_path / "project" / "tests", ".wiremap") == tmp_path / "project" / ".wiremap"


@pytest.mark.parametrize("variable", ["HOME", "TMPDIR"])
def test_the_map_of_a_folder_that_everybody_shares_is_of_other_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    monkeypatch.setenv(variable, str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    (tmp_path / ".wiremap").mkdir()
    (tmp_path / "project").mkdir()

    assert find_map_folder(tmp_path / "project", ".wiremap") == tmp_path / "project" / ".wiremap"
    assert find_map_folder(tmp_path, ".wiremap") == tmp_path / ".wiremap"


def test_without_anything_it_is_the_folder_itself(tmp_path: Path) -> None:
    assert find_map_folder(tmp_path, ".wiremap") == tmp_path / ".wiremap"
