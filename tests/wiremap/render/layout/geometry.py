"""What holds of every layout, whatever went in."""

import itertools
import random
from collections.abc import Iterator, Mapping, Sequence

from wiremap.render.layout import Layout, Link, Point, Rect, Size


def assert_sound(boxes: Mapping[str, Size], links: Sequence[Link], layout: Layout) -> None:
    assert list(layout.boxes) == list(boxes)
    assert len(layout.routes) == len(links)
    _assert_sizes(boxes, links, layout)
    _assert_nothing_overlaps(layout)
    _assert_all_inside(layout)
    for link, route in zip(links, layout.routes, strict=True):
        _assert_joins(layout.boxes[link.start], layout.boxes[link.end], route.strands, route.label)
    _assert_lines_keep_clear(links, layout)


def _assert_sizes(boxes: Mapping[str, Size], links: Sequence[Link], layout: Layout) -> None:
    for key, size in boxes.items():
        assert layout.boxes[key].width == size.width
        assert layout.boxes[key].height >= size.height
    for link, route in zip(links, layout.routes, strict=True):
        assert link.label == (route.label and Size(route.label.width, route.label.height))


def _things(layout: Layout) -> list[Rect]:
    return [*layout.boxes.values(), *(route.label for route in layout.routes if route.label)]


def _assert_nothing_overlaps(layout: Layout) -> None:
    things = sorted(_things(layout), key=lambda rect: rect.x)
    for number, one in enumerate(things):
        for other in things[number + 1 :]:
            if other.x >= one.right:
                break
            assert other.y >= one.bottom or one.y >= other.bottom, (one, other)


def _assert_all_inside(layout: Layout) -> None:
    for rect in _things(layout):
        assert rect.x >= 0
        assert rect.y >= 0
        assert rect.right <= layout.size.width
        assert rect.bottom <= layout.size.height
    for route in layout.routes:
        for x, y in points_of(route.strands):
            assert 0 <= x <= layout.size.width
            assert 0 <= y <= layout.size.height


def _assert_joins(start: Rect, end: Rect, strands: Sequence[Sequence[Point]], label: Rect | None) -> None:
    assert _is_on_a_side(strands[0][0], start)
    assert _is_on_a_side(strands[-1][-1], end)
    assert len(strands) == (2 if label else 1)
    if label:
        assert _is_on_a_side(strands[0][-1], label)
        assert _is_on_a_side(strands[1][0], label)


def _is_on_a_side(point: Point, rect: Rect) -> bool:
    return point.x in (rect.x, rect.right) and rect.y <= point.y <= rect.bottom


def _assert_lines_keep_clear(links: Sequence[Link], layout: Layout) -> None:
    """No line runs through a box or a label, not even through its own."""
    things = _things(layout)
    for link, route in zip(links, layout.routes, strict=True):
        points = list(points_of(route.strands))
        left, right = min(x for x, _ in points), max(x for x, _ in points)
        near = [rect for rect in things if rect.right > left and rect.x < right]
        for rect in near:
            for x, y in points:
                assert not (rect.x < x < rect.right and rect.y < y < rect.bottom), (link, rect, x, y)


def points_of(strands: Sequence[Sequence[Point]]) -> Iterator[tuple[float, float]]:
    """Yield points all along the Bezier curves of *strands*."""
    for strand in strands:
        for start, one, two, end in zip(strand[::3], strand[1::3], strand[2::3], strand[3::3], strict=False):
            for step in range(17):
                t = step / 16
                weights = ((1 - t) ** 3, 3 * (1 - t) ** 2 * t, 3 * (1 - t) * t**2, t**3)
                knots = (start, one, two, end)
                yield (
                    sum(weight * knot.x for weight, knot in zip(weights, knots, strict=True)),
                    sum(weight * knot.y for weight, knot in zip(weights, knots, strict=True)),
                )


def random_picture(num_boxes: int, num_links: int, seed: int) -> tuple[dict[str, Size], list[Link]]:
    """Return boxes and links of all kinds, the same for the same *seed*."""
    chance = random.Random(seed)  # noqa: S311 -- no secret
    keys = [f"box {number}" for number in range(num_boxes)]
    ends = [chance.sample(keys, 2) for _ in range(num_links)]
    labels = [chance.random() < 0.5 and Size(chance.randrange(20, 250), chance.randrange(15, 90)) for _ in ends]
    return (
        {key: Size(chance.randrange(40, 300), chance.randrange(30, 60)) for key in keys},
        [Link(start, end, label or None, firm=bool(label)) for (start, end), label in zip(ends, labels, strict=True)],
    )


def chain(length: int) -> tuple[dict[str, Size], list[Link]]:
    keys = [f"link {number}" for number in range(length)]
    return (
        dict.fromkeys(keys, Size(90, 40)),
        [Link(one, other, Size(30, 15)) for one, other in itertools.pairwise(keys)],
    )
