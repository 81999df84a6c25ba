"""The order from top to bottom within each column, such that few lines cross.

Sweeps to and fro put every item at the mean place of its neighbours in the column before, the barycentre
heuristic of Sugiyama, Tagawa and Toda (1981); then neighbours change places as long as that undoes crossings.
The best order seen is kept.
"""

from bisect import bisect_left, bisect_right, insort
from collections.abc import Mapping, Sequence
from typing import Final

_MAX_SWEEPS: Final = 24
_PATIENCE: Final = 6  # sweeps without an improvement
_EXCHANGEABLE: Final = 1500  # more items than this are not worth the time

Columns = list[list[int]]
Neighbours = Mapping[int, Sequence[int]]


def ordered(columns: Sequence[Sequence[int]], left: Neighbours, right: Neighbours) -> Columns:
    """Return *columns* of items, each in a better order.

    Args:
        columns: The items of each column in any order; where nothing else decides, it stays.
        left: For each item those that it is joined to in the column before, as often as it is.
        right: The same for the column after.
    """
    current = [list(column) for column in columns]
    best, fewest, idle = current, crossings(current, right), 0
    for sweep in range(_MAX_SWEEPS):
        if not fewest or idle == _PATIENCE:
            break
        current = _swept(current, left) if sweep % 2 == 0 else _swept(current[::-1], right)[::-1]
        if (number := crossings(current, right)) < fewest:
            best, fewest, idle = current, number, 0
        else:
            idle += 1
    if fewest and sum(map(len, best)) <= _EXCHANGEABLE:
        best = _exchanged(best, left, right)
    return best


def crossings(columns: Columns, right: Neighbours) -> int:
    """Return how many pairs of lines cross between neighbouring columns."""
    total = 0
    for at, column in enumerate(columns[:-1]):
        place = {item: number for number, item in enumerate(columns[at + 1])}
        ends: list[int] = []  # of the lines above, sorted
        for item in column:
            mine = sorted(place[end] for end in right.get(item, ()))
            total += sum(len(ends) - bisect_right(ends, end) for end in mine)
            for end in mine:
                insort(ends, end)
    return total


def _swept(columns: Columns, previous: Neighbours) -> Columns:
    result = columns[:1]
    for column in columns[1:]:
        place = {item: number for number, item in enumerate(result[-1])}
        result.append(_by_barycentre(column, place, previous))
    return result


def _by_barycentre(column: list[int], place: Mapping[int, int], previous: Neighbours) -> list[int]:
    """Sort the items that have neighbours; the others stay where they are."""
    centre = {
        item: sum(place[other] for other in others) / len(others) for item in column if (others := previous.get(item))
    }
    by_centre = iter(sorted(centre, key=centre.__getitem__))
    return [next(by_centre) if item in centre else item for item in column]


def _exchanged(columns: Columns, left: Neighbours, right: Neighbours) -> Columns:
    columns = [list(column) for column in columns]
    place = {item: number for column in columns for number, item in enumerate(column)}
    improved = True
    while improved:
        improved = False
        for column in columns:
            for at in range(len(column) - 1):
                upper, lower = column[at], column[at + 1]
                if _gain(upper, lower, left, place) + _gain(upper, lower, right, place) > 0:
                    column[at], column[at + 1] = lower, upper
                    place[upper], place[lower] = at + 1, at
                    improved = True
    return columns


def _gain(upper: int, lower: int, neighbours: Neighbours, place: Mapping[int, int]) -> int:
    """Return how many crossings go, less those that come, when *lower* takes the place of *upper*."""
    above = sorted(place[other] for other in neighbours.get(upper, ()))
    return sum(
        len(above) - bisect_right(above, place[other]) - bisect_left(above, place[other])
        for other in neighbours.get(lower, ())
    )
