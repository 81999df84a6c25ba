import itertools
from collections import Counter
from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from wiremap.graph.refinement import Partition

SIZE = 7
nodes = st.integers(0, SIZE - 1)
colourings = st.lists(st.sampled_from("rg"), min_size=SIZE, max_size=SIZE)
arrows = st.lists(st.tuples(nodes, nodes, st.integers(0, 1)), max_size=14)


def both_ends(arrows: Sequence[tuple[int, int, int]]) -> list[list[tuple[int, int]]]:
    edges: list[list[tuple[int, int]]] = [[] for _ in range(SIZE)]
    for start, end, label in arrows:
        edges[start].append((2 * label, end))
        edges[end].append((2 * label + 1, start))
    return edges


def as_sets(partition: Partition) -> set[frozenset[int]]:
    return {frozenset(members) for members in partition.members}


def plainly_refined(colours: Sequence[object], edges: list[list[tuple[int, int]]]) -> set[frozenset[int]]:
    """Give every node its colour together with those around it, as often as there are nodes."""
    now: list[object] = list(colours)
    for _ in range(SIZE):
        around = [frozenset(Counter((label, now[end]) for label, end in edges[node]).items()) for node in range(SIZE)]
        seen = [(now[node], around[node]) for node in range(SIZE)]
        now = [seen.index(one) for one in seen]
    return {frozenset(node for node in range(SIZE) if now[node] == colour) for colour in now}


@given(colourings, arrows)
def test_classes_are_those_of_plain_refinement(colours: list[str], arrows: list[tuple[int, int, int]]) -> None:
    edges = both_ends(arrows)

    assert as_sets(Partition(colours, edges)) == plainly_refined(colours, edges)


@given(colourings, arrows, nodes)
def test_singling_out_a_node_is_a_colour_of_its_own(
    colours: list[str], arrows: list[tuple[int, int, int]], node: int
) -> None:
    edges = both_ends(arrows)
    partition = Partition(colours, edges)

    partition.single_out({node})

    marked = [*colours]
    marked[node] = "the one"
    assert as_sets(partition) == plainly_refined(marked, edges)


@given(colourings, arrows)
def test_without_spreading_only_what_is_singled_out_tells_nodes_apart(
    colours: list[str], arrows: list[tuple[int, int, int]]
) -> None:
    edges = both_ends(arrows)
    partition = Partition(colours, edges, spreading=False)
    assert len(partition.members) == len(set(colours))

    partition.single_out({0})

    seen = [
        (node == 0, colours[node], tuple(sorted(label for label, end in edges[node] if end == 0)))
        for node in range(SIZE)
    ]
    for one, other in itertools.combinations(range(1, SIZE), 2):
        assert (partition.class_of[one] == partition.class_of[other]) == (seen[one] == seen[other])


def test_what_was_singled_out_is_never_split() -> None:
    partition = Partition("rrrrrrr", both_ends([(0, 2, 0)]), spreading=False)

    partition.single_out({0, 1})
    partition.single_out({2})

    assert partition.class_of[0] == partition.class_of[1]


def test_regular_graphs_are_beyond_refinement() -> None:
    two_triangles_of_six = both_ends([(0, 1, 0), (1, 2, 0), (2, 0, 0), (3, 4, 0), (4, 5, 0), (5, 3, 0)])

    assert as_sets(Partition("rrrrrrx", two_triangles_of_six)) == {frozenset(range(6)), frozenset({6})}
