"""The star of a component: the smallest thing whose topology can change.

A star has two digests. ``digest`` names components by their ids. ``shape`` leaves ids out, so that it survives
renumbering: ``#2`` may become ``#3``, and layer 3 layer 4. Instead of its id, a neighbour is told by its traits.

Two stars of different shape are different, whatever anybody is called. Two stars of one shape are the same up to
renaming: there are bijections of their neighbours under which traits and edges agree. That says nothing of what lies
beyond the neighbours, nor of edges among them.
"""

from collections import defaultdict
from dataclasses import dataclass

from wiremap.graph import serialization
from wiremap.graph.elements import Binding, Component, Containment, Label, links_of


@dataclass(frozen=True, slots=True)
class Star:
    """One component with the edges that touch it, and the components at their other ends."""

    component: Component
    bindings: tuple[Binding, ...]
    containment: tuple[Containment, ...]
    neighbours: tuple[Component, ...]

    @property
    def digest(self) -> str:
        """32 hexadecimal digits over the component and its edges, without source locations."""
        document = {
            "component": serialization.to_records(Component, [self.component], locations=False),
            "bindings": serialization.to_records(Binding, self.bindings),
            "containment": serialization.to_records(Containment, self.containment),
        }
        return serialization.digest(document)

    @property
    def shape(self) -> str:
        """32 hexadecimal digits over the component and its edges, without ids and source locations.

        The traits of neighbours are in: being handed a cell by another kind of component is a change.
        """
        labels: dict[str, list[Label]] = defaultdict(list)
        for label, other in links_of(self.bindings, self.containment)[self.component.id]:
            labels[other].append(label)
        # A neighbour's edges stay together: one provider of two cells is not two providers of one cell each.
        around = sorted(
            serialization.digest([neighbour.traits, sorted(labels[neighbour.id])]) for neighbour in self.neighbours
        )
        own = [self.component.traits, self.component.provides, sorted(labels[self.component.id])]
        return serialization.digest([own, around])
