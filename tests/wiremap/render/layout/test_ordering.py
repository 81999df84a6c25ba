from collections import defaultdict

from hypothesis import given
from hypothesis import strategies as st

from wiremap.render.layout.ordering import crossings, ordered

COLUMNS = [[0, 1, 2, 3], [4, 5, 6], [7, 8, 9]]
steps = st.sets(
    st.tuples(st.sampled_from(COLUMNS[0]), st.sampled_from(COLUMNS[1]))
    | st.tuples(st.sampled_from(COLUMNS[1]), st.sampled_from(COLUMNS[2]))
)


def _joined(steps: set[tuple[int, int]]) -> tuple[dict[int, list[int]], dict[int, list[int]]]:
    left: dict[int, list[int]] = defaultdict(list)
    right: dict[int, list[int]] = defaultdict(list)
    for one, other in sorted(steps):
        right[one].append(other)
        left[other].append(one)
    return left, right


def test_crossings_are_counted_pair_by_pair() -> None:
    _, right = _joined({(0, 6), (1, 5), (2, 4)})

    assert crossings([[0, 1, 2], [4, 5, 6]], right) == 3
    assert crossings([[2, 1, 0], [4, 5, 6]], right) == 0


@given(steps)
def test_an_order_keeps_all_items_and_crosses_no_more(steps: set[tuple[int, int]]) -> None:
    left, right = _joined(steps)

    order = ordered(COLUMNS, left, right)

    assert [sorted(column) for column in order] == COLUMNS
    assert crossings(order, right) <= crossings(COLUMNS, right)


def test_lines_that_need_not_cross_do_not() -> None:
    left, right = _joined({(0, 6), (1, 5), (2, 4), (4, 9), (5, 8), (6, 7)})

    assert crossings(ordered(COLUMNS, left, right), right) == 0
