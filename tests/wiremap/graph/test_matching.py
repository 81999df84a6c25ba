"""Finding patterns."""

import itertools
import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.wiremap.graph.strategies import wirings
from wiremap import Binding, Component, Containment, Graph, Pattern
from wiremap.errors import PatternNameWarning, PatternSyntaxError, PatternTooHardError
from wiremap.graph import PatternEdge, PatternNode

INSIDE = Graph(
    components=(Component("Runner", "Runner", "m"), Component("Sampler", "Sampler", "m")),
    bindings=(Binding("Sampler", "sample", "Runner"),),
)
ENGINE = Graph(
    components=(
        Component("Engine", "LLMEngine", "serving"),
        Component("Runner", "ModelRunner", "m", tags=("gpu",)),
        Component("Cache", "Cache", "m"),
        Component("Cache#2", "Cache", "m", tags=("gpu", "paged")),
        Component("Runner.inner", "Runner.Inner", "m"),
    ),
    bindings=(
        Binding("Runner", "run", "Engine"),
        Binding("Cache", "k_cache", "Runner", "state"),
        Binding("Cache#2", "v_cache", "Runner", "state"),
    ),
    containment=(Containment("Runner.inner", "Runner"),),
    nested={"Runner": INSIDE},
)


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ("Runer -[*]-> Engine", r"no component is called 'Runer'\. Did you mean 'Runner'\? \[pattern-name\]"),
        ("Cache -[k_cach]-> Runner", r"no cell is called 'k_cach'\. Did you mean 'k_cache'( or 'v_cache')?\?"),
        ("tag:page", r"no tag is called 'page'\. Did you mean 'paged'\?"),
        ("type:Chache", r"no component is called 'Chache'\. Did you mean 'Cache'\?"),
    ],
)
def test_a_misspelled_name_is_warned_of_at_the_line_that_asks(pattern: str, message: str) -> None:
    with pytest.warns(PatternNameWarning, match=message) as caught:
        matches = ENGINE.match(pattern)

    assert list(matches) == []
    assert [warning.filename for warning in caught] == [__file__]


@pytest.mark.parametrize(
    "pattern",
    ["Engine -[run]-> Runner", "CudaGraphs", "Engine -[reserve]-> x=*", "id:Cache#3", "[R]uner -[run]-> Engine"],
)
def test_what_is_merely_not_there_is_not_warned_of(pattern: str) -> None:
    assert found(pattern) == []


def found(pattern: str, graph: Graph = ENGINE) -> list[dict[str, str]]:
    return [dict(match) for match in graph.match(pattern)]


def test_a_binding_is_found_by_the_names_of_its_ends_and_cell() -> None:
    assert found("Cache -[k_cache]-> Runner -[run]-> Engine") == [
        {"Cache": "Cache", "Runner": "Runner", "Engine": "Engine"}
    ]
    assert found("Runner -[k_cache]-> Cache") == []


def test_a_cell_may_be_any_or_have_wildcards() -> None:
    both = [{"Cache": "Cache", "Runner": "Runner"}, {"Cache": "Cache#2", "Runner": "Runner"}]

    assert found("Cache -[*]-> Runner") == both
    assert found("Cache -[?_cache]-> Runner") == both


def test_a_cell_that_is_read_below_an_interface_is_found_with_and_without_that() -> None:
    graph = Graph(ENGINE.components, (Binding("Cache", "allocate", "Runner", interface="blocks"),))

    assert found("Cache -[allocate]-> Runner", graph) == found("Cache -[blocks.allocate]-> Runner", graph) != []
    assert found("Cache -[blocks]-> Runner", graph) == []


def test_an_arrow_without_cell_is_containment_and_no_binding() -> None:
    assert found("* --> Runner") == [{"*": "Runner.inner", "Runner": "Runner"}]
    assert found("Cache --> Runner") == []


@pytest.mark.parametrize("name", ["LLMEngine", "serving.LLMEngine", "LLM*", "type:LLMEngine", "id:Engine", "Eng?ne"])
def test_a_component_is_found_by_id_and_by_type_with_or_without_module(name: str) -> None:
    assert found(name) == [{name: "Engine"}]


def test_an_inner_class_is_found_without_the_outer() -> None:
    assert found("Inner") == [{"Inner": "Runner.inner"}]


def test_a_name_with_a_prefix_looks_at_that_only() -> None:
    assert found("id:Cache") == [{"id:Cache": "Cache"}]
    assert found("type:Cache") == [{"type:Cache": "Cache"}, {"type:Cache": "Cache#2"}]
    assert found("tag:paged") == [{"tag:paged": "Cache#2"}]
    assert found("tag:Cache") == []


def test_case_counts() -> None:
    with pytest.warns(PatternNameWarning, match="Did you mean 'Cache'"):
        assert found("cache") == []


def test_different_names_are_different_components() -> None:
    assert found("x=Cache -[*]-> Runner, y=Cache -[*]-> Runner") == [
        {"x": "Cache", "Runner": "Runner", "y": "Cache#2"},
        {"x": "Cache#2", "Runner": "Runner", "y": "Cache"},
    ]


def test_components_of_local_graphs_are_told_below_their_owner() -> None:
    assert found("Sampler") == [{"Sampler": "Runner/Sampler"}]


def test_a_pattern_leads_into_a_local_graph_through_its_owner() -> None:
    assert found("Sampler -[sample]-> ModelRunner -[run]-> Engine") == [
        {"Sampler": "Runner/Sampler", "ModelRunner": "Runner", "Engine": "Engine"}
    ]


def test_a_local_graph_within_a_local_graph_of_one_owner_is_another_place() -> None:
    twice = Graph((Component("Runner", "R", "m"),), nested={"Runner": replace(INSIDE, nested={"Runner": INSIDE})})

    assert [match["Sampler"] for match in twice.match("Sampler")] == ["Runner/Runner/Sampler", "Runner/Sampler"]
    assert len(found("Sampler -[sample]-> Runner", twice)) == 2


def test_a_bad_pattern_is_refused_before_anybody_asks_for_matches() -> None:
    with pytest.raises(PatternSyntaxError):
        ENGINE.match("A -> B")


def test_matches_are_found_as_they_are_asked_for() -> None:
    """Ten thousand times ten thousand pairs are there; two are taken."""
    many = Graph(tuple(Component(f"{number:05}", "T", "m") for number in range(10_000)))

    assert list(itertools.islice(many.match("x=T, y=T"), 2)) == [
        {"x": "00000", "y": "00001"},
        {"x": "00000", "y": "00002"},
    ]


names = st.sampled_from("pqr")
globs = st.none() | st.sampled_from(["*", "A*", "B*", "B", "A#2"])
pattern_nodes = st.builds(
    PatternNode,
    name=names,
    id=globs,
    type=st.none() | st.sampled_from("TU"),
    tag=st.sampled_from([None, None, None, "t"]),
    id_or_type=globs | st.sampled_from("TU"),
)


@st.composite
def patterns(draw: st.DrawFn) -> Pattern:
    nodes = draw(st.lists(pattern_nodes, min_size=1, max_size=3, unique_by=lambda node: node.name))
    some = st.sampled_from([node.name for node in nodes])
    edges = st.builds(PatternEdge, some, some, st.sampled_from([None, "x", "y", "*"]))
    return Pattern(tuple(nodes), tuple(draw(st.lists(edges, max_size=3))))


def stands_for(node: PatternNode, component: Component) -> bool:
    def alike(glob: str | None, *names: str) -> bool:
        return glob is None or any(name.startswith(glob[:-1]) if glob[-1] == "*" else name == glob for name in names)

    return (
        alike(node.id, component.id)
        and alike(node.type, component.type)
        and alike(node.tag, *component.tags)
        and alike(node.id_or_type, component.id, component.type)
    )


def is_there(edge: PatternEdge, ids: dict[str, str], graph: Graph) -> bool:
    start, end = ids[edge.start], ids[edge.end]
    if edge.cell is None:
        return Containment(start, end) in graph.containment
    return any(
        (binding.provider, binding.consumer) == (start, end) and edge.cell in ("*", binding.cell)
        for binding in graph.bindings
    )


@given(wirings(depth=0), patterns())
def test_matches_are_those_that_trying_everything_finds(graph: Graph, pattern: Pattern) -> None:
    expected = [
        ids
        for chosen in itertools.permutations(graph.components, len(pattern.nodes))
        if all(stands_for(node, component) for node, component in zip(pattern.nodes, chosen, strict=True))
        for ids in [{node.name: c.id for node, c in zip(pattern.nodes, chosen, strict=True)}]
        if all(is_there(edge, ids, graph) for edge in pattern.edges)
    ]

    matches = [dict(match) for match in graph.match(pattern)]

    assert sorted(matches, key=str) == sorted(expected, key=str)


@given(wirings(depth=0), st.data())
def test_a_part_of_a_graph_is_found_in_it(graph: Graph, data: st.DataObject) -> None:
    part = graph.subgraph(data.draw(st.sets(st.sampled_from(graph.ids), min_size=1, max_size=4)))
    pattern = Pattern(
        nodes=tuple(PatternNode(c.id, type=c.type) for c in part.components),
        edges=(
            *(PatternEdge(edge.provider, edge.consumer, edge.cell) for edge in part.bindings),
            *(PatternEdge(pair.child, pair.parent) for pair in part.containment),
        ),
    )

    assert {id_: id_ for id_ in part.ids} in list(graph.match(pattern))


def test_what_two_edges_lead_to_is_looked_for_before_what_is_free() -> None:
    consumers = [f"C{number}" for number in range(1000)]
    graph = Graph(
        tuple(Component(id_, "T", "m") for id_ in ("Hub", *consumers)),
        tuple(Binding("Hub", "f", id_) for id_ in consumers),
    )

    # Tried with each other, the three consumers would be a milliard of choices.
    assert not [*graph.match("Hub -[f]-> a=C*, Hub -[f]-> b=C*, Hub -[f]-> c=C*, c -[g]-> a")]


def test_what_is_found_is_true_if_there_is_a_match_and_can_be_looped_over_again() -> None:
    some, none = ENGINE.match("Sampler"), ENGINE.match("Engine -[sample]-> Sampler")

    assert some
    assert not none
    assert list(some) == list(some) != []
    assert (len(some), len(none)) == (1, 0)
    assert (repr(some), repr(none)) == ("<Matches: {'Sampler': 'Runner/Sampler'}>", "<Matches: none>")


def test_a_mere_star_is_another_component_each_time() -> None:
    assert found("* -[sample]-> *") == [{"*": "Runner/Sampler", "*#2": "Runner"}]


def hub(num_providers: int) -> Graph:
    names = [f"P{number}" for number in range(num_providers)]
    return Graph(
        tuple(Component(name, "T", "m") for name in ("Hub", *names)),
        tuple(Binding(name, "f", "Hub") for name in names),
    )


def all_feed_the_hub(number: int) -> str:
    return ", ".join(f"n{each}=P* -[f]-> Hub" for each in range(number))


def test_what_is_nowhere_behind_many_is_seen_before_they_are_tried_in_all_orders() -> None:
    assert not hub(100).match(f"{all_feed_the_hub(12)}, Hub -[f]-> *")


def test_more_components_than_there_are_are_not_sought_in_all_orders() -> None:
    assert hub(12).match(all_feed_the_hub(12))
    assert not hub(11).match(all_feed_the_hub(12))


def test_some_that_have_too_few_between_them_are_seen_as_such() -> None:
    """Fourteen providers hand a cell to each of thirteen consumers, and fourteen pairs are asked for."""
    ids = [*(f"P{number}" for number in range(14)), *(f"C{number}" for number in range(13))]
    graph = Graph(
        tuple(Component(id_, "T", "m") for id_ in ids),
        tuple(Binding(one, "f", other) for one in ids[:14] for other in ids[14:]),
    )

    assert graph.match(", ".join(f"P{number} -[f]-> c{number}=C*" for number in range(13)))
    assert not graph.match(", ".join(f"P{number} -[f]-> c{number}=C*" for number in range(14)))


def test_a_search_that_finds_nothing_for_too_long_is_given_up() -> None:
    """Cliques in a graph made by chance: for these nobody knows a fast way."""
    chance = random.Random(1)  # noqa: S311 -- a graph to try
    pairs = [pair for pair in itertools.combinations(range(150), 2) if chance.random() < 0.5]
    graph = Graph(
        tuple(Component(f"c{number}", "T", "m") for number in range(150)),
        tuple(Binding(f"c{one}", "f", f"c{other}") for one, other in pairs),
    )
    clique = ", ".join(f"n{one}=T -[f]-> n{other}=T" for one, other in itertools.combinations(range(12), 2))

    with pytest.raises(PatternTooHardError, match="12 components"):
        bool(graph.match(clique))
