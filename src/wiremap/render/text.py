"""A graph as text for a terminal: who hands what to whom, read from providers down to consumers."""

import textwrap
from collections.abc import Iterator, Mapping
from typing import Final

from wiremap.graph import Graph
from wiremap.render.diagram import CellEdge, Diagram, Node, diagram_of

_WIDTH: Final = 100
_INDENT: Final = "    "
_MAX_COLUMN: Final = 40


def render_text(graph: Graph, *, fold: bool = True, nested: bool = True) -> str:
    """Return *graph* as text; see ``diagram_of`` for the options."""
    diagram = diagram_of(graph, fold=fold, nested=nested)
    nodes = {node.key: node for part in diagram.walk() for node in part.nodes}
    sections = [_section(_summary("Graph", graph), diagram, diagram.nodes, nodes)]
    for part in diagram.walk():
        for owner, group in part.groups.items():
            title = _summary(f"Inside {nodes[owner].label}", group.graph)
            sections.append(_section(title, group, (*group.nodes, nodes[owner]), nodes))
    return "\n\n".join(sections) + "\n"


def _summary(title: str, graph: Graph) -> str:
    components = _counted(len(graph.components), "component")
    return f"{title}: {components}, {_counted(len(graph.bindings), 'binding')}"


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _section(title: str, diagram: Diagram, shown: tuple[Node, ...], nodes: Mapping[str, Node]) -> str:
    paragraphs = [title]
    for node in shown:
        handed = list(_handed(node, diagram, nodes))
        held = list(_held(node, diagram, nodes))
        # The owner of a local graph is described outside; inside, it is listed only for its edges there.
        if node in diagram.nodes or handed or held:
            paragraphs.append("\n".join([_heading(node), *handed, *held]))
    return "\n\n".join(paragraphs)


def _heading(node: Node) -> str:
    component = node.component
    words = [node.title]
    if component.type != node.label:
        words.append(f"({component.type})")
    if component.source_path:
        words.append(f" {component.source_path}:{component.source_line}")
    return " ".join(words)


def _handed(node: Node, diagram: Diagram, nodes: Mapping[str, Node]) -> Iterator[str]:
    edges = [edge for edge in diagram.cells if edge.provider == node.key]
    width = max((len(nodes[edge.consumer].title) for edge in edges), default=0)
    for edge in edges:
        head = f"{_INDENT}→ {nodes[edge.consumer].title.ljust(width)}  "
        if width > _MAX_COLUMN:  # then the cells stand below the name, where they have room
            yield head.rstrip()
            head = 2 * _INDENT
        for cells in _cells_by_kind(edge):
            yield _wrapped(head, cells)
            head = " " * len(head)


def _cells_by_kind(edge: CellEdge) -> Iterator[str]:
    for kind, note in (("method", ""), ("state", " (state)")):
        if cells := [cell for cell, its_kind in edge.cells if its_kind == kind]:
            yield ", ".join(cells) + note


def _wrapped(head: str, text: str) -> str:
    return textwrap.fill(
        text,
        width=_WIDTH,
        initial_indent=head,
        subsequent_indent=" " * len(head),
        break_long_words=False,
        break_on_hyphens=False,
    )


def _held(node: Node, diagram: Diagram, nodes: Mapping[str, Node]) -> Iterator[str]:
    children = sorted(nodes[pair.child].title for pair in diagram.containment if pair.parent == node.key)
    # What is named after its place in this very node need not repeat the node's own name.
    children = [child.removeprefix(node.label) if child.startswith(f"{node.label}.") else child for child in children]
    for number, child in enumerate(children):
        yield f"{_INDENT}{'holds' if number == 0 else '     '} {child}"
