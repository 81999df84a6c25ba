import os
import sqlite3
import stat
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wiremap.errors import MapUnavailableError
from wiremap.selection.facts import Fact, Outcome, Trace
from wiremap.store.map import Map

_words = st.text(max_size=6)
_facts = st.builds(Fact, _words, _words, _words)
_traces = st.builds(
    Trace,
    test=st.sampled_from(("test_a", "test_b", "test_ü[x y]")),
    facts=st.frozensets(_facts, max_size=6),
    outcome=st.sampled_from(get_args(Outcome)),
    duration=st.floats(0, 100),
)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Map]:
    opened = Map(tmp_path / ".wiremap")
    yield opened
    opened.close()


def facts(*values: str) -> frozenset[Fact]:
    return frozenset(Fact("file", "data.txt", value) for value in values)


def trace(test: str, *values: str, outcome: Outcome = "passed") -> Trace:
    return Trace(test, facts(*values), outcome, duration=0.5)


def record(store: Map, *traces: Trace) -> None:
    with store:
        store.record(traces)


# Traces.


@given(st.lists(_traces, max_size=8))
def test_what_was_recorded_comes_back(traces: list[Trace]) -> None:
    latest = {(one.test, one.facts): (one.outcome, one.duration) for one in traces}

    with tempfile.TemporaryDirectory() as folder:
        written = Map(Path(folder))
        record(written, *traces)
        written.close()
        read = Map(Path(folder))
        stored = read.traces()
        read.close()

    found = {(one.test, one.facts): (one.outcome, one.duration) for each in stored.values() for one in each}
    assert found == latest
    assert all(test == one.test for test, each in stored.items() for one in each)


def test_a_trace_replaces_an_earlier_one_of_equal_facts(store: Map) -> None:
    record(store, trace("t", "1", outcome="failed"))

    record(store, trace("t", "1"))

    (found,) = store.traces()["t"]
    assert (found.outcome, found.sequence) == ("passed", 2)


def test_traces_of_other_facts_are_kept_beside_it(store: Map) -> None:
    record(store, trace("t", "1"))
    record(store, trace("t", "2"))

    assert [(one.facts, one.sequence) for one in store.traces()["t"]] == [(facts("1"), 1), (facts("2"), 2)]


def test_recording_one_test_forgets_no_other(store: Map) -> None:
    record(store, trace("a", "1"), trace("b", "1"))

    record(store, trace("a", "2"))

    assert set(store.traces()) == {"a", "b"}
    assert [one.facts for one in store.traces()["b"]] == [facts("1")]


def test_the_oldest_traces_of_a_test_are_forgotten(store: Map) -> None:
    for number in range(12):
        record(store, trace("t", str(number)))

    values = [next(iter(one.facts)).value for one in store.traces()["t"]]

    assert values == ["4", "5", "6", "7", "8", "9", "10", "11"]


def test_facts_that_no_trace_holds_any_more_are_swept(store: Map) -> None:
    for number in range(12):
        record(store, trace("t", str(number)))

    (left,) = store._db.execute("SELECT count(*) FROM fact").fetchone()

    assert left == 8


def test_tests_of_equal_facts_share_one_set(store: Map) -> None:
    record(store, *(trace(f"t{number}", "1", "2") for number in range(50)))

    (sets,) = store._db.execute("SELECT count(*) FROM fact_set").fetchone()

    assert sets == 1


# Transactions.


def test_an_exception_leaves_the_map_as_it_was(store: Map) -> None:
    record(store, trace("kept", "1"))

    with pytest.raises(KeyboardInterrupt), store:
        store.record(_one_and_then_an_interrupt())

    assert set(store.traces()) == {"kept"}


def test_two_maps_of_one_folder_see_one_another(store: Map, tmp_path: Path) -> None:
    other = Map(tmp_path / ".wiremap")

    record(store, trace("a", "1"))
    record(other, trace("b", "1"))

    assert set(store.traces()) == set(other.traces()) == {"a", "b"}
    other.close()


def test_a_closed_map_is_one_file(tmp_path: Path) -> None:
    store = Map(tmp_path)
    record(store, trace("a", "1"))

    store.close()

    assert sorted(path.name for path in tmp_path.iterdir()) == [".gitignore", "CACHEDIR.TAG", "map.sqlite"]


# Other contents.


def test_callers_come_back_by_callee(store: Map) -> None:
    with store:
        store.record_calls({("a.py::f", "b.py::g"), ("a.py::h", "b.py::g")})
        store.record_calls({("a.py::f", "b.py::g")})

    assert store.calls() == {"b.py::g": {"a.py::f", "a.py::h"}}


def test_graphs_are_kept_while_a_test_builds_them(store: Map) -> None:
    with store:
        store.record_graphs({"d1": "{1}", "d2": "{2}"}, {"t": ["d1", "d2"], "u": ["d1"]})
        store.record_graphs({}, {"t": ["d1"]})

    assert store.graphs() == {"d1": "{1}"}
    assert store.graphs_of("t") == ["d1"]
    assert store.graphs_of("unknown") == []


def test_the_baseline_is_replaced_as_a_whole(store: Map) -> None:
    with store:
        store.record_baseline({"a.py": "1", "b.py": "1"})
        store.record_baseline({"b.py": "2"})

    assert store.baseline() == {"b.py": "2"}


def test_file_digests_come_back_with_times_and_size(store: Map) -> None:
    with store:
        store.record_files({"a.py": (1, 1, 2, "x")})
        store.record_files({"a.py": (3, 3, 4, "y"), "b.py": (5, 5, 6, "z")})

    assert store.file_digests() == {"a.py": (3, 3, 4, "y"), "b.py": (5, 5, 6, "z")}


def test_units_of_a_source_are_those_of_one_flavour(store: Map) -> None:
    with store:
        store.record_sources({"digest": ("units", "module")}, flavour="3.11")

    assert store.source("digest", "3.11") == store.source_of_module("module", "3.11") == "units"
    assert store.source("digest", "3.12") is store.source_of_module("module", "3.12") is None
    assert store.source("other", "3.11") is store.source_of_module("other", "3.11") is None


def test_names_that_libraries_know_add_up(store: Map) -> None:
    assert store.outside_names() is None

    for names in ({"flush", "write"}, {"code"}, {"write"}):
        with store:
            store.record_outside_names(frozenset(names))

    assert store.outside_names() == frozenset({"code", "flush", "write"})


# The folder.


def test_the_folder_tells_git_and_backups_to_leave_it_alone(store: Map) -> None:
    folder = store.path.parent

    assert "*" in (folder / ".gitignore").read_text().splitlines()
    assert (folder / "CACHEDIR.TAG").read_text().startswith("Signature: 8a477f597d28d172789f06886806bc55")


def test_a_damaged_file_is_set_aside_and_said_so(tmp_path: Path) -> None:
    (tmp_path / "map.sqlite").write_bytes(b"no database at all" * 100)

    store = Map(tmp_path)

    assert store.traces() == {}
    assert "damaged" in store.notes[0]
    assert (tmp_path / "map.kept-1.sqlite").read_bytes().startswith(b"no database")
    store.close()


def test_a_map_of_another_format_is_set_aside_and_said_so(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "map.sqlite") as other:
        other.execute("PRAGMA user_version = 99")
    other.close()

    store = Map(tmp_path)

    assert store.traces() == {}
    assert "format 99" in store.notes[0]
    store.close()


def test_maps_that_were_set_aside_are_never_overwritten(tmp_path: Path) -> None:
    for number in (1, 2):
        (tmp_path / "map.sqlite").write_bytes(b"damage %d " % number * 100)
        Map(tmp_path).close()

    assert (tmp_path / "map.kept-1.sqlite").read_bytes().startswith(b"damage 1")
    assert (tmp_path / "map.kept-2.sqlite").read_bytes().startswith(b"damage 2")


def test_a_folder_that_cannot_be_made_is_told_with_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(MapUnavailableError, match=r"Make the folder writable, or delete it.*\[map-unavailable\]"):
        Map(tmp_path / "file" / ".wiremap")


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="needs a user whom permissions bind")
def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    tmp_path.chmod(stat.S_IRUSR | stat.S_IXUSR)

    with pytest.raises(MapUnavailableError):
        Map(tmp_path / ".wiremap")

    tmp_path.chmod(stat.S_IRWXU)


def _one_and_then_an_interrupt() -> Iterator[Trace]:
    yield trace("lost", "1")
    raise KeyboardInterrupt
