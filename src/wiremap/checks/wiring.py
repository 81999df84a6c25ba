"""What the compiled graphs tell of classes: which are components, what they read, and which are joined."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from wiremap.checks.source_classes import ClassName
from wiremap.graph import Component, Graph


class Wiring:
    """The components of all recipes, by class.

    Attributes:
        kin: For each class that is registered: itself and what it derives from.
        ids: For each, ids of its components, sorted.
        cells: For each, the names under which it reads cells directly, with the classes that hand them over.
        interfaces: For each, the names of interfaces below which it reads cells, with the classes behind them.
        parts: For each, attributes that hold components, as far as ids tell it, with the classes of these.
    """

    def __init__(self, graphs: Iterable[Graph], kin: Mapping[ClassName, Iterable[ClassName]]) -> None:
        """Take graphs, and the classes that those of components derive from, as far as they are known."""
        self.kin: dict[ClassName, frozenset[ClassName]] = {}
        self.ids: dict[ClassName, list[str]] = defaultdict(list)
        self.cells: dict[ClassName, dict[str, set[ClassName]]] = defaultdict(lambda: defaultdict(set))
        self.interfaces: dict[ClassName, dict[str, set[ClassName]]] = defaultdict(lambda: defaultdict(set))
        self.parts: dict[ClassName, dict[str, set[ClassName]]] = defaultdict(lambda: defaultdict(set))
        self._owners: dict[ClassName, list[ClassName]] = defaultdict(list)
        self._joined: set[frozenset[ClassName]] = set()
        for graph in graphs:
            self._add(graph, kin)
        for name in sorted(self.kin):
            for above in self.kin[name]:
                self._owners[above].append(name)

    def owners(self, name: ClassName) -> Sequence[ClassName]:
        """Return the registered classes that are or derive from the class *name*, sorted."""
        return self._owners.get(name, [])

    def are_joined(self, one: ClassName, other: ClassName) -> bool:
        """Tell whether a binding or containment joins components of these registered classes, in either direction."""
        return frozenset((one, other)) in self._joined

    def are_kin(self, one: ClassName, other: ClassName) -> bool:
        """Tell whether one of two registered classes is the other or derives from it."""
        return other in self.kin[one] or one in self.kin[other]

    def _add(self, graph: Graph, kin: Mapping[ClassName, Iterable[ClassName]]) -> None:
        names = {component.id: class_of(component) for component in graph.components}
        for id_, name in names.items():
            self.kin[name] = frozenset((name, *kin.get(name, ())))
            if id_ not in self.ids[name]:
                self.ids[name] = sorted([*self.ids[name], id_])
        for edge in graph.bindings:
            provider, consumer = names[edge.provider], names[edge.consumer]
            self._joined.add(frozenset((provider, consumer)))
            first, _, below = edge.name.partition(".")
            table = self.interfaces if below else self.cells
            table[consumer][first].add(provider)
        for pair in graph.containment:
            child, parent = names[pair.child], names[pair.parent]
            self._joined.add(frozenset((child, parent)))
            path = pair.child.removeprefix(f"{pair.parent}.")
            if path != pair.child and path.isidentifier():
                self.parts[parent][path].add(child)
        for local in graph.nested.values():
            self._add(local, kin)


def class_of(component: Component) -> ClassName:
    """Return the class of a component; of a function that is one, its own name."""
    return ClassName(component.module, component.type)
