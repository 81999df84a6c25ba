import sqlite3
from collections.abc import Iterator
from contextlib import closing

import pytest

from wiremap.store.graph_tables import SCHEMA, GraphTables


@pytest.fixture
def graphs() -> Iterator[GraphTables]:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(SCHEMA + "CREATE TABLE test (name TEXT PRIMARY KEY);")
        yield GraphTables(connection)


def test_graphs_are_kept_while_a_test_builds_them(graphs: GraphTables) -> None:
    graphs.record("run", {"d1": "{1}", "d2": "{2}"}, {"t": ["d1", "d2"], "u": ["d1"]})
    graphs.record("run", {}, {"t": ["d1"]})

    assert graphs.all() == {"d1": "{1}"}
    assert graphs.builders("run") == {"t": ["d1"], "u": ["d1"]}


def test_a_run_leaves_what_was_compiled_and_the_other_way_round(graphs: GraphTables) -> None:
    graphs.record("compiled", {"d1": "{1}"}, {"t": ["d1"]})
    graphs.record("run", {"d2": "{2}"}, {"t": ["d2"]})
    graphs.record("compiled", {}, {"t": []})

    assert (graphs.builders("run"), graphs.builders("compiled")) == ({"t": ["d2"]}, {})


def test_graphs_of_elsewhere_are_added_and_nothing_is_forgotten(graphs: GraphTables) -> None:
    graphs.record("run", {"d1": "{1}"}, {"t": ["d1"]})
    graphs.add({"d2": "{2}"}, {"run": {"t": ["d2"]}, "compiled": {"u": ["d2"]}})

    assert graphs.builders("run") == {"t": ["d1", "d2"]}
    assert graphs.builders("compiled") == {"u": ["d2"]}


def test_what_tests_without_a_trace_built_is_swept_but_not_what_they_were_compiled_to(graphs: GraphTables) -> None:
    graphs.record("run", {"d1": "{1}"}, {"t": ["d1"]})
    graphs.record("compiled", {"d2": "{2}"}, {"new": ["d2"]})
    graphs.sweep()

    assert graphs.all() == {"d2": "{2}"}


def test_what_was_compiled_of_tests_that_are_gone_is_forgotten(graphs: GraphTables) -> None:
    graphs.record("compiled", {"d1": "{1}", "d2": "{2}"}, {"t": ["d1"], "gone": ["d2"]})
    graphs.forget_compiled(but=["t"])

    assert graphs.all() == {"d1": "{1}"}
