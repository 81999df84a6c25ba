"""Which local graph lies inside a component: the link between an outer graph and those wired within it.

A component that wires its own inside finalizes an orchestrator of its own, with itself as a consumer, before
the outer orchestrator hears of it. So every finalized graph is noted, weakly, with the objects in it. When
a graph is compiled, an earlier one that shares an object with it is **nested** in it if the shared object
consumes or contains something there: a graph leads to the component that it was wired inside, while an
object that only provides is used by the graph and does not own it. If several shared objects qualify, the
owner is the one that comes last in the earlier graph's topological order; if several earlier graphs have one
owner, the latest counts.
"""

import itertools
import threading
from collections.abc import Mapping
from typing import NamedTuple

from wiremap.graph import Graph
from wiremap.registry.weak_table import WeakTable


class LocalGraph(NamedTuple):
    """A graph that lies inside a component, with the number that it was noted under."""

    graph: Graph
    serial: int


class _Membership(NamedTuple):
    serial: int
    graph: Graph
    component_id: str


_lock = threading.Lock()
_serials = itertools.count()
_owned: WeakTable[tuple[_Membership, ...]] = WeakTable()
"""By component: the graphs that it may own."""
_member_of: WeakTable[frozenset[int]] = WeakTable()
"""By component: the numbers of all graphs that hold it."""


def remember(graph: Graph, components: Mapping[str, object]) -> None:
    """Note that *graph* was finalized over *components* (by id).

    Objects that can't be weakly referenced are left out, and so own no graph.
    """
    with _lock:
        serial = next(_serials)
        owners = _possible_owners(graph)
        for component_id, component in components.items():
            _member_of.put(component, (_member_of.get(component) or frozenset()) | {serial})
            if component_id in owners:
                known = _owned.get(component) or ()
                _owned.put(component, (*known, _Membership(serial, graph, component_id)))


def is_inside(local: LocalGraph, value: object) -> bool:
    """Tell whether *value* is a component of that local graph."""
    return local.serial in (_member_of.get(value) or ())


def is_in_a_graph(value: object) -> bool:
    """Tell whether *value* is a component of any graph that was finalized."""
    return bool(_member_of.get(value))


def local_graphs(components: Mapping[str, object]) -> dict[str, LocalGraph]:
    """Return the graphs nested in *components* (by id), by their owners' ids, which hold inside too."""
    owners: dict[int, tuple[str, _Membership]] = {}
    for outer_id, component in sorted(components.items()):
        for membership in _owned.get(component) or ():
            rival = owners.get(membership.serial)
            if rival is None or _comes_later(membership, rival[1]):
                owners[membership.serial] = (outer_id, membership)
    return {
        outer_id: LocalGraph(_under_id(membership, outer_id), serial)
        for serial, (outer_id, membership) in sorted(owners.items())
    }


def _possible_owners(graph: Graph) -> set[str]:
    return {edge.consumer for edge in graph.bindings} | {pair.parent for pair in graph.containment}


def _comes_later(membership: _Membership, rival: _Membership) -> bool:
    order = membership.graph.topological_order()
    return order.index(membership.component_id) > order.index(rival.component_id)


def _under_id(membership: _Membership, outer_id: str) -> Graph:
    """Return the graph with its owner called as in the outer graph; whoever had that name gets a suffix."""
    graph, inner_id = membership.graph, membership.component_id
    if inner_id == outer_id:
        return graph
    names = {inner_id: outer_id}
    if outer_id in graph:
        names[outer_id] = f"{outer_id}#inner"
    return graph.renamed(names)
