from hypothesis import given, settings

from tests.wiremap.graph.strategies import graphs
from tests.wiremap.render.golden import assert_golden
from tests.wiremap.render.samples import bindings, component, moe_engine, nasty
from wiremap import Containment, Graph
from wiremap.render import render_text
from wiremap.render.lettering import legible


def test_an_engine_as_text() -> None:
    assert_golden("moe_engine.txt", render_text(moe_engine()))


def test_nasty_names_as_text() -> None:
    assert_golden("nasty.txt", render_text(nasty()))


def test_an_empty_graph_says_so() -> None:
    assert render_text(Graph()) == "Graph: 0 components, 0 bindings\n"


def test_methods_and_state_of_one_pair_stand_on_lines_of_their_own() -> None:
    graph = Graph(
        components=(component("a"), component("b")),
        bindings=(*bindings("a", "b", "y x"), *bindings("a", "b", "s", state=True)),
    )

    assert render_text(graph).splitlines()[2:5] == [
        "a",
        "    → b  x, y",
        "         s (state)",
    ]


def test_long_lists_of_cells_are_wrapped_under_themselves() -> None:
    graph = Graph(
        components=(component("a"), component("b")),
        bindings=tuple(bindings("a", "b", " ".join(f"a_rather_long_name_{i}" for i in range(9)))),
    )

    lines = render_text(graph).splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[4].startswith("         a_rather_long_name_")


def test_a_heading_that_is_too_wide_has_its_place_below() -> None:
    name = "Model.layers." + "deep." * 12 + "attn"
    graph = Graph((component(name, path="engine/layers/attention.py", line=9),))

    assert render_text(graph).splitlines()[2:] == [name, "    engine/layers/attention.py:9"]


def test_wide_letters_take_two_columns() -> None:
    graph = Graph(
        components=(component("p"), component("\u6a21\u578b"), component("runner")),
        bindings=(*bindings("p", "\u6a21\u578b", "x"), *bindings("p", "runner", "y")),
    )

    assert "    \u2192 runner  y\n    \u2192 \u6a21\u578b    x\n" in render_text(graph)


def test_what_is_held_is_one_list() -> None:
    children = [f"child{number}" for number in range(20)]
    graph = Graph(
        components=tuple(map(component, ["Parent", "Parent.own", *children])),
        containment=tuple(Containment(child, "Parent") for child in ["Parent.own", *children]),
    )

    lines = render_text(graph).splitlines()
    at = lines.index("Parent")
    assert lines[at + 1].startswith("    holds .own, child0, child1,")
    assert lines[at + 2].startswith("          child")
    assert max(map(len, lines)) <= 80


@settings(deadline=None)
@given(graphs(depth=2))
def test_nothing_that_is_not_shown_gets_into_the_text(graph: Graph) -> None:
    text = render_text(graph)

    assert all(line.isprintable() or line == legible(line) for line in text.split("\n"))


def test_a_class_in_the_body_of_its_holder_is_told_by_its_whole_name() -> None:
    engine, cache, layer = component("m.Engine"), component("m.Engine.Cache", "Engine.Cache"), component("m.Engine.top")
    held = tuple(Containment(one.id, engine.id) for one in (cache, layer))

    assert "    holds m.Engine.Cache, .top\n" in render_text(Graph((engine, cache, layer), containment=held))
