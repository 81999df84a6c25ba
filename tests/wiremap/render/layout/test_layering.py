import string
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from wiremap.render.layout import Link
from wiremap.render.layout.layering import columns_of, left_to_right

KEYS = list(string.ascii_lowercase[:8])
keys = st.sampled_from(KEYS)
links = st.lists(
    st.builds(Link, keys, keys, firm=st.booleans()).filter(lambda link: link.start != link.end), max_size=25
)


@given(links)
def test_every_edge_leads_to_the_right(links: list[Link]) -> None:
    edges = left_to_right(KEYS, links)
    column = columns_of(KEYS, edges)

    assert all(column[left] < column[right] for left, right in edges)
    assert [{left, right} for left, right in edges] == [{link.start, link.end} for link in links]
    assert min(column.values()) == 0


def test_firm_links_decide_against_others() -> None:
    links = [Link("b", "a", firm=False), Link("a", "b", firm=True)]

    assert left_to_right(["a", "b"], links) == [("a", "b"), ("a", "b")]


def test_one_link_of_a_cycle_is_turned_around_and_what_is_behind_it_is_not() -> None:
    links = [Link("c", "b"), Link("b", "c"), Link("c", "a")]

    edges = left_to_right(["a", "b", "c"], links)

    assert ("c", "a") in edges
    assert len(set(edges)) == 2


def test_a_provider_stands_right_before_its_only_consumer() -> None:
    edges = [("a", "b"), ("b", "c"), ("late", "c")]

    assert columns_of(["a", "b", "c", "late"], edges) == {"a": 0, "b": 1, "c": 2, "late": 1}


def test_a_long_chain_does_not_exhaust_the_stack() -> None:
    keys = [f"{number:05}" for number in range(5000)]
    links = [Link(one, other) for one, other in pairwise(keys)]

    assert columns_of(keys, left_to_right(keys, links))[keys[-1]] == 4999
