"""The parts of one graph with the look-ups that questions need, each made once, when first asked for.

``Graph`` is the face of this. The algebra (shapes, differences, patterns) works on it and so knows no graphs.
"""

from collections.abc import Iterator, Mapping
from functools import cached_property

from wiremap.graph import queries, serialization
from wiremap.graph.elements import Binding, Component, Containment, Link, links_of
from wiremap.graph.stars import Star


class Topology:
    """Components and edges, and by the id of its owner each local graph."""

    def __init__(
        self,
        components: tuple[Component, ...] = (),
        bindings: tuple[Binding, ...] = (),
        containment: tuple[Containment, ...] = (),
        nested: Mapping[str, "Topology"] | None = None,
    ) -> None:
        self.components = components
        self.bindings = bindings
        self.containment = containment
        self.nested = nested or {}

    @cached_property
    def by_id(self) -> Mapping[str, Component]:
        """Each component under its id."""
        return {component.id: component for component in self.components}

    @cached_property
    def links(self) -> Mapping[str, list[Link]]:
        """The edges at each id, as they look from there; ids without edges are left out."""
        return links_of(self.bindings, self.containment)

    @cached_property
    def consumers(self) -> Mapping[str, list[str]]:
        """The ids that each id hands cells to."""
        return queries.successors((edge.provider, edge.consumer) for edge in self.bindings)

    @cached_property
    def providers(self) -> Mapping[str, list[str]]:
        """The ids that each id is handed cells by."""
        return queries.successors((edge.consumer, edge.provider) for edge in self.bindings)

    @cached_property
    def forwards(self) -> Mapping[str, list[str]]:
        """Where edges lead from each id as they are drawn: provider to consumer, contained to container."""
        return queries.successors(self._drawn_edges())

    @cached_property
    def backwards(self) -> Mapping[str, list[str]]:
        """Where the same edges come from."""
        return queries.successors((end, start) for start, end in self._drawn_edges())

    def _drawn_edges(self) -> Iterator[queries.Edge]:
        yield from ((edge.provider, edge.consumer) for edge in self.bindings)
        yield from ((pair.child, pair.parent) for pair in self.containment)

    def star(self, component_id: str) -> Star:
        """Return the star of that component, with everything in it sorted."""
        bindings, containment = self._edges_at.get(component_id, ([], []))
        others = {other for _, other in self.links.get(component_id, ())} - {component_id}
        return Star(
            component=self.by_id[component_id],
            bindings=tuple(bindings),
            containment=tuple(containment),
            neighbours=tuple(self.by_id[other] for other in sorted(others)),
        )

    @cached_property
    def _edges_at(self) -> Mapping[str, tuple[list[Binding], list[Containment]]]:
        edges: dict[str, tuple[list[Binding], list[Containment]]] = {id_: ([], []) for id_ in self.by_id}
        for edge in self.bindings:
            for end in {edge.provider, edge.consumer}:
                edges[end][0].append(edge)
        for pair in self.containment:
            for end in {pair.child, pair.parent}:
                edges[end][1].append(pair)
        return edges

    def shape(self, owner: str | None = None) -> str:
        """Return a digest of the stars and of what is nested in them, without ids; *owner* is marked."""
        document = sorted(
            [
                self.star(id_).shape,
                self.nested[id_].shape(id_) if id_ in self.nested else "",
                "owner" if id_ == owner else "",
            ]
            for id_ in self.by_id
        )
        return serialization.digest(document)
