"""What a layout is made of: boxes and links go in, rectangles and routes come out. Whole pixels, y downwards."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

HEAD_ROOM: Final = 12  # every line is straight for so long where it touches a box, for the heads of arrows


class Point(NamedTuple):
    """A place in the picture."""

    x: int
    y: int


@dataclass(frozen=True, slots=True)
class Size:
    """How much room something needs."""

    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Link:
    """An arrow from one box to another, or to itself (one at most per box); both ends are keys of boxes.

    Attributes:
        start: Where it leaves.
        end: Where its head is.
        label: The room that its label needs, if it has one.
        firm: Whether it decides what stands left of what; others are heeded where firm links leave a choice.
    """

    start: str
    end: str
    label: Size | None = None
    firm: bool = True


@dataclass(frozen=True, slots=True)
class Rect:
    """A rectangle by its upper left corner and its size."""

    x: int
    y: int
    width: int
    height: int

    @property
    def right(self) -> int:
        """The x of the right side."""
        return self.x + self.width

    @property
    def bottom(self) -> int:
        """The y of the lower side."""
        return self.y + self.height

    def moved(self, dx: int, dy: int) -> "Rect":
        """Return the same rectangle elsewhere."""
        return Rect(self.x + dx, self.y + dy, self.width, self.height)


@dataclass(frozen=True, slots=True)
class Route:
    """The way of a link, from its start to its end.

    Attributes:
        strands: One line, or two with the label between them. Each is a first point and three more for every
            cubic Bezier curve that goes on from there.
        label: Where the label stands.
    """

    strands: tuple[tuple[Point, ...], ...]
    label: Rect | None

    def moved(self, dx: int, dy: int) -> "Route":
        """Return the same route elsewhere."""
        strands = tuple(tuple(Point(x + dx, y + dy) for x, y in strand) for strand in self.strands)
        return Route(strands, self.label and self.label.moved(dx, dy))

    def turned(self) -> "Route":
        """Return the same route from its end to its start."""
        return Route(tuple(strand[::-1] for strand in self.strands[::-1]), self.label)


@dataclass(frozen=True, slots=True)
class Layout:
    """A laid out picture whose upper left corner is at 0, 0.

    Attributes:
        size: Everything lies within it.
        boxes: Where each box stands, by its key.
        routes: The route of each link, in the order in which the links came.
    """

    size: Size
    boxes: Mapping[str, Rect]
    routes: tuple[Route, ...]
