"""States of the disk in which a map may be found. What a whole test run makes of them is in `test_map_faults.py`."""

import contextlib
import os
import shutil
import sqlite3
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from wiremap.store.database import Database, open_database, set_aside

SCHEMA = "CREATE TABLE word (text TEXT);\n"
VERSION = 7


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "folder" / "map.sqlite"


@contextlib.contextmanager
def opened(path: Path, version: int = VERSION) -> Iterator[Database]:
    database = open_database(path, SCHEMA, version)
    yield database
    database.connection.close()


def write(path: Path, *words: str) -> None:
    with opened(path) as database:
        database.connection.executemany("INSERT INTO word VALUES (?)", [(word,) for word in words])


def words(database: Database) -> list[str]:
    return [text for (text,) in database.connection.execute("SELECT text FROM word ORDER BY text")]


def test_folder_and_tables_are_made_where_they_are_missing(path: Path) -> None:
    with opened(path) as database:
        assert (words(database), database.obstacle, database.notes) == ([], None, [])


def test_what_was_written_is_there_again(path: Path) -> None:
    write(path, "kept")

    with opened(path) as database:
        assert words(database) == ["kept"]


def test_a_map_of_another_version_is_left_alone_and_said_so_once(path: Path) -> None:
    write(path, "old")
    newer = path.with_name("map-8.sqlite")

    with opened(newer, version=8) as database:
        assert words(database) == []
        (note,) = database.notes
        assert note == (
            "The map map.sqlite was written by another version of wiremap and is left as it is; a new one begins, "
            "and every test runs."
        )
    with opened(newer, version=8) as again, opened(path) as old:
        assert again.notes == old.notes == []
        assert words(old) == ["old"]


@pytest.mark.parametrize(
    "content", [b"no database at all" * 100, b"SQLite format 3\0" + b"\xff" * 4000], ids=["foreign", "wrong pages"]
)
def test_a_damaged_file_is_set_aside_and_said_so(path: Path, content: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(content)

    with opened(path) as database:
        assert words(database) == []
        assert "it is damaged" in database.notes[0]
    assert path.with_name("map.kept-1.sqlite").read_bytes() == content


def test_a_file_that_was_cut_off_is_set_aside(path: Path) -> None:
    write(path, *(f"{number:0500}" for number in range(200)))
    whole = path.read_bytes()

    for length in range(len(whole) - 4096, 0, -len(whole) // 9):
        path.write_bytes(whole[:length])
        with opened(path) as database:
            assert words(database) == []
            assert database.notes


def test_an_empty_file_is_a_new_map(path: Path) -> None:
    path.parent.mkdir()
    path.touch()

    with opened(path) as database:
        assert (words(database), database.notes) == ([], [])


@pytest.mark.parametrize("statement", ["CREATE TABLE theirs (x)", "PRAGMA user_version = 99"])
def test_the_database_of_somebody_else_is_set_aside(path: Path, statement: str) -> None:
    path.parent.mkdir()
    with contextlib.closing(sqlite3.connect(path)) as other:
        other.execute(statement)

    with opened(path) as database:
        assert "since it is none of this version of wiremap" in database.notes[0]


def test_what_was_set_aside_is_never_overwritten(path: Path) -> None:
    path.parent.mkdir()
    for number in (1, 2):
        path.write_bytes(b"damage %d " % number * 100)
        with opened(path):
            pass

    first, second = set_aside(path)
    assert first.read_bytes().startswith(b"damage 1")
    assert second.read_bytes().startswith(b"damage 2")


def test_many_that_find_damage_at_once_set_it_aside_once(path: Path) -> None:
    write(path, *(f"{number:0500}" for number in range(200)))
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xff" * 8192)
    start = threading.Barrier(8)
    notes: list[str] = []

    def open_new() -> None:
        start.wait()
        with opened(path) as database:
            notes.extend(database.notes)

    threads = [threading.Thread(target=open_new) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(set_aside(path)) == 1
    assert len(notes) == 1


def test_a_folder_that_cannot_be_made_leaves_an_empty_map_in_memory(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with opened(tmp_path / "file" / ".wiremap" / "map.sqlite") as database:
        assert words(database) == []
        assert database.obstacle == "Not a directory"
        assert database.notes == [
            "The map in .wiremap can't be written (Not a directory): every test runs, and nothing is recorded."
        ]


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="needs a user whom permissions bind")
@pytest.mark.parametrize("bits", [0o555, 0o500])
def test_a_folder_that_cannot_be_written_is_read_into_memory(path: Path, bits: int) -> None:
    write(path, "kept")
    path.parent.chmod(bits)

    with opened(path) as database:
        assert words(database) == ["kept"]
        assert database.obstacle == "the folder is read-only"
        database.connection.execute("INSERT INTO word VALUES ('gone')")

    path.parent.chmod(0o755)
    with opened(path) as database:
        assert words(database) == ["kept"]


def test_what_forbids_to_write_is_asked_for_and_the_map_is_read_into_memory(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As the test above, for a user whom permissions don't bind."""
    write(path, "kept")
    before = path.read_bytes()
    monkeypatch.setattr(os, "access", lambda _path, mode: mode == os.R_OK)

    with opened(path) as database:
        assert words(database) == ["kept"]
        assert "tests are selected by it, and nothing is recorded" in database.notes[0]
        database.connection.execute("INSERT INTO word VALUES ('gone')")

    assert path.read_bytes() == before


def test_a_disk_that_fails_leaves_what_can_be_read(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(path, "kept")
    connect = sqlite3.connect

    def full_disk(name: str, **options: object) -> sqlite3.Connection:
        if name == str(path):
            raise sqlite3.OperationalError("database or disk is full")
        return connect(name, **options)  # type: ignore[call-overload,no-any-return]

    monkeypatch.setattr(sqlite3, "connect", full_disk)

    with opened(path) as database:
        assert words(database) == ["kept"]
        assert database.obstacle == "database or disk is full"


def test_a_log_that_was_left_behind_does_no_harm(path: Path) -> None:
    """A process may be killed between setting the log aside and its database, in either order."""
    write(path, "kept")
    with opened(path) as database:
        database.connection.execute("INSERT INTO word VALUES ('in the log')")
        shutil.copy(f"{path}-wal", path.parent / "log")
    path.unlink()
    shutil.copy(path.parent / "log", f"{path}-wal")

    with opened(path) as database:
        assert words(database) == []
