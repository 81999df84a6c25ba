"""A diagram with every box, label and arrow in its place, and every text cut to the room that it has.

A component whose local graph is drawn becomes a large box around that graph. It stands in there once more, as a
small box, for the edges that lead to it from inside.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from wiremap.render.diagram import CellEdge, Diagram, Edge, Node
from wiremap.render.layout import Link, Rect, Route, Size, arranged
from wiremap.render.lettering import columns, shortened

TITLE_SIZE: Final = 13  # of the letters
SMALL_SIZE: Final = 11
TITLE_HEIGHT: Final = 19  # of a line
SMALL_HEIGHT: Final = 15
PADDING: Final = 12  # between the side of a box and what is in it
LABEL_PADDING: Final = 6
STACK: Final = 4  # by how much a box that stands for several shows the next one behind it

_ADVANCE_PERCENT: Final = 62  # of the size: the widest of the common monospaced fonts, SF Mono, has 61.8
_MAX_COLUMNS: Final = 44
_MAX_CELLS: Final = 12  # on one edge; then the rest is counted


@dataclass(frozen=True, slots=True)
class Drawn:
    """A component in its place.

    Attributes:
        node: What is drawn.
        rect: Where.
        lines: Its texts as cut: the title, and the type if the title does not say it.
        opened: Whether its local graph is drawn inside of it.
    """

    node: Node
    rect: Rect
    lines: tuple[str, ...]
    opened: bool


@dataclass(frozen=True, slots=True)
class Arrow:
    """An edge in its place; *label* has the texts as cut, each with whether it names a state cell."""

    edge: Edge
    start: Node
    end: Node
    route: Route
    label: tuple[tuple[str, bool], ...] = ()


@dataclass(frozen=True, slots=True)
class Figure:
    """A whole drawing; boxes come before what lies in them."""

    size: Size
    boxes: tuple[Drawn, ...] = ()
    arrows: tuple[Arrow, ...] = ()

    def moved(self, dx: int, dy: int) -> "Figure":
        """Return the same drawing elsewhere."""
        return Figure(
            self.size,
            tuple(replace(box, rect=box.rect.moved(dx, dy)) for box in self.boxes),
            tuple(replace(arrow, route=arrow.route.moved(dx, dy)) for arrow in self.arrows),
        )


def width_of(text: str, size: int) -> int:
    """Return how wide *text* is at most, in letters of *size*."""
    return -(-columns(text) * size * _ADVANCE_PERCENT // 100)


def figure_of(diagram: Diagram) -> Figure:
    """Return *diagram* laid out."""
    return _figure(diagram, {})


def _figure(diagram: Diagram, outside: Mapping[str, Node]) -> Figure:
    """Lay out *diagram*; its edges may also lead to nodes from *outside*, which then are drawn here again."""
    edges: tuple[Edge, ...] = (*diagram.cells, *diagram.containment)
    touched = {end for edge in edges for end in edge.ends} | diagram.groups.keys()
    nodes = {node.key: node for node in diagram.nodes}
    nodes |= {key: node for key, node in outside.items() if key in touched}
    insides = {
        key: _figure(group, {key: nodes[key]})
        for key, group in diagram.groups.items()
        if any(part.nodes or part.cells for part in group.walk())
    }
    labels_here = {node.label for node in nodes.values()}
    lines = {key: _cut(node, labels_here) for key, node in nodes.items()}
    sizes = {key: _box_size(lines[key], nodes[key], insides.get(key)) for key in nodes}
    labels = [_label(edge) for edge in edges]
    layout = arranged(sizes, [_link(edge, label) for edge, label in zip(edges, labels, strict=True)])

    boxes = [Drawn(nodes[key], rect, lines[key], key in insides) for key, rect in layout.boxes.items()]
    arrows = [
        Arrow(edge, nodes[edge.ends[0]], nodes[edge.ends[1]], route, label)
        for edge, route, label in zip(edges, layout.routes, labels, strict=True)
    ]
    for key, inside in insides.items():
        box = layout.boxes[key]
        top = box.y + _behind(nodes[key]) + PADDING + _text_size(lines[key]).height + PADDING
        placed = inside.moved(box.x + PADDING, top)
        boxes += placed.boxes
        arrows += placed.arrows
    return Figure(layout.size, tuple(boxes), tuple(arrows))


def _cut(node: Node, labels: Collection[str]) -> tuple[str, ...]:
    title, *others = node.lines
    number = title.removeprefix(node.label)
    limit = _MAX_COLUMNS - len(number)
    label = node.label if columns(node.label) <= limit else _without_owner(node.label, labels)
    return (shortened(label, limit) + number, *(shortened(line, _MAX_COLUMNS) for line in others))


def _without_owner(label: str, labels: Collection[str]) -> str:
    """Return *label* from the place on where it goes beyond the label of another node, if it does."""
    at = len(label)
    while (at := label.rfind(".", 0, at)) > 0:
        if label[:at] in labels:
            return "\u2026" + label[at + 1 :]
    return label


def _text_size(lines: Sequence[str]) -> Size:
    title, *others = lines
    widths = [width_of(title, TITLE_SIZE), *(width_of(line, SMALL_SIZE) for line in others)]
    return Size(max(widths), TITLE_HEIGHT + SMALL_HEIGHT * len(others))


def _box_size(lines: Sequence[str], node: Node, inside: Figure | None) -> Size:
    text = _text_size(lines)
    width, height = text.width + 2 * PADDING, text.height + 2 * PADDING
    if inside:
        width, height = max(width, inside.size.width + 2 * PADDING), height + PADDING + inside.size.height
    return Size(width + _behind(node), height + _behind(node))


def _behind(node: Node) -> int:
    return STACK if node.count > 1 else 0


def _label(edge: Edge) -> tuple[tuple[str, bool], ...]:
    if not isinstance(edge, CellEdge):
        return ()
    shown, hidden = edge.first(_MAX_CELLS)
    label = [(shortened(cell, _MAX_COLUMNS), kind == "state") for cell, kind in shown]
    if hidden:
        label.append((f"and {hidden} more", False))
    return tuple(label)


def _link(edge: Edge, label: Sequence[tuple[str, bool]]) -> Link:
    if not label:
        return Link(*edge.ends, label=None, firm=False)
    width = max(width_of(text, SMALL_SIZE) for text, _ in label) + 2 * LABEL_PADDING
    return Link(*edge.ends, label=Size(width, len(label) * SMALL_HEIGHT + 2))
