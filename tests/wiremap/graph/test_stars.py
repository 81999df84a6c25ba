"""Stars and their shapes."""

import itertools
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from tests.wiremap.graph.strategies import renamings, wirings
from wiremap import Binding, Component, Containment, Graph, Star


def component(component_id: str, kind: str = "T", parameters: str | None = None) -> Component:
    return Component(component_id, kind, "m", parameters=parameters)


CHAIN = Graph(
    components=(component("a"), component("b"), component("c", "U"), component("d")),
    bindings=(Binding("a", "x", "b"), Binding("b", "y", "c"), Binding("a", "z", "c")),
    containment=(Containment("d", "a"),),
)


def same_up_to_renaming(one: Star, other: Star) -> bool:
    """Try every way to call the neighbours of *one* like those of *other*."""
    if (one.component.traits, one.component.provides) != (other.component.traits, other.component.provides):
        return False
    if len(one.neighbours) != len(other.neighbours):
        return False
    for order in itertools.permutations(other.neighbours):
        names = {here.id: there.id for here, there in zip(one.neighbours, order, strict=True)}
        names[one.component.id] = other.component.id
        if (
            all(here.traits == there.traits for here, there in zip(one.neighbours, order, strict=True))
            and {edge.renamed(names) for edge in one.bindings} == {*other.bindings}
            and {pair.renamed(names) for pair in one.containment} == {*other.containment}
        ):
            return True
    return False


@given(wirings(depth=0), wirings(depth=0), st.data())
def test_stars_of_one_shape_are_exactly_those_that_are_the_same_up_to_renaming(
    graph: Graph, other: Graph, data: st.DataObject
) -> None:
    one = graph.star(data.draw(st.sampled_from(graph.ids)))
    two = data.draw(st.sampled_from([*graph.stars().values(), *other.stars().values()]))

    assert (one.shape == two.shape) == same_up_to_renaming(one, two)


@given(wirings(), st.data())
def test_renaming_changes_no_shape(graph: Graph, data: st.DataObject) -> None:
    renamed = data.draw(renamings(graph))

    assert renamed.shape == graph.shape
    assert sorted(s.shape for s in renamed.stars().values()) == sorted(s.shape for s in graph.stars().values())


@given(wirings())
def test_all_stars_together_are_the_stars_one_by_one(graph: Graph) -> None:
    assert graph.stars() == {id_: graph.star(id_) for id_ in graph.ids}


def test_a_star_holds_the_component_the_edges_that_touch_it_and_its_neighbours() -> None:
    star = CHAIN.star("a")

    assert star.component.id == "a"
    assert star.bindings == (Binding("a", "x", "b"), Binding("a", "z", "c"))
    assert star.containment == (Containment("d", "a"),)
    assert [neighbour.id for neighbour in star.neighbours] == ["b", "c", "d"]


def test_a_star_changes_with_its_edges_and_parameters_but_not_with_distant_ones() -> None:
    further = replace(CHAIN, bindings=(*CHAIN.bindings, Binding("b", "w", "c")))
    tuned = replace(CHAIN, components=(component("a", parameters="1"), *CHAIN.components[1:]))

    assert further.star("a").digest == CHAIN.star("a").digest
    assert further.star("a").shape == CHAIN.star("a").shape
    assert further.star("b").digest != CHAIN.star("b").digest
    assert further.star("b").shape != CHAIN.star("b").shape
    assert tuned.star("a").digest != CHAIN.star("a").digest
    assert tuned.star("a").shape != CHAIN.star("a").shape


def test_a_shape_tells_another_kind_of_neighbour_but_not_another_neighbour_of_the_kind() -> None:
    def provided_by(provider: Component) -> Star:
        return Graph((component("c"), provider), (Binding(provider.id, "x", "c"),)).star("c")

    assert provided_by(component("p#2")).shape == provided_by(component("p")).shape
    assert provided_by(component("p", "Fake")).shape != provided_by(component("p")).shape
    assert provided_by(component("p", parameters="1")).shape != provided_by(component("p")).shape


def test_a_shape_tells_one_provider_of_two_cells_from_two_providers() -> None:
    components = (component("c"), component("p"), component("q"))
    one = Graph(components, (Binding("p", "x", "c"), Binding("p", "y", "c")), (Containment("q", "c"),))
    two = Graph(components, (Binding("p", "x", "c"), Binding("q", "y", "c")), (Containment("q", "c"),))

    assert one.star("c").shape != two.star("c").shape


def test_the_shape_of_a_graph_tells_what_is_nested_and_where() -> None:
    local = Graph((component("a"), component("p")), (Binding("p", "x", "a"),))

    shapes = {replace(CHAIN, nested=nested).shape for nested in ({}, {"a": local}, {"a": CHAIN}, {"b": CHAIN})}

    assert len(shapes) == 4
