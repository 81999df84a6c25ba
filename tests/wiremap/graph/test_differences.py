"""A difference as data: its text, its JSON, when it is true."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.wiremap.graph.strategies import graphs, wirings
from wiremap import Binding, Component, Containment, GraphDiff
from wiremap.errors import GraphDiffFormatError
from wiremap.graph import Change

RENAMING = GraphDiff(renamed={"Cache#2": "Cache#3"}, nested={"Cache#3": GraphDiff(renamed={"Cache#2": "Cache#3"})})
FULL = GraphDiff(
    removed=(Component("Cache", "Cache", "m"),),
    added=(Component("pages", "PagedCache", "m"),),
    renamed={"A": "B"},
    changed=(
        Change("B", "type", "T", "U"),
        Change("Scheduler", "parameters", "1", None),
        Change("Scheduler", "tags", ("a", "b"), ("b", "c")),
    ),
    moved=(Change("Scheduler", "source_line", 3, 4),),
    bindings_removed=(Binding("A", "allocate", "Scheduler"),),
    bindings_added=(Binding("pages", "k_cache", "B", "state"), Binding("pages", "take", "B", interface="blocks")),
    containment_removed=(Containment("Cache", "A"),),
    containment_added=(Containment("pages", "B"),),
    nested={"B": GraphDiff(renamed={"A": "B"}, added=(Component("Sampler", "Sampler", "m"),))},
)


@given(st.tuples(wirings(), wirings()) | st.tuples(graphs(), graphs()))
def test_json_round_trips(pair: tuple[Any, Any]) -> None:
    diff = pair[0].diff(pair[1])
    text = diff.to_json()

    assert GraphDiff.from_json(text) == diff
    assert hash(GraphDiff.from_json(text)) == hash(diff)
    assert GraphDiff.from_json(text).to_json() == text


def test_a_difference_reads_line_by_line() -> None:
    assert FULL.describe().splitlines() == [
        "- Cache",
        "+ pages (PagedCache)",
        "A -> B renamed",
        "~ B type T -> U",
        "~ Scheduler parameters",
        "~ Scheduler tags -a +c",
        "- [allocate] A -> Scheduler",
        "+ [k_cache] pages -> B (state)",
        "+ [blocks.take] pages -> B",
        "- Cache in A",
        "+ pages in B",
        "inside B:",
        "  + Sampler",
    ]


def test_no_difference_has_no_lines() -> None:
    assert GraphDiff().describe() == ""


def test_an_owner_that_is_renamed_is_told_once() -> None:
    assert RENAMING.describe() == "Cache#2 -> Cache#3 renamed\n"


def test_renaming_is_a_difference_but_of_names_only() -> None:
    assert RENAMING
    assert RENAMING.is_renaming
    assert FULL
    assert not FULL.is_renaming


def test_a_difference_in_a_local_graph_is_a_difference() -> None:
    inside = GraphDiff(nested={"Runner": GraphDiff(added=(Component("Sampler", "Sampler", "m"),))})

    assert inside
    assert not inside.is_renaming


def test_json_names_its_schema_first() -> None:
    assert FULL.to_json().startswith('{\n  "schema": "wiremap.graph-diff/1"')


def _edit(change: Callable[[dict[str, Any]], object]) -> str:
    document = json.loads(FULL.to_json())
    change(document)
    return json.dumps(document)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: d.update(schema="wiremap.graph/1"), r"schema is 'wiremap.graph/1'.*reads 'wiremap.graph-diff/1'"),
        (lambda d: d.pop("moved"), "a difference has the parts"),
        (lambda d: d.update(renamed=["A"]), "the new ids by the old were expected as 'renamed', not"),
        (lambda d: d.update(renamed={"A": 1}), "the new ids by the old were expected as 'renamed', not"),
        (lambda d: d.update(nested=[]), "differences by their owners were expected as 'nested', not"),
        (lambda d: d["added"][0].pop("tags"), "a component has the fields"),
        (lambda d: d["changed"][0].update(field="colour"), "'colour' can't be the field of a change here"),
        (lambda d: d["changed"][0].update(field="source_line"), "'source_line' can't be the field of a change here"),
        (lambda d: d["moved"][0].update(field="type"), "'type' can't be the field of a change here"),
        (lambda d: d["changed"][0].update(after=["T"]), r"\('T',\) can't be the type of a component"),
        (lambda d: d["nested"]["B"].update(surprise=1), "a difference has the parts"),
    ],
)
def test_unsound_documents_are_refused_with_the_reason(
    change: Callable[[dict[str, Any]], object], message: str
) -> None:
    with pytest.raises(GraphDiffFormatError, match=rf"no difference of graphs that.*{message}"):
        GraphDiff.from_json(_edit(change))
