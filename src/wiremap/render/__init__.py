"""Pictures of graphs: one view model, and a renderer for each format. They read graphs and nothing else."""

from wiremap.render.dot import render_dot
from wiremap.render.markdown import render_markdown
from wiremap.render.mermaid import MermaidPart, mermaid_parts, render_mermaid
from wiremap.render.svg import render_svg
from wiremap.render.text import render_text

__all__ = [
    "MermaidPart",
    "mermaid_parts",
    "render_dot",
    "render_markdown",
    "render_mermaid",
    "render_svg",
    "render_text",
]
