"""The map: what each test rested on when it last ran, in one SQLite file.

Facts are interned and sets of facts are content-addressed, so that tests which share dependencies share rows.
A test keeps several traces: going back to an earlier state of the code finds the trace of that state again.
"""

import contextlib
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Self, cast

from wiremap.errors import MapUnavailableError
from wiremap.selection.facts import Fact, Outcome, Trace
from wiremap.store.packing import pack, unpack

FOLDER = ".wiremap"
_FILE = "map.sqlite"
_VERSION = 4
_KEPT_TRACES = 8
_BUSY_SECONDS = 30

_SCHEMA = """
CREATE TABLE fact (id INTEGER PRIMARY KEY, kind TEXT, key TEXT, value TEXT, UNIQUE (kind, key, value));
CREATE TABLE fact_set (id INTEGER PRIMARY KEY, digest BLOB UNIQUE, facts BLOB);
CREATE TABLE trace (test TEXT, fact_set INTEGER, outcome TEXT, duration REAL, sequence INTEGER,
                    PRIMARY KEY (test, fact_set)) WITHOUT ROWID;
CREATE TABLE call (caller TEXT, callee TEXT, PRIMARY KEY (caller, callee)) WITHOUT ROWID;
CREATE TABLE graph (digest TEXT PRIMARY KEY, json TEXT);
CREATE TABLE test_graph (test TEXT, digest TEXT, PRIMARY KEY (test, digest)) WITHOUT ROWID;
CREATE TABLE baseline (path TEXT PRIMARY KEY, digest TEXT) WITHOUT ROWID;
CREATE TABLE file (path TEXT PRIMARY KEY, mtime_ns INTEGER, ctime_ns INTEGER, size INTEGER, digest TEXT) WITHOUT ROWID;
CREATE TABLE source (digest TEXT, flavour TEXT, units TEXT, module TEXT, PRIMARY KEY (digest, flavour)) WITHOUT ROWID;
CREATE INDEX source_by_module ON source (module, flavour);
CREATE TABLE outside (names TEXT);
"""


class Map:
    """An open map. Use it as a context manager: leaving commits, an exception rolls back.

    Every write of one `with` block is one transaction, so that a process killed half-way leaves the map as it
    was. Several processes may write; they wait for one another.
    """

    def __init__(self, folder: Path) -> None:
        """Open the map in *folder* (`.wiremap`), creating both where they are missing.

        Raises:
            MapUnavailableError: The folder can't be written or the file can't be used.
        """
        self.path = folder / _FILE
        self.notes: list[str] = []
        try:
            _prepare(folder)
            self._db = self._open()
        except (OSError, sqlite3.Error) as error:
            raise MapUnavailableError(str(folder), str(error)) from error

    def __enter__(self) -> Self:
        self._db.execute("BEGIN IMMEDIATE")
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        self._db.execute("COMMIT" if kind is None else "ROLLBACK")

    def close(self) -> None:
        """Close the file and fold the write-ahead log into it, so that copying one file copies the map."""
        with contextlib.suppress(sqlite3.Error):
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        self._db.close()

    def traces(self) -> dict[str, list[Trace]]:
        """Return all traces by test."""
        facts = self._facts()
        sets = {
            key: frozenset(facts[one] for one in unpack(blob))
            for key, blob in self._db.execute("SELECT id, facts FROM fact_set")
        }
        traces: dict[str, list[Trace]] = {}
        rows = self._db.execute("SELECT test, fact_set, outcome, duration, sequence FROM trace ORDER BY test, sequence")
        for test, key, outcome, duration, sequence in rows:
            traces.setdefault(test, []).append(Trace(test, sets[key], cast(Outcome, outcome), duration, sequence))
        return traces

    def record(self, traces: Iterable[Trace]) -> None:
        """Add *traces* as one session; a trace with the facts of an earlier one of its test replaces that."""
        (last,) = self._db.execute("SELECT coalesce(max(sequence), 0) FROM trace").fetchone()
        set_ids: dict[frozenset[Fact], int] = {}
        fact_ids = {fact: key for key, fact in self._facts().items()}
        for trace in traces:
            if trace.facts not in set_ids:
                set_ids[trace.facts] = self._intern(trace.facts, fact_ids)
            self._db.execute(
                "INSERT OR REPLACE INTO trace VALUES (?, ?, ?, ?, ?)",
                (trace.test, set_ids[trace.facts], trace.outcome, trace.duration, last + 1),
            )
            self._forget_oldest(trace.test)
        self._sweep()

    def calls(self) -> dict[str, set[str]]:
        """Return which units were seen to call which: callee to callers, each `path::unit`."""
        callers: dict[str, set[str]] = {}
        for caller, callee in self._db.execute("SELECT caller, callee FROM call"):
            callers.setdefault(callee, set()).add(caller)
        return callers

    def record_calls(self, calls: Iterable[tuple[str, str]]) -> None:
        """Add pairs of caller and callee, each `path::unit`."""
        self._db.executemany("INSERT OR IGNORE INTO call VALUES (?, ?)", sorted(calls))

    def graphs(self) -> dict[str, str]:
        """Return the JSON of every compiled graph that tests built, by digest."""
        return dict(self._db.execute("SELECT digest, json FROM graph ORDER BY digest"))

    def graphs_of(self, test: str) -> list[str]:
        """Return the digests of the graphs that *test* built, sorted."""
        rows = self._db.execute("SELECT digest FROM test_graph WHERE test = ? ORDER BY digest", (test,))
        return [row[0] for row in rows]

    def record_graphs(self, graphs: Mapping[str, str], built_by: Mapping[str, Iterable[str]]) -> None:
        """Add *graphs* (JSON by digest); *built_by* gives the digests for each test that ran."""
        self._db.executemany("INSERT OR REPLACE INTO graph VALUES (?, ?)", sorted(graphs.items()))
        for test, digests in built_by.items():
            self._db.execute("DELETE FROM test_graph WHERE test = ?", (test,))
            self._db.executemany("INSERT OR IGNORE INTO test_graph VALUES (?, ?)", [(test, one) for one in digests])
        self._db.execute("DELETE FROM graph WHERE digest NOT IN (SELECT digest FROM test_graph)")

    def baseline(self) -> dict[str, str]:
        """Return the digest of each Python file as the last recorded session found it, by path."""
        return {_text(path): digest for path, digest in self._db.execute("SELECT path, digest FROM baseline")}

    def record_baseline(self, digests: Mapping[str, str]) -> None:
        """Replace the baseline."""
        self._db.execute("DELETE FROM baseline")
        rows = [(_stored(path), digest) for path, digest in sorted(digests.items())]
        self._db.executemany("INSERT INTO baseline VALUES (?, ?)", rows)

    def file_digests(self) -> dict[str, tuple[int, int, int, str]]:
        """Return modification and change time (ns), size and digest of each file that was read before, by path."""
        return {_text(row[0]): (row[1], row[2], row[3], row[4]) for row in self._db.execute("SELECT * FROM file")}

    def record_files(self, files: Mapping[str, tuple[int, int, int, str]]) -> None:
        """Remember the digests of files."""
        rows = [(_stored(path), *state) for path, state in sorted(files.items())]
        self._db.executemany("INSERT OR REPLACE INTO file VALUES (?, ?, ?, ?, ?)", rows)

    def source(self, digest: str, flavour: str) -> str | None:
        """Return the stored units of the source with *digest*, as made by *flavour*, or None."""
        row = self._db.execute(
            "SELECT units FROM source WHERE digest = ? AND flavour = ?", (digest, flavour)
        ).fetchone()
        return None if row is None else cast(str, row[0])

    def source_of_module(self, fingerprint: str, flavour: str) -> str | None:
        """Return the stored units of a source whose top level has *fingerprint*, or None."""
        row = self._db.execute(
            "SELECT units FROM source WHERE module = ? AND flavour = ? ORDER BY digest LIMIT 1", (fingerprint, flavour)
        ).fetchone()
        return None if row is None else cast(str, row[0])

    def record_sources(self, sources: Mapping[str, tuple[str, str]], flavour: str) -> None:
        """Remember the units of sources, by digest, each with the fingerprint of its top level."""
        rows = [(digest, flavour, *source) for digest, source in sorted(sources.items())]
        self._db.executemany("INSERT OR REPLACE INTO source VALUES (?, ?, ?, ?)", rows)

    def outside_names(self) -> frozenset[str] | None:
        """Return the names that libraries know, in any session that was recorded; None when no session told."""
        rows = self._db.execute("SELECT names FROM outside").fetchall()
        return frozenset(name for (names,) in rows for name in names.split("\n")) if rows else None

    def record_outside_names(self, names: frozenset[str]) -> None:
        """Add names that libraries know."""
        known = self.outside_names()
        if known is None or not names <= known:
            self._db.execute("DELETE FROM outside")
            self._db.execute("INSERT INTO outside VALUES (?)", ("\n".join(sorted(names | (known or frozenset()))),))

    def _facts(self) -> dict[int, Fact]:
        rows = self._db.execute("SELECT id, kind, key, value FROM fact")
        return {key: Fact(kind, _text(name), value) for key, kind, name, value in rows}

    def _open(self) -> sqlite3.Connection:
        try:
            return self._connect()
        except sqlite3.DatabaseError as error:
            if isinstance(error, sqlite3.OperationalError):
                raise
            self._set_aside(f"it is damaged ({error})")
            return self._connect()

    def _connect(self) -> sqlite3.Connection:
        db = sqlite3.connect(self.path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False)
        try:
            db.execute("PRAGMA journal_mode = WAL")
            db.execute("PRAGMA synchronous = NORMAL")
            (version,) = db.execute("PRAGMA user_version").fetchone()
        except sqlite3.Error:
            db.close()
            raise
        if version not in (0, _VERSION):
            db.close()
            self._set_aside(f"it has format {version}, and this version of wiremap writes format {_VERSION}")
            return self._connect()
        if version == 0:
            self._create(db)
        return db

    def _create(self, db: sqlite3.Connection) -> None:
        db.execute("BEGIN IMMEDIATE")
        (version,) = db.execute("PRAGMA user_version").fetchone()
        if version == 0:  # another process may have been faster
            for statement in _SCHEMA.strip().split(";\n"):
                db.execute(statement)
            db.execute(f"PRAGMA user_version = {_VERSION}")
        db.execute("COMMIT")

    def _set_aside(self, why: str) -> None:
        for number in range(1, 1000):
            kept = self.path.with_name(f"{self.path.stem}.kept-{number}{self.path.suffix}")
            if not kept.exists():
                break
        self.path.rename(kept)
        for suffix in ("-wal", "-shm"):
            with contextlib.suppress(FileNotFoundError):
                Path(f"{self.path}{suffix}").rename(f"{kept}{suffix}")
        self.notes.append(f"The map was set aside as {kept.name}, since {why}; a new one begins, and every test runs.")

    def _intern(self, facts: frozenset[Fact], fact_ids: dict[Fact, int]) -> int:
        for fact in sorted(facts - fact_ids.keys()):
            cursor = self._db.execute(
                "INSERT INTO fact (kind, key, value) VALUES (?, ?, ?)", (fact.kind, _stored(fact.key), fact.value)
            )
            fact_ids[fact] = cast(int, cursor.lastrowid)
        blob = pack(sorted(fact_ids[fact] for fact in facts))
        digest = blake2b(blob, digest_size=16).digest()
        self._db.execute("INSERT OR IGNORE INTO fact_set (digest, facts) VALUES (?, ?)", (digest, blob))
        (key,) = self._db.execute("SELECT id FROM fact_set WHERE digest = ?", (digest,)).fetchone()
        return cast(int, key)

    def _forget_oldest(self, test: str) -> None:
        self._db.execute(
            "DELETE FROM trace WHERE test = ? AND fact_set NOT IN "
            "(SELECT fact_set FROM trace WHERE test = ? ORDER BY sequence DESC LIMIT ?)",
            (test, test, _KEPT_TRACES),
        )

    def _sweep(self) -> None:
        self._db.execute("DELETE FROM fact_set WHERE id NOT IN (SELECT fact_set FROM trace)")
        used = set(_all_ids(self._db.execute("SELECT facts FROM fact_set")))
        unused = [(key,) for (key,) in self._db.execute("SELECT id FROM fact") if key not in used]
        self._db.executemany("DELETE FROM fact WHERE id = ?", unused)


def _stored(text: str) -> str | bytes:
    """Return *text* as SQLite takes it: a file name that is no Unicode goes in as its bytes."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogateescape")
    return text


def _text(stored: str | bytes) -> str:
    return stored if isinstance(stored, str) else stored.decode("utf-8", "surrogateescape")


def _all_ids(rows: Iterable[tuple[bytes]]) -> Iterator[int]:
    for (blob,) in rows:
        yield from unpack(blob)


def _prepare(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in (
        (".gitignore", "# Made by wiremap.\n*\n"),
        ("CACHEDIR.TAG", "Signature: 8a477f597d28d172789f06886806bc55\n# Made by wiremap; safe to delete.\n"),
    ):
        if not (folder / name).exists():
            (folder / name).write_text(text, encoding="utf-8")
