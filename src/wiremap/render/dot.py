"""A graph as Graphviz DOT: blue labelled edges are cells, grey unlabelled ones containment."""

from collections.abc import Iterable, Iterator
from hashlib import blake2b
from typing import Final

from wiremap.graph import Graph
from wiremap.render.diagram import CELL_COLOUR, CONTAINMENT_COLOUR, LEGEND, Diagram, diagram_of, told
from wiremap.render.lettering import deeper, legible

_MAX_NAME: Final = 200

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
        label = _label(map(told, edge.cells))
        style = f'label={label}, color="{CELL_COLOUR}", fontcolor="{CELL_COLOUR}"'
        lines.append(f"  {_name(edge.provider)} -> {_name(edge.consumer)} [{style}]")
    lines.extend(
        f'  {_name(pair.child)} -> {_name(pair.parent)} [color="{CONTAINMENT_COLOUR}"]'
        for pair in sorted(pair for part in parts for pair in part.containment)
    )
    # Last, so that no cluster inherits it.
    lines.append(f"  fontname=Helvetica; fontsize=10; label={_quoted(LEGEND)}")
    return "\n".join([*lines, "}"]) + "\n"


def _node_lines(diagram: Diagram, indent: str) -> Iterator[str]:
    for node in diagram.nodes:
        yield f"{indent}{_name(node.key)} [label={_label(node.lines)}]"
    for owner, group in diagram.groups.items():
        yield f"{indent}subgraph {_name(f'cluster_{owner}')} {{"
        yield f"{indent}  label={_label([group.title])}"
        yield from _node_lines(group, deeper(indent))
        yield f"{indent}}}"


def _name(key: str) -> str:
    r"""Return *key* as a name that Graphviz reads as it is, but with invisible letters and backslashes as in Python.

    Graphviz leaves every backslash of a name in it, and could not read a single one in front of the closing quote.
    A name that begins with a percent sign is one of its own and never shown, so that sign becomes ``\x25``. A long
    one, as where graphs are nested deeply, ends in a digest: it stands at every edge.
    """
    if len(key) > _MAX_NAME:
        key = f"{key[:_MAX_NAME]}\u2026{blake2b(key.encode(errors='surrogatepass'), digest_size=8).hexdigest()}"
    name = legible(_doubled(key))
    return _quoted(rf"\x25{name[1:]}" if name.startswith("%") else name)


def _label(lines: Iterable[str]) -> str:
    r"""Return *lines* as a label: there Graphviz expands escapes such as ``\N`` and entities such as ``&lt;``."""
    return _quoted("\\n".join(_doubled(line).replace("&", "&amp;") for line in lines))


def _doubled(text: str) -> str:
    return text.replace("\\", "\\\\")


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '\\"') + '"'
