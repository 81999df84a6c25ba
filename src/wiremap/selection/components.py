"""Code to components: which component a unit of source belongs to."""

from collections.abc import Iterable
from dataclasses import dataclass

from wiremap.graph import CALL, Component, Graph


@dataclass(frozen=True, slots=True)
class Place:
    """Where a unit stands in the graph.

    Attributes:
        component: The id of the component whose class defines the unit, or that is the unit.
        cell: The cell that the unit is, or None when it is handed to nobody.
        consumers: Ids of the components that are handed the cell, sorted.
    """

    component: str
    cell: str | None = None
    consumers: tuple[str, ...] = ()


class ComponentIndex:
    """Finds the component of a unit, in all graphs that tests built."""

    def __init__(self, graphs: Iterable[Graph]) -> None:
        self._by_class: dict[tuple[str, str], list[tuple[Component, Graph]]] = {}
        for graph in graphs:
            self._add(graph)

    def place(self, unit: str) -> Place | None:
        """Return where `path::unit` stands, or None when it belongs to no registered component."""
        path, _, name = unit.partition("::")
        owner, _, member = name.rpartition(".")
        found = self._components(path, owner)
        if not found:  # it may be a function that is a component itself
            found, member = self._components(path, name), CALL
        if not found:
            return None
        consumers = {
            binding.consumer
            for component, graph in found
            for binding in graph.bindings
            if binding.provider == component.id and binding.cell == member
        }
        # Repeated layers are components of one class: the first by name stands for all.
        component = min(component.id for component, _ in found)
        return Place(component, member if consumers else None, tuple(sorted(consumers)))

    def _add(self, graph: Graph) -> None:
        for component in graph.components:
            if component.source_path:
                key = (component.source_path, component.type)
                self._by_class.setdefault(key, []).append((component, graph))
        for nested in graph.nested.values():
            self._add(nested)

    def _components(self, path: str, owner: str) -> list[tuple[Component, Graph]]:
        return [
            entry
            for (source_path, type_name), entries in self._by_class.items()
            # The graph knows a path below an import root, the project one below its own root.
            if type_name == owner and (path == source_path or path.endswith("/" + source_path))
            for entry in entries
        ]
