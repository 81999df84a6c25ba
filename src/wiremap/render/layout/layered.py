"""A layered layout from left to right, after Sugiyama, Tagawa and Toda (1981): columns, order, heights, routes.

The same input gives the same layout, to the pixel.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Final

from wiremap.render.layout.elements import Layout, Link, Rect, Size
from wiremap.render.layout.items import items_of
from wiremap.render.layout.layering import Edge, columns_of, left_to_right
from wiremap.render.layout.lines import columns_in, lines_in
from wiremap.render.layout.loops import LOOP_FOOT, loop_route, room_for
from wiremap.render.layout.ordering import Neighbours, ordered
from wiremap.render.layout.placement import placed
from wiremap.render.layout.routing import route_along, side_by_side
from wiremap.render.layout.straightening import straightened

_PORT_SPACE: Final = 10  # between two lines at a box
_FEW: Final = 3  # so many lines to one box are easier to follow each on its own


def layered(boxes: Mapping[str, Size], links: Sequence[Link]) -> Layout:
    """Lay out *boxes*, at least one, so that links lead from left to right wherever they close no cycle.

    Boxes come out higher than asked for where many links touch them.
    """
    loops = {link.start: link for link in links if link.start == link.end}
    through = [link for link in links if link.start != link.end]
    edges = left_to_right(list(boxes), through)
    turned = [link.start != left for link, (left, _) in zip(through, edges, strict=True)]
    joined = _joined(through, turned)

    grown = _grown(boxes, loops, edges, joined)
    places = {key: room_for(size, loops[key].label) if key in loops else size for key, size in grown.items()}
    items = items_of(places, through, edges, joined, columns_of(list(boxes), edges))
    columns = columns_in(ordered(items.columns, *_neighbours(items.ways)), items.margins)

    ports = [size.height - LOOP_FOOT * (key in loops) for key, size in grown.items()]
    lines = lines_in(columns, items, ports, joined)
    heights = [size.height for size in items.sizes]
    tops = straightened(columns, heights, lines, placed(columns, heights, lines))
    highest = min(tops)
    scene = side_by_side(columns, items.sizes, [top - highest for top in tops], lines)

    rects = {
        key: Rect(place.x + (place.width - size.width) // 2, place.y, size.width, size.height)
        for (key, size), place in zip(grown.items(), scene.rects, strict=False)
    }
    straight = (
        route_along(line, label, rects[left], rects[right], scene)
        for line, label, (left, right) in zip(lines, items.labels, edges, strict=True)
    )
    there = iter(route.turned() if turn else route for route, turn in zip(straight, turned, strict=True))
    routes = (loop_route(rects[link.start], link.label) if link.start == link.end else next(there) for link in links)
    return Layout(scene.size, rects, tuple(routes))


def _joined(links: Sequence[Link], turned: Sequence[bool]) -> list[bool]:
    """Return for each link whether it may run together with others: if many without a label end at one box."""
    may_join = [link.label is None and not turn for link, turn in zip(links, turned, strict=True)]
    number = Counter(link.end for link, may in zip(links, may_join, strict=True) if may)
    return [may and number[link.end] > _FEW for link, may in zip(links, may_join, strict=True)]


def _grown(
    boxes: Mapping[str, Size], loops: Mapping[str, Link], edges: Sequence[Edge], joined: Sequence[bool]
) -> dict[str, Size]:
    """Return the sizes of *boxes* with the height that the links to their left and right need."""
    leaving = Counter(left for left, _ in edges)
    arriving = Counter(right for (_, right), join in zip(edges, joined, strict=True) if not join)
    arriving.update({right for (_, right), join in zip(edges, joined, strict=True) if join})
    return {
        key: Size(
            size.width,
            max(size.height, max(leaving[key], arriving[key]) * _PORT_SPACE + LOOP_FOOT * (key in loops)),
        )
        for key, size in boxes.items()
    }


def _neighbours(ways: Sequence[Sequence[int]]) -> tuple[Neighbours, Neighbours]:
    left: dict[int, list[int]] = defaultdict(list)
    right: dict[int, list[int]] = defaultdict(list)
    for one, following in dict.fromkeys(step for way in ways for step in pairwise(way)):
        right[one].append(following)
        left[following].append(one)
    return left, right
