"""The components of a project: those of the graphs that its tests built, and those that it declares."""

from wiremap.graph import Graph
from wiremap.project.settings import Settings
from wiremap.selection.components import ComponentIndex
from wiremap.store.map import Map


def component_index(store: Map | None, settings: Settings) -> ComponentIndex:
    """Return where units stand; *store* is None where nothing was recorded."""
    texts = () if store is None else store.graphs.all().values()
    return ComponentIndex(map(Graph.from_json, texts), settings.components)
