from pathlib import Path

import pytest

from wiremap.project.pytest_section import read_pytest_section


def section(folder: Path, name: str, text: str) -> dict[str, object]:
    (folder / name).write_text(text)
    return read_pytest_section(folder / name)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("pytest.ini", "[pytest]\naddopts = -q\n[other]\nx = 1\n"),
        ("tox.ini", "[tox]\nx = 1\n[pytest]\naddopts = -q\n"),
        ("setup.cfg", "[metadata]\nname = x\n[tool:pytest]\naddopts = -q\n"),
    ],
)
def test_an_ini_file_gives_its_section(tmp_path: Path, name: str, text: str) -> None:
    assert section(tmp_path, name, text) == {"addopts": "-q"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[tool.pytest.ini_options]\naddopts = ['-q']\n[tool.ruff]\nx = 1\n", {"ini_options": {"addopts": ["-q"]}}),
        ("[tool.pytest]\naddopts = ['-q']\n", {"addopts": ["-q"]}),
        ("[pytest]\naddopts = ['-q']\n", {"addopts": ["-q"]}),
        ("[project]\nname = 'x'\n", {}),
        ("[tool]\npytest = 3\n", {}),
        ("tool = 3\n", {}),
    ],
)
def test_a_toml_file_gives_its_section(tmp_path: Path, text: str, expected: dict[str, object]) -> None:
    assert section(tmp_path, "pyproject.toml", text) == expected


def test_comments_and_other_sections_are_no_part_of_it(tmp_path: Path) -> None:
    before = section(tmp_path, "pyproject.toml", "[tool.pytest.ini_options]\ntestpaths = ['t']\n")

    after = section(
        tmp_path, "pyproject.toml", "# why\n[tool.black]\nx = 1\n[tool.pytest.ini_options]\ntestpaths = ['t']\n"
    )

    assert after == before


@pytest.mark.parametrize("name", ["pyproject.toml", "pytest.ini"])
def test_a_file_that_does_not_parse_counts_as_a_whole(tmp_path: Path, name: str) -> None:
    assert section(tmp_path, name, "[[[ x\n") == {"text": "[[[ x\n"}


def test_a_file_that_is_gone_has_nothing(tmp_path: Path) -> None:
    assert read_pytest_section(tmp_path / "pytest.ini") == {}


def test_percent_signs_are_left_alone(tmp_path: Path) -> None:
    assert section(tmp_path, "pytest.ini", "[pytest]\nlog_format = %(message)s\n") == {"log_format": "%(message)s"}
