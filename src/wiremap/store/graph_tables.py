"""The tables of compiled graphs: each once, and for each test those that it builds.

A test is seen to build graphs in two ways: it ran, or it was compiled, which tells of tests that never ran here.
What a later look in the same way finds takes the place of what an earlier one did.
"""

import sqlite3
from collections.abc import Iterable, Mapping
from typing import Literal

from wiremap.store.text import as_stored, as_text

SCHEMA = """
CREATE TABLE graph (digest TEXT PRIMARY KEY, json TEXT);
CREATE TABLE test_graph (way TEXT, test, digest TEXT, PRIMARY KEY (way, test, digest)) WITHOUT ROWID;
"""

Way = Literal["run", "compiled"]
"""How it was seen which graphs a test builds."""

Builders = Mapping[str, Iterable[str]]
"""The digests of the graphs that tests build, by test. One that builds none has none."""


class GraphTables:
    """Reads and writes them; transactions are the caller's."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._db = connection

    def all(self) -> dict[str, str]:
        """Return the JSON of every graph, by digest."""
        return dict(self._db.execute("SELECT digest, json FROM graph ORDER BY digest"))

    def builders(self, way: Way) -> dict[str, list[str]]:
        """Return the sorted digests of the graphs that each test was seen to build in that *way*, by test."""
        rows = self._db.execute("SELECT test, digest FROM test_graph WHERE way = ? ORDER BY test, digest", (way,))
        found: dict[str, list[str]] = {}
        for test, digest in rows:
            found.setdefault(as_text(test), []).append(digest)
        return found

    def record(self, way: Way, graphs: Mapping[str, str], builders: Builders) -> None:
        """Add *graphs* (JSON by digest), and for the tests of *builders* replace what was known of them."""
        self._db.executemany("INSERT OR REPLACE INTO graph VALUES (?, ?)", sorted(graphs.items()))
        known = {name for (name,) in self._db.execute("SELECT DISTINCT test FROM test_graph WHERE way = ?", (way,))}
        again = [(way, name) for test in builders if (name := as_stored(test)) in known]  # most tests build none
        self._db.executemany("DELETE FROM test_graph WHERE way = ? AND test = ?", again)
        self._insert(way, builders)
        self._drop_unused()

    def add(self, graphs: Mapping[str, str], builders: Mapping[Way, Builders]) -> None:
        """Add *graphs* and who builds them, and forget none."""
        self._db.executemany("INSERT OR IGNORE INTO graph VALUES (?, ?)", sorted(graphs.items()))
        for way, of_way in builders.items():
            self._insert(way, of_way)

    def forget_compiled(self, but: Iterable[str]) -> None:
        """Forget what was compiled of all tests *but* these."""
        kept = {as_stored(test) for test in but}
        known = self._db.execute("SELECT DISTINCT test FROM test_graph WHERE way = 'compiled'")
        gone = [(name,) for (name,) in known if name not in kept]
        self._db.executemany("DELETE FROM test_graph WHERE way = 'compiled' AND test = ?", gone)
        self._drop_unused()

    def sweep(self) -> None:
        """Forget what tests built when they ran that have no trace any more."""
        self._db.execute("DELETE FROM test_graph WHERE way = 'run' AND test NOT IN (SELECT name FROM test)")
        self._drop_unused()

    def _insert(self, way: Way, builders: Builders) -> None:
        rows = [(way, as_stored(test), digest) for test, digests in builders.items() for digest in digests]
        self._db.executemany("INSERT OR IGNORE INTO test_graph VALUES (?, ?, ?)", rows)

    def _drop_unused(self) -> None:
        self._db.execute("DELETE FROM graph WHERE digest NOT IN (SELECT digest FROM test_graph)")
