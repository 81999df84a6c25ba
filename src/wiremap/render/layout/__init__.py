"""Where to draw boxes and the links between them: sizes in, coordinates out. It knows nothing of graphs or pictures."""

from wiremap.render.layout.arrangement import arranged
from wiremap.render.layout.elements import HEAD_ROOM, Layout, Link, Point, Rect, Route, Size

__all__ = ["HEAD_ROOM", "Layout", "Link", "Point", "Rect", "Route", "Size", "arranged"]
