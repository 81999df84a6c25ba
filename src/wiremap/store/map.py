"""The map: what each test rested on when it last ran, in one SQLite file.

A test keeps several traces: going back to an earlier state of the code finds the trace of that state again.
"""

import contextlib
import sqlite3
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from wiremap.selection.facts import Trace
from wiremap.store.database import open_database
from wiremap.store.graph_tables import SCHEMA as SCHEMA_OF_GRAPHS
from wiremap.store.graph_tables import GraphTables
from wiremap.store.text import as_stored, as_text
from wiremap.store.trace_tables import SCHEMA, TraceTables

FOLDER = ".wiremap"
_VERSION = 5
# Another version has another file: to rename one that a running process of that version has open would damage both.
_FILE = f"map-{_VERSION}.sqlite"

_SCHEMA = (
    SCHEMA
    + SCHEMA_OF_GRAPHS
    + """
CREATE TABLE unit (id INTEGER PRIMARY KEY, name UNIQUE);
CREATE TABLE call (caller INTEGER, callee INTEGER, PRIMARY KEY (caller, callee)) WITHOUT ROWID;
CREATE TABLE baseline (is_own INTEGER, path, digest TEXT, PRIMARY KEY (is_own, path)) WITHOUT ROWID;
CREATE TABLE baseline_time (is_own INTEGER PRIMARY KEY, sequence INTEGER);
CREATE TABLE file (path PRIMARY KEY, mtime_ns INTEGER, ctime_ns INTEGER, size INTEGER, digest TEXT) WITHOUT ROWID;
CREATE TABLE source (digest TEXT, flavour TEXT, module TEXT, units BLOB, PRIMARY KEY (digest, flavour)) WITHOUT ROWID;
CREATE TABLE outline (digest TEXT, flavour TEXT, outline BLOB, PRIMARY KEY (digest, flavour)) WITHOUT ROWID;
CREATE INDEX source_by_module ON source (module, flavour);
CREATE TABLE outside (names BLOB);
CREATE TABLE part (name TEXT PRIMARY KEY) WITHOUT ROWID;
"""
)


@dataclass(frozen=True, slots=True)
class Baseline:
    """The Python files as a recorded session found them.

    Attributes:
        sequence: That of the session.
        digests: Digest by path.
    """

    sequence: int
    digests: Mapping[str, str]


class Map:
    """An open map. Use it as a context manager: leaving commits, an exception rolls back.

    Every write of one `with` block is one transaction, so that a process killed half-way leaves the map as it
    was. Several processes may write; they wait for one another. Opening never fails: what can't be used is
    told in `notes`.
    """

    def __init__(self, folder: Path) -> None:
        """Open the map in *folder* (`.wiremap`), creating both where they are missing."""
        self.path = folder / _FILE
        database = open_database(self.path, _SCHEMA, _VERSION)
        self._db = database.connection
        self._notes = database.notes
        self.obstacle = database.obstacle
        """Why nothing that is written here stays; None where it does."""
        self.graphs = GraphTables(self._db)
        """The compiled graphs, and the tests that build them."""
        self._traces = TraceTables(self._db)
        if self.obstacle is None:
            _label(folder)

    def __enter__(self) -> Self:
        self._db.execute("BEGIN IMMEDIATE")
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None:
            try:
                self._db.execute("COMMIT")
            except sqlite3.Error:
                self._undo()
                raise
        else:
            self._undo()

    def close(self) -> None:
        """Close the file and fold the write-ahead log into it, so that copying one file copies the map."""
        with contextlib.suppress(sqlite3.Error):
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        self._db.close()

    @property
    def notes(self) -> list[str]:
        """What its user must be told."""
        damaged = self._traces.num_damaged
        if not damaged:
            return self._notes
        records = "1 record of the map is" if damaged == 1 else f"{damaged} records of the map are"
        return [*self._notes, f"{records} damaged and count{'s' * (damaged == 1)} as not made."]

    def traces(self, *, until: int | None = None) -> dict[str, list[Trace]]:
        """Return all traces by test, each test's oldest first; without those from after the sequence *until*."""
        with self._reading():
            return self._traces.traces(until)

    def latest(self) -> int:
        """Return the highest sequence that was ever recorded or taken over; 0 before."""
        return self._traces.latest()

    def record(self, traces: Iterable[Trace], *, instead_of: Collection[int] = ()) -> int:
        """Add *traces* as one session and return its sequence; the oldest of each test are forgotten.

        With *instead_of*, the sequences of earlier calls, what those recorded of the same tests is dropped.
        """
        sequence = self._traces.begin_session()
        self._traces.add((_at(trace, sequence) for trace in traces), instead_of=instead_of)
        return sequence

    def add(self, traces: Iterable[Trace]) -> None:
        """Add *traces* of another map, with the sequences that they have there."""
        self._traces.add(traces)

    def tidy(self) -> None:
        """Remove what nothing refers to, if it may be much; for the end of a transaction that recorded."""
        if self._traces.is_sweep_due():
            self._sweep()

    def prune(self, most: int, oldest: int) -> None:
        """Keep the *most* newest traces of each test and environment, and none from before the sequence *oldest*."""
        self._traces.prune(most, oldest)
        self._db.execute("DELETE FROM part")  # this map no longer holds all that it took from there
        self._sweep()

    def compact(self) -> None:
        """Give the room of what was removed back to the disk; outside of a transaction."""
        self._db.execute("VACUUM")

    def sizes(self) -> dict[str, int]:
        """Return how much there is of what."""
        with self._reading():
            return self._traces.sizes()

    def calls(self) -> dict[str, set[str]]:
        """Return which units were seen to call which: callee to callers, each `path::unit`."""
        callers: dict[str, set[str]] = {}
        with self._reading():
            units = {key: as_text(name) for key, name in self._db.execute("SELECT id, name FROM unit")}
            for caller, callee in self._db.execute("SELECT caller, callee FROM call"):
                callers.setdefault(units[callee], set()).add(units[caller])
        return callers

    def record_calls(self, calls: Iterable[tuple[str, str]]) -> None:
        """Add pairs of caller and callee, each `path::unit`."""
        pairs = sorted(calls)
        names = dict.fromkeys(name for pair in pairs for name in pair)
        self._db.executemany("INSERT OR IGNORE INTO unit (name) VALUES (?)", ((as_stored(name),) for name in names))
        keys = {as_text(name): key for key, name in self._db.execute("SELECT id, name FROM unit")}
        found = ((keys[caller], keys[callee]) for caller, callee in pairs)
        self._db.executemany("INSERT OR IGNORE INTO call VALUES (?, ?)", found)

    def baseline(self) -> dict[str, str]:
        """Return the digest of each Python file as the last recorded session found it, by path.

        Before any session was recorded here, it is that of the newest session that was taken from elsewhere.
        """
        with self._reading():
            return dict((self._baseline(is_own=True) or self._baseline(is_own=False) or _NO_BASELINE).digests)

    def record_baseline(self, digests: Mapping[str, str]) -> None:
        """Replace the baseline by that of the session that was just recorded."""
        self._set_baseline(Baseline(self._traces.latest(), digests), is_own=True)

    def newest_baseline(self) -> Baseline | None:
        """Return the newest baseline, wherever it was recorded."""
        with self._reading():
            known = [one for is_own in (True, False) if (one := self._baseline(is_own=is_own)) is not None]
        return max(known, key=_age, default=None)

    def offer_baseline(self, baseline: Baseline) -> None:
        """Take over the baseline of another map, if it is newer than those that were offered before."""
        known = self._baseline(is_own=False)
        if known is None or _age(known) < _age(baseline):
            self._set_baseline(baseline, is_own=False)

    def file_digests(self) -> dict[str, tuple[int, int, int, str]]:
        """Return modification and change time (ns), size and digest of each file that was read before, by path."""
        return {as_text(row[0]): (row[1], row[2], row[3], row[4]) for row in self._db.execute("SELECT * FROM file")}

    def record_files(self, files: Mapping[str, tuple[int, int, int, str]]) -> None:
        """Remember the digests of files."""
        rows = [(as_stored(path), *state) for path, state in sorted(files.items())]
        self._db.executemany("INSERT OR REPLACE INTO file VALUES (?, ?, ?, ?, ?)", rows)

    def source(self, digest: str, flavour: str) -> str | None:
        """Return the stored units of the source with *digest*, as made by *flavour*, or None."""
        row = self._db.execute(
            "SELECT units FROM source WHERE digest = ? AND flavour = ?", (digest, flavour)
        ).fetchone()
        return None if row is None else _unpacked(row[0])

    def outline(self, digest: str, flavour: str) -> str | None:
        """Return the stored outline of the source with *digest*, as made by *flavour*, or None."""
        row = self._db.execute(
            "SELECT outline FROM outline WHERE digest = ? AND flavour = ?", (digest, flavour)
        ).fetchone()
        return None if row is None else _unpacked(row[0])

    def source_of_module(self, fingerprint: str, flavour: str) -> str | None:
        """Return the stored units of a source whose top level has *fingerprint*, or None."""
        row = self._db.execute(
            "SELECT units FROM source WHERE module = ? AND flavour = ? ORDER BY digest LIMIT 1", (fingerprint, flavour)
        ).fetchone()
        return None if row is None else _unpacked(row[0])

    def record_sources(self, sources: Mapping[str, tuple[str, str, str]], flavour: str) -> None:
        """Remember the units of sources, by digest, each with its outline and the fingerprint of its top level.

        Most who ask want no more than the outline, which is read much faster.
        """
        in_order = sorted(sources.items())
        rows = [(digest, flavour, module, _packed(units)) for digest, (units, _, module) in in_order]
        self._db.executemany("INSERT OR REPLACE INTO source VALUES (?, ?, ?, ?)", rows)
        outlines = [(digest, flavour, _packed(outline)) for digest, (_, outline, _) in in_order]
        self._db.executemany("INSERT OR REPLACE INTO outline VALUES (?, ?, ?)", outlines)

    def outside_names(self) -> frozenset[str] | None:
        """Return the names that libraries know, in any session whose traces are here; None when one has not told."""
        row = self._db.execute("SELECT names FROM outside").fetchone()
        text = None if row is None or row[0] is None else _unpacked(row[0])
        return None if text is None else frozenset(filter(None, text.split("\n")))

    def record_outside_names(self, names: frozenset[str] | None) -> None:
        """Add names that libraries know; None makes them unknown for good: traces are here that rest on others."""
        known = self.outside_names()
        if known is None and self._db.execute("SELECT 1 FROM outside").fetchone():
            return  # damaged, or unknown
        if known is None or names is None or not names <= known:
            packed = None if names is None else _packed("\n".join(sorted(names | (known or frozenset()))))
            self._db.execute("DELETE FROM outside")
            self._db.execute("INSERT INTO outside VALUES (?)", (packed,))

    def parts(self) -> set[str]:
        """Return the names of the shared parts of which this map holds everything."""
        return {name for (name,) in self._db.execute("SELECT name FROM part")}

    def record_parts(self, names: Iterable[str]) -> None:
        """Note that this map holds everything of the shared parts *names*."""
        self._db.executemany("INSERT OR IGNORE INTO part VALUES (?)", [(name,) for name in sorted(names)])

    def _baseline(self, *, is_own: bool) -> Baseline | None:
        row = self._db.execute("SELECT sequence FROM baseline_time WHERE is_own = ?", (is_own,)).fetchone()
        rows = self._db.execute("SELECT path, digest FROM baseline WHERE is_own = ?", (is_own,))
        return None if row is None else Baseline(row[0], {as_text(path): as_text(digest) for path, digest in rows})

    def _set_baseline(self, baseline: Baseline, *, is_own: bool) -> None:
        self._db.execute("INSERT OR REPLACE INTO baseline_time VALUES (?, ?)", (is_own, baseline.sequence))
        self._db.execute("DELETE FROM baseline WHERE is_own = ?", (is_own,))
        rows = [(is_own, as_stored(path), as_stored(digest)) for path, digest in sorted(baseline.digests.items())]
        self._db.executemany("INSERT INTO baseline VALUES (?, ?, ?)", rows)

    def _sweep(self) -> None:
        self._traces.sweep()
        self.graphs.sweep()
        # A call is worth knowing between functions that some test rests on.
        self._db.execute("DELETE FROM unit WHERE name NOT IN (SELECT key FROM fact)")
        self._db.execute(
            "DELETE FROM call WHERE caller NOT IN (SELECT id FROM unit) OR callee NOT IN (SELECT id FROM unit)"
        )
        known = "SELECT digest FROM file UNION SELECT digest FROM baseline"
        # What a kept trace says of a module is told apart by name from what its source is now.
        known_top_level = "SELECT value FROM fact"
        self._db.execute(f"DELETE FROM source WHERE digest NOT IN ({known}) AND module NOT IN ({known_top_level})")  # noqa: S608 - no input in it
        self._db.execute("DELETE FROM outline WHERE digest NOT IN (SELECT digest FROM source)")

    def _undo(self) -> None:
        with contextlib.suppress(sqlite3.Error):  # some faults have undone everything already
            self._db.execute("ROLLBACK")
        self._traces.forget_what_was_read()

    @contextlib.contextmanager
    def _reading(self) -> Iterator[None]:
        """Let several reads see one state, whoever writes meanwhile."""
        if self._db.in_transaction:
            yield
            return
        self._db.execute("BEGIN")
        try:
            yield
        finally:
            self._db.execute("COMMIT")


_NO_BASELINE = Baseline(0, {})


def _age(baseline: Baseline) -> tuple[int, list[tuple[str, str]]]:
    # Of two from one moment either will do, but all maps must choose the same.
    return baseline.sequence, sorted(baseline.digests.items())


def _at(trace: Trace, sequence: int) -> Trace:
    return Trace(trace.test, trace.facts, trace.outcome, trace.duration, sequence)


def _packed(text: str) -> bytes:
    return zlib.compress(text.encode(), 1)


def _unpacked(packed: bytes) -> str | None:
    try:
        return zlib.decompress(packed).decode()
    except (zlib.error, UnicodeDecodeError):
        return None  # damaged: the source is parsed anew


def _label(folder: Path) -> None:
    """Tell git and programs that make backups to leave the folder alone."""
    for name, text in (
        (".gitignore", "# Made by wiremap.\n*\n"),
        ("CACHEDIR.TAG", "Signature: 8a477f597d28d172789f06886806bc55\n# Made by wiremap; safe to delete.\n"),
    ):
        if not (folder / name).exists():
            with contextlib.suppress(OSError):
                (folder / name).write_text(text, encoding="utf-8")
