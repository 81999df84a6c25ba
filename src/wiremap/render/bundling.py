"""A graph with fewer components, for pictures that can't hold all: those that belong together become one.

What belongs together is told by ids first (``Model.layers.3`` for all that lies in it), then by modules and
packages, and where neither tells anything, by the order of the graph.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from wiremap.graph import Binding, Component, Containment, Graph

_SLICES: Final = 12  # that many components have at most 132 pairs between them, twice over with containment


@dataclass(frozen=True, slots=True)
class Bundled:
    """A graph whose components may stand for several of another.

    Attributes:
        graph: The components that stand alone, one for each bundle, and the edges between them; no local graphs.
        bundles: The ids of the components that a bundle stands for, by the id of the bundle.
    """

    graph: Graph
    bundles: Mapping[str, Sequence[str]]


def bundled(graph: Graph) -> Iterator[Bundled]:
    """Yield *graph* with fewer and fewer components; the last has at most twelve, and no bundle holds them all."""
    size = len(graph.components)
    for groups in _groupings(graph):
        result = _bundled_by(groups, graph)
        if 1 < len(result.graph.components) < size:
            size = len(result.graph.components)
            yield result
    yield _bundled_by(_slices(graph), graph)


def _groupings(graph: Graph) -> Iterator[Mapping[str, str]]:
    """Yield names of groups by the ids that belong to them."""
    modules = {component.id: component.module for component in graph.components}
    for depth in range(max(map(_depth, graph.ids), default=0) - 1, 0, -1):
        yield {id_: _beginning(id_, depth) for id_ in graph.ids}
    for depth in range(max(map(_depth, modules.values()), default=0), 0, -1):
        yield {id_: f"module {_beginning(module, depth)}" for id_, module in modules.items()}


def _slices(graph: Graph) -> Mapping[str, str]:
    order = graph.topological_order()
    length = max(-(-len(order) // _SLICES), 1)
    slices = (order[start : start + length] for start in range(0, len(order), length))
    return {id_: f"{ids[0]} to {ids[-1]}" for ids in slices for id_ in ids}


def _depth(dotted: str) -> int:
    return len(dotted.split("."))


def _beginning(dotted: str, depth: int) -> str:
    return ".".join(dotted.split(".")[:depth])


def _bundled_by(group_of: Mapping[str, str], graph: Graph) -> Bundled:
    groups: dict[str, list[str]] = defaultdict(list)
    for id_ in graph.ids:
        groups[group_of[id_]].append(id_)
    alone = {members[0] for members in groups.values() if len(members) == 1}
    bundles: dict[str, list[str]] = {}
    for name, members in groups.items():
        if len(members) > 1:
            while name in alone or name in bundles:
                name += "'"  # noqa: PLW2901 -- the name that is free
            bundles[name] = members
    stands_for = {id_: id_ for id_ in alone} | {id_: name for name, ids in bundles.items() for id_ in ids}
    return Bundled(_between(graph, alone, bundles, stands_for), bundles)


def _between(
    graph: Graph, alone: set[str], bundles: Mapping[str, Sequence[str]], stands_for: Mapping[str, str]
) -> Graph:
    bindings = (
        Binding(stands_for[b.provider], b.cell, stands_for[b.consumer], b.kind, b.interface) for b in graph.bindings
    )
    containment = (Containment(stands_for[pair.child], stands_for[pair.parent]) for pair in graph.containment)
    return Graph(
        components=(
            *(component for component in graph.components if component.id in alone),
            *(Component(name, f"{len(ids)} components", "") for name, ids in bundles.items()),
        ),
        bindings=tuple(edge for edge in bindings if edge.provider != edge.consumer or edge.provider in alone),
        containment=tuple(pair for pair in containment if pair.child != pair.parent),
    )
