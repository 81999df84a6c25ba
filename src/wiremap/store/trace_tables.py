"""The tables of facts, sets of facts and traces, and what keeps them small."""

import sqlite3
import time
from array import array
from collections.abc import Callable, Collection, Iterable, Iterator
from collections.abc import Set as AbstractSet

from wiremap.selection import facts as kinds
from wiremap.selection.environment import OF_SOME
from wiremap.selection.facts import Fact, Trace
from wiremap.store.interned import DIGEST_BYTES, FactTable, Nearest, StoredFacts
from wiremap.store.packing import pack, unpack
from wiremap.store.text import as_stored, as_text
from wiremap.store.trace_rows import KEPT_PER_ENVIRONMENT, TraceRow, kept_rows, pack_rows, unpack_rows

SCHEMA = """
CREATE TABLE fact (id INTEGER PRIMARY KEY, kind TEXT, key TEXT, value TEXT);
CREATE TABLE fact_set (id INTEGER PRIMARY KEY, digest BLOB, base INTEGER, difference BLOB);
CREATE TABLE test (name TEXT PRIMARY KEY, traces BLOB) WITHOUT ROWID;
CREATE TABLE number (name TEXT PRIMARY KEY, value INTEGER) WITHOUT ROWID;
"""

_LATEST = "latest sequence"
_SWEPT = "sets after the last sweep"
_RECENT = 512
_ROOM = 64
"""So many sets more than twice those of the last sweep are allowed before the next: small maps are not swept."""


class TraceTables:
    """The traces of a map, read and written through one connection.

    What is read is checked: a trace of which anything is damaged counts as not recorded.
    """

    def __init__(self, database: sqlite3.Connection) -> None:
        self._db = database
        self._table: FactTable | None = None
        self._table_version = 0
        self.num_damaged = 0

    def forget_what_was_read(self) -> None:
        """Read anew at the next use, after a transaction that was undone."""
        self._table = None

    def traces(self, until: int | None = None) -> dict[str, list[Trace]]:
        """Return all traces by test, each test's oldest first; without those from after the sequence *until*."""
        sets = self._facts().sets
        found = {}
        for test, rows in self._rows():
            known = [one for one in rows if one.set_id in sets]
            self.num_damaged += len(rows) - len(known)
            traces = [
                Trace(test, sets[one.set_id], one.outcome, one.duration, one.sequence)
                for one in known
                if until is None or one.sequence <= until
            ]
            if traces:
                found[test] = traces
        return found

    def latest(self) -> int:
        """Return the highest sequence that was ever given or taken over; 0 before."""
        return self._number(_LATEST)

    def begin_session(self) -> int:
        """Return the sequence for traces that are recorded now: later than all that are there."""
        sequence = max(time.time_ns() // 1_000_000, self._number(_LATEST) + 1)
        self._set_number(_LATEST, sequence)
        return sequence

    def add(self, traces: Iterable[Trace], *, instead_of: Collection[int] = ()) -> None:
        """Add *traces* with the sequences that they have, and forget the oldest of each test.

        What their tests had of the sequences *instead_of* is dropped.
        """
        table, nearest = self._facts(), Nearest()
        latest = self._number(_LATEST)
        recent: dict[int, tuple[AbstractSet[Fact], int]] = {}  # by identity: tests share sets
        for trace in traces:
            before = [one for one in self._rows_of(trace.test) if one.sequence not in instead_of]
            if id(trace.facts) not in recent:
                self._offer_base(before, table, nearest)
                if len(recent) == _RECENT:
                    recent.clear()
                recent[id(trace.facts)] = trace.facts, self._intern(trace.facts, table, nearest)
            _, set_id = recent[id(trace.facts)]
            row = TraceRow(set_id, trace.outcome, trace.duration, trace.sequence)
            self._write(trace.test, self._kept([*before, row], table, KEPT_PER_ENVIRONMENT))
            latest = max(latest, trace.sequence)
        self._set_number(_LATEST, latest)

    def prune(self, most: int, oldest: int) -> None:
        """Keep *most* traces of each test and environment, and none from before the sequence *oldest*."""
        table = self._facts()
        for test, rows in list(self._rows()):
            recent = [one for one in rows if one.set_id in table.sets and one.sequence >= oldest]
            self._write(test, self._kept(recent, table, most))

    def is_sweep_due(self) -> bool:
        """Tell whether there may be more that no trace needs than what traces need."""
        (num_sets,) = self._db.execute("SELECT count(*) FROM fact_set").fetchone()
        return bool(num_sets > 2 * self._number(_SWEPT) + _ROOM)

    def sweep(self) -> None:
        """Remove the sets that no trace has, and the facts that no set has."""
        table = self._facts()
        used = {row.set_id for _, rows in self._rows() for row in rows} & table.sets.keys()
        used |= {base.key for key in used if (base := table.sets[key].base) is not None}
        facts = {one for key in used for one in table.sets[key].difference}
        self._delete("fact_set", used)
        self._delete("fact", facts)
        self._set_number(_SWEPT, len(used))
        self._table = None

    def sizes(self) -> dict[str, int]:
        """Return how much there is of what."""
        table = self._facts()
        sets = {row.set_id for _, rows in self._rows() for row in rows} & table.sets.keys()
        return {
            "facts": len(table.facts),
            "sets of facts": len(sets),
            "environments": len({_environment(table)(one) for one in sets}),
        }

    def _facts(self) -> FactTable:
        """Return the facts and sets as they are now, read anew only if another connection has written."""
        (version,) = self._db.execute("PRAGMA data_version").fetchone()
        if self._table is None or version != self._table_version:
            self._table, self._table_version = self._read_facts(), version
        return self._table

    def _read_facts(self) -> FactTable:
        table = FactTable()
        for key, *texts in self._db.execute("SELECT id, kind, key, value FROM fact"):
            table.add_fact(key, Fact(*map(as_text, texts)))
        rows = self._db.execute("SELECT id, digest, base, difference FROM fact_set ORDER BY base IS NOT NULL")
        for key, digest, base, packed in rows:
            stored = _checked(table, key, int.from_bytes(digest, "big"), base, packed)
            if stored is not None:
                table.add_set(stored)
        return table

    def _rows(self) -> Iterator[tuple[str, list[TraceRow]]]:
        for name, packed in self._db.execute("SELECT name, traces FROM test ORDER BY name"):
            test = as_text(name)
            rows = unpack_rows(test, packed)
            if rows is None:
                self.num_damaged += 1
            else:
                yield test, rows

    def _rows_of(self, test: str) -> list[TraceRow]:
        row = self._db.execute("SELECT traces FROM test WHERE name = ?", (as_stored(test),)).fetchone()
        return [] if row is None else unpack_rows(test, row[0]) or []

    def _write(self, test: str, rows: list[TraceRow]) -> None:
        name = as_stored(test)
        if rows:
            self._db.execute("INSERT OR REPLACE INTO test VALUES (?, ?)", (name, pack_rows(test, rows)))
        else:
            self._db.execute("DELETE FROM test WHERE name = ?", (name,))

    def _kept(self, rows: Iterable[TraceRow], table: FactTable, most: int) -> list[TraceRow]:
        undamaged = [one for one in rows if one.set_id in table.sets]
        return kept_rows(undamaged, _environment(table), lambda key: table.sets[key].digest, most)

    def _offer_base(self, rows: Iterable[TraceRow], table: FactTable, nearest: Nearest) -> None:
        """Let the next set be near to the one that its test had."""
        for row in rows:
            if (stored := table.sets.get(row.set_id)) is not None:
                nearest.offer(stored.base or stored)

    def _intern(self, facts: AbstractSet[Fact], table: FactTable, nearest: Nearest) -> int:
        """Return the number of the set of *facts*, which is written if it is new."""
        try:
            ids = frozenset(map(table.ids.__getitem__, facts))
        except KeyError:
            self._add_facts(facts, table)
            ids = frozenset(map(table.ids.__getitem__, facts))
        digest = table.digest(ids)
        known = table.set_with(digest)
        if known is not None:
            return known
        base, difference = nearest.difference(ids)
        numbers = sorted(difference)
        cursor = self._db.execute(
            "INSERT INTO fact_set (digest, base, difference) VALUES (?, ?, ?)",
            (digest.to_bytes(DIGEST_BYTES, "big"), base, pack(numbers)),
        )
        key = cursor.lastrowid or 0
        whole = None if base is None else table.sets[base]
        stored = StoredFacts(table, key, whole, array("Q", numbers), digest)
        table.add_set(stored)
        nearest.offer(whole or stored)
        return key

    def _add_facts(self, facts: AbstractSet[Fact], table: FactTable) -> None:
        for fact in sorted(one for one in facts if one not in table.ids):
            cursor = self._db.execute("INSERT INTO fact (kind, key, value) VALUES (?, ?, ?)", [*map(as_stored, fact)])
            table.add_fact(cursor.lastrowid or 0, fact)

    def _delete(self, name: str, used: set[int]) -> None:
        """Delete the rows of the table *name* whose numbers are not *used*."""
        unused = [(key,) for (key,) in self._db.execute(f"SELECT id FROM {name}") if key not in used]  # noqa: S608 - one of our two tables
        self._db.executemany(f"DELETE FROM {name} WHERE id = ?", unused)  # noqa: S608 - as above

    def _number(self, name: str) -> int:
        row = self._db.execute("SELECT value FROM number WHERE name = ?", (name,)).fetchone()
        return 0 if row is None else int(row[0])

    def _set_number(self, name: str, value: int) -> None:
        self._db.execute("INSERT OR REPLACE INTO number VALUES (?, ?)", (name, value))


def _checked(table: FactTable, key: int, digest: int, base: int | None, packed: bytes) -> StoredFacts | None:
    """Return the set, or None if it, its base or any of its facts is not what was written."""
    whole = None if base is None else table.sets.get(base)
    if base is not None and whole is None:
        return None
    try:
        difference = unpack(packed)
        found = table.digest(difference) ^ (0 if whole is None else whole.digest)
    except (KeyError, ValueError):
        return None
    return StoredFacts(table, key, whole, difference, digest) if found == digest else None


def _environment(table: FactTable) -> Callable[[int], frozenset[int]]:
    return lambda key: table.sets[key].matching_ids(_is_environment)


def _is_environment(fact: Fact) -> bool:
    return fact.kind == kinds.ENVIRONMENT and fact.key not in OF_SOME
