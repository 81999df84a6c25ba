from tests.wiremap.render.golden import assert_golden
from tests.wiremap.render.samples import bindings, component, moe_engine, nasty
from wiremap import Graph
from wiremap.render import render_text


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
    assert max(map(len, lines)) <= 100
    assert lines[4].startswith("         a_rather_long_name_")
