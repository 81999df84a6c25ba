from pathlib import Path

import pytest

from wiremap.project.entry_points import declared_entry_points


def test_groups_are_those_of_the_project_and_of_poetry(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(
        '[project.entry-points."shop.plugins"]\na = "shop.a:A"\nwrong = 3\n'
        '[tool.poetry.plugins.other]\nb = "shop.b:B"\n'
    )

    assert declared_entry_points(tmp_path) == {"shop.plugins": {"a": "shop.a:A"}, "other": {"b": "shop.b:B"}}


@pytest.mark.parametrize("text", ["", "project = 3", "[project]\nentry-points = 3", "= nothing"])
def test_without_any_there_are_none(tmp_path: Path, text: str) -> None:
    assert declared_entry_points(tmp_path) == {}
    (tmp_path / "pyproject.toml").write_text(text)
    assert declared_entry_points(tmp_path) == {}
