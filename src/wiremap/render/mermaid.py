"""A graph as a Mermaid flowchart: blue labelled edges are cells, grey unlabelled ones containment.

Node ids are made of the letters, digits and underscores of the component ids behind a prefix, so no id can
be a keyword, and adding a component changes no other line of a node. Everything that people read is quoted,
with Mermaid's own escapes.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from wiremap.graph import Graph
from wiremap.render.diagram import CELL_COLOUR, CONTAINMENT_COLOUR, Diagram, diagram_of

_SPECIAL: Final = re.compile("[^\\w .,:/()\\[\\]\u00d7-]")


def render_mermaid(graph: Graph, *, fold: bool = True, nested: bool = True) -> str:
    """Return *graph* as Mermaid text; see ``diagram_of`` for the options."""
    diagram = diagram_of(graph, fold=fold, nested=nested)
    handles = _handles(node.key for part in diagram.walk() for node in part.nodes)
    parts = list(diagram.walk())
    cells = sorted(edge for part in parts for edge in part.cells)
    containment = sorted(pair for part in parts for pair in part.containment)
    lines = ["flowchart LR", *_node_lines(diagram, handles, "  ")]
    for edge in cells:
        label = _label(cell for cell, _ in edge.cells)
        lines.append(f'  {handles[edge.provider]} -->|"{label}"| {handles[edge.consumer]}')
    lines.extend(f"  {handles[pair.child]} --> {handles[pair.parent]}" for pair in containment)
    lines.extend(_edge_style(range(len(cells)), f"stroke:{CELL_COLOUR},color:{CELL_COLOUR}"))
    grey = range(len(cells), len(cells) + len(containment))
    lines.extend(_edge_style(grey, f"stroke:{CONTAINMENT_COLOUR}"))
    return "\n".join(lines) + "\n"


def _handles(keys: Iterable[str]) -> Mapping[str, str]:
    """Return a Mermaid id for every key; keys that look alike without their punctuation get a number."""
    handles: dict[str, str] = {}
    taken: set[str] = set()
    for key in sorted(keys):
        stem = "c_" + re.sub(r"[^A-Za-z0-9]+", "_", key)
        number, handle = 1, stem
        while handle in taken:
            number += 1
            handle = f"{stem}_{number}"
        taken.add(handle)
        handles[key] = handle
    return handles


def _node_lines(diagram: Diagram, handles: Mapping[str, str], indent: str) -> Iterator[str]:
    for node in diagram.nodes:
        yield f'{indent}{handles[node.key]}["{_label(node.lines)}"]'
    for owner, group in diagram.groups.items():
        yield f'{indent}subgraph in_{handles[owner]}["{_escaped(group.title)}"]'
        yield from _node_lines(group, handles, f"{indent}  ")
        yield f"{indent}end"


def _label(lines: Iterable[str]) -> str:
    return "<br/>".join(map(_escaped, lines))


def _escaped(text: str) -> str:
    """Return *text* such that Mermaid shows it inside quotes as it is, on one line."""
    one_line = re.sub(r"\s", " ", text)
    return _SPECIAL.sub(lambda found: f"#{ord(found[0])};", one_line)


def _edge_style(numbers: range, style: str) -> Iterator[str]:
    if numbers:
        yield f"  linkStyle {','.join(map(str, numbers))} {style}"
