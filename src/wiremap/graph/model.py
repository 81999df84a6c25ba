"""The immutable graph that compiling an orchestrator gives, and everything that can be asked of it."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from itertools import pairwise
from operator import attrgetter
from typing import TYPE_CHECKING, Final, TypeVar

from wiremap.errors import (
    CannotOverrideError,
    CannotRenameError,
    GraphDiffMismatchError,
    GraphFormatError,
    UnknownComponentError,
)
from wiremap.graph import queries, serialization
from wiremap.graph.differences import GraphDiff
from wiremap.graph.elements import Binding, Component, Containment
from wiremap.graph.living import LivingSystem
from wiremap.graph.patterns import Pattern
from wiremap.graph.shapes import Shape, shapes
from wiremap.graph.stars import Star
from wiremap.graph.topology import Topology
from wiremap.wording import counted

if TYPE_CHECKING:
    from wiremap.graph.matching import Matches

T = TypeVar("T")

# The orders in which the elements of a graph stand; a hundred times as fast as comparing dataclasses.
_BY_ID: Final = attrgetter("id")
_BY_ENDS: Final = attrgetter("provider", "cell", "consumer", "kind", "interface")
_BY_CHILD: Final = attrgetter("child", "parent")


@dataclass(frozen=True, slots=True, repr=False)
class Graph:
    """Components, bindings and containment, each sorted and without doubles whatever order they came in.

    ``nested`` holds, under the id of a component, the local graph that was wired inside it. The local
    graph has that component too, under the same id: through it the two graphs are linked.

    ``topology`` is the same again with look-ups for all questions; it is made anew, never given, compared or stored.

    Raises:
        GraphFormatError: An id occurs twice, or an edge or a nested graph names an id that is not there.
    """

    components: tuple[Component, ...] = ()
    bindings: tuple[Binding, ...] = ()
    containment: tuple[Containment, ...] = ()
    nested: Mapping[str, "Graph"] = field(default_factory=dict)
    topology: Topology = field(init=False, compare=False)
    _system: LivingSystem | None = field(default=None, init=False, compare=False)

    def __post_init__(self) -> None:
        # The only writes ever made: a frozen dataclass can bring its fields into order in no other way.
        object.__setattr__(self, "components", tuple(sorted(self.components, key=_BY_ID)))
        object.__setattr__(self, "bindings", tuple(sorted(set(self.bindings), key=_BY_ENDS)))
        object.__setattr__(self, "containment", tuple(sorted(set(self.containment), key=_BY_CHILD)))
        object.__setattr__(self, "nested", dict(sorted(self.nested.items())))
        local = {owner: graph.topology for owner, graph in self.nested.items()}
        topology = Topology(self.components, self.bindings, self.containment, local)
        object.__setattr__(self, "topology", topology)
        self._check()

    def __repr__(self) -> str:
        # Not the elements: a graph of ten components would fill the screen. ``to_json`` writes all of them.
        parts: dict[str, tuple[object, ...]] = {"component": self.components, "binding": self.bindings}
        if self.nested:
            parts["nested graph"] = tuple(self.nested)
        told = (counted(len(part), noun) for noun, part in parts.items())
        return f"<Graph: {', '.join(told)}>"

    def __hash__(self) -> int:
        return hash((self.components, self.bindings, self.containment, tuple(self.nested.items())))

    def __reduce__(self) -> tuple[object, ...]:
        # What is living stays where it lives, and look-ups are made again where the graph arrives.
        return (Graph, (self.components, self.bindings, self.containment, self.nested))

    def _check(self) -> None:
        for one, other in pairwise(self.components):
            if one.id == other.id:
                raise GraphFormatError(f"several components have the id {one.id!r}")
        if "" in self:
            raise GraphFormatError("a component has an empty id")
        ends = {edge.provider for edge in self.bindings} | {edge.consumer for edge in self.bindings}
        ends |= {pair.child for pair in self.containment} | {pair.parent for pair in self.containment}
        if unknown := sorted((ends | self.nested.keys()) - self.topology.by_id.keys()):
            raise GraphFormatError(f"an edge or a nested graph names {unknown[0]!r}, and no component has that id")
        for owner, local in self.nested.items():
            if owner not in local:
                raise GraphFormatError(f"the graph nested in {owner!r} does not hold that component")

    # Living

    def living_in(self, system: LivingSystem | None) -> "Graph":
        """Note that the components live in *system*, and return this graph, which nobody else may have yet."""
        object.__setattr__(self, "_system", system)
        return self

    def override(self, component_id: str, stand_in: T) -> AbstractContextManager[T]:
        """Let *stand_in* provide all cells of a component inside a ``with`` block: to all consumers, in all threads.

        A component is looked for here first, then in nested graphs, the outermost first; consumers in all of them
        are served. Where several of them, equally deep, have components of that id, give the ids of its owners too, as
        in ``Owner/id``, or ask the ``nested`` one that is meant. References that others keep in attributes of their
        own are not cells and stay. The stand-in must have every cell that is handed over and fit what the consumers
        require; its ``__post_wire__`` is not called. Blocks may be nested and may overlap in several threads: the
        latest that is still open counts, and after the last one all is as before, whatever was raised.

        Raises:
            UnknownComponentError: No component has that id.
            CannotOverrideError: It hands no cell over, it is not the only one of that id, or this graph was only
                compiled or read.
            NotAComponentError: The stand-in is a plain value, such as None.
            WiringError: The stand-in lacks cells or does not fit.
        """
        if not isinstance(component_id, str):
            raise UnknownComponentError(component_id, self.ids, id_of_it=self._id_of(component_id))
        levels = list(self._levels())
        component_id, holders = self._holders(component_id, levels)
        living = [graph._system for graph in holders if graph._system]  # noqa: SLF001 -- its own class
        if not living:
            raise CannotOverrideError(component_id, "nothing lives in this graph, which was compiled or read")
        first, *rivals = living
        everywhere = [graph._system for level in levels for graph in level if graph._system]  # noqa: SLF001 -- same
        return first.override(component_id, stand_in, rivals, everywhere)

    def _holders(self, component_id: str, levels: Iterable[list["Graph"]]) -> tuple[str, list["Graph"]]:
        """Return the outermost graphs that hold a component, and its id there; it may be told with its owners."""
        for level in levels:
            if holders := [graph for graph in level if component_id in graph]:
                return component_id, holders
        for path, graph in self._inside():
            if (id_ := component_id.removeprefix("/".join((*path, "")))) != component_id and id_ in graph:
                return id_, [graph]
        raise self._unknown(component_id)

    def _inside(self, around: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], "Graph"]]:
        """Yield each local graph, at any depth, with the ids of its owners."""
        for owner, local in self.nested.items():
            yield (*around, owner), local
            yield from local._inside((*around, owner))  # noqa: SLF001 -- its own class

    def _levels(self) -> Iterator[list["Graph"]]:
        """Yield this graph, the graphs nested in it, those nested in these, and so on."""
        level: list[Graph] = [self]
        while level:
            yield level
            level = [inner for graph in level for inner in graph.nested.values()]

    # Looking up

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of all components, sorted."""
        return tuple(self.topology.by_id)

    def __contains__(self, component_id: object) -> bool:
        return component_id in self.topology.by_id

    def component(self, component_id: str) -> Component:
        """Return the component with that id.

        Raises:
            UnknownComponentError: There is none.
        """
        if not isinstance(component_id, str):
            raise UnknownComponentError(component_id, self.ids, id_of_it=self._id_of(component_id))
        if component_id not in self.topology.by_id:
            raise self._unknown(component_id)
        return self.topology.by_id[component_id]

    def _unknown(self, component_id: str) -> UnknownComponentError:
        inside = ("/".join((*path, id_)) for path, graph in self._inside() for id_ in graph.ids)
        return UnknownComponentError(component_id, (*self.ids, *inside), self._places_inside(component_id))

    def _id_of(self, component: object) -> str:
        """Return the id of a living component, with its owners if it is inside; nothing where that is not known."""
        graphs = [((), self), *self._inside()]
        found = [(path, system.id_of(component)) for path, graph in graphs if (system := graph._system)]  # noqa: SLF001 -- its own class
        return next(("/".join((*path, id_)) for path, id_ in found if id_), "")

    def _places_inside(self, component_id: str) -> Iterator[tuple[str, str]]:
        """Yield, for each local graph that holds a component, its id there and the expression for the graph."""
        for path, graph in self._inside():
            id_ = component_id.removeprefix("/".join((*path, "")))
            if id_ in graph:
                yield id_, "graph" + "".join(f".nested[{owner!r}]" for owner in path)

    def star(self, component_id: str) -> Star:
        """Return the component with that id, the edges that touch it, and its neighbours."""
        return self.topology.star(self.component(component_id).id)

    def stars(self) -> Mapping[str, Star]:
        """Return the stars of all components by id."""
        return {id_: self.topology.star(id_) for id_ in self.ids}

    # Following edges

    def upstream(self, component_id: str, steps: int | None = None) -> tuple[str, ...]:
        """Return the ids of all components whose cells reach this one, directly or through others, sorted.

        Containment does not count: what a component holds says nothing about what it calls.

        Args:
            component_id: Where to start.
            steps: How many bindings to follow at most; 1 gives the direct providers.
        """
        return queries.reachable(self.component(component_id).id, self.topology.providers, _checked(steps))

    def downstream(self, component_id: str, steps: int | None = None) -> tuple[str, ...]:
        """Return the ids of all components that its cells reach, directly or through others, sorted.

        Args:
            component_id: Where to start.
            steps: How many bindings to follow at most; 1 gives the direct consumers.
        """
        return queries.reachable(self.component(component_id).id, self.topology.consumers, _checked(steps))

    def paths(self, start: str, end: str, *, limit: int = 100) -> tuple[tuple[str, ...], ...]:
        """Return the ways by which cells of *start* reach *end*, each as the ids from the one to the other.

        A path follows bindings from provider to consumer and visits no component twice; several cells between
        two components are one step. Shorter paths come first, then smaller ids. There may be exponentially many:
        the first *limit* are returned, at a cost that does not depend on how many more there are.
        """
        ends = self.component(start).id, self.component(end).id
        return tuple(queries.paths(*ends, self.topology.consumers, self.topology.providers, limit))

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

    # Parts

    def subgraph(self, component_ids: Iterable[str]) -> "Graph":
        """Return the graph of these components, the edges among them, and what is nested in them.

        A plain string is the id of one component.
        Components keep their ``provides`` and ``requires``: those describe the component, not the part.
        """
        kept = {self.component(component_id).id for component_id in _several(component_ids)}
        return Graph(
            components=tuple(component for component in self.components if component.id in kept),
            bindings=tuple(edge for edge in self.bindings if edge.provider in kept and edge.consumer in kept),
            containment=tuple(pair for pair in self.containment if pair.child in kept and pair.parent in kept),
            nested={owner: local for owner, local in self.nested.items() if owner in kept},
        )

    def select(
        self, *, ids: Iterable[str] | None = None, tags: Iterable[str] = (), extension: str | None = None
    ) -> "Graph":
        """Return the subgraph of the components that meet every condition.

        Args:
            ids: The component is one of these; a plain string is one.
            tags: The component has all of these; a plain string is one.
            extension: The component belongs to this distribution or plug-in.
        """
        chosen = self.ids if ids is None else _several(ids)
        wanted = set(_several(tags))
        return self.subgraph(
            component.id
            for component in map(self.component, chosen)
            if wanted <= set(component.tags) and extension in (None, component.extension)
        )

    def neighbourhood(self, component_ids: Iterable[str], steps: int = 1) -> "Graph":
        """Return the subgraph of these components and of what is at most so many steps before or behind one of them.

        A plain string is the id of one component.

        Both kinds of edges count, in the direction in which they are drawn: from provider to consumer and from
        what is contained to its container. No way turns round, so other consumers of a provider and other parts
        of a container are no neighbours.
        """
        kept = {self.component(component_id).id for component_id in _several(component_ids)}
        starts, steps = tuple(kept), _checked(steps) or 0
        for following in (self.topology.backwards, self.topology.forwards):
            kept.update(*(queries.reachable(start, following, steps) for start in starts))
        return self.subgraph(kept)

    def match(self, pattern: Pattern | str) -> "Matches":
        """Return every way to find *pattern* here or in nested graphs, as component ids by the pattern's names.

        Components of a local graph are told by the ids of its owners and their own, with ``/`` between them. An
        owner is one component, inside and outside. Different names stand for different components. The order of
        matches depends only on the graph and the pattern.

        Args:
            pattern: A pattern or its text, such as ``"MoeBackend -[run_experts_ll]-> ExpertsEPLL"``;
                ``wiremap.graph.patterns`` says how it is written.

        Warns:
            PatternNameWarning: A name in it is nowhere in the graph, and looks like a misspelled one.

        Raises:
            PatternSyntaxError: The text is no pattern.
            PatternTooHardError: In a loop over the matches, or where it is asked if there is one: the search takes
                too long.
        """
        from wiremap.graph.matching import find_matches  # noqa: PLC0415 -- keeps `import wiremap` cheap

        return find_matches(Pattern.parse(pattern) if isinstance(pattern, str) else pattern, self.topology)

    # Comparing

    @property
    def digest(self) -> str:
        """32 hexadecimal digits over everything here, nested graphs included, but source locations."""
        return serialization.digest(self.to_document(locations=False))

    @property
    def shape(self) -> str:
        """32 hexadecimal digits over the shapes of all stars, here and in nested graphs: no id is in it.

        Graphs of different shape are different whatever anybody is called. Graphs of one shape have the same stars
        up to renaming; ``diff`` tells whether these are put together in the same way.
        """
        return self.topology.shape()

    def shapes(self) -> tuple[Shape, ...]:
        """Return which components play the same part, in the order of their first ids; nested ones not.

        So 48 equal layers are one shape, with 48 ids. See ``wiremap.graph.shapes``.
        """
        return shapes(self.topology)

    def diff(self, other: "Graph") -> GraphDiff:
        """Return what leads from this graph to *other*; ``self.apply(self.diff(other)) == other``."""
        from wiremap.graph.comparison import difference  # noqa: PLC0415 -- keeps `import wiremap` cheap

        return difference(self.topology, other.topology)

    def apply(self, diff: GraphDiff) -> "Graph":
        """Return the graph that *diff* leads to from this one.

        Raises:
            GraphDiffMismatchError: It was made from another graph, and does not fit this one.
        """
        from wiremap.graph.comparison import apply_diff  # noqa: PLC0415 -- keeps `import wiremap` cheap

        try:
            return Graph._of(apply_diff(diff, self.topology))
        except GraphFormatError as error:
            raise GraphDiffMismatchError(error.detail) from error

    @classmethod
    def _of(cls, topology: Topology) -> "Graph":
        return cls(
            topology.components,
            topology.bindings,
            topology.containment,
            {owner: cls._of(local) for owner, local in topology.nested.items()},
        )

    # Changing

    def renamed(self, names: Mapping[str, str]) -> "Graph":
        """Return this graph with each id that *names* mentions replaced by its new one.

        In a nested graph, to any depth, what is named after its place in the owner is named after the owner's new
        name, and whoever has that name gives way and is called ``#inner``.

        Raises:
            UnknownComponentError: No component has an id that is to be replaced.
            CannotRenameError: A new id is empty, or another component has it.
        """
        self._check_names(names)
        graph = Graph(
            components=tuple(replace(c, id=names.get(c.id, c.id)) for c in self.components),
            bindings=tuple(edge.renamed(names) for edge in self.bindings),
            containment=tuple(pair.renamed(names) for pair in self.containment),
            nested={
                names.get(owner, owner): local.renamed(_inside(local, owner, names.get(owner, owner)))
                for owner, local in self.nested.items()
            },
        )
        return graph.living_in(self._system and self._system.renamed(names))

    def _check_names(self, names: Mapping[str, str]) -> None:
        taken = set(self.ids) - names.keys()
        for id_, new in names.items():
            self.component(id_)
            if not isinstance(new, str) or not new:
                raise CannotRenameError(id_, new, "an id is text that is not empty")
            if new in taken:
                raise CannotRenameError(id_, new, "another component has that id")
            taken.add(new)

    # Writing

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

    def to_document(self, *, locations: bool = True) -> serialization.Document:
        """Return what ``to_json`` writes, as dictionaries and lists, without the schema."""
        return {
            "components": serialization.to_records(Component, self.components, locations=locations),
            "bindings": serialization.to_records(Binding, self.bindings),
            "containment": serialization.to_records(Containment, self.containment),
            "nested": {owner: local.to_document(locations=locations) for owner, local in self.nested.items()},
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


def _several(names: Iterable[str]) -> Iterable[str]:
    """Return *names*, of one its name; what is no collection is passed on, for the error about ids that are no text."""
    return (names,) if isinstance(names, str) or not isinstance(names, Iterable) else names


def _checked(steps: int | None) -> int | None:
    if steps is not None and steps < 0:
        raise ValueError(f"a number of steps can't be negative: {steps}")
    return steps


def _inside(local: Graph, owner: str, new: str) -> dict[str, str]:
    """Return how ids of the graph nested in *owner* change when that is called *new*."""
    if owner == new:
        return {}
    below = [id_ for id_ in local.ids if id_.startswith(f"{owner}.")]
    others = [id_ for id_ in local.ids if id_ != owner and id_ not in set(below)]
    names, taken = {owner: new}, {new, *others}
    wanted = {id_: new + id_.removeprefix(owner) for id_ in below}
    if new in others:
        wanted[new] = f"{new}#inner"
    for id_, name in wanted.items():
        names[id_] = name
        while names[id_] in taken:
            names[id_] += "#inner"
        taken.add(names[id_])
    return names
