"""A graph as one SVG file: blue labelled edges are cells, grey unlabelled ones containment.

It needs nothing besides itself, has no ids that could clash in a page, follows the reader's choice of light or dark,
and says in titles what is cut in the drawing. The same graph gives the same bytes.
"""

import unicodedata
from collections.abc import Iterator, Sequence
from typing import Final

from wiremap.graph import Graph
from wiremap.render.diagram import (
    CELL_COLOUR,
    CELLS_MEAN,
    CONTAINMENT_COLOUR,
    CONTAINMENT_MEANS,
    CellEdge,
    diagram_of,
    title_of,
    told,
)
from wiremap.render.figure import (
    LABEL_PADDING,
    PADDING,
    SMALL_HEIGHT,
    SMALL_SIZE,
    STACK,
    TITLE_HEIGHT,
    TITLE_SIZE,
    Arrow,
    Drawn,
    Figure,
    figure_of,
    width_of,
)
from wiremap.render.layout import Point, Rect
from wiremap.render.lettering import legible

_MARGIN: Final = 24
_LEGEND_HEIGHT: Final = 18  # of a line
_SAMPLE: Final = 32  # how long the line before its explanation is
_HEAD_LENGTH: Final = 8
_HEAD_HALF: Final = 4
_TOLD: Final = 60  # edges in the description; a picture with more of them is no text to listen to
_ESCAPES: Final = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"})

_STYLE: Final = f"""
.wiremap text {{ font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; }}
.wiremap .page {{ fill: #ffffff; }}
.wiremap .box {{ fill: #f8fafc; stroke: #94a3b8; }}
.wiremap .opened {{ fill: #94a3b8; fill-opacity: 0.08; stroke: #94a3b8; }}
.wiremap .title {{ font-size: {TITLE_SIZE}px; font-weight: 600; fill: #0f172a; }}
.wiremap .type, .wiremap .legend {{ font-size: {SMALL_SIZE}px; fill: #64748b; }}
.wiremap .line {{ fill: none; stroke-width: 1.4; }}
.wiremap .cells .line {{ stroke: {CELL_COLOUR}; }}
.wiremap .cells .head {{ fill: {CELL_COLOUR}; }}
.wiremap .cells .label {{ fill: {CELL_COLOUR}; fill-opacity: 0.07; }}
.wiremap .cells text {{ font-size: {SMALL_SIZE}px; fill: {CELL_COLOUR}; }}
.wiremap .state {{ font-style: italic; }}
.wiremap .containment .line {{ stroke: {CONTAINMENT_COLOUR}; }}
.wiremap .containment .head {{ fill: {CONTAINMENT_COLOUR}; }}
@media (prefers-color-scheme: dark) {{
.wiremap .page {{ fill: #0d1117; }}
.wiremap .box {{ fill: #161b22; stroke: #4b5563; }}
.wiremap .opened {{ fill: #94a3b8; fill-opacity: 0.07; stroke: #4b5563; }}
.wiremap .title {{ fill: #e6edf3; }}
.wiremap .type, .wiremap .legend {{ fill: #9ca3af; }}
.wiremap .cells .line {{ stroke: #60a5fa; }}
.wiremap .cells .head {{ fill: #60a5fa; }}
.wiremap .cells .label {{ fill: #60a5fa; fill-opacity: 0.12; }}
.wiremap .cells text {{ fill: #93c5fd; }}
.wiremap .containment .line {{ stroke: #6b7280; }}
.wiremap .containment .head {{ fill: #6b7280; }}
}}
"""


def render_svg(graph: Graph, *, fold: bool = True, nested: bool = True) -> str:
    """Return *graph* as the text of an SVG file; see ``diagram_of`` for the options."""
    figure = figure_of(diagram_of(graph, fold=fold, nested=nested)).moved(_MARGIN, _MARGIN)
    legend = _legend(figure)
    legend_width = max((2 * _SAMPLE + width_of(text, SMALL_SIZE) for _, text in legend), default=0)
    width = max(figure.size.width, legend_width) + 2 * _MARGIN
    height = figure.size.height + (_MARGIN + len(legend) * _LEGEND_HEIGHT if legend else 0) + 2 * _MARGIN
    area = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="wiremap" role="img" {area}>',
        f"<title>{_escaped(title_of(graph))}</title>",
        f"<desc>{_escaped(_description(figure))}</desc>",
        f"<style>{_STYLE}</style>",
        f'<rect class="page" width="{width}" height="{height}"/>',
        *(line for box in figure.boxes for line in _box(box)),
        *(line for arrow in reversed(figure.arrows) for line in _arrow(arrow)),  # cells over containment
        *_legend_lines(legend, figure.size.height + 2 * _MARGIN),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _description(figure: Figure) -> str:
    """Return what the arrows say, for those who can't see them."""
    told = [f"{_sentence(arrow)}." for arrow in figure.arrows[:_TOLD]]
    if hidden := len(figure.arrows) - len(told):
        told.append(f"And {hidden} more edges.")
    return " ".join(told) or "No edges."


def _sentence(arrow: Arrow) -> str:
    if isinstance(arrow.edge, CellEdge):
        return f"{arrow.start.title} hands {', '.join(map(told, arrow.edge.cells))} to {arrow.end.title}"
    return f"{arrow.end.title} holds {arrow.start.title}"


def _box(box: Drawn) -> Iterator[str]:
    behind = STACK if box.node.count > 1 else 0
    front = Rect(box.rect.x, box.rect.y + behind, box.rect.width - behind, box.rect.height - behind)
    style = "opened" if box.opened else "box"
    yield f'<g class="component"><title>{_escaped(_told(box))}</title>'
    if behind:
        yield _rect(front.moved(behind, -behind), style, radius=6)
    yield _rect(front, style, radius=6)
    text_height = TITLE_HEIGHT + SMALL_HEIGHT * (len(box.lines) - 1)
    top = front.y + (PADDING if box.opened else (front.height - text_height) // 2)
    x, anchor = (front.x + PADDING, "start") if box.opened else (front.x + front.width // 2, "middle")
    title, *others = box.lines
    yield _text(title, x, top + TITLE_HEIGHT - 5, "title", anchor)
    for number, line in enumerate(others, start=1):
        yield _text(line, x, top + TITLE_HEIGHT + SMALL_HEIGHT * number - 4, "type", anchor)
    yield "</g>"


def _told(box: Drawn) -> str:
    component = box.node.component
    place = f"{component.source_path}:{component.source_line}" if component.source_path else component.module
    return "\n".join([*box.node.lines, legible(place)])


def _arrow(arrow: Arrow) -> Iterator[str]:
    style = "cells" if isinstance(arrow.edge, CellEdge) else "containment"
    yield f'<g class="{style}"><title>{_escaped(_sentence(arrow))}</title>'
    *strands, last = arrow.route.strands
    tip, before = last[-1], last[-4]
    back = -_HEAD_LENGTH if before.x < tip.x else _HEAD_LENGTH
    shaft = (*last[:-1], Point(tip.x + back, tip.y))
    path = " ".join(map(_path, (*strands, shaft)))
    yield f'<path class="line" d="{path}"/>'
    head = f"M{tip.x} {tip.y}l{back} {-_HEAD_HALF}v{2 * _HEAD_HALF}z"
    yield f'<path class="head" d="{head}"/>'
    if rect := arrow.route.label:
        yield _rect(rect, "label", radius=4)
        for number, (text, is_state) in enumerate(arrow.label, start=1):
            y = rect.y + SMALL_HEIGHT * number - 3
            yield _text(text, rect.x + LABEL_PADDING, y, "state" if is_state else "")
    yield "</g>"


def _path(strand: Sequence[Point]) -> str:
    steps = [f"M{strand[0].x} {strand[0].y}"]
    for start, one, two, end in zip(strand[::3], strand[1::3], strand[2::3], strand[3::3], strict=False):
        level = start.y == one.y == two.y == end.y
        steps.append(f"H{end.x}" if level else f"C{one.x} {one.y} {two.x} {two.y} {end.x} {end.y}")
    return "".join(steps)


def _legend(figure: Figure) -> list[tuple[str, str]]:
    """Return the kinds of arrows that occur, with what they mean."""
    edges = [arrow.edge for arrow in figure.arrows]
    meanings = []
    if any(isinstance(edge, CellEdge) for edge in edges):
        state = any(kind == "state" for edge in edges if isinstance(edge, CellEdge) for _, kind in edge.cells)
        meanings.append(("cells", CELLS_MEAN + ("; state in italics" if state else "")))
    if any(not isinstance(edge, CellEdge) for edge in edges):
        meanings.append(("containment", CONTAINMENT_MEANS))
    return meanings


def _legend_lines(legend: Sequence[tuple[str, str]], top: int) -> Iterator[str]:
    for number, (style, meaning) in enumerate(legend):
        y = top + _LEGEND_HEIGHT * number + _LEGEND_HEIGHT // 2
        end = _MARGIN + _SAMPLE
        yield f'<g class="{style}"><path class="line" d="M{_MARGIN} {y}H{end - _HEAD_LENGTH}"/>'
        yield f'<path class="head" d="M{end} {y}l{-_HEAD_LENGTH} {-_HEAD_HALF}v{2 * _HEAD_HALF}z"/></g>'
        yield _text(meaning, end + _SAMPLE // 4, y + 4, "legend")


def _rect(rect: Rect, style: str, radius: int) -> str:
    return (
        f'<rect class="{style}" x="{rect.x}" y="{rect.y}" width="{rect.width}" height="{rect.height}" rx="{radius}"/>'
    )


def _text(text: str, x: int, y: int, style: str, anchor: str = "start") -> str:
    attributes = f'class="{style}" ' if style else ""
    attributes += f'x="{x}" y="{y}"'
    if anchor != "start":
        attributes += f' text-anchor="{anchor}"'
    if not _is_measurable(text):
        size = TITLE_SIZE if style == "title" else SMALL_SIZE
        attributes += f' textLength="{width_of(text, size)}" lengthAdjust="spacingAndGlyphs"'
    return f"<text {attributes}>{_escaped(text)}</text>"


def _is_measurable(text: str) -> bool:
    """Return whether every font draws *text* about as wide as it was counted; else the reader has to make it so."""
    return all(letter.isascii() or unicodedata.east_asian_width(letter) in "WFA" for letter in text)


def _escaped(text: str) -> str:
    return text.translate(_ESCAPES)
