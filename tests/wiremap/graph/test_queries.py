import itertools

from hypothesis import given, settings
from hypothesis import strategies as st

from wiremap.graph.queries import find_cycle, paths, reachable, successors, topological_order

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


def _all_paths(start: str, end: str, edges: list[tuple[str, str]]) -> list[tuple[str, ...]]:
    """Walk every way that visits nothing twice."""
    walks: list[tuple[str, ...]] = [(start,)]
    found = []
    while walks:
        walk = walks.pop()
        if walk[-1] == end and len(walk) > 1:
            found.append(walk)
        else:
            walks.extend({(*walk, after) for before, after in edges if before == walk[-1] and after not in walk})
    return sorted(found, key=lambda path: (len(path), path))


def _paths(start: str, end: str, edges: list[tuple[str, str]], limit: int) -> list[tuple[str, ...]]:
    turned = [(after, before) for before, after in edges]
    return list(paths(start, end, successors(edges), successors(turned), limit))


@given(edge_lists | acyclic, nodes, nodes, st.integers(0, 10))
def test_paths_are_all_that_visit_nothing_twice_shortest_first(
    edges: list[tuple[str, str]], start: str, end: str, limit: int
) -> None:
    everything = _all_paths(start, end, edges)

    assert _paths(start, end, edges, 10_000) == everything
    assert _paths(start, end, edges, limit) == everything[:limit]


def test_a_limit_holds_where_paths_are_past_counting() -> None:
    """Fifty layers of ten nodes, all connected: ten to the fifty paths; and the same with ways back."""
    layers = [[f"{layer:02}.{number}" for number in range(10)] for layer in range(50)]
    forwards = [edge for one, other in itertools.pairwise(layers) for edge in itertools.product(one, other)]
    backwards = [(one[0], other[0]) for other, one in itertools.pairwise(layers)]

    straight = [f"{layer:02}.0" for layer in range(50)]
    for edges in (forwards, forwards + backwards):
        assert _paths(straight[0], straight[-1], edges, 3) == [
            (*straight[:48], "48.0", straight[-1]),
            (*straight[:48], "48.1", straight[-1]),
            (*straight[:48], "48.2", straight[-1]),
        ]


@given(edge_lists, nodes, st.integers(0, 5))
def test_reaching_in_steps_is_following_edges_so_often(edges: list[tuple[str, str]], start: str, steps: int) -> None:
    found: set[str] = set()
    for _ in range(steps):
        found |= {after for before, after in edges if before in {start, *found}}

    assert set(reachable(start, successors(edges), steps)) == found
