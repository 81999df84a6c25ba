"""The SQLite file of a map, opened so that no state of the disk can stop a test run.

What this version can't read is set aside and never deleted; what can't be written is read into memory, so that it
still serves. Knows nothing of what the tables hold.
"""

import contextlib
import os
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

_BUSY_SECONDS = 30
_LOCK = "lock.sqlite"
_MOST_SET_ASIDE = 1000


@dataclass(slots=True)
class Database:
    """An open database.

    Attributes:
        connection: In autocommit mode: transactions are begun by hand.
        obstacle: Why nothing that is written stays; None where it does.
        notes: What its user must be told.
    """

    connection: sqlite3.Connection
    obstacle: str | None = None
    notes: list[str] = field(default_factory=list)


class _UnusableError(Exception):
    """The file is no database of this version; the text says why."""


def open_database(path: Path, schema: str, version: int) -> Database:
    """Open the file at *path*, creating it with *schema* where it is missing; never fails.

    A file that is damaged or not of this *version* is set aside. Where nothing can be written, its contents are
    taken into memory, or an empty database is.
    """
    notes: list[str] = []
    obstacle = _obstacle(path)
    if obstacle is None:
        try:
            with _alone(path.parent):
                return Database(_open(path, schema, version, notes), None, notes)
        except (OSError, sqlite3.Error) as error:
            obstacle = str(error)
    connection, is_read = _in_memory(path, schema, version)
    use = "tests are selected by it" if is_read else "every test runs"
    notes.append(f"The map in {path.parent.name} can't be written ({obstacle}): {use}, and nothing is recorded.")
    return Database(connection, obstacle, notes)


def set_aside(path: Path) -> list[Path]:
    """Return the files that were set aside for the one at *path*, sorted."""
    return sorted(path.parent.glob(f"{path.stem}.kept-*{path.suffix}"))


def of_other_versions(path: Path) -> list[Path]:
    """Return the maps beside the one at *path* that other versions of wiremap use, sorted."""
    return sorted(one for one in path.parent.glob("map*.sqlite") if one != path and ".kept-" not in one.name)


def _obstacle(path: Path) -> str | None:
    """Return what forbids to write, if anything does: asking is cheaper than trying, and holds for root too."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        return error.strerror or str(error)
    if not os.access(path.parent, os.W_OK | os.X_OK):
        return "the folder is read-only"
    if path.exists() and not os.access(path, os.W_OK):
        return "the file is read-only"
    return None


@contextlib.contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Let one process at a time open or set aside: SQLite must not meet a file that is being renamed."""
    with contextlib.closing(_connection(os.fspath(folder / _LOCK))) as lock:
        lock.execute("BEGIN EXCLUSIVE")  # released by the system whatever becomes of this process
        yield


def _open(path: Path, schema: str, version: int, notes: list[str]) -> sqlite3.Connection:
    is_new = not path.exists()
    try:
        connection = _connect(path, schema, version)
    except _UnusableError as error:
        why = str(error)
    except sqlite3.OperationalError:
        raise  # the disk's fault, not the file's
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:  # the latter over a message that quotes the damage
        why = f"it is damaged ({error})"
    else:
        if is_new and (others := of_other_versions(path)):
            notes.append(
                f"The map {others[-1].name} was written by another version of wiremap and is left as it is; a new "
                "one begins, and every test runs."
            )
        return connection
    kept = _set_aside(path)
    notes.append(f"The map was set aside as {kept.name}, since {why}; a new one begins, and every test runs.")
    return _connect(path, schema, version)


def _connect(path: Path, schema: str, version: int) -> sqlite3.Connection:
    connection = _connection(os.fspath(path))
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        # A process may be killed at any time and loses nothing; a power cut may cost the last sessions.
        connection.execute("PRAGMA synchronous = NORMAL")
        if _version(connection, version) == 0:
            _create(connection, schema, version)
        _check(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _check(connection: sqlite3.Connection) -> None:
    (fault,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    if fault != "ok":
        raise _UnusableError(f"it is damaged ({' '.join(fault.split())})")


def _connection(name: str, *, uri: bool = False) -> sqlite3.Connection:
    connection = sqlite3.connect(name, uri=uri, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    connection.text_factory = _text  # damaged text must not stop those who find the damage
    return connection


def _text(stored: bytes) -> str:
    return stored.decode("utf-8", "replace")


def _version(connection: sqlite3.Connection, version: int) -> int:
    """Return *version*, or 0 for an empty file."""
    (found,) = connection.execute("PRAGMA user_version").fetchone()
    if found == version:
        return version
    if found != 0 or connection.execute("SELECT count(*) FROM sqlite_master").fetchone() != (0,):
        raise _UnusableError("it is none of this version of wiremap")
    return 0


def _create(connection: sqlite3.Connection, schema: str, version: int) -> None:
    connection.execute("BEGIN IMMEDIATE")
    try:
        for statement in schema.strip().split(";\n"):
            connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {version}")
        connection.execute("COMMIT")
    except BaseException:
        with contextlib.suppress(sqlite3.Error):
            connection.execute("ROLLBACK")
        raise


def _set_aside(path: Path) -> Path:
    for number in range(1, _MOST_SET_ASIDE):
        kept = path.with_name(f"{path.stem}.kept-{number}{path.suffix}")
        if not kept.exists():
            break
    # The log goes first: a log without its database is emptied, a database without its log is an earlier state.
    for suffix in ("-wal", "-shm", ""):
        with contextlib.suppress(FileNotFoundError):
            Path(f"{path}{suffix}").rename(f"{kept}{suffix}")
    return kept


def _in_memory(path: Path, schema: str, version: int) -> tuple[sqlite3.Connection, bool]:
    """Return a database in memory, and whether it holds what the file at *path* holds."""
    memory = _connection(":memory:")
    try:
        _copy(path, memory, version)
    except (OSError, sqlite3.Error, UnicodeDecodeError, _UnusableError):
        memory.close()
        memory = _connection(":memory:")
        _create(memory, schema, version)
        return memory, False
    return memory, True


def _copy(path: Path, memory: sqlite3.Connection, version: int) -> None:
    # Nobody can write here, so nobody needs the locks that could not be written either.
    with contextlib.closing(_connection(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)) as source:
        if _version(source, version) == 0:
            raise _UnusableError("it is empty")
        source.backup(memory)
    _check(memory)
