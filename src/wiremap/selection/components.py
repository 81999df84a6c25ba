"""Code to components: which component a unit of source belongs to."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

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


@dataclass(frozen=True, slots=True)
class Wiring:
    """What a component hands over and is handed, in all graphs that it stands in.

    Attributes:
        provides: The consumers of each of its cells, sorted.
        requires: The providers of each cell that it is handed, under the name by which it reads it, sorted.
    """

    provides: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    requires: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


class ComponentIndex:
    """Finds the component of a unit: in all graphs that tests built, else among those that the project declares."""

    def __init__(self, graphs: Iterable[Graph], declared: Mapping[str, Sequence[str]] | None = None) -> None:
        """Prepare to look up.

        Args:
            graphs: What was compiled.
            declared: Patterns of paths, or of `path::unit`, by component: `[tool.wiremap.components]`. The first
                that matches counts, in the order in which they are written.
        """
        # By type, then by source path.
        self._by_class: dict[str, dict[str, list[tuple[Component, Graph]]]] = {}
        self._declared = declared or {}
        for graph in graphs:
            self._add(graph)

    def place(self, unit: str) -> Place | None:
        """Return where `path::unit` stands, or None when it belongs to no component."""
        found, member = self._find(unit)
        if not found:
            name = self._declared_name(unit)
            return Place(name) if name is not None else None
        consumers = {
            binding.consumer
            for component, graph in found
            for binding in graph.bindings
            if binding.provider == component.id and binding.cell == member
        }
        # Repeated layers are components of one class: the first by name stands for all.
        component = min(component.id for component, _ in found)
        return Place(component, member if consumers else None, tuple(sorted(consumers)))

    def ids(self, unit: str) -> frozenset[str]:
        """Return all components that `path::unit` is part of: those of one class share its code."""
        found, _ = self._find(unit)
        declared = None if found else self._declared_name(unit)
        return frozenset(component.id for component, _ in found) or frozenset([declared] if declared else ())

    def classes(self, unit: str) -> frozenset[tuple[str, str]]:
        """Return source path and type of the classes and functions, each a component, that `path::unit` is part of."""
        found, _ = self._find(unit)
        return frozenset((component.source_path, component.type) for component, _ in found)

    def of_file(self, path: str) -> tuple[str, ...]:
        """Return the components that the file *path* defines, by its classes or as declared; sorted."""
        classes = {component.id for component, _ in self._in_file(path)}
        declared = self._declared_name(path)
        return tuple(sorted(classes | ({declared} if declared else set())))

    def consumers(self, component_id: str, file: str) -> set[str]:
        """Return who is handed a cell by the component of that id whose class the *file* defines."""
        graphs = [graph for component, graph in self._in_file(file) if component.id == component_id]
        return {one.consumer for graph in graphs for one in graph.bindings if one.provider == component_id}

    def wiring(self, unit: str) -> Wiring:
        """Return the wiring of the component that the class or function `path::unit` is."""
        provides: dict[str, set[str]] = {}
        requires: dict[str, set[str]] = {}
        for component, graph in self._components(*_path_and_name(unit)):
            for binding in graph.bindings:
                if binding.provider == component.id:
                    provides.setdefault(binding.cell, set()).add(binding.consumer)
                if binding.consumer == component.id:
                    requires.setdefault(binding.name, set()).add(binding.provider)
        return Wiring(_sorted(provides), _sorted(requires))

    def _find(self, unit: str) -> tuple[list[tuple[Component, Graph]], str]:
        """Return the components that *unit* is part of, in their graphs, and the cell that it may be."""
        path, name = _path_and_name(unit)
        owner, _, member = name.rpartition(".")
        # What is no member of a component may be one: a class, or a function that hands itself over.
        return (found, member) if (found := self._components(path, owner)) else (self._components(path, name), CALL)

    def _declared_name(self, unit: str) -> str | None:
        path = unit.partition("::")[0]
        for name, patterns in self._declared.items():
            if any(fnmatchcase(unit if "::" in pattern else path, pattern) for pattern in patterns):
                return name
        return None

    def _add(self, graph: Graph) -> None:
        for component in graph.components:
            if component.source_path:
                by_path = self._by_class.setdefault(component.type, {})
                by_path.setdefault(component.source_path, []).append((component, graph))
        for nested in graph.nested.values():
            self._add(nested)

    def _components(self, path: str, owner: str) -> list[tuple[Component, Graph]]:
        return list(_of_path(self._by_class.get(owner, {}), path))

    def _in_file(self, path: str) -> Iterator[tuple[Component, Graph]]:
        for by_path in self._by_class.values():
            yield from _of_path(by_path, path)


def _of_path(by_path: Mapping[str, list[tuple[Component, Graph]]], path: str) -> Iterator[tuple[Component, Graph]]:
    for source_path, entries in by_path.items():
        # The graph knows a path below an import root, the project one below its own root.
        if path == source_path or path.endswith("/" + source_path):
            yield from entries


def _path_and_name(unit: str) -> tuple[str, str]:
    path, _, name = unit.partition("::")
    return path, name


def _sorted(found: Mapping[str, set[str]]) -> dict[str, tuple[str, ...]]:
    return {name: tuple(sorted(ids)) for name, ids in sorted(found.items())}
