import re
from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.wiremap.graph.strategies import graphs
from tests.wiremap.render.golden import assert_golden
from tests.wiremap.render.samples import NASTY, bindings, component, crowd, moe_engine, nasty
from wiremap import Binding, Component, Containment, Graph
from wiremap.render import mermaid_parts, render_mermaid
from wiremap.render.diagram import LEGEND

NODE = r"c__\w+\[QUOTED\]"
EDGE = r"c__\w+ -->(\|QUOTED\|)? c__\w+"
STYLE = r"linkStyle [\d,]+ stroke:#\w+(,color:#\w+)?"
GROUP = r"subgraph in_c__\w+\[QUOTED\]|end"
LINE = re.compile(rf" +({NODE}|{EDGE}|{STYLE}|{GROUP})")


def _assert_drawable(text: str) -> None:
    """What was learned from Mermaid 10, 11 and 12 in a browser, without one."""
    assert len(text.encode("utf-16-le")) // 2 <= 50_000
    assert len(_edges(text)) <= 500
    head, *lines = text.splitlines()
    assert head == "flowchart LR"
    notes = [line for line in lines if line.startswith("  %% ")]
    assert lines[: len(notes)] == notes
    for line in lines[len(notes) :]:
        assert LINE.fullmatch(re.sub(r'"[^"]*"', "QUOTED", line)), line
    assert not any(set('{}<>`"') & set(note) for note in notes)
    for shown in re.findall(r'"([^"]*)"', text):
        _assert_no_syntax(shown)


def _assert_no_syntax(shown: str) -> None:
    plain = re.sub(r"#\d+;|<br/>", "", shown)
    # "#": escapes; "`": Markdown; ":" icons, links and lost ends of escapes; "%", "{": directives; "<", "&": HTML.
    assert not re.search("[#`:%{}<>&|;*\\\\\ufb02]", plain), shown
    assert not re.search(r"#92;n", shown), "a backslash and an n break the line"


def _edges(text: str) -> list[tuple[str, str]]:
    return re.findall(r"^  (c__\w+) -->(?:\|.*\|)? (c__\w+)$", text, re.MULTILINE)


def _handles(text: str) -> list[str]:
    return re.findall(r"^ +(c__\w+)\[", text, re.MULTILINE)


def test_an_engine_as_mermaid() -> None:
    assert_golden("moe_engine.mmd", render_mermaid(moe_engine()))


def test_nasty_names_as_mermaid() -> None:
    assert_golden("nasty.mmd", render_mermaid(nasty()))


def test_a_crowd_as_mermaid() -> None:
    assert_golden("crowd.mmd", render_mermaid(crowd()))


@given(graphs(depth=2))
def test_every_graph_can_be_drawn(graph: Graph) -> None:
    _assert_drawable(render_mermaid(graph))


@given(
    st.text(
        alphabet=st.sampled_from("`#;&<>\"'|[](){}%:*_~$@\\/.,-=+!? \n\tonx\u05e9\ufb02\u202e\U0001f680"), min_size=1
    )
)
def test_every_name_can_be_drawn(name: str) -> None:
    graph = Graph((component(name), component("other")), (Binding("other", name, name),), nested={name: _local(name)})

    _assert_drawable(render_mermaid(graph))


def _local(name: str) -> Graph:
    return Graph((component(name), component(f"{name} inside")), (Binding(f"{name} inside", "x", name),))


def test_names_that_look_alike_stay_apart() -> None:
    handles = _handles(render_mermaid(nasty()))

    assert len(handles) == len(set(handles)) == len(NASTY)


@given(st.lists(st.tuples(*2 * [st.from_regex(r"[a-c_.]{1,4}", fullmatch=True)]), min_size=1, max_size=8, unique=True))
def test_no_two_edges_have_the_same_ends_in_a_row(pairs: list[tuple[str, str]]) -> None:
    """Mermaid names an edge by joining its ends with an underscore, and fails where two get one name."""
    names = sorted({name for pair in pairs for name in pair})
    graph = Graph(tuple(map(component, names)), tuple(Binding(one, "x", other) for one, other in pairs))

    edges = _edges(render_mermaid(graph, fold=False))

    assert len({f"L_{one}_{other}" for one, other in edges}) == len(set(pairs))


def test_cells_are_blue_and_containment_is_grey() -> None:
    lines = render_mermaid(moe_engine(), nested=False).splitlines()

    assert lines[-2:] == [
        "  linkStyle 0,1,2 stroke:#2563eb,color:#2563eb",
        "  linkStyle 3,4,5 stroke:#9ca3af",
    ]


def test_a_local_graph_without_components_of_its_own_is_no_subgraph() -> None:
    graph = Graph((component("R"),), nested={"R": Graph((component("R"),), tuple(bindings("R", "R", "x")))})

    assert "subgraph" not in render_mermaid(graph)
    assert '-->|"x"|' in render_mermaid(graph)


def test_an_empty_graph_is_an_empty_flowchart() -> None:
    assert render_mermaid(Graph()) == f"flowchart LR\n  %% {LEGEND}\n"


def _ring(size: int) -> Iterator[Binding]:
    return (Binding(f"n{n}", f"c{step}", f"n{(n + step) % size}") for n in range(size) for step in range(1, 4))


def _many(count: int, name: str = "n{}") -> tuple[Component, ...]:
    return tuple(component(name.format(number)) for number in range(count))


LARGE = {
    "crowd": crowd(),
    "flat": Graph(_many(900), tuple(_ring(900))),
    "names": Graph(_many(150, "pkg.mod." * 40 + "{}")),
    "cells": Graph((component("a"), component("b")), tuple(Binding("a", f"cell_{n:04}", "b") for n in range(9000))),
    "held": Graph(_many(700), (), tuple(Containment(f"n{n}", "n0") for n in range(700))),
    "astral": Graph(_many(40, "{}" + "\U0001f680" * 2000)),
    "nested": Graph(
        components=(component("R"), component("E")),
        nested={"R": replace(crowd(), components=(component("R"), *crowd().components))},
    ),
}


@pytest.mark.parametrize("graph", LARGE.values(), ids=LARGE)
def test_what_mermaid_would_refuse_is_drawn_in_parts_that_it_takes(graph: Graph) -> None:
    parts = list(mermaid_parts(graph))

    for part in parts:
        _assert_drawable(part.text)
    assert parts[0].text == render_mermaid(graph)
    assert parts[0].title == "Overview"
    assert "%% Mermaid draws at most 50,000 characters and 500 edges." in parts[0].text


def test_every_component_is_in_some_part() -> None:
    shown = "\n".join(part.text for part in mermaid_parts(crowd()))

    assert all(f'["{name}' in shown for name in crowd().ids)


def test_an_overview_says_what_it_leaves_out() -> None:
    assert "  %% - left to a part of its own: inside R, 401 components" in render_mermaid(LARGE["nested"])


def test_parts_of_parts_say_where_they_belong() -> None:
    assert [part.title for part in mermaid_parts(LARGE["nested"])][:3] == ["Overview", "inside R", "inside R, pkg0"]
