"""Where columns stand from left to right, and the routes of links through them.

Within a column a link runs level, through the place that it has there alone; between two columns it bends
from one level to the next, where nothing else is.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, NamedTuple

from wiremap.render.layout.elements import HEAD_ROOM, Point, Rect, Route, Size
from wiremap.render.layout.lines import Column, Line

_STEEPNESS: Final = 5  # a bend is this many times as high as wide, within these limits:
_NARROWEST: Final = 20
_WIDEST: Final = 100


class _Span(NamedTuple):
    """A column from its left to its right side."""

    left: int
    right: int


@dataclass(frozen=True, slots=True)
class Scene:
    """Items in their places, and for each of them the column that it stands in."""

    size: Size
    rects: Sequence[Rect]
    spans: Sequence[_Span]

    def level(self, line: Line, at: int) -> int:
        """Return the height at which *line* passes the item that it meets as number *at*."""
        return self.rects[line.items[at]].y + line.offsets[at]


def side_by_side(columns: Sequence[Column], sizes: Sequence[Size], tops: Sequence[int], lines: Sequence[Line]) -> Scene:
    """Put the columns side by side with room for the bends between them, and each item in the middle of its column."""
    climbs = _climbs(columns, tops, lines)
    rects: dict[int, Rect] = {}
    spans: dict[int, _Span] = {}
    left = right = 0
    for number, column in enumerate(columns):
        right = left + max(sizes[item].width for item in column.items)
        for item in column.items:
            size = sizes[item]
            rects[item] = Rect((left + right - size.width) // 2, tops[item], size.width, size.height)
            spans[item] = _Span(left, right)
        bend = min(max(climbs[number] // _STEEPNESS, _NARROWEST), _WIDEST)
        left = right + bend + 2 * HEAD_ROOM
    size = Size(right, max(rect.bottom for rect in rects.values()))
    return Scene(size, [rects[item] for item in range(len(sizes))], [spans[item] for item in range(len(sizes))])


def _climbs(columns: Sequence[Column], tops: Sequence[int], lines: Sequence[Line]) -> list[int]:
    """Return how far up or down a line goes at most behind each column."""
    number = {item: at for at, column in enumerate(columns) for item in column.items}
    climbs = [0] * len(columns)
    for line in lines:
        levels = [tops[item] + offset for item, offset in zip(line.items, line.offsets, strict=True)]
        for item, (level, following) in zip(line.items, pairwise(levels), strict=False):
            climbs[number[item]] = max(climbs[number[item]], abs(following - level))
    return climbs


def route_along(line: Line, label: int | None, start: Rect, end: Rect, scene: Scene) -> Route:
    """Return the route along *line* from the box *start* to the box *end*, interrupted by the item *label*.

    The boxes can be smaller than the items that they are: the rest of their places is for loops.
    """
    knots = [[Point(start.right, scene.level(line, 0))]]
    for at, item in enumerate(line.items):
        level, span = scene.level(line, at), scene.spans[item]
        if at:
            knots[-1].append(Point(span.left - HEAD_ROOM, level))
        if item == label:
            rect = scene.rects[item]
            knots[-1].append(Point(rect.x, level))
            knots.append([Point(rect.right, level)])
        if at < len(line.items) - 1:
            knots[-1].append(Point(span.right + HEAD_ROOM, level))
    knots[-1].append(Point(end.x, scene.level(line, len(line.items) - 1)))
    return Route(tuple(map(_curve, knots)), None if label is None else scene.rects[label])


def _curve(knots: Sequence[Point]) -> tuple[Point, ...]:
    """Return curves that run level at every knot."""
    points = [knots[0]]
    for start, end in pairwise(_bent_only(knots)):
        middle = (start.x + end.x) // 2
        points += (start, end, end) if start.y == end.y else (Point(middle, start.y), Point(middle, end.y), end)
    return tuple(points)


def _bent_only(knots: Sequence[Point]) -> list[Point]:
    """Return *knots* without those in the middle of a straight line."""
    inner = (b for a, b, c in zip(knots, knots[1:], knots[2:], strict=False) if not a.y == b.y == c.y)
    return [knots[0], *inner, knots[-1]]
