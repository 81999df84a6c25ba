"""Small moves that make lines straight, within the room that each item has between its neighbours.

To and fro over the columns, every item first moves to where the lines on one side want it, then every line is
laid level as far as it goes.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import inf
from typing import Final

from wiremap.render.layout.lines import Column, Line

_ROUNDS: Final = 5

Wishes = Mapping[int, Sequence[tuple[int, int]]]


def straightened(
    columns: Sequence[Column], heights: Sequence[int], lines: Sequence[Line], tops: Sequence[int]
) -> list[int]:
    """Return *tops* changed so that more lines are level; order and distances are kept."""
    room = _Room(columns, heights, tops)
    from_left, from_right = _wishes(lines)
    for number in range(_ROUNDS):
        rightwards = number % 2 == 0
        for column in columns if rightwards else reversed(columns):
            _follow(column, from_left if rightwards else from_right, room)
        for line in lines:
            _straighten(line, room)
    return room.tops


class _Room:
    """The tops of all items, and how far each could move without its neighbours."""

    def __init__(self, columns: Sequence[Column], heights: Sequence[int], tops: Sequence[int]) -> None:
        self.tops = list(tops)
        self._above: dict[int, tuple[int, int]] = {}  # the neighbour, and the distance between the two tops
        self._below: dict[int, tuple[int, int]] = {}
        for column in columns:
            for (upper, lower), gap in zip(pairwise(column.items), column.gaps, strict=True):
                self._above[lower] = (upper, heights[upper] + gap)
                self._below[upper] = (lower, heights[upper] + gap)

    def of(self, item: int) -> tuple[float, float]:
        """Return the least and the greatest top that *item* may have."""
        least, greatest = -inf, inf
        if item in self._above:
            upper, distance = self._above[item]
            least = self.tops[upper] + distance
        if item in self._below:
            lower, distance = self._below[item]
            greatest = self.tops[lower] - distance
        return least, greatest

    def move(self, item: int, top: float) -> None:
        """Move *item* to *top*, or as near as it can get."""
        least, greatest = self.of(item)
        self.tops[item] = int(min(max(top, least), greatest))


def _wishes(lines: Sequence[Line]) -> tuple[Wishes, Wishes]:
    """Return for each item what its lines come from on the left, and on the right.

    Each comes with how far below its top that of the item should be, the more often the more the line matters.
    """
    from_left: dict[int, list[tuple[int, int]]] = defaultdict(list)
    from_right: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for line in lines:
        for (left, left_offset), (right, right_offset) in pairwise(zip(line.items, line.offsets, strict=True)):
            from_left[right] += line.weight * [(left, left_offset - right_offset)]
            from_right[left] += line.weight * [(right, right_offset - left_offset)]
    return from_left, from_right


def _follow(column: Column, wishes: Wishes, room: _Room) -> None:
    """Move each item to the median of what is wished, which makes one line level and the others no steeper in sum."""
    for item in column.items:
        if mine := wishes.get(item):
            tops = sorted(room.tops[other] + distance for other, distance in mine)
            room.move(item, tops[(len(tops) - 1) // 2])


def _straighten(line: Line, room: _Room) -> None:
    """Lay the line level as far as the room of all that it meets has a level in common, then from there on."""
    level: float = room.tops[line.items[0]] + line.offsets[0]
    goal = room.tops[line.items[-1]] + line.offsets[-1]
    stretch: list[tuple[int, int]] = []
    low, high = -inf, inf
    for item, offset in zip(line.items[1:-1], line.offsets[1:-1], strict=True):
        least, greatest = room.of(item)
        if max(low, least + offset) > min(high, greatest + offset):
            level = _best_level(level, goal, low, high)
            _lay(stretch, level, room)
            stretch, low, high = [], -inf, inf
        low, high = max(low, least + offset), min(high, greatest + offset)
        stretch.append((item, offset))
    _lay(stretch, _best_level(level, goal, low, high), room)


def _best_level(level: float, goal: float, low: float, high: float) -> float:
    """Return the level to go on with: *level* as before, else that of the end, else what is nearest to it."""
    if not low <= level <= high and low <= goal <= high:
        return goal
    return min(max(level, low), high)


def _lay(stretch: Sequence[tuple[int, int]], level: float, room: _Room) -> None:
    for item, offset in stretch:
        room.move(item, level - offset)
