"""The components of a project: those of the graphs that its tests built, and those that it declares."""

from wiremap.graph import Graph
from wiremap.project.settings import Settings
from wiremap.selection.components import ComponentIndex
from wiremap.store.map import Map


def component_index(store: Map | None, settings: Settings, registries: Graph | None = None) -> ComponentIndex:
    """Return where units stand.

    Args:
        store: The map; None where nothing was recorded.
        settings: What the project declares.
        registries: Those that it describes, with what is in them.
    """
    texts = () if store is None else store.graphs.all().values()
    graphs = [*map(Graph.from_json, texts), *([registries] if registries is not None else [])]
    return ComponentIndex(graphs, settings.components)
