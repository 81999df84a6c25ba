"""How high each item stands: near what it is joined to, in the order of its column, with space between.

Every column in turn takes the places nearest to those that its neighbours wish, in the least squares sense.
With an order and distances to keep this is isotonic regression, solved by pooling adjacent violators.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import accumulate, pairwise
from math import floor
from typing import Final, NamedTuple

from wiremap.render.layout.lines import Column, Line

_SWEEPS: Final = 12
_WEAK: Final = 0.01  # the wish to stay, of an item that nothing pulls
_INNER: Final = 4.0  # the pull between two bends or labels of one line
_OUTER: Final = 1.0  # the pull where one end is a box


class _Pull(NamedTuple):
    """An item's wish that its top be *distance* below the top of *other*."""

    other: int
    distance: int
    weight: float


Pulls = Mapping[int, Sequence[_Pull]]


def placed(columns: Sequence[Column], heights: Sequence[int], lines: Sequence[Line]) -> list[int]:
    """Return the top of each item in whole pixels."""
    from_left, from_right = _pulls(lines)
    tops = _stacked(columns, heights)
    for sweep in range(_SWEEPS):
        rightwards = sweep % 2 == 0
        pulls = from_left if rightwards else from_right
        for column in columns if rightwards else reversed(columns):
            _settle(column, heights, tops, pulls)
    # Distances are whole numbers, so that rounding all tops the same way keeps them.
    return [floor(top + 0.5) for top in tops]


def _pulls(lines: Sequence[Line]) -> tuple[Pulls, Pulls]:
    from_left: dict[int, list[_Pull]] = defaultdict(list)
    from_right: dict[int, list[_Pull]] = defaultdict(list)
    for line in lines:
        steps = list(pairwise(zip(line.items, line.offsets, strict=True)))
        for number, ((left, left_offset), (right, right_offset)) in enumerate(steps):
            weight = line.weight * (_INNER if 0 < number < len(steps) - 1 else _OUTER)
            from_left[right].append(_Pull(left, left_offset - right_offset, weight))
            from_right[left].append(_Pull(right, right_offset - left_offset, weight))
    return from_left, from_right


def _stacked(columns: Sequence[Column], heights: Sequence[int]) -> list[float]:
    """Return tops of columns packed tight, with their middles level."""
    tops = [0.0] * len(heights)
    for column in columns:
        below = _least_tops(column, heights)
        middle = (below[-1] + heights[column.items[-1]]) / 2
        for item, top in zip(column.items, below, strict=True):
            tops[item] = top - middle
    return tops


def _least_tops(column: Column, heights: Sequence[int]) -> list[int]:
    steps = (heights[item] + gap for item, gap in zip(column.items, column.gaps, strict=False))
    return list(accumulate(steps, initial=0))


def _settle(column: Column, heights: Sequence[int], tops: list[float], pulls: Pulls) -> None:
    wishes, weights = [], []
    for item in column.items:
        mine = pulls.get(item, ())
        weight = sum(pull.weight for pull in mine)
        wishes.append(
            sum(pull.weight * (tops[pull.other] + pull.distance) for pull in mine) / weight if mine else tops[item]
        )
        weights.append(weight or _WEAK)
    least = _least_tops(column, heights)
    # Without the room that is needed anyway, "not closer than that" becomes "not less".
    fitted = _not_decreasing([wish - top for wish, top in zip(wishes, least, strict=True)], weights)
    for item, top, base in zip(column.items, fitted, least, strict=True):
        tops[item] = top + base


def _not_decreasing(wishes: Sequence[float], weights: Sequence[float]) -> list[float]:
    """Return the values nearest to *wishes* of which none is less than the one before."""
    pools: list[tuple[float, float, int]] = []  # weight, mean, number of values
    for wish, weight in zip(wishes, weights, strict=True):
        pool = (weight, wish, 1)
        while pools and pools[-1][1] > pool[1]:
            heavier, mean, number = pools.pop()
            total = heavier + pool[0]
            pool = (total, (heavier * mean + pool[0] * pool[1]) / total, number + pool[2])
        pools.append(pool)
    return [mean for _, mean, number in pools for _ in range(number)]
