from collections.abc import Iterator

from hypothesis import given
from hypothesis import strategies as st

from wiremap.graph.queries import find_cycle
from wiremap.registry.cycles import Edge, disjoint_cycles

edges = st.sets(st.tuples(st.sampled_from("abcdef"), st.sampled_from("abcdef")))


def one_after_the_other(remaining: set[Edge]) -> Iterator[tuple[str, ...]]:
    """Find a cycle, take its edges away, and begin anew."""
    while cycle := find_cycle("abcdef", remaining):
        yield cycle
        remaining = remaining - set(zip(cycle, cycle[1:] + cycle[:1], strict=True))


@given(edges)
def test_the_cycles_are_those_that_are_found_by_taking_one_after_the_other_away(edges: set[Edge]) -> None:
    assert list(disjoint_cycles(edges)) == list(one_after_the_other(edges))


def test_a_component_that_hands_itself_a_cell_is_a_cycle() -> None:
    assert list(disjoint_cycles([("a", "a"), ("a", "b")])) == [("a",)]


def test_chains_may_be_longer_than_the_stack_and_cycles_many() -> None:
    chain = [(f"{number:05}", f"{number + 1:05}") for number in range(20_000)]
    back = [(end, start) for start, end in chain]

    assert sum(1 for _ in disjoint_cycles(chain)) == 0
    assert sum(1 for _ in disjoint_cycles([*chain, *back])) == 20_000
