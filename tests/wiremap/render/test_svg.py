import xml.etree.ElementTree as ET

import pytest
from hypothesis import given, settings

from tests.wiremap.graph.strategies import graphs
from tests.wiremap.render.golden import assert_golden
from tests.wiremap.render.samples import NASTY, bindings, component, moe_engine, nasty
from wiremap import Graph
from wiremap.render import render_svg
from wiremap.render.lettering import legible

SVG = "{http://www.w3.org/2000/svg}"


def _parsed(text: str) -> ET.Element:
    return ET.fromstring(text)  # noqa: S314 -- our own


def _texts(text: str) -> list[str]:
    return [str(element.text) for element in _parsed(text).iter(f"{SVG}text")]


def _titles(text: str) -> list[str]:
    return [str(element.text) for element in _parsed(text).iter(f"{SVG}title")]


def test_an_engine_as_svg() -> None:
    assert_golden("moe_engine.svg", render_svg(moe_engine()))


def test_nasty_names_as_svg() -> None:
    assert_golden("nasty.svg", render_svg(nasty()))


@settings(max_examples=50)
@given(graphs(depth=2))
def test_every_graph_gives_well_formed_xml(graph: Graph) -> None:
    root = _parsed(render_svg(graph))

    assert {element.tag.removeprefix(SVG) for element in root.iter()} <= {
        "svg", "title", "desc", "style", "rect", "g", "path", "text",
    }  # fmt: skip


def test_names_are_text_and_never_markup() -> None:
    text = render_svg(nasty())

    assert set(map(legible, NASTY[:-1])) <= set(_texts(text))
    assert "<b>" not in text


def test_titles_tell_what_is_cut() -> None:
    title = f"{'x' * 200}\nT\nengine"

    assert title in _titles(render_svg(Graph((component("x" * 200, "T"),))))


def test_arrows_say_what_they_mean_for_those_who_can_not_see_them() -> None:
    text = render_svg(moe_engine(), nested=False)

    assert "BlockManager hands allocate, can_allocate, can_append, deallocate, may_append to Scheduler" in _titles(text)
    assert "LLMEngine holds Scheduler" in _titles(text)
    assert "LLMEngine holds Scheduler." in str(_parsed(text).findtext(f"{SVG}desc"))


def test_the_legend_explains_what_occurs_and_nothing_else() -> None:
    cells = Graph((component("a"), component("b")), tuple(bindings("a", "b", "x")))

    assert "cells, from provider to consumer" in _texts(render_svg(cells))
    assert not any("containment" in text for text in _texts(render_svg(cells)))


def test_state_cells_are_in_italics() -> None:
    graph = Graph((component("a"), component("b")), tuple(bindings("a", "b", "s", state=True)))

    assert '<text class="state"' in render_svg(graph)
    assert "cells, from provider to consumer; state in italics" in _texts(render_svg(graph))


@pytest.mark.parametrize("name", ["\u05e9\u05dc\u05d5\u05dd", "\u0627\u0644\u0639", "\ufdfd"])
def test_scripts_of_unknown_width_are_made_to_fit(name: str) -> None:
    assert f'lengthAdjust="spacingAndGlyphs">{name}</text>' in render_svg(Graph((component(name),)))


def test_nothing_is_fetched_and_no_id_can_clash() -> None:
    text = render_svg(moe_engine())

    assert text.count("http") == 1  # the namespace
    assert " id=" not in text
    assert "url(" not in text


def test_dark_readers_get_dark_colours() -> None:
    assert "@media (prefers-color-scheme: dark)" in render_svg(Graph())


def test_the_same_graph_gives_the_same_bytes() -> None:
    graph = moe_engine()
    shuffled = Graph(graph.components[::-1], graph.bindings[::-1], graph.containment[::-1], graph.nested)

    assert render_svg(shuffled) == render_svg(graph)
