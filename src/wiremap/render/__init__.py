"""Pictures of graphs: one view model, and a renderer for each format. They read graphs and nothing else."""

from wiremap.render.dot import render_dot
from wiremap.render.mermaid import render_mermaid
from wiremap.render.svg import render_svg
from wiremap.render.text import render_text

__all__ = ["render_dot", "render_mermaid", "render_svg", "render_text"]
