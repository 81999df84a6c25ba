"""The immutable graph that compiling an orchestrator gives, and the star of one component in it."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from typing import TypeVar

from wiremap.errors import CannotOverrideError, GraphFormatError, UnknownComponentError
from wiremap.graph import queries, serialization
from wiremap.graph.elements import Binding, Component, Containment
from wiremap.graph.living import LivingSystem

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Star:
    """One component with the edges that touch it: the smallest thing whose topology can change."""

    component: Component
    bindings: tuple[Binding, ...]
    containment: tuple[Containment, ...]

    @property
    def digest(self) -> str:
        """32 hexadecimal digits over everything here but source locations."""
        document = {
            "component": serialization.to_records([self.component]),
            "bindings": serialization.to_records(self.bindings),
            "containment": serialization.to_records(self.containment),
        }
        return serialization.digest(document)


@dataclass(frozen=True, slots=True)
class Graph:
    """Components, bindings and containment, each sorted and without doubles whatever order they came in.

    ``nested`` holds, under the id of a component, the local graph that was wired inside it. The local
    graph has that component too, under the same id: through it the two graphs are linked.

    Raises:
        GraphFormatError: An id occurs twice, or an edge or a nested graph names an id that is not there.
    """

    components: tuple[Component, ...] = ()
    bindings: tuple[Binding, ...] = ()
    containment: tuple[Containment, ...] = ()
    nested: Mapping[str, "Graph"] = field(default_factory=dict)
    _system: LivingSystem | None = field(default=None, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        # The only writes ever made: a frozen dataclass can bring its fields into order in no other way.
        object.__setattr__(self, "components", tuple(sorted(self.components, key=lambda c: c.id)))
        object.__setattr__(self, "bindings", tuple(sorted(set(self.bindings))))
        object.__setattr__(self, "containment", tuple(sorted(set(self.containment))))
        object.__setattr__(self, "nested", dict(sorted(self.nested.items())))
        self._check()

    def __hash__(self) -> int:
        return hash((self.components, self.bindings, self.containment, tuple(self.nested.items())))

    def _check(self) -> None:
        counts = Counter(self.ids)
        if doubles := sorted(id_ for id_, count in counts.items() if count > 1):
            raise GraphFormatError(f"several components have the id {doubles[0]!r}")
        ends = {id_ for edge in self.bindings for id_ in (edge.provider, edge.consumer)}
        ends |= {id_ for pair in self.containment for id_ in (pair.child, pair.parent)}
        if unknown := sorted((ends | self.nested.keys()) - counts.keys()):
            raise GraphFormatError(f"an edge or a nested graph names {unknown[0]!r}, and no component has that id")
        for owner, local in self.nested.items():
            if owner not in local:
                raise GraphFormatError(f"the graph nested in {owner!r} does not hold that component")

    def __reduce__(self) -> tuple[object, ...]:
        # What is living stays where it lives.
        return (Graph, (self.components, self.bindings, self.containment, self.nested))

    # Living

    def living_in(self, system: LivingSystem | None) -> "Graph":
        """Note that the components live in *system*, and return this graph, which nobody else may have yet."""
        object.__setattr__(self, "_system", system)
        return self

    def override(self, component_id: str, stand_in: T) -> AbstractContextManager[T]:
        """Let *stand_in* provide all cells of a component inside a ``with`` block: to all consumers, in all threads.

        A component is looked for here first, then in nested graphs, the outermost first; consumers in graphs
        nested below are served too. References that others keep in attributes of their own are not cells and
        stay. The stand-in must have every cell that is handed over and fit what the consumers require; its
        ``__post_wire__`` is not called. Blocks may be nested and may overlap in several threads: the latest that
        is still open counts, and after the last one all is as before, whatever was raised.

        Raises:
            UnknownComponentError: No component has that id.
            CannotOverrideError: It hands no cell over, or this graph was only compiled or read.
            WiringError: The stand-in lacks cells or does not fit.
        """
        owner = next((graph for graph in self._levels() if component_id in graph), None)
        if owner is None:
            raise UnknownComponentError(component_id, self.ids)
        if owner._system is None:  # noqa: SLF001 -- its own class
            raise CannotOverrideError(component_id, "nothing lives in this graph, which was compiled or read")
        inside = [graph._system for graph in owner._levels() if graph._system and graph is not owner]  # noqa: SLF001 -- same
        return owner._system.override(component_id, stand_in, inside)  # noqa: SLF001 -- same

    def _levels(self) -> Iterator["Graph"]:
        """Yield this graph and all nested in it, the outermost first."""
        level = [self]
        while level:
            yield from level
            level = [inner for graph in level for inner in graph.nested.values()]

    # Reading

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of all components, sorted."""
        return tuple(component.id for component in self.components)

    def __contains__(self, component_id: object) -> bool:
        return any(component.id == component_id for component in self.components)

    def component(self, component_id: str) -> Component:
        """Return the component with that id.

        Raises:
            UnknownComponentError: There is none.
        """
        for component in self.components:
            if component.id == component_id:
                return component
        raise UnknownComponentError(component_id, self.ids)

    def star(self, component_id: str) -> Star:
        """Return the component with that id and the edges that touch it."""
        return Star(
            component=self.component(component_id),
            bindings=tuple(edge for edge in self.bindings if component_id in (edge.provider, edge.consumer)),
            containment=tuple(pair for pair in self.containment if component_id in (pair.child, pair.parent)),
        )

    def upstream(self, component_id: str) -> tuple[str, ...]:
        """Return the ids of all components whose cells reach this one, directly or through others, sorted.

        Containment does not count: what a component holds says nothing about what it calls.
        """
        self.component(component_id)
        return queries.reachable(component_id, ((edge.consumer, edge.provider) for edge in self.bindings))

    def downstream(self, component_id: str) -> tuple[str, ...]:
        """Return the ids of all components that its cells reach, directly or through others, sorted."""
        self.component(component_id)
        return queries.reachable(component_id, ((edge.provider, edge.consumer) for edge in self.bindings))

    def topological_order(self) -> tuple[str, ...]:
        """Return all ids, providers before consumers.

        Where bindings leave a choice, what is contained comes before its container, then smaller ids first.
        A compiled graph has no cycle; in one that was put together by hand, what is on or behind a cycle
        comes last.
        """
        return queries.topological_order(
            self.ids,
            firm=((edge.provider, edge.consumer) for edge in self.bindings),
            wished=((pair.child, pair.parent) for pair in self.containment),
        )

    def subgraph(self, component_ids: Iterable[str]) -> "Graph":
        """Return the graph of these components, the edges among them, and what is nested in them.

        Components keep their ``provides`` and ``requires``: those describe the component, not the part.
        """
        kept = {self.component(component_id).id for component_id in component_ids}
        return Graph(
            components=tuple(component for component in self.components if component.id in kept),
            bindings=tuple(edge for edge in self.bindings if {edge.provider, edge.consumer} <= kept),
            containment=tuple(pair for pair in self.containment if {pair.child, pair.parent} <= kept),
            nested={owner: local for owner, local in self.nested.items() if owner in kept},
        )

    def renamed(self, names: Mapping[str, str]) -> "Graph":
        """Return this graph with each id that *names* mentions replaced by its new one."""
        graph = Graph(
            components=tuple(replace(c, id=names.get(c.id, c.id)) for c in self.components),
            bindings=tuple(
                replace(b, provider=names.get(b.provider, b.provider), consumer=names.get(b.consumer, b.consumer))
                for b in self.bindings
            ),
            containment=tuple(
                Containment(names.get(pair.child, pair.child), names.get(pair.parent, pair.parent))
                for pair in self.containment
            ),
            nested={
                names.get(owner, owner): local.renamed({owner: names.get(owner, owner)})
                for owner, local in self.nested.items()
            },
        )
        return graph.living_in(self._system and self._system.renamed(names))

    # Writing

    @property
    def digest(self) -> str:
        """32 hexadecimal digits over everything here, nested graphs included, but source locations."""
        return serialization.digest(self.to_document())

    def to_json(self) -> str:
        """Return the graph as JSON of the schema ``wiremap.graph/1``; equal graphs give equal text."""
        return serialization.dump(self.to_document())

    @classmethod
    def from_json(cls, text: str) -> "Graph":
        """Return the graph that ``to_json`` wrote.

        Raises:
            GraphFormatError: *text* is not JSON, of another schema, or not a sound graph.
        """
        return cls._from_document(serialization.load(text))

    def to_document(self) -> serialization.Document:
        """Return what ``to_json`` writes, as dictionaries and lists, without the schema."""
        return {
            "components": serialization.to_records(self.components),
            "bindings": serialization.to_records(self.bindings),
            "containment": serialization.to_records(self.containment),
            "nested": {owner: local.to_document() for owner, local in self.nested.items()},
        }

    @classmethod
    def _from_document(cls, document: object) -> "Graph":
        parts = {"components", "bindings", "containment", "nested"}
        if not isinstance(document, dict) or document.keys() != parts or not isinstance(document["nested"], dict):
            raise GraphFormatError(f"a graph has the parts {sorted(parts)}, not {document!r:.120}")
        return cls(
            components=serialization.from_records(Component, document["components"]),
            bindings=serialization.from_records(Binding, document["bindings"]),
            containment=serialization.from_records(Containment, document["containment"]),
            nested={owner: cls._from_document(local) for owner, local in document["nested"].items()},
        )
