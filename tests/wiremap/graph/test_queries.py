import itertools

from hypothesis import given, settings
from hypothesis import strategies as st

from wiremap.graph.queries import find_cycle, reachable, successors, topological_order

nodes = st.sampled_from("abcdefgh")
edge_lists = st.lists(st.tuples(nodes, nodes), max_size=20)
acyclic = edge_lists.map(lambda edges: [(min(pair), max(pair)) for pair in edges if pair[0] != pair[1]])


@settings(deadline=None)
@given(acyclic, edge_lists)
def test_firm_edges_always_lead_forwards(firm: list[tuple[str, str]], wished: list[tuple[str, str]]) -> None:
    order = topological_order("abcdefgh", firm, wished)

    assert sorted(order) == list("abcdefgh")
    assert all(order.index(start) < order.index(end) for start, end in firm)


@settings(deadline=None)
@given(acyclic)
def test_wishes_that_contradict_nothing_are_granted(wished: list[tuple[str, str]]) -> None:
    order = topological_order("abcdefgh", [], wished)

    assert all(order.index(start) < order.index(end) for start, end in wished)


@settings(deadline=None)
@given(edge_lists)
def test_a_cycle_is_found_exactly_when_there_is_one(edges: list[tuple[str, str]]) -> None:
    cycle = find_cycle("abcdefgh", edges)

    if cycle:
        assert all(step in edges for step in zip(cycle, cycle[1:] + cycle[:1], strict=True))
        assert cycle[0] == min(cycle)
        assert len(set(cycle)) == len(cycle)
    else:
        assert len(topological_order("abcdefgh", edges)) == len("abcdefgh")
    assert cycle == find_cycle("hgfedcba", reversed(edges))


def test_a_chain_may_be_longer_than_the_stack() -> None:
    names = [f"n{number:05}" for number in range(5_000)]
    edges = list(itertools.pairwise(names))

    assert find_cycle(names, edges) == ()
    assert find_cycle(names, [*edges, (names[-1], names[0])]) == tuple(names)
    assert len(reachable(names[0], successors(edges))) == len(names) - 1


def test_a_node_reaches_itself_only_around_a_cycle() -> None:
    assert reachable("a", {"a": ["b"]}) == ("b",)
    assert reachable("a", {"a": ["b"], "b": ["a"]}) == ("a", "b")
