"""A graph as Graphviz DOT: blue labelled edges are cells, grey unlabelled ones containment."""

from collections.abc import Iterable, Iterator
from typing import Final

from wiremap.graph import Graph
from wiremap.render.diagram import CELL_COLOUR, CONTAINMENT_COLOUR, Diagram, diagram_of

_HEAD: Final = (
    "digraph wiremap {",
    "  rankdir=LR",
    '  node [shape=box, style=rounded, fontname="Helvetica"]',
    '  edge [fontname="Helvetica", fontsize=10]',
)


def render_dot(graph: Graph, *, fold: bool = True, nested: bool = True) -> str:
    """Return *graph* as DOT text; see ``diagram_of`` for the options."""
    diagram = diagram_of(graph, fold=fold, nested=nested)
    parts = list(diagram.walk())
    lines = [*_HEAD, *_node_lines(diagram, "  ")]
    for edge in sorted(edge for part in parts for edge in part.cells):
        label = _quoted(_joined(cell for cell, _ in edge.cells))
        style = f'label={label}, color="{CELL_COLOUR}", fontcolor="{CELL_COLOUR}"'
        lines.append(f"  {_quoted(edge.provider)} -> {_quoted(edge.consumer)} [{style}]")
    lines.extend(
        f'  {_quoted(pair.child)} -> {_quoted(pair.parent)} [color="{CONTAINMENT_COLOUR}"]'
        for pair in sorted(pair for part in parts for pair in part.containment)
    )
    return "\n".join([*lines, "}"]) + "\n"


def _node_lines(diagram: Diagram, indent: str) -> Iterator[str]:
    for node in diagram.nodes:
        yield f"{indent}{_quoted(node.key)} [label={_quoted(_joined(node.lines))}]"
    for owner, group in diagram.groups.items():
        yield f"{indent}subgraph {_quoted(f'cluster_{owner}')} {{"
        yield f"{indent}  label={_quoted(group.title)}"
        yield from _node_lines(group, f"{indent}  ")
        yield f"{indent}}}"


def _joined(lines: Iterable[str]) -> str:
    return "\n".join(lines)


def _quoted(text: str) -> str:
    # Graphviz expands escapes such as \N and \G in labels, so every backslash of ours must be doubled.
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
