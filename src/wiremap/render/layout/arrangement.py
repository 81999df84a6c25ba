"""The layout of boxes and links that need not all hang together: one picture for each part, then all in rows."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from math import isqrt
from typing import Final

from wiremap.render.layout.elements import Layout, Link, Point, Rect, Route, Size
from wiremap.render.layout.layered import layered

_SPACE: Final = 32
_ASPECT: Final = (8, 5)  # width to height of the whole, as near as its parts allow


def arranged(boxes: Mapping[str, Size], links: Sequence[Link]) -> Layout:
    """Lay out *boxes* and *links*; boxes come out higher than asked for where many links touch them."""
    rects: dict[str, Rect] = {}
    routes: dict[int, Route] = {}
    parts = list(_connected(boxes, links))
    layouts = [layered({key: boxes[key] for key in keys}, [links[at] for at in numbers]) for keys, numbers in parts]
    corners = _in_rows([layout.size for layout in layouts])
    for (_, numbers), layout, corner in zip(parts, layouts, corners, strict=True):
        rects |= {key: rect.moved(*corner) for key, rect in layout.boxes.items()}
        routes |= {number: route.moved(*corner) for number, route in zip(numbers, layout.routes, strict=True)}
    ends = [(x + layout.size.width, y + layout.size.height) for (x, y), layout in zip(corners, layouts, strict=True)]
    return Layout(
        size=Size(max((x for x, _ in ends), default=0), max((y for _, y in ends), default=0)),
        boxes={key: rects[key] for key in boxes},
        routes=tuple(routes[number] for number in range(len(links))),
    )


def _connected(boxes: Mapping[str, Size], links: Sequence[Link]) -> Iterator[tuple[list[str], list[int]]]:
    """Yield the keys of boxes that hang together, and the numbers of the links between them."""
    touching: dict[str, list[int]] = defaultdict(list)
    for number, link in enumerate(links):
        touching[link.start].append(number)
        touching[link.end].append(number)
    part: dict[str, str] = {}
    for root in boxes:
        todo = [root]
        while todo:
            key = todo.pop()
            if key not in part:
                part[key] = root
                todo.extend(end for number in touching[key] for end in (links[number].start, links[number].end))
    keys: dict[str, list[str]] = defaultdict(list)
    numbers: dict[str, list[int]] = defaultdict(list)
    for key in boxes:
        keys[part[key]].append(key)
    for number, link in enumerate(links):
        numbers[part[link.start]].append(number)
    for root, members in keys.items():
        yield members, numbers[root]


def _in_rows(sizes: Sequence[Size]) -> list[Point]:
    """Return the upper left corner of each part: the highest first, in rows about as wide as a page."""
    area = sum((size.width + _SPACE) * (size.height + _SPACE) for size in sizes)
    limit = max([isqrt(area * _ASPECT[0] // _ASPECT[1]), *(size.width for size in sizes)])
    corners: dict[int, Point] = {}
    x, y, row_height = 0, 0, 0
    for number in sorted(range(len(sizes)), key=lambda number: -sizes[number].height):
        size = sizes[number]
        # What is much lower than its row would leave the room below itself empty.
        if x and (x + size.width > limit or 2 * size.height < row_height):
            x, y, row_height = 0, y + row_height + _SPACE, 0
        corners[number] = Point(x, y)
        x, row_height = x + size.width + _SPACE, max(row_height, size.height)
    return [corners[number] for number in range(len(sizes))]
