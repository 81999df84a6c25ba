"""Columns whose order is settled, and the lines through them: what the last steps of a layout work on."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from wiremap.render.layout.items import Items

_FIRM: Final = 4
_LOOSE: Final = 1  # of a line that runs together with others


@dataclass(frozen=True, slots=True)
class Column:
    """The items of one column from top to bottom, and the space that must be below each but the last."""

    items: tuple[int, ...]
    gaps: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Line:
    """The way of a link.

    Attributes:
        items: What it meets from left to right; the first and the last are boxes.
        offsets: How far below the top of each of them it runs.
        weight: How much it matters that it be straight.
    """

    items: tuple[int, ...]
    offsets: tuple[int, ...]
    weight: int


def columns_in(order: Sequence[Sequence[int]], margins: Sequence[int]) -> list[Column]:
    """Return the columns with the space that the margins of their items ask for."""
    return [
        Column(tuple(items), tuple(margins[upper] + margins[lower] for upper, lower in pairwise(items)))
        for items in order
    ]


def lines_in(columns: Sequence[Column], items: Items, ports: Sequence[int], joined: Sequence[bool]) -> list[Line]:
    """Return the line of each link, such that lines don't cross right at a box.

    Args:
        columns: Where the lines go through.
        items: All items.
        ports: The height of each box that lines may touch; it can be less than that of the item.
        joined: Whether a link may share the point where it ends with the others of which this is said.
    """
    place = {item: at for column in columns for at, item in enumerate(column.items)}
    leaving = _fanned(items.ways, place, ports, [False] * len(joined))
    arriving = _fanned([way[::-1] for way in items.ways], place, ports, joined)
    middle = [size.height // 2 for size in items.sizes]
    return [
        Line(tuple(way), (start, *(middle[item] for item in way[1:-1]), end), _LOOSE if join else _FIRM)
        for way, start, end, join in zip(items.ways, leaving, arriving, joined, strict=True)
    ]


def _fanned(
    ways: Sequence[Sequence[int]], place: Mapping[int, int], ports: Sequence[int], joined: Sequence[bool]
) -> list[int]:
    """Return how far below the top of its first item each way touches it, in the order of what it meets next."""
    by_box: dict[int, list[int]] = defaultdict(list)
    for number, way in enumerate(ways):
        by_box[way[0]].append(number)
    offsets = [0] * len(ways)
    for box, numbers in by_box.items():
        bundles: list[list[int]] = [[number] for number in numbers if not joined[number]]
        if together := [number for number in numbers if joined[number]]:
            bundles.append(together)
        bundles.sort(key=lambda bundle: sum(place[ways[number][1]] for number in bundle) / len(bundle))
        for at, bundle in enumerate(bundles):
            for number in bundle:
                offsets[number] = ports[box] * (2 * at + 1) // (2 * len(bundles))
    return offsets
