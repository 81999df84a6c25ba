import os
import sys
from pathlib import Path

import pytest

from wiremap.tracing.path_state import ABSENT, path_presence, path_state


def test_a_file_is_told_by_its_bytes(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"1")
    (tmp_path / "b").write_bytes(b"1")
    (tmp_path / "c").write_bytes(b"2")

    a, b, c = (path_state(str(tmp_path / name)) for name in "abc")

    assert a.startswith("file:")
    assert a == b != c


def test_a_folder_is_told_by_its_names(tmp_path: Path) -> None:
    before = path_state(str(tmp_path))
    (tmp_path / "a").write_text("1")
    added = path_state(str(tmp_path))
    (tmp_path / "a").write_text("2")

    assert before.startswith("folder:")
    assert before != added == path_state(str(tmp_path))


def test_what_tools_leave_in_a_folder_does_not_count(tmp_path: Path) -> None:
    before = path_state(str(tmp_path))

    (tmp_path / "__pycache__").mkdir()

    assert path_state(str(tmp_path)) == before


def test_what_is_not_there_is_absent(tmp_path: Path) -> None:
    assert path_state(str(tmp_path / "missing")) == ABSENT


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="needs a user whom permissions bind")
def test_what_cannot_be_read_is_told_by_its_reason(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("1")
    (tmp_path / "a").chmod(0)

    assert path_state(str(tmp_path / "a")).startswith("unreadable:")


@pytest.mark.parametrize("path", ["a/b", "null\0byte"])
def test_a_path_that_cannot_be_is_absent(tmp_path: Path, path: str) -> None:
    (tmp_path / "a").write_text("1")

    assert path_state(f"{tmp_path}/{path}") == ABSENT


def test_presence_is_told_without_reading(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("1")

    assert path_presence(str(tmp_path)) == "folder"
    assert path_presence(str(tmp_path / "a")) == "file"
    assert path_presence(str(tmp_path / "b")) == ABSENT
