"""Maps that travel: what goes out comes in, in any order, any number of times, and nothing else does."""

import copy
import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from tests.wiremap.store.strategies import contents
from wiremap.graph import Graph
from wiremap.registry import RegistryOrchestrator
from wiremap.selection.facts import Fact, Trace
from wiremap.store.exchange import Contents, contents_of, from_document, merge, to_document
from wiremap.store.map import Baseline, Map


def merged(*several: Contents) -> str:
    """Return the export of an empty map into which *several* were merged, in order."""
    store = Map(Path(os.devnull, ".wiremap"))  # no folder can be there, so the map is held in memory
    for one in several:
        with store:
            merge(store, one)
    found = json.dumps(to_document(contents_of(store)))
    store.close()
    return found


def read(text: str) -> Contents:
    return from_document(json.loads(text))


@given(contents())
def test_what_is_exported_comes_in_as_it_was(one: Contents) -> None:
    exported = merged(one)

    assert merged(read(exported)) == exported


@given(contents(), contents())
def test_the_order_of_two_maps_is_no_matter(one: Contents, other: Contents) -> None:
    assert merged(one, other) == merged(other, one)


@given(contents(), contents(), contents())
def test_maps_may_be_merged_on_the_way(one: Contents, other: Contents, third: Contents) -> None:
    assert merged(read(merged(one, other)), third) == merged(one, read(merged(other, third)))


@given(contents(), contents())
def test_what_is_there_already_changes_nothing(one: Contents, other: Contents) -> None:
    together = merged(one, other)

    assert merged(read(together), one, other, read(together)) == together


def test_the_records_of_two_shards_make_the_whole() -> None:
    facts = frozenset({Fact("file", "data.txt", "1")})
    shards = [Contents(traces=[Trace(test, facts, "passed", 0.1, sequence=5)]) for test in ("a", "b")]

    assert {trace.test for trace in read(merged(*shards)).traces} == {"a", "b"}


def test_names_that_libraries_know_travel_with_the_records() -> None:
    told, other, silent = (
        Contents(traces=[Trace(test, frozenset(), "passed", 0.1)], outside=outside)
        for test, outside in (("a", frozenset({"flush"})), ("b", frozenset({"write"})), ("c", None))
    )

    assert read(merged(told, other)).outside == frozenset({"flush", "write"})
    assert read(merged(told, silent, other)).outside is None


def test_what_is_recorded_after_a_merge_is_later_than_all_that_came_in(tmp_path: Path) -> None:
    ahead = 1 << 50  # a machine whose clock is wrong
    store = Map(tmp_path)
    with store:
        merge(store, Contents(traces=[Trace("t", frozenset(), "passed", 0.1, ahead)]))

        assert store.record([Trace("t", frozenset(), "failed", 0.1)]) > ahead
    store.close()


def test_a_map_keeps_its_own_baseline_and_takes_another_while_it_has_none(tmp_path: Path) -> None:
    store = Map(tmp_path)
    with store:
        merge(store, Contents(baseline=Baseline(1 << 50, {"a.py": "theirs"})))
    assert store.baseline() == {"a.py": "theirs"}

    with store:
        store.record_baseline({"a.py": "ours"})

    assert store.baseline() == {"a.py": "ours"}
    assert contents_of(store).baseline == Baseline(1 << 50, {"a.py": "theirs"})
    store.close()


def test_graphs_travel_with_the_tests_that_built_them() -> None:
    graph = _graph()
    one = Contents(
        traces=[Trace("t", frozenset(), "passed", 0.1)],
        graphs={graph.digest: graph.to_json()},
        builders={"t": [graph.digest]},
    )

    found = read(merged(one))

    assert (found.graphs, found.builders) == (one.graphs, one.builders)


def test_time_stamps_and_parsed_sources_do_not_travel(tmp_path: Path) -> None:
    store = Map(tmp_path)
    with store:
        store.record_files({"secret.py": (123456789, 123456789, 5, "digest")})
        store.record_sources({"digest": ("parsed", "outline", "top level")}, "flavour")

    text = json.dumps(to_document(contents_of(store)))

    assert not any(word in text for word in ("secret", "123456789", "parsed", str(tmp_path)))
    store.close()


# What is refused.


def _graph() -> Graph:
    class Clock:
        def time(self) -> int:
            return 0

    orch = RegistryOrchestrator()
    orch.add(Clock())
    return orch.compile()


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    """A document with something in each of its parts."""
    graph = _graph()
    facts = frozenset(Fact("file", f"{number}.txt", "1") for number in range(9))
    exported = merged(
        Contents(
            traces=[Trace("t", facts, "passed", 0.1, 7), Trace("u", facts - {min(facts)}, "failed", 0.1, 7)],
            graphs={graph.digest: graph.to_json()},
            builders={"t": [graph.digest]},
            calls=frozenset({("a.py::f", "a.py::g")}),
            baseline=Baseline(7, {"a.py": "digest"}),
        )
    )
    made: dict[str, Any] = json.loads(exported)
    return made


def _spoil(path: str, value: object) -> Callable[[dict[str, Any]], None]:
    """Return what sets the place at *path*, keys and positions divided by spaces, to *value*."""

    def change(document: Any) -> None:
        *steps, last = [int(step) if step.isdigit() else step for step in path.split()]
        for step in steps:
            document = document[step]
        document[last] = value

    return change


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        ("schema", "wiremap.map/2", "its schema is 'wiremap.map/2', and this version of wiremap reads 'wiremap.map/1'"),
        ("more", 1, "it lacks [] or has ['more']"),
        ("facts", {}, "`facts` is {} instead of a list"),
        ("facts 0", ["file", "x"], "instead of a list of 3"),
        ("facts 0 1", 5, "a part of a fact is 5 instead of a text"),
        ("facts 0 1", "nul\0", "a part of a fact is"),
        ("facts 0 1", "zzz", "its facts are not in order"),
        ("facts 0 1", "/etc/passwd", "the path '/etc/passwd' leads out of the project"),
        ("facts 8 1", "C:\\boot.ini", "leads out of the project"),
        ("sets 0", [0], "instead of a list of 2"),
        ("sets 0 0", 1, "the base of a set is 1 instead of a number from 0 to 0"),
        ("sets 0 1 0", 0, "a gap is 0 instead of a number from 1"),
        ("sets 0 1 0", True, "a gap is True instead of a number"),
        ("sets 0 1 0", 9, "a set holds facts that are not there"),
        ("tests t", 1, "the traces of 't' is 1 instead of a list"),
        ("tests t 0", [1, "passed", 0.1], "instead of a list of 4"),
        ("tests t 0 0", 3, "the number of a set is 3 instead of a number from 1 to 2"),
        ("tests t 0 1", "won", "an outcome is 'won'"),
        ("tests t 0 1", ["passed"], "an outcome is ['passed']"),
        ("tests t 0 2", -1, "a duration is -1"),
        ("tests t 0 2", float("inf"), "a duration is inf"),
        ("tests t 0 3", 2**70, "a sequence is"),
        ("tests t 0 3", 0.5, "a sequence is 0.5"),
        ("graphs x", "{}", "This is no graph that Wiremap can read"),
        ("graphs x", _graph().to_json(), "a graph is not the one with the digest 'x'"),
        ("builders t 0", "gone", "a graph of 't' is not there"),
        ("calls 0 0", 9, "a caller is 9"),
        ("units 0", None, "a unit is None"),
        ("outside", 1, "`outside` is 1 instead of a list"),
        ("outside", ["a b"], "a name in `outside` is none"),
        ("baseline", [], "`baseline` is [] instead of a table"),
        ("baseline more", 1, "`baseline` has other keys"),
        ("baseline digests", {"/etc/x.py": "1"}, "leads out of the project"),
    ],
)
def test_a_document_of_which_any_part_is_wrong_is_refused(
    document: dict[str, Any], path: str, value: object, said: str
) -> None:
    spoilt = copy.deepcopy(document)
    _spoil(path, value)(spoilt)

    with pytest.raises(ValueError, match=re.escape(said)):
        from_document(spoilt)


@pytest.mark.parametrize("other", [None, [], "x", 1, {}])
def test_what_is_no_document_is_refused(other: object) -> None:
    with pytest.raises(ValueError, match=r"instead of a table|its schema is"):
        from_document(other)


def test_the_document_that_the_others_spoil_is_fine(document: dict[str, Any]) -> None:
    assert len(from_document(document).traces) == 2
