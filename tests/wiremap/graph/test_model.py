import copy
import dataclasses
import itertools
import pickle
import random
from typing import TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.wiremap.graph.strategies import graphs, wirings
from wiremap import Binding, Component, Containment, Graph
from wiremap.errors import CannotRenameError, UnknownComponentError

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
        lambda id_: graph.select(ids=[id_]),
        graph.neighbourhood,
        lambda id_: graph.paths(id_, graph.ids[0]),
        lambda id_: graph.paths(graph.ids[0], id_),
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


def test_a_subgraph_keeps_the_edges_among_its_components() -> None:
    part = CHAIN.subgraph(["c", "a"])

    assert part.ids == ("a", "c")
    assert part.bindings == (Binding("a", "z", "c"),)
    assert part.containment == ()


def test_upstream_and_downstream_stop_after_so_many_steps() -> None:
    names = "abcdef"
    line = Graph(
        components=tuple(map(_component, names)),
        bindings=tuple(Binding(one, "x", other) for one, other in itertools.pairwise(names)),
    )

    assert line.upstream("d", 1) == ("c",)
    assert line.upstream("d", 2) == ("b", "c")
    assert line.downstream("d", 1) == ("e",)
    assert line.downstream("d", 0) == ()
    with pytest.raises(ValueError, match="can't be negative: -1"):
        line.upstream("d", -1)


def _within(graph: Graph, start: str, steps: int, *, turned: bool) -> set[str]:
    """Return where at most so many drawn edges lead, edge by edge."""
    drawn = [*(edge.ends for edge in graph.bindings), *(pair.ends for pair in graph.containment)]
    edges = [(end, start) if turned else (start, end) for start, end in drawn]
    found = {start}
    for _ in range(steps):
        found |= {end for begin, end in edges if begin in found}
    return found


@given(wirings(), st.integers(0, 4), st.data())
def test_a_neighbourhood_is_what_so_many_drawn_edges_lead_to_and_from(
    graph: Graph, steps: int, data: st.DataObject
) -> None:
    centre = data.draw(st.sampled_from(graph.ids))

    around = _within(graph, centre, steps, turned=False) | _within(graph, centre, steps, turned=True)

    assert graph.neighbourhood(centre, steps) == graph.subgraph(around)


def test_neither_other_consumers_nor_other_parts_are_neighbours() -> None:
    graph = Graph(
        components=tuple(map(_component, "abcmnp")),
        bindings=(Binding("p", "x", "a"), Binding("p", "x", "b")),
        containment=(Containment("a", "m"), Containment("c", "m"), Containment("m", "n")),
    )

    assert graph.neighbourhood("a").ids == ("a", "m", "p")
    assert graph.neighbourhood("a", 2).ids == ("a", "m", "n", "p")


def test_components_are_selected_by_all_conditions_together() -> None:
    def component(id_: str, *tags: str, extension: str = "core") -> Component:
        return Component(id_, "T", "m", tags=tags, extension=extension)

    graph = Graph(
        components=(
            component("a", "fast", "moe", extension="gpu"),
            component("b", "moe", extension="gpu"),
            component("c", "fast", "moe"),
        ),
        bindings=(Binding("a", "x", "b"),),
    )

    assert graph.select() == graph
    assert graph.select(tags=["moe"]).ids == ("a", "b", "c")
    assert graph.select(tags=["fast", "moe"]).ids == ("a", "c")
    assert graph.select(extension="gpu").bindings == graph.bindings
    assert graph.select(ids=["b", "c"], tags=["moe"], extension="gpu").ids == ("b",)
    assert graph.select(tags=["unheard of"]) == Graph()


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


def test_asking_a_graph_leaves_no_trace_on_it() -> None:
    asked, untouched = dataclasses.replace(CHAIN), dataclasses.replace(CHAIN)

    asked.stars()
    asked.neighbourhood("a")

    assert asked == untouched
    assert hash(asked) == hash(untouched)
    assert asked.to_json() == untouched.to_json()
    assert pickle.dumps(asked) == pickle.dumps(untouched)


@pytest.mark.parametrize("asked", ["p", "o/a/p"])
def test_a_component_inside_is_unknown_outside_with_the_place_where_it_is(asked: str) -> None:
    local = Graph((_component("a"), _component("p")))
    graph = Graph((_component("o"),), nested={"o": Graph((_component("o"), _component("a")), nested={"a": local})})

    with pytest.raises(UnknownComponentError, match=r"there is 'p' in graph\.nested\['o'\]\.nested\['a'\]\."):
        graph.upstream(asked)


def test_what_is_shown_of_a_graph_is_how_much_is_in_it() -> None:
    local = Graph((_component("a"), _component("p")), (Binding("p", "x", "a"),))
    outer = Graph((_component("a"),), nested={"a": local})

    assert repr(local) == "<Graph: 2 components, 1 binding>"
    assert repr(outer) == "<Graph: 1 component, 0 bindings, 1 nested graph>"


def test_graphs_can_be_copied_pickled_and_not_changed() -> None:
    assert pickle.loads(pickle.dumps(CHAIN)) == CHAIN  # noqa: S301 -- our own bytes
    assert copy.deepcopy(CHAIN).star("a") == CHAIN.star("a")
    with pytest.raises(dataclasses.FrozenInstanceError):
        CHAIN.components = ()  # type: ignore[misc] # the point of the test


def test_a_component_in_place_of_its_id_is_told_as_such() -> None:
    thing = object()

    for ask in (
        Graph().component,
        Graph().star,
        Graph().upstream,
        Graph().neighbourhood,
        Graph().subgraph,
        lambda it: Graph().override(it, it),
    ):
        with pytest.raises(UnknownComponentError, match=r"ids, which are strings; this is an object of class object\."):
            ask(thing)  # type: ignore[arg-type]


def test_one_id_or_tag_may_be_a_plain_string() -> None:
    graph = Graph((Component("BM", "BM", "m", tags=("gpu",)), Component("B", "B", "m")))

    assert graph.subgraph("BM").ids == graph.select(ids="BM").ids == graph.select(tags="gpu").ids == ("BM",)


def test_a_misspelled_id_inside_is_told_with_its_owners() -> None:
    graph = Graph((_component("o"),), nested={"o": Graph((_component("o"), _component("sampler")))})

    for ask in (graph.upstream, graph.neighbourhood, lambda id_: graph.override(id_, object())):
        with pytest.raises(UnknownComponentError, match=r"Did you mean 'o/sampler'\?"):
            ask("o/sample")


def test_only_what_is_there_can_be_renamed() -> None:
    with pytest.raises(UnknownComponentError, match=r"id 'aa'"):
        CHAIN.renamed({"aa": "new"})


@pytest.mark.parametrize(
    ("names", "reason"),
    [
        ({"a": ""}, "an id is text that is not empty"),
        ({"a": 3}, "an id is text that is not empty"),
        ({"a": ["b"]}, "an id is text that is not empty"),
        ({"a": "b"}, "another component has that id"),
        ({"a": "new", "b": "new"}, "another component has that id"),
    ],
)
def test_a_new_id_is_free_text(names: dict[str, str], reason: str) -> None:
    with pytest.raises(CannotRenameError, match=rf"can't be renamed to .*: {reason}\."):
        CHAIN.renamed(names)


def test_ids_can_be_swapped() -> None:
    swapped = CHAIN.renamed({"a": "b", "b": "a"})

    assert swapped != CHAIN
    assert swapped.renamed({"a": "b", "b": "a"}) == CHAIN
