"""A graph as a Markdown page of Mermaid pictures, for places such as GitHub that draw them.

It begins with what a reviewer wants to compare: how large the graph is, and its digest. A graph that is too large for
one picture is there in parts, each under a heading.
"""

import re
from typing import Final

from wiremap.graph import Graph
from wiremap.render.diagram import LEGEND, title_of
from wiremap.render.mermaid import MermaidPart, mermaid_parts

_MARKS: Final = re.compile(r"([!-/:-@\[-`{-~])")  # all punctuation of ASCII; any of it may be escaped


def render_markdown(graph: Graph, *, fold: bool = True, nested: bool = True) -> str:
    """Return *graph* as Markdown text; see ``diagram_of`` for the options."""
    parts = list(mermaid_parts(graph, fold=fold, nested=nested))
    head = f"# {title_of(graph)}\n\n{LEGEND} Digest of the graph: `{graph.digest}`\n"
    if len(parts) == 1:
        return f"{head}\n{_picture(parts[0])}"
    return "\n".join([head, *(f"## {_escaped(part.title)}\n\n{_picture(part)}" for part in parts)])


def _picture(part: MermaidPart) -> str:
    # No name can close the fence: in Mermaid's text every backtick is escaped.
    return f"```mermaid\n{part.text}```\n"


def _escaped(text: str) -> str:
    return _MARKS.sub(r"\\\1", text)
