import json
import sys
from pathlib import Path

import pytest

from wiremap.tracing.territory import OWN_FOLDER, Territory


def write(path: Path) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("")
    return str(path)


def test_code_below_the_root_is_the_projects(tmp_path: Path) -> None:
    file = write(tmp_path / "src" / "a.py")

    assert Territory(tmp_path).code_path(file) == "src/a.py"


def test_code_beside_the_root_is_the_projects_too(tmp_path: Path) -> None:
    file = write(tmp_path / "shared" / "a.py")

    assert Territory(tmp_path / "project").code_path(file) == "../shared/a.py"


@pytest.mark.parametrize("filename", [json.__file__, pytest.__file__, "<string>", "<frozen os>", "/missing/a.py"])
def test_other_code_is_foreign(tmp_path: Path, filename: str) -> None:
    assert Territory(tmp_path).code_path(filename) is None


def test_wiremap_is_foreign_to_other_projects(tmp_path: Path) -> None:
    assert Territory(tmp_path).code_path(OWN_FOLDER + "errors.py") is None


def test_wiremap_is_its_own_project() -> None:
    root = Path(OWN_FOLDER).parent

    assert Territory(root).code_path(OWN_FOLDER + "errors.py") == "wiremap/errors.py"


@pytest.mark.parametrize("folder", [".venv/lib", "site-packages", "node_modules", "__pycache__", ".git"])
def test_environments_and_folders_of_tools_below_the_root_are_foreign(tmp_path: Path, folder: str) -> None:
    file = write(tmp_path / folder / "a.py")
    territory = Territory(tmp_path)

    assert territory.code_path(file) is None
    assert territory.data_path(file) is None


def test_a_project_below_the_prefix_of_the_interpreter_is_a_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write(tmp_path / "src" / "project" / "a.py")
    monkeypatch.setattr(sys, "prefix", str(tmp_path))

    assert Territory(tmp_path / "src" / "project").code_path(file) == "a.py"


def test_a_virtual_environment_below_the_root_is_foreign_by_its_prefix(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write(tmp_path / "env" / "lib" / "a.py")
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "env"))

    assert Territory(tmp_path).code_path(file) is None


def test_a_link_is_the_file_that_it_leads_to(tmp_path: Path) -> None:
    file = write(tmp_path / "src" / "a.py")
    (tmp_path / "link.py").symlink_to(file)

    assert Territory(tmp_path).code_path(str(tmp_path / "link.py")) == "src/a.py"


def test_data_is_the_projects_below_the_root_only(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    territory = Territory(tmp_path / "project")

    assert territory.data_path(str(tmp_path / "project" / "a.txt")) == "a.txt"
    assert territory.data_path(str(tmp_path / "a.txt")) is None
    assert territory.data_path(str(tmp_path / "project-2" / "a.txt")) is None


def test_a_path_and_its_absolute_form_go_back_and_forth(tmp_path: Path) -> None:
    territory = Territory(tmp_path)

    for path in ("a/b.txt", "../shared/a.py"):
        assert territory.relative(territory.absolute(path)) == path
