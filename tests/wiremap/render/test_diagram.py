import re
from collections.abc import Callable

import pytest
from hypothesis import given, settings

from tests.wiremap.graph.strategies import graphs
from tests.wiremap.render.samples import bindings, component, marked, moe_engine, nested_deeply
from wiremap import Binding, Containment, Graph
from wiremap.render import render_dot, render_markdown, render_mermaid, render_svg, render_text
from wiremap.render.diagram import LEGEND, CellEdge, ContainmentEdge, diagram_of


def test_cells_of_one_pair_share_one_edge() -> None:
    graph = Graph(
        components=(component("a"), component("b")),
        bindings=(*bindings("a", "b", "y x"), *bindings("a", "b", "s", state=True)),
    )

    assert diagram_of(graph).cells == (CellEdge("a", "b", (("s", "state"), ("x", "method"), ("y", "method"))),)


def test_containment_leads_from_the_contained_to_its_container() -> None:
    assert ContainmentEdge("Scheduler", "LLMEngine") in diagram_of(moe_engine()).containment


def test_nodes_come_providers_first() -> None:
    labels = [node.label for node in diagram_of(moe_engine()).nodes]

    assert labels == ["BlockManager", "ModelRunner", "Scheduler", "LLMEngine"]


def test_a_local_graph_is_a_group_that_shares_its_owner() -> None:
    group = diagram_of(moe_engine()).groups["ModelRunner"]

    assert "ModelRunner" not in [node.label for node in group.nodes]
    assert "ModelRunner/MoeBackend" in [node.key for node in group.nodes]
    assert ("ModelRunner/MoeBackend", "ModelRunner") in [(edge.provider, edge.consumer) for edge in group.cells]


def test_local_graphs_can_be_left_out() -> None:
    assert diagram_of(moe_engine(), nested=False).groups == {}


def test_titles_tell_how_many_components_a_node_stands_for() -> None:
    group = diagram_of(moe_engine()).groups["ModelRunner"]

    titles = [node.title for node in group.nodes if node.count > 1]
    assert titles[0] == "Qwen3MoeForCausalLM.model.layers.[0..3].mlp.dispatch \u00d74"
    assert not any(node.count > 1 for part in diagram_of(moe_engine(), fold=False).walk() for node in part.nodes)


@settings(deadline=None)
@given(graphs(depth=2))
def test_keys_are_unique_over_all_groups(graph: Graph) -> None:
    keys = [node.key for part in diagram_of(graph).walk() for node in part.nodes]

    assert len(keys) == len(set(keys))


def test_a_slash_in_an_id_makes_no_key_ambiguous() -> None:
    local = Graph((component("a"), component("b")))
    graph = Graph((component("a"), component("a/b")), nested={"a": local})

    assert [node.key for part in diagram_of(graph).walk() for node in part.nodes] == ["a", "a/b", "a/b'"]


def test_names_are_shown_legibly() -> None:
    graph = Graph((component("two\nlines", "T\t"), component("b")), (Binding("two\nlines", "\u202ex", "b"),))

    diagram = diagram_of(graph)

    assert diagram.nodes[0].lines == ("two\\nlines", "T\\t")
    assert diagram.cells[0].cells == (("\\u202ex", "method"),)


def test_that_a_component_holds_itself_is_not_drawn() -> None:
    assert diagram_of(Graph((component("a"),), containment=(Containment("a", "a"),))).containment == ()


@settings(deadline=None)
@given(graphs(depth=2))
def test_every_end_of_an_edge_is_a_node(graph: Graph) -> None:
    parts = list(diagram_of(graph).walk())

    keys = [node.key for part in parts for node in part.nodes]
    ends = {end for part in parts for edge in part.cells for end in (edge.provider, edge.consumer)}
    ends |= {end for part in parts for pair in part.containment for end in (pair.child, pair.parent)}
    assert ends <= set(keys)


def test_a_node_shows_its_tags_and_its_extension() -> None:
    cache, _ = diagram_of(marked()).nodes

    assert cache.lines == ("cache", "Cache", "tags: gpu, paged", "extension: flash")


@pytest.mark.parametrize("render", [render_text, render_mermaid, render_markdown, render_dot, render_svg])
def test_every_picture_shows_marks_interfaces_and_which_cells_are_state(render: Callable[[Graph], str]) -> None:
    text = render(marked())

    for told in ("gpu, paged", "flash", "blocks.read", "blocks.size"):
        assert told in text
    assert re.search(r"blocks\.size \(state\)", text)


@pytest.mark.parametrize("render", [render_mermaid, render_markdown, render_dot])
def test_pictures_say_what_the_colours_mean(render: Callable[[Graph], str]) -> None:
    assert LEGEND in render(marked())


@pytest.mark.parametrize("render", [render_text, render_dot, render_svg])
def test_text_grows_with_the_depth_of_nesting_and_not_with_its_square(render: Callable[[Graph], str]) -> None:
    sizes = [len(render(nested_deeply(depth))) for depth in (40, 80, 120)]

    assert sizes[2] - sizes[1] < 1.2 * (sizes[1] - sizes[0])
