import itertools

import pytest
from hypothesis import given, settings

from tests.wiremap.graph.strategies import graphs
from tests.wiremap.render.samples import bindings, component, moe_engine, nasty
from wiremap import Binding, Containment, Graph
from wiremap.render.diagram import CellEdge, diagram_of
from wiremap.render.figure import Figure, figure_of, width_of
from wiremap.render.layout import Rect


def _figure(graph: Graph) -> Figure:
    return figure_of(diagram_of(graph))


def _holds(outer: Rect, inner: Rect) -> bool:
    return (
        outer.x <= inner.x
        and outer.y <= inner.y
        and inner.right <= outer.right
        and inner.bottom <= outer.bottom
        and outer != inner
    )


def _overlap(one: Rect, other: Rect) -> bool:
    return one.x < other.right and other.x < one.right and one.y < other.bottom and other.y < one.bottom


def _assert_tidy(figure: Figure) -> None:
    """Boxes lie side by side or one in the other, labels on no box but those around them."""
    whole = Rect(0, 0, figure.size.width, figure.size.height)
    labels = [arrow.route.label for arrow in figure.arrows if arrow.route.label]
    for one, other in itertools.combinations(figure.boxes, 2):
        inside = one.opened and _holds(one.rect, other.rect)
        assert inside or not _overlap(one.rect, other.rect)
    for label in labels:
        for box in figure.boxes:
            assert (box.opened and _holds(box.rect, label)) or not _overlap(box.rect, label)
    for one_label, other_label in itertools.combinations(labels, 2):
        assert not _overlap(one_label, other_label)
    assert all(whole == rect or _holds(whole, rect) for rect in (*labels, *(box.rect for box in figure.boxes)))


@settings(max_examples=50)
@given(graphs(depth=2))
def test_figures_are_tidy_and_complete(graph: Graph) -> None:
    diagram = diagram_of(graph)
    figure = figure_of(diagram)

    _assert_tidy(figure)
    keys = {box.node.key for box in figure.boxes}
    assert keys == {node.key for part in diagram.walk() for node in part.nodes}
    edges = [arrow.edge for arrow in figure.arrows]
    assert sorted(edges, key=repr) == sorted(
        (edge for part in diagram.walk() for edge in (*part.cells, *part.containment)), key=repr
    )


@pytest.mark.parametrize("graph", [moe_engine(), nasty()], ids=["engine", "nasty"])
def test_real_figures_are_tidy(graph: Graph) -> None:
    _assert_tidy(_figure(graph))
    _assert_tidy(figure_of(diagram_of(graph, fold=False)))


def test_a_local_graph_lies_inside_of_its_owner_with_the_owner_in_it_again() -> None:
    figure = _figure(moe_engine())

    outer, inner = (box for box in figure.boxes if box.node.key == "ModelRunner")
    assert outer.opened
    assert not inner.opened
    assert _holds(outer.rect, inner.rect)


def test_several_owners_of_one_local_graph_are_opened_once() -> None:
    names = ("Runner", "Runner#2")
    graph = Graph(
        components=tuple(component(name, "Runner") for name in names),
        nested={name: Graph((component(name, "Runner"), component("Model"))) for name in names},
    )

    figure = _figure(graph)

    _assert_tidy(figure)
    assert [(box.lines[0], box.opened) for box in figure.boxes] == [("Runner \u00d72", True), ("Model", False)]


def test_a_local_graph_that_shows_nothing_is_not_opened() -> None:
    graph = Graph((component("R"),), nested={"R": Graph((component("R"),))})

    assert [box.opened for box in _figure(graph).boxes] == [False]


def test_providers_stand_left_of_their_consumers() -> None:
    for arrow in _figure(moe_engine()).arrows:
        if isinstance(arrow.edge, CellEdge):
            assert arrow.route.strands[0][0].x < arrow.route.strands[-1][-1].x


def test_cells_of_one_pair_are_stacked_in_one_label() -> None:
    graph = Graph((component("a"), component("b")), (*bindings("a", "b", "y x"), *bindings("a", "b", "s", state=True)))

    (arrow,) = _figure(graph).arrows

    assert arrow.label == (("s", True), ("x", False), ("y", False))


def test_many_cells_are_counted() -> None:
    graph = Graph((component("a"), component("b")), tuple(Binding("a", f"cell{n:02}", "b") for n in range(99)))

    (arrow,) = _figure(graph).arrows

    assert len(arrow.label) == 12
    assert arrow.label[-1] == ("and 88 more", False)


def test_texts_fit_into_their_boxes() -> None:
    figure = _figure(Graph((component("x" * 200, "T" * 200), component("\u6a21\u578b" * 50), component("a"))))

    for box in figure.boxes:
        assert max(width_of(line, 13) for line in box.lines[:1]) < box.rect.width
        assert max((width_of(line, 11) for line in box.lines[1:]), default=0) < box.rect.width


def test_a_long_id_is_shown_from_where_it_goes_beyond_its_owner() -> None:
    owner = "A" * 30
    graph = Graph(
        (component(owner), component(f"{owner}.model.layers.17.attention")),
        containment=(Containment(f"{owner}.model.layers.17.attention", owner),),
    )

    assert [box.lines[0] for box in _figure(graph).boxes] == ["\u2026model.layers.17.attention", owner]
