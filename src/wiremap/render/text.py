"""A graph as text for a terminal: who hands what to whom, read from providers down to consumers."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import Final

from wiremap.graph import Graph
from wiremap.render.diagram import CellEdge, Diagram, Node, diagram_of
from wiremap.render.lettering import columns, legible
from wiremap.wording import counted

_WIDTH: Final = 80  # of all but single names that are longer
_INDENT: Final = "    "
_MAX_COLUMN: Final = 32  # of names beside which cells stand


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
    components = counted(len(graph.components), "component")
    return f"{title}: {components}, {counted(len(graph.bindings), 'binding')}"


def _section(title: str, diagram: Diagram, shown: tuple[Node, ...], nodes: Mapping[str, Node]) -> str:
    paragraphs = [title]
    cells: dict[str, list[CellEdge]] = defaultdict(list)
    for edge in diagram.cells:
        cells[edge.provider].append(edge)
    children: dict[str, list[Node]] = defaultdict(list)
    for pair in diagram.containment:
        children[pair.parent].append(nodes[pair.child])
    described_here = {node.key for node in diagram.nodes}
    for node in shown:
        handed = list(_handed(cells[node.key], nodes))
        held = list(_held(node, children[node.key]))
        # The owner of a local graph is described outside; inside, it is listed only for its edges there.
        if node.key in described_here or handed or held:
            paragraphs.append("\n".join([_heading(node), *handed, *held]))
    return "\n\n".join(paragraphs)


def _heading(node: Node) -> str:
    component = node.component
    heading = " (".join(node.names) + ")" * (len(node.names) - 1)
    if component.source_path:
        place = legible(f"{component.source_path}:{component.source_line}")
        beside = f"{heading}  {place}"
        heading = beside if columns(beside) <= _WIDTH else f"{heading}\n{_INDENT}{place}"
    return "\n".join([heading, *(_INDENT + mark for mark in node.marks)])


def _handed(edges: Sequence[CellEdge], nodes: Mapping[str, Node]) -> Iterator[str]:
    width = max((columns(nodes[edge.consumer].title) for edge in edges), default=0)
    for edge in edges:
        title = nodes[edge.consumer].title
        head = f"{_INDENT}→ {title}{' ' * (width - columns(title))}  "
        if width > _MAX_COLUMN:  # then the cells stand below the name, where they have room
            yield head.rstrip()
            head = 2 * _INDENT
        for cells, note in _cells_by_kind(edge):
            yield _listed(head, cells, note)
            head = " " * columns(head)


def _cells_by_kind(edge: CellEdge) -> Iterator[tuple[list[str], str]]:
    for kind, note in (("method", ""), ("state", " (state)")):
        if cells := [cell for cell, its_kind in edge.cells if its_kind == kind]:
            yield cells, note


def _listed(head: str, names: Sequence[str], note: str = "") -> str:
    """Return *names* behind *head*, in as many lines as they need, each beginning where the first does."""
    lines = [head + names[0]]
    for name in names[1:]:
        if columns(f"{lines[-1]}, {name},{note}") > _WIDTH:
            lines[-1] += ","
            lines.append(" " * columns(head) + name)
        else:
            lines[-1] += f", {name}"
    return "\n".join(lines) + note


def _held(node: Node, children: Iterable[Node]) -> Iterator[str]:
    if children:
        ordered = sorted(children, key=attrgetter("title"))
        yield _listed(f"{_INDENT}holds ", [_seen_from(node, child) for child in ordered])


def _seen_from(node: Node, child: Node) -> str:
    """Return the title of *child* without the name of *node* if it is named after its place in it.

    A class that another has in its body, or a module, is named after that too, and is no attribute of the instance.
    """
    beginning, ending = f"{node.label}.", f".{legible(child.component.type)}"
    is_place = child.label.startswith(beginning) and not child.label.endswith(ending)
    return child.title.removeprefix(node.label) if is_place else child.title
