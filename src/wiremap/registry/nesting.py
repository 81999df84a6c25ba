"""Which local graph lies inside a component: the link between an outer graph and those wired within it.

A component that wires its own inside finalizes an orchestrator of its own, with itself as a consumer, before
the outer orchestrator is finalized. So every finalized graph is noted, weakly, with the objects in it. When
a graph is compiled, an earlier one that shares an object with it is **nested** in it if the shared object
consumes or contains something there: a graph leads to the component that it was wired inside, while an
object that only provides is used by the graph and does not own it. If several shared objects qualify, the
owner is the one that comes last in the earlier graph's topological order; if several earlier graphs have one
owner, they are merged. An owner is found by a weak reference: an object that allows none owns no graph.
"""

import itertools
import threading
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from wiremap.graph import Graph
from wiremap.registry.lifecycle import Lifecycle
from wiremap.registry.location import Location
from wiremap.registry.merging import Part, merged
from wiremap.registry.overriding import System
from wiremap.registry.weak_table import WeakTable


@dataclass(frozen=True, slots=True)
class LocalGraph:
    """What lies inside a component.

    Attributes:
        graph: The graph, in which the owner has its outer id.
        numbers: The numbers of all objects in it.
    """

    graph: Graph
    numbers: frozenset[int]


@dataclass(frozen=True, eq=False)
class _Finalized:
    """A finalized graph: ``numbers`` tells, by id, which objects its components are."""

    serial: int
    graph: Graph
    numbers: Mapping[str, int]
    lifecycle: Lifecycle
    system: System

    @cached_property
    def rank(self) -> Mapping[str, int]:
        """The position of each id in the topological order."""
        return {name: position for position, name in enumerate(self.graph.topological_order())}


Making = tuple[object | None, Location]


class _Membership(NamedTuple):
    finalized: _Finalized
    component_id: str


_lock = threading.Lock()
_serials = itertools.count()
_object_numbers = itertools.count()
_owned: WeakTable[tuple[_Membership, ...]] = WeakTable()
"""By component: the graphs that it may own."""
_made_aside: WeakTable[tuple[tuple[int, Location], ...]] = WeakTable()
"""By the object that made it and can't own it: the serial of a graph, and the line that finalized it."""
_numbers: WeakTable[int] = WeakTable()
"""By component of a finalized graph: the number that stands for it; none is ever given twice."""


def remember(
    graph: Graph, components: Mapping[str, object], lifecycle: Lifecycle, system: System, made_in: Making
) -> None:
    """Note that *graph* was finalized over *components* (by id), with their life and their bindings.

    *made_in* is the object whose ``__init__`` or ``__post_wire__`` did it, if one did, and the line.
    """
    maker, where = made_in
    with _lock:
        numbers = {name: _number_of(component) for name, component in components.items()}
        finalized = _Finalized(next(_serials), graph, numbers, lifecycle, system)
        owners = [(components[owner], owner) for owner in _possible_owners(graph)]
        if maker is not None and not any(maker is owner for owner, _ in owners):
            _made_aside.put(maker, (*(_made_aside.get(maker) or ()), (finalized.serial, where)))
        for owner, owner_id in owners:
            known = _owned.get(owner) or ()
            _owned.put(owner, (*known, _Membership(finalized, owner_id)))


def _number_of(component: object) -> int:
    number = _numbers.get(component)
    if number is None:
        number = next(_object_numbers)
        _numbers.put(component, number)
    return number


def graphs_lost(components: Mapping[str, object], since: int = 0) -> Iterator[tuple[str, Location]]:
    """Yield, with the line that finalized it, each graph that one of *components* has made and that none of them owns.

    Nobody will find such a graph. What is yielded with the line is the id of the maker.

    Args:
        components: By id.
        since: What ``now`` said: any graph finalized before that is left out.
    """
    made = [(name, one) for name, component in components.items() for one in _made_aside.get(component) or ()]
    found = {membership.finalized.serial for _, membership in _owners(components)} if made else ()
    for name, (serial, where) in made:
        if serial >= since and serial not in found:
            yield name, where


def is_inside(local: LocalGraph, value: object) -> bool:
    """Tell whether *value* is a component of that local graph."""
    return _numbers.get(value) in local.numbers


def is_in_a_graph(value: object) -> bool:
    """Tell whether *value* is a component of any graph that was finalized."""
    return _numbers.get(value) is not None


def local_graphs(components: Mapping[str, object]) -> dict[str, LocalGraph]:
    """Return the graphs nested in *components* (by id), by their owners' ids, which hold inside too."""
    by_owner: dict[str, list[_Membership]] = defaultdict(list)
    for owner, membership in _owners(components):
        by_owner[owner].append(membership)
    return {owner: _local_graph(owner, memberships) for owner, memberships in by_owner.items()}


def lifecycles_inside(components: Mapping[str, object], since: int = 0) -> list[tuple[str, Lifecycle]]:
    """Return the lifecycles of what was finalized inside *components*, each with its owner's id, earliest first.

    Args:
        components: By id.
        since: What ``now`` said: anything finalized before that is left out.
    """
    return [
        (owner, membership.finalized.lifecycle)
        for owner, membership in _owners(components)
        if membership.finalized.serial >= since
    ]


def now() -> int:
    """Return a number that is greater than that of any graph which has been finalized."""
    with _lock:
        return next(_serials)


def _owners(components: Mapping[str, object]) -> Iterator[tuple[str, _Membership]]:
    """Yield each graph that lies inside one of *components*, with the id of that: the earliest graph first."""
    owners: dict[int, tuple[str, _Membership]] = {}
    for outer_id, component in sorted(components.items(), key=lambda item: item[0]):
        for membership in _owned.get(component) or ():
            rival = owners.get(membership.finalized.serial)
            if rival is None or _comes_later(membership, rival[1]):
                owners[membership.finalized.serial] = (outer_id, membership)
    for _, owner_and_membership in sorted(owners.items()):
        yield owner_and_membership


def _possible_owners(graph: Graph) -> set[str]:
    return {edge.consumer for edge in graph.bindings} | {pair.parent for pair in graph.containment}


def _comes_later(membership: _Membership, rival: _Membership) -> bool:
    rank = membership.finalized.rank
    return rank[membership.component_id] > rank[rival.component_id]


def _local_graph(owner: str, memberships: list[_Membership]) -> LocalGraph:
    parts = [
        Part(one.finalized.graph, one.component_id, one.finalized.numbers, one.finalized.system) for one in memberships
    ]
    numbers = frozenset(number for part in parts for number in part.numbers.values())
    return LocalGraph(merged(parts, owner), numbers)
