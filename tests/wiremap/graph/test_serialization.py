import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings

from tests.wiremap.graph.strategies import graphs
from wiremap import Binding, Component, Containment, Graph
from wiremap.errors import GraphFormatError

SMALL = Graph(
    components=(Component("a", "A", "m"), Component("b", "B", "m")),
    bindings=(Binding("a", "x", "b"),),
    containment=(Containment("a", "b"),),
)


@settings(deadline=None)
@given(graphs())
def test_json_round_trips(graph: Graph) -> None:
    text = graph.to_json()

    assert Graph.from_json(text) == graph
    assert Graph.from_json(text).to_json() == text
    assert Graph.from_json(text).digest == graph.digest


def test_json_names_its_schema_first() -> None:
    assert SMALL.to_json().startswith('{\n  "schema": "wiremap.graph/1"')


def test_json_keeps_text_of_all_languages_readable() -> None:
    assert "模型" in Graph((Component("模型", "A", "m"),)).to_json()


def test_unknown_schema_is_refused() -> None:
    text = SMALL.to_json().replace("wiremap.graph/1", "wiremap.graph/99")

    with pytest.raises(GraphFormatError, match=r"schema is 'wiremap.graph/99'.*reads 'wiremap.graph/1'"):
        Graph.from_json(text)


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "[" * 100_000, '{"schema": null}'])
def test_what_is_no_graph_document_is_refused(text: str) -> None:
    with pytest.raises(GraphFormatError, match=r"no graph that Wiremap can read.*\[graph-format\]"):
        Graph.from_json(text)


def _edit(change: Callable[[dict[str, Any]], object]) -> str:
    document = json.loads(SMALL.to_json())
    change(document)
    return json.dumps(document)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda d: d["bindings"][0].update(consumer="nobody"),
            "names 'nobody', and no component has that id",
        ),
        (lambda d: d["containment"][0].update(parent="nobody"), "names 'nobody'"),
        (lambda d: d["nested"].update(nobody={**d, "nested": {}}), "has the parts"),
        (lambda d: d["components"].append(d["components"][0]), "several components have the id 'a'"),
        (lambda d: d["components"].append({**d["components"][0], "id": ""}), "a component has an empty id"),
        (lambda d: d["components"][0].update(colour="red"), "a component has the fields"),
        (lambda d: d["components"][0].pop("tags"), "a component has the fields"),
        (lambda d: d["components"][0].update(tags=[1]), r"\[1\] can't be the tags of a component"),
        (lambda d: d["components"][0].update(source_line=True), "True can't be the source_line"),
        (lambda d: d["bindings"][0].update(kind="magic"), "'magic' can't be the kind of a binding"),
        (lambda d: d.update(bindings="x"), "a list of binding records was expected, not 'x'"),
        (lambda d: d.pop("nested"), "a graph has the parts"),
        (lambda d: d.update(surprise=1), "a graph has the parts"),
    ],
)
def test_unsound_documents_are_refused_with_the_reason(
    change: Callable[[dict[str, Any]], object], message: str
) -> None:
    with pytest.raises(GraphFormatError, match=message):
        Graph.from_json(_edit(change))


def test_a_nested_graph_must_hold_its_owner() -> None:
    with pytest.raises(GraphFormatError, match="nested in 'a' does not hold that component"):
        Graph(SMALL.components, nested={"a": Graph((Component("c", "C", "m"),))})


def test_digest_ignores_where_a_class_stands() -> None:
    moved = Graph((Component("a", "A", "m", "m.py", 7),))

    assert moved.digest == Graph((Component("a", "A", "m", "m.py", 9),)).digest
    assert moved.digest != Graph((Component("a", "A", "n", "m.py", 7),)).digest
