import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wiremap.selection.facts import Fact, Outcome, Trace
from wiremap.store.map import Map
from wiremap.store.trace_rows import KEPT_PER_ENVIRONMENT

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


def trace(test: str, *values: str, outcome: Outcome = "passed", duration: float = 0.5) -> Trace:
    return Trace(test, facts(*values), outcome, duration)


def record(store: Map, *traces: Trace) -> None:
    with store:
        store.record(traces)
        store.tidy()


# Traces.


@given(st.lists(_traces, max_size=8))
def test_what_was_recorded_comes_back(traces: list[Trace]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        written = Map(Path(folder))
        record(written, *traces)
        written.close()
        read = Map(Path(folder))
        stored = read.traces()
        read.close()

    found = {(one.test, frozenset(one.facts), one.outcome) for each in stored.values() for one in each}
    assert found == {(one.test, one.facts, one.outcome) for one in traces}
    assert all(test == one.test for test, each in stored.items() for one in each)


def test_a_later_run_of_equal_facts_and_outcome_replaces_an_earlier_one(store: Map) -> None:
    record(store, trace("t", "1", duration=1))

    record(store, trace("t", "1", duration=2))

    assert [one.duration for one in store.traces()["t"]] == [2]


def test_another_outcome_of_equal_facts_is_kept_beside_it(store: Map) -> None:
    record(store, trace("t", "1", outcome="failed"))
    record(store, trace("t", "1"))

    assert [one.outcome for one in store.traces()["t"]] == ["failed", "passed"]


def test_traces_of_other_facts_are_kept_beside_it(store: Map) -> None:
    record(store, trace("t", "1"))
    record(store, trace("t", "2"))

    found = store.traces()["t"]

    assert [one.facts for one in found] == [facts("1"), facts("2")]
    assert found[0].sequence < found[1].sequence


def test_recording_one_test_forgets_no_other(store: Map) -> None:
    record(store, trace("a", "1"), trace("b", "1"))

    record(store, trace("a", "2"))

    assert set(store.traces()) == {"a", "b"}
    assert [one.facts for one in store.traces()["b"]] == [facts("1")]


def test_what_came_later_can_be_left_out(store: Map) -> None:
    record(store, trace("t", "1"))
    until = store.latest()
    record(store, trace("t", "2"), trace("u", "1"))

    found = store.traces(until=until)

    assert {test: [one.facts for one in traces] for test, traces in found.items()} == {"t": [facts("1")]}


def test_a_session_may_replace_what_it_recorded_before(store: Map) -> None:
    with store:
        store.record([trace("other", "1")])
        first = store.record([trace("a", "1"), trace("b", "1")])

    with store:
        store.record([trace("a", "2")], instead_of=[first])

    found = {test: [next(iter(one.facts)).value for one in traces] for test, traces in store.traces().items()}
    assert found == {"other": ["1"], "a": ["2"], "b": ["1"]}


def test_the_oldest_traces_of_a_test_are_forgotten(store: Map) -> None:
    for number in range(12):
        record(store, trace("t", str(number)))

    values = [next(iter(one.facts)).value for one in store.traces()["t"]]

    assert values == ["4", "5", "6", "7", "8", "9", "10", "11"]


def test_facts_that_no_trace_holds_any_more_are_swept_in_time(store: Map) -> None:
    for number in range(200):
        record(store, trace("t", str(number)))

    assert len(store.traces()["t"]) == KEPT_PER_ENVIRONMENT
    assert store.sizes()["facts"] < 100


def test_tests_of_equal_facts_share_one_set(store: Map) -> None:
    record(store, *(trace(f"t{number}", "1", "2") for number in range(50)))

    assert store.sizes()["sets of facts"] == 1


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

    files = {path.name: path.stat().st_size for path in tmp_path.iterdir() if path.suffix != ".TAG"}
    assert files.keys() == {".gitignore", "lock.sqlite", store.path.name}
    assert files["lock.sqlite"] == 0


# Other contents.


def test_callers_come_back_by_callee(store: Map) -> None:
    with store:
        store.record_calls({("a.py::f", "b.py::g"), ("a.py::h", "b.py::g")})
        store.record_calls({("a.py::f", "b.py::g")})

    assert store.calls() == {"b.py::g": {"a.py::f", "a.py::h"}}


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
        store.record_sources({"digest": ("units", "outline", "module")}, flavour="3.11")

    assert store.source("digest", "3.11") == store.source_of_module("module", "3.11") == "units"
    assert store.source("digest", "3.12") is store.source_of_module("module", "3.12") is None
    assert store.source("other", "3.11") is store.source_of_module("other", "3.11") is None


def test_an_outline_of_a_source_is_that_of_one_flavour(store: Map) -> None:
    with store:
        store.record_sources({"digest": ("units", "outline", "module")}, flavour="3.11")

    assert store.outline("digest", "3.11") == "outline"
    assert store.outline("digest", "3.12") is store.outline("other", "3.11") is None


def test_a_source_is_kept_as_long_as_a_test_rests_on_its_names(tmp_path: Path) -> None:
    store = Map(tmp_path)
    with store:
        store.record([Trace("t", frozenset({Fact("names", "a.py", "top")}), "passed", 0.1)])
        store.record_sources({"old": ("units", "outline", "top"), "older": ("units", "outline", "gone")}, "3.11")
        store.prune(9, 0)

    assert store.source_of_module("top", "3.11") == "units"
    assert store.source_of_module("gone", "3.11") is store.outline("older", "3.11") is None
    store.close()


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


def _one_and_then_an_interrupt() -> Iterator[Trace]:
    yield trace("lost", "1")
    raise KeyboardInterrupt
