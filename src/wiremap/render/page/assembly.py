"""Puts the page together: markup, style, scripts, the layout engine and the scene in one text."""

import gzip
import json
from base64 import b64encode
from collections.abc import Mapping
from html import escape
from importlib.resources import files
from typing import Final

from wiremap.graph import Graph
from wiremap.render.page.scene import TestsOf, scene_of

# In the order in which one uses the other.
SCRIPTS: Final = (
    "scene.js",
    "lettering.js",
    "overlay.js",
    "layout.js",
    "drawing.js",
    "viewport.js",
    "address.js",
    "panel.js",
    "search.js",
    "export.js",
    "main.js",
)


def render_page(graphs: Mapping[str, Graph], tests_of: TestsOf | None = None, title: str = "") -> str:
    """Return the whole page as one text, the same for the same graphs. What it takes is what ``scene_of`` takes."""
    scene = scene_of(graphs, tests_of, title)
    assets = files(__package__) / "assets"
    scripts = "\n".join((assets / name).read_text(encoding="utf-8") for name in SCRIPTS)
    filled = {
        "TITLE": escape(scene["title"]),
        "STYLE": (assets / "page.css").read_text(encoding="utf-8"),
        "SCENE": _packed(json.dumps(scene, ensure_ascii=False, separators=(",", ":")).encode()),
        "ELK": b64encode((assets / "elk-worker.min.js.gz").read_bytes()).decode("ascii"),
        "SCRIPTS": scripts,
    }
    parts = (assets / "page.html").read_text(encoding="utf-8").split("@@")
    return "".join(filled[part] if at % 2 else part for at, part in enumerate(parts))


def _packed(content: bytes) -> str:
    """Return *content* as a browser unpacks it: letters that can't end the element that they stand in."""
    return b64encode(gzip.compress(content, mtime=0)).decode("ascii")
