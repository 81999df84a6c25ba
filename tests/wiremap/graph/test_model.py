import dataclasses
import pickle
import random
from typing import TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.wiremap.graph.strategies import graphs
from wiremap import Binding, Component, Containment, Graph
from wiremap.errors import UnknownComponentError

P = TypeVar("P")


def _component(component_id: str, parameters: str | None = None) -> Component:
    return Component(component_id, component_id.upper(), "m", parameters=parameters)


CHAIN = Graph(
    components=tuple(map(_component, "abcd")),
    bindings=(Binding("a", "x", "b"), Binding("b", "y", "c"), Binding("a", "z", "c")),
    containment=(Containment("d", "a"),),
)


@settings(deadline=None)
@given(graphs(), st.randoms())
def test_a_graph_does_not_depend_on_the_order_of_its_parts(graph: Graph, chance: random.Random) -> None:
    def shuffled(parts: tuple[P, ...]) -> tuple[P, ...]:
        return tuple(chance.sample(parts, len(parts)))

    other = dataclasses.replace(
        graph,
        components=shuffled(graph.components),
        bindings=shuffled(graph.bindings),
        containment=shuffled(graph.containment),
    )

    assert other == graph
    assert hash(other) == hash(graph)
    assert other.digest == graph.digest


@settings(deadline=None)
@given(graphs(), st.text())
def test_unknown_ids_are_refused_everywhere(graph: Graph, component_id: str) -> None:
    if component_id in graph:
        return

    for ask in (
        graph.component,
        graph.star,
        graph.upstream,
        graph.downstream,
        lambda id_: graph.subgraph([id_]),
    ):
        with pytest.raises(UnknownComponentError, match=r"\[unknown-component\]"):
            ask(component_id)


def test_an_unknown_id_suggests_a_near_one() -> None:
    graph = Graph((_component("Scheduler"), _component("BlockManager")))

    with pytest.raises(UnknownComponentError, match=r"id 'Schedular'\. Did you mean 'Scheduler'\?"):
        graph.component("Schedular")


def test_upstream_and_downstream_follow_bindings_and_nothing_else() -> None:
    assert CHAIN.upstream("c") == ("a", "b")
    assert CHAIN.downstream("a") == ("b", "c")
    assert CHAIN.downstream("d") == ()
    assert CHAIN.upstream("a") == ()


def test_a_star_holds_the_component_and_the_edges_that_touch_it() -> None:
    star = CHAIN.star("a")

    assert star.component.id == "a"
    assert star.bindings == (Binding("a", "x", "b"), Binding("a", "z", "c"))
    assert star.containment == (Containment("d", "a"),)


def test_a_star_changes_with_its_edges_and_parameters_but_not_with_distant_ones() -> None:
    further = dataclasses.replace(CHAIN, bindings=(*CHAIN.bindings, Binding("b", "w", "c")))
    tuned = dataclasses.replace(CHAIN, components=(_component("a", "1"), *CHAIN.components[1:]))

    assert further.star("a").digest == CHAIN.star("a").digest
    assert further.star("b").digest != CHAIN.star("b").digest
    assert tuned.star("a").digest != CHAIN.star("a").digest


def test_a_subgraph_keeps_the_edges_among_its_components() -> None:
    part = CHAIN.subgraph(["c", "a"])

    assert part.ids == ("a", "c")
    assert part.bindings == (Binding("a", "z", "c"),)
    assert part.containment == ()


def test_the_contained_comes_before_its_container_where_bindings_allow() -> None:
    assert CHAIN.topological_order() == ("d", "a", "b", "c")

    owner_provides = Graph(
        components=tuple(map(_component, "ab")),
        bindings=(Binding("a", "x", "b"),),
        containment=(Containment("b", "a"),),
    )
    assert owner_provides.topological_order() == ("a", "b")


def test_renaming_reaches_edges_and_the_owner_inside_a_nested_graph() -> None:
    local = Graph((_component("a"), _component("p")), (Binding("p", "x", "a"),))
    graph = dataclasses.replace(CHAIN, nested={"a": local})

    renamed = graph.renamed({"a": "A"})

    assert renamed.nested["A"].bindings == (Binding("p", "x", "A"),)
    assert renamed.containment == (Containment("d", "A"),)
    assert renamed.renamed({"A": "a"}) == graph


def test_graphs_can_be_pickled_and_not_changed() -> None:
    assert pickle.loads(pickle.dumps(CHAIN)) == CHAIN  # noqa: S301 -- our own bytes
    with pytest.raises(dataclasses.FrozenInstanceError):
        CHAIN.components = ()  # type: ignore[misc] # the point of the test
