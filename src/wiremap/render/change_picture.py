"""What changed between two graphs, as a Mermaid flowchart of the changed components and their neighbours only.

Both graphs are drawn over each other: what is only in one of them is marked, and told in words too, since colours
are not seen by all. Repetition is folded as everywhere, but nothing that changed is folded with what did not.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from wiremap.graph import Graph
from wiremap.graph.differences import GraphDiff
from wiremap.render.change_union import EDITED, MINUS, PLUS, change_union, mark_of, sign_of
from wiremap.render.diagram import CELL_COLOUR, CONTAINMENT_COLOUR, Cell, CellEdge, Diagram, diagram_of, told
from wiremap.render.lettering import deeper, shortened
from wiremap.render.mermaid import mermaid_handles, mermaid_text

MAX_NODES: Final = 40

_STYLES: Final = {
    "added": "fill:#dcfce7,stroke:#16a34a,color:#14532d",
    "removed": "fill:#fee2e2,stroke:#dc2626,color:#7f1d1d,stroke-dasharray:5",
    "changed": "fill:#fef3c7,stroke:#d97706,color:#78350f",
    "edited": "fill:#dbeafe,stroke:#2563eb,color:#1e3a8a",
}
_LINKS: Final = {PLUS: "stroke:#16a34a,color:#16a34a", MINUS: "stroke:#dc2626,color:#dc2626", "": ""}
_COLUMNS: Final = 60
_CELLS: Final = 8
LEGEND: Final = (
    "Green: added. Red: removed. Yellow: changed. Blue boxes: edited inside. "
    "Labelled arrows: cells, from provider to consumer. Grey arrows: containment."
)


@dataclass(frozen=True, slots=True)
class ChangePicture:
    """A flowchart, and how many components that changed had no room in it."""

    text: str
    hidden: int = 0


def render_change(before: Graph, after: Graph, diff: GraphDiff, edited: Collection[str] = ()) -> ChangePicture:
    """Return a picture of *diff*, which leads from *before* to *after*.

    Args:
        before: The graph before.
        after: The graph after.
        diff: The difference between them.
        edited: The components whose code changed, by their ids after.
    """
    union = change_union(before, after, diff, edited)
    for with_neighbours in (True, False):
        diagram = diagram_of(_around_changes(union, with_neighbours=with_neighbours))
        if _num_nodes(diagram) <= MAX_NODES:
            return ChangePicture(_text(diagram))
    return _cut(union)


# What is near to a change


def _around_changes(union: Graph, *, with_neighbours: bool) -> Graph:
    """Return what of *union* is marked, and what is joined to it by an edge if that is asked for."""
    core = _core(union)
    near = set(core)
    if with_neighbours:
        ends = [*(edge.ends for edge in union.bindings), *(pair.ends for pair in union.containment)]
        near |= {end for pair in ends if not core.isdisjoint(pair) for end in pair}
    nested = {owner: _around_changes(local, with_neighbours=with_neighbours) for owner, local in union.nested.items()}
    part = replace(union, nested={}).subgraph(near)
    return replace(part, nested={owner: _with(local, owner, union.nested[owner]) for owner, local in nested.items()})


def _with(local: Graph, owner: str, union: Graph) -> Graph:
    """Return the part *local* of *union*, in which its owner must not be missing."""
    return local if owner in local else replace(union, nested={}).subgraph([*local.ids, owner])


def _core(union: Graph) -> set[str]:
    """Return the components that are wired otherwise; one that was only edited is drawn where it is near to them."""
    marked = {component.id for component in union.components if component.tags not in ((), (EDITED,))}
    ends = {end for edge in union.bindings if sign_of(edge.cell) for end in edge.ends}
    return marked | ends | union.nested.keys()


def _cut(union: Graph) -> ChangePicture:
    """Return a picture of as many changed components as have room, the outer ones first."""
    core = sorted(_core(union), key=lambda id_: (not mark_of(union.component(id_)), id_))
    outer = replace(union, nested={})
    kept = min(MAX_NODES, len(core))
    while kept > 1 and _num_nodes(diagram_of(outer.subgraph(core[:kept]))) > MAX_NODES:
        kept -= 1
    inside = sum(len(_core(local)) for local in union.nested.values())
    return ChangePicture(_text(diagram_of(outer.subgraph(core[:kept]))), len(core) - kept + inside)


def _num_nodes(diagram: Diagram) -> int:
    return sum(len(part.nodes) for part in diagram.walk())


# Mermaid


def _text(diagram: Diagram) -> str:
    parts = list(diagram.walk())
    handles = mermaid_handles(node.key for part in parts for node in part.nodes)
    links = [link for part in parts for edge in part.cells for link in _links(edge)]
    containment = sorted(pair for part in parts for pair in part.containment)
    lines = ["flowchart LR", f"  %% {LEGEND}", *_node_lines(diagram, handles, "  ")]
    for edge, sign in links:
        arrow = "-.->" if sign == MINUS else "-->"
        label = "<br/>".join(_label(line) for line in _told(edge))
        lines.append(f'  {handles[edge.provider]} {arrow}|"{label}"| {handles[edge.consumer]}')
    lines.extend(f"  {handles[pair.child]} --> {handles[pair.parent]}" for pair in containment)
    lines.extend(_link_styles([sign for _, sign in links], len(containment)))
    used = {mark_of(node.component) for part in parts for node in part.nodes}
    lines.extend(f"  classDef {name} {style}" for name, style in _STYLES.items() if name in used)
    return "\n".join(lines) + "\n"


def _node_lines(diagram: Diagram, handles: Mapping[str, str], indent: str) -> Iterator[str]:
    for node in diagram.nodes:
        mark = mark_of(node.component)
        label = "<br/>".join(map(_label, [*node.names, *([mark] if mark else [])]))
        yield f'{indent}{handles[node.key]}["{label}"]{f":::{mark}" if mark else ""}'
    for owner, group in diagram.groups.items():
        # Mermaid draws a subgraph without nodes as one more node.
        if any(part.nodes for part in group.walk()):
            yield f'{indent}subgraph in_{handles[owner]}["{_label(group.title)}"]'
            yield from _node_lines(group, handles, deeper(indent))
            yield f"{indent}end"


def _links(edge: CellEdge) -> Iterator[tuple[CellEdge, str]]:
    """Yield an arrow for what is as it was, what is added and what is removed."""
    for sign in _LINKS:
        cells: tuple[Cell, ...] = tuple(cell for cell in edge.cells if sign_of(cell[0]) == sign)
        if cells:
            yield replace(edge, cells=cells), sign


def _told(edge: CellEdge) -> Iterator[str]:
    shown, hidden = edge.first(_CELLS)
    yield from map(told, shown)
    if hidden:
        yield f"and {hidden} more"


def _label(text: str) -> str:
    return mermaid_text(shortened(text, _COLUMNS))


def _link_styles(signs: list[str], num_containment: int) -> Iterator[str]:
    styles = {**_LINKS, "": f"stroke:{CELL_COLOUR},color:{CELL_COLOUR}"}
    for sign, style in styles.items():
        yield from _link_style((number for number, one in enumerate(signs) if one == sign), style)
    grey = range(len(signs), len(signs) + num_containment)
    yield from _link_style(grey, f"stroke:{CONTAINMENT_COLOUR}")


def _link_style(numbers: Iterable[int], style: str) -> Iterator[str]:
    told_numbers = ",".join(map(str, numbers))
    if told_numbers:
        yield f"  linkStyle {told_numbers} {style}"
