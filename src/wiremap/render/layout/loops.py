"""Links that end where they start: below their box, with the label in the middle."""

from typing import Final

from wiremap.render.layout.elements import HEAD_ROOM, Point, Rect, Route, Size

LOOP_FOOT: Final = 12  # of the height of a box, kept free of other lines
_BULGE: Final = 20  # how far the ends of a bend pull it outwards; it reaches three quarters of that
_DROP: Final = 10  # between box and label


def room_for(box: Size, label: Size | None) -> Size:
    """Return the size of a place that *box* can share with a loop."""
    width, height = (label.width, label.height) if label else (0, 0)
    return Size(max(box.width, width) + 2 * (HEAD_ROOM + _BULGE), box.height + _DROP + height)


def loop_route(box: Rect, label: Size | None) -> Route:
    """Return the way from the right side of *box* to its left side."""
    width, height = (label.width, label.height) if label else (0, 0)
    place = Rect(box.x + (box.width - width) // 2, box.bottom + _DROP, width, height)
    level, low = box.bottom - LOOP_FOOT // 2, place.y + height // 2
    right, left = max(box.right, place.right) + HEAD_ROOM, min(box.x, place.x) - HEAD_ROOM
    out = (
        *_straight(Point(box.right, level), Point(right, level)),
        *(Point(right + _BULGE, level), Point(right + _BULGE, low), Point(right, low)),
        *_straight(Point(right, low), Point(place.right, low))[1:],
    )
    back = (
        *_straight(Point(place.x, low), Point(left, low)),
        *(Point(left - _BULGE, low), Point(left - _BULGE, level), Point(left, level)),
        *_straight(Point(left, level), Point(box.x, level))[1:],
    )
    return Route((out, back), place) if label else Route(((*out, *back[1:]),), None)


def _straight(start: Point, end: Point) -> tuple[Point, ...]:
    return (start, start, end, end)
