from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from wiremap.render.layout.lines import Column, Line
from wiremap.render.layout.placement import placed
from wiremap.render.layout.straightening import straightened

COLUMNS = [Column((0, 1, 2), (10, 20)), Column((3, 4), (15,)), Column((5, 6, 7), (10, 10))]
heights = st.lists(st.integers(0, 50).map(lambda half: 2 * half), min_size=8, max_size=8)
lines = st.lists(
    st.builds(
        lambda items, first, last, weight: Line(items, (first, 0, last), weight),
        st.tuples(st.sampled_from((0, 1, 2)), st.sampled_from((3, 4)), st.sampled_from((5, 6, 7))),
        st.integers(0, 20),
        st.integers(0, 20),
        st.integers(1, 4),
    ),
    max_size=8,
)


def _assert_spaced(tops: list[int], heights: list[int]) -> None:
    for column in COLUMNS:
        for (upper, lower), gap in zip(pairwise(column.items), column.gaps, strict=True):
            assert tops[lower] - tops[upper] >= heights[upper] + gap


@given(heights, lines)
def test_items_keep_their_order_and_their_distance(heights: list[int], lines: list[Line]) -> None:
    tops = placed(COLUMNS, heights, lines)
    _assert_spaced(tops, heights)

    _assert_spaced(straightened(COLUMNS, heights, lines, tops), heights)


def test_an_item_stands_level_with_what_it_is_joined_to() -> None:
    columns = [Column((0, 1), (10,)), Column((2,), ())]
    lines = [Line((1, 2), (20, 10), 1)]

    tops = placed(columns, [40, 40, 20], lines)

    assert tops[1] + 20 == tops[2] + 10


def test_an_item_stands_in_the_middle_of_what_it_is_joined_to() -> None:
    columns = [Column((0, 1), (60,)), Column((2,), ())]
    lines = [Line((0, 2), (10, 10), 1), Line((1, 2), (10, 10), 1)]

    tops = placed(columns, [20, 20, 20], lines)

    assert 2 * tops[2] == tops[0] + tops[1]
