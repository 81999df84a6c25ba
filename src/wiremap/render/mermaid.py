"""A graph as Mermaid flowcharts: blue labelled edges are cells, grey unlabelled ones containment.

Node ids are made of the letters, digits and underscores of the component ids behind a prefix, so no id can
be a keyword, and adding a component changes no other line of a node. Everything that people read is quoted,
with Mermaid's own escapes.

Mermaid refuses texts beyond 50,000 characters and pictures of more than 500 edges, and most places that draw
them (GitHub among them) let nobody raise that. A graph that is too large becomes an overview, which says in
comments what it leaves out, and parts.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from wiremap.graph import Graph
from wiremap.render.bundling import bundled
from wiremap.render.diagram import CELL_COLOUR, CONTAINMENT_COLOUR, LEGEND, CellEdge, Diagram, diagram_of, told
from wiremap.render.lettering import deeper, legible, shortened

MAX_EDGES: Final = 500
MAX_CHARACTERS: Final = 50_000

# Not the colon: "fa:..." becomes an icon, and Mermaid eats the end of an escape behind "style" and a colon.
_SPECIAL: Final = re.compile("[^\\w .,/()\\[\\]\u00d7-]")
# What Mermaid takes for its own even where it is escaped, and what looks the same: its mark of escapes, and a
# backslash before an n for a new line. A word joiner takes no room.
_MISREAD: Final = (("\ufb02", "fl"), ("\\n", "\\\u2060n"))
_MAX_HANDLE: Final = 48
_NOTED: Final = 24  # lines about what is left out; then they are counted
_NOTE_COLUMNS: Final = 60


@dataclass(frozen=True, slots=True)
class MermaidPart:
    """One flowchart of several, with what it shows."""

    title: str
    text: str


@dataclass(frozen=True, slots=True)
class _Detail:
    """How much text a picture may spend: columns of a name, and cells named on one edge before they are counted."""

    columns: int
    cells: int


_FULL: Final = _Detail(columns=MAX_CHARACTERS, cells=MAX_CHARACTERS)
_SHORTENED: Final = _Detail(columns=60, cells=12)
_OVERVIEW: Final = _Detail(columns=60, cells=3)  # between bundles
_SCANT: Final = _Detail(columns=24, cells=0)

_Parts = Sequence[tuple[str, Graph]]  # what a picture leaves out, each with its title


def render_mermaid(graph: Graph, *, fold: bool = True, nested: bool = True) -> str:
    """Return *graph* as one text that Mermaid draws: all of it, or an overview if it is too large.

    See ``diagram_of`` for the options.
    """
    text, _ = _most_detailed(graph, fold=fold, nested=nested)
    return text


def mermaid_parts(graph: Graph, *, fold: bool = True, nested: bool = True) -> Iterator[MermaidPart]:
    """Yield *graph* as texts that Mermaid draws: the overview first, then everything that it leaves out.

    An edge between two parts is only in the overview above both.
    """
    return _parts((), graph, fold=fold, nested=nested)


def _parts(path: tuple[str, ...], graph: Graph, *, fold: bool, nested: bool) -> Iterator[MermaidPart]:
    text, left_out = _most_detailed(graph, fold=fold, nested=nested)
    yield MermaidPart(", ".join(path) or "Overview", text)
    for title, inner in left_out:
        yield from _parts((*path, title), inner, fold=fold, nested=nested)


def _most_detailed(graph: Graph, *, fold: bool, nested: bool) -> tuple[str, _Parts]:
    """Return the most detailed text that Mermaid draws, and what it leaves out."""
    text = ""
    left_out: _Parts = ()
    for diagram, details, left_out in _from_fine_to_coarse(graph, fold=fold, nested=nested):
        for detail in details:
            text = _text(diagram, detail, left_out)
            if _is_drawable(diagram, text):
                return text, left_out
    return text, left_out


def _from_fine_to_coarse(
    graph: Graph, *, fold: bool, nested: bool
) -> Iterator[tuple[Diagram, Sequence[_Detail], _Parts]]:
    """Yield diagrams of *graph*, with how to write them and what they leave out; the last is small for every graph."""
    yield diagram_of(graph, fold=fold, nested=nested), (_FULL, _SHORTENED), ()
    inside = _inside(graph, graph.ids) if nested else []
    if inside:
        yield diagram_of(graph, fold=fold, nested=False), (_FULL, _SHORTENED), inside
    for bundling in bundled(graph):
        parts = [(legible(name), graph.subgraph(ids)) for name, ids in bundling.bundles.items()]
        alone = _inside(graph, bundling.graph.ids) if nested else []
        yield diagram_of(bundling.graph, fold=fold), (_OVERVIEW, _SCANT), [*alone, *parts]


def _inside(graph: Graph, shown: Collection[str]) -> _Parts:
    return [(f"inside {legible(owner)}", local) for owner, local in graph.nested.items() if owner in shown]


def _is_drawable(diagram: Diagram, text: str) -> bool:
    num_edges = sum(len(part.cells) + len(part.containment) for part in diagram.walk())
    # Mermaid counts as JavaScript does, in units of UTF-16.
    return num_edges <= MAX_EDGES and len(text.encode("utf-16-le")) // 2 <= MAX_CHARACTERS


def _text(diagram: Diagram, detail: _Detail, left_out: _Parts) -> str:
    handles = mermaid_handles(node.key for part in diagram.walk() for node in part.nodes)
    parts = list(diagram.walk())
    cells = sorted(edge for part in parts for edge in part.cells)
    containment = sorted(pair for part in parts for pair in part.containment)
    lines = ["flowchart LR", f"  %% {LEGEND}", *_notes(detail, left_out), *_node_lines(diagram, handles, detail, "  ")]
    for edge in cells:
        label = _label(_told(edge, detail), detail)
        lines.append(f'  {handles[edge.provider]} -->|"{label}"| {handles[edge.consumer]}')
    lines.extend(f"  {handles[pair.child]} --> {handles[pair.parent]}" for pair in containment)
    lines.extend(_edge_style(range(len(cells)), f"stroke:{CELL_COLOUR},color:{CELL_COLOUR}"))
    grey = range(len(cells), len(cells) + len(containment))
    lines.extend(_edge_style(grey, f"stroke:{CONTAINMENT_COLOUR}"))
    return "\n".join(lines) + "\n"


def _notes(detail: _Detail, left_out: _Parts) -> Iterator[str]:
    if detail == _FULL and not left_out:
        return
    yield f"  %% Mermaid draws at most {MAX_CHARACTERS:,} characters and {MAX_EDGES} edges."
    yield "  %% Other formats show everything. Here:"
    if detail != _FULL:
        yield "  %% - long names and lists of cells are shortened"
    for title, graph in left_out[:_NOTED]:
        name = mermaid_text(shortened(title, _NOTE_COLUMNS))
        yield f"  %% - left to a part of its own: {name}, {len(graph.components)} components"
    if len(left_out) > _NOTED:
        yield f"  %% - and {len(left_out) - _NOTED} more parts"


def mermaid_handles(keys: Iterable[str]) -> Mapping[str, str]:
    """Return a Mermaid id for every key; keys that look alike without their punctuation get a number.

    Mermaid joins the ids at both ends of an edge to one name. Since nothing but the prefix has two underscores in
    a row, no two edges get the same name.
    """
    handles: dict[str, str] = {}
    taken: set[str] = set()
    for key in sorted(keys):
        stem = re.sub(r"[^A-Za-z0-9]+", "_", key)[:_MAX_HANDLE].strip("_") or "x"
        number, handle = 1, f"c__{stem}"
        while handle in taken:
            number += 1
            handle = f"c__{stem}_{number}"
        taken.add(handle)
        handles[key] = handle
    return handles


def _node_lines(diagram: Diagram, handles: Mapping[str, str], detail: _Detail, indent: str) -> Iterator[str]:
    for node in diagram.nodes:
        yield f'{indent}{handles[node.key]}["{_label(node.lines, detail)}"]'
    for owner, group in diagram.groups.items():
        # Mermaid draws a subgraph without nodes as one more node.
        if any(part.nodes for part in group.walk()):
            yield f'{indent}subgraph in_{handles[owner]}["{_label([group.title], detail)}"]'
            yield from _node_lines(group, handles, detail, deeper(indent))
            yield f"{indent}end"


def _told(edge: CellEdge, detail: _Detail) -> Iterator[str]:
    shown, hidden = edge.first(detail.cells)
    yield from map(told, shown)
    if hidden:
        yield f"and {hidden} more" if shown else f"{hidden} cells"


def _label(lines: Iterable[str], detail: _Detail) -> str:
    return "<br/>".join(mermaid_text(shortened(line, detail.columns)) for line in lines)


def mermaid_text(text: str) -> str:
    """Return *text* such that Mermaid shows it inside quotes as it is."""
    for misread, same in _MISREAD:
        text = text.replace(misread, same)
    return _SPECIAL.sub(lambda found: f"#{ord(found[0])};", text)


def _edge_style(numbers: range, style: str) -> Iterator[str]:
    if numbers:
        yield f"  linkStyle {','.join(map(str, numbers))} {style}"
