"""What a picture of a graph shows, before anybody chooses a renderer: nodes, two kinds of edges, groups.

A **cell edge** leads from provider to consumer and is labelled with all cells that the one hands the other, under the
names by which they are read; a **containment edge** leads from what is contained to its container and has no label.
The local graph of a component becomes a group beside it; its node is shared by both. Repeated parts are folded first,
see ``wiremap.render.folding``.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from wiremap.graph import CellKind, Component, Graph
from wiremap.render.folding import Fold, fold_repetition, unfolded
from wiremap.render.lettering import legible
from wiremap.wording import counted

CELL_COLOUR: Final = "#2563eb"
CONTAINMENT_COLOUR: Final = "#9ca3af"
CELLS_MEAN: Final = "cells, from provider to consumer"
CONTAINMENT_MEANS: Final = "containment, from what is contained to its container"
LEGEND: Final = f"Blue, labelled: {CELLS_MEAN}. Grey: {CONTAINMENT_MEANS}."

Cell = tuple[str, CellKind]


@dataclass(frozen=True, slots=True)
class Node:
    """One component, or ``count`` components that differ only in an index.

    Attributes:
        key: Unique in the whole diagram: the id, for a local component after the key of its owner and a slash.
        label: The id as people read it: all of it, and legible.
        component: What is shown; of several folded ones the first.
        count: How many components the node stands for.
    """

    key: str
    label: str
    component: Component
    count: int = 1

    @property
    def title(self) -> str:
        """The label, with the number of components if the node stands for several."""
        return f"{self.label} \u00d7{self.count}" if self.count > 1 else self.label

    @property
    def lines(self) -> tuple[str, ...]:
        """What the node shows: its title, its type where the title does not say it already, and its marks."""
        return (*self.names, *self.marks)

    @property
    def names(self) -> tuple[str, ...]:
        """The title, and the type where the title does not say it already."""
        type_ = legible(self.component.type)
        return (self.title,) if type_ == self.label else (self.title, type_)

    @property
    def marks(self) -> tuple[str, ...]:
        """What was said of it at its registration: its tags, and the extension that it belongs to."""
        component = self.component
        tags = (f"tags: {legible(', '.join(component.tags))}",) if component.tags else ()
        return tags if component.extension == "core" else (*tags, f"extension: {legible(component.extension)}")


@dataclass(frozen=True, slots=True, order=True)
class CellEdge:
    """The cells that *provider* hands to *consumer*, sorted, each with its kind; ends are node keys."""

    provider: str
    consumer: str
    cells: tuple[Cell, ...]

    @property
    def ends(self) -> tuple[str, str]:
        """Where the arrow starts and where it ends."""
        return self.provider, self.consumer

    def first(self, limit: int) -> tuple[tuple[Cell, ...], int]:
        """Return the cells to name in *limit* lines, and how many are left; if any are, they have the last line."""
        if len(self.cells) <= limit:
            return self.cells, 0
        shown = self.cells[: max(limit - 1, 0)]
        return shown, len(self.cells) - len(shown)


def told(cell: Cell) -> str:
    """Return the name of *cell*, marked if it is state."""
    name, kind = cell
    return f"{name} (state)" if kind == "state" else name


@dataclass(frozen=True, slots=True, order=True)
class ContainmentEdge:
    """*parent* holds *child*; both are node keys."""

    child: str
    parent: str

    @property
    def ends(self) -> tuple[str, str]:
        """Where the arrow starts and where it ends."""
        return self.child, self.parent


Edge = CellEdge | ContainmentEdge


@dataclass(frozen=True, slots=True)
class Diagram:
    """One graph as it is drawn.

    Attributes:
        title: What to write over it if it is the diagram of a local graph.
        graph: The graph itself, unfolded.
        nodes: Providers before consumers. In the diagram of a local graph the owner is not among them.
        cells: The labelled edges, sorted.
        containment: The unlabelled edges, sorted.
        groups: The diagrams of local graphs, by the key of the node that each lies inside.
    """

    title: str
    graph: Graph
    nodes: tuple[Node, ...]
    cells: tuple[CellEdge, ...]
    containment: tuple[ContainmentEdge, ...]
    groups: Mapping[str, "Diagram"]

    def walk(self) -> Iterator["Diagram"]:
        """Yield this diagram and those of all groups below it, outer ones first."""
        yield self
        for group in self.groups.values():
            yield from group.walk()


def diagram_of(graph: Graph, *, fold: bool = True, nested: bool = True) -> Diagram:
    """Return what a picture of *graph* shows.

    Args:
        graph: The graph to draw.
        fold: Draw repeated parts once, with their number.
        nested: Draw the local graphs too.
    """
    return _diagram(graph if nested else replace(graph, nested={}), fold, _Keys())


def title_of(graph: Graph) -> str:
    """Return what to write over a picture of the whole *graph*."""
    return f"Wiring of {counted(len(graph.components), 'component')} by {counted(len(graph.bindings), 'binding')}"


class _Keys:
    """Hands out keys, none of them twice."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def key(self, wish: str) -> str:
        """Return *wish*, with primes if it is taken: an id may hold slashes too."""
        while wish in self._taken:
            wish += "'"
        self._taken.add(wish)
        return wish


def _diagram(graph: Graph, fold: bool, unique: _Keys, owner: str = "", owner_key: str = "") -> Diagram:  # noqa: FBT001 -- the caller's option, passed on
    """Draw *graph*; if it is local, its *owner* has been drawn outside, under *owner_key*."""
    folded = fold_repetition(graph, kept={owner}) if fold else unfolded(graph)
    prefix = f"{owner_key}/" if owner else ""
    keys = {name: owner_key if name == owner else unique.key(prefix + name) for name in folded.graph.ids}
    groups = {
        keys[name]: _diagram(local, fold, unique, owner=name, owner_key=keys[name])
        for name, local in folded.graph.nested.items()
    }
    return Diagram(
        title=f"inside {legible(owner)}" if owner else "",
        graph=graph,
        nodes=tuple(_nodes(folded, keys, owner)),
        cells=_cell_edges(folded.graph, keys),
        containment=_containment_edges(folded.graph, keys),
        groups=groups,
    )


def _nodes(folded: Fold, keys: Mapping[str, str], owner: str) -> Iterator[Node]:
    components = {component.id: component for component in folded.graph.components}
    for name in folded.graph.topological_order():
        if name != owner:
            yield Node(keys[name], legible(name), components[name], folded.count(name))


def _cell_edges(graph: Graph, keys: Mapping[str, str]) -> tuple[CellEdge, ...]:
    handed: dict[tuple[str, str], set[Cell]] = defaultdict(set)
    for edge in graph.bindings:
        handed[keys[edge.provider], keys[edge.consumer]].add((legible(edge.name), edge.kind))
    return tuple(CellEdge(*ends, tuple(sorted(cells))) for ends, cells in sorted(handed.items()))


def _containment_edges(graph: Graph, keys: Mapping[str, str]) -> tuple[ContainmentEdge, ...]:
    """Return the pairs, but none that says that a component holds itself: it would be a loop that tells nothing."""
    pairs = (pair for pair in graph.containment if pair.child != pair.parent)
    return tuple(sorted(ContainmentEdge(keys[pair.child], keys[pair.parent]) for pair in pairs))
