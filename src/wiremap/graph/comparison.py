"""Finding the difference between two graphs, and applying one to a graph."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final, TypeVar

from wiremap.errors import GraphDiffMismatchError
from wiremap.graph.correspondence import correspondence
from wiremap.graph.differences import TOPOLOGY, Change, GraphDiff
from wiremap.graph.elements import LOCATION, VALUES, Binding, Component, Containment
from wiremap.graph.topology import Topology

_NOTHING: Final = Topology()
E = TypeVar("E", Binding, Containment)


# Finding


def difference(before: Topology, after: Topology, pinned: Mapping[str, str] | None = None) -> GraphDiff:
    """Return what leads from *before* to *after*; *pinned* are ids of components known to be the same."""
    partner = correspondence(before, after, pinned or {})
    origin = {new: old for old, new in partner.items()}
    both = [(before.by_id[old], new) for new in after.components if (old := origin.get(new.id)) is not None]
    bindings = _edge_changes(before.bindings, after.bindings, partner)
    containment = _edge_changes(before.containment, after.containment, partner)
    return GraphDiff(
        removed=tuple(component for component in before.components if component.id not in partner),
        added=tuple(component for component in after.components if component.id not in origin),
        renamed={old.id: partner[old.id] for old in before.components if partner.get(old.id, old.id) != old.id},
        changed=tuple(change for old, new in both for change in _changes(old, new, _that_count(old, new))),
        moved=tuple(change for old, new in both for change in _changes(old, new, _that_do_not(old, new))),
        bindings_removed=bindings[0],
        bindings_added=bindings[1],
        containment_removed=containment[0],
        containment_added=containment[1],
        nested=dict(_local_differences(before, after, origin)),
    )


def _that_count(old: Component, new: Component) -> tuple[str, ...]:
    told = old.parameters != new.parameters or old.values_count or new.values_count
    return (*TOPOLOGY, VALUES) if told else TOPOLOGY


def _that_do_not(old: Component, new: Component) -> tuple[str, ...]:
    return LOCATION if VALUES in _that_count(old, new) else (*LOCATION, VALUES)


def _changes(old: Component, new: Component, fields: Iterable[str]) -> Iterator[Change]:
    for field in fields:
        if getattr(old, field) != getattr(new, field):
            yield Change(new.id, field, getattr(old, field), getattr(new, field))


def _edge_changes(
    before: tuple[E, ...], after: tuple[E, ...], partner: Mapping[str, str]
) -> tuple[tuple[E, ...], tuple[E, ...]]:
    """Return the edges that are only before, and those that are only after."""
    there = set(after)
    removed = []
    for edge in before:
        start, end = edge.ends
        if start in partner and end in partner and (same := edge.renamed(partner)) in there:
            there.remove(same)
        else:
            removed.append(edge)
    return tuple(removed), tuple(edge for edge in after if edge in there)


def _local_differences(before: Topology, after: Topology, origin: Mapping[str, str]) -> Iterator[tuple[str, GraphDiff]]:
    for new in after.by_id:
        old = origin.get(new)
        local_before = _NOTHING if old is None else before.nested.get(old, _NOTHING)
        local_after = after.nested.get(new, _NOTHING)
        is_on_both_sides = old in local_before.by_id and new in local_after.by_id
        pinned = {old: new} if old is not None and is_on_both_sides else {}
        if (local := difference(local_before, local_after, pinned)) != GraphDiff():
            yield new, local


# Applying


def apply_diff(diff: GraphDiff, graph: Topology) -> Topology:
    """Return what *diff* leads to from *graph*: not in order, and not checked to be a graph.

    Raises:
        GraphDiffMismatchError: The graph is not what the difference says of the graph before.
    """
    for misfit in _misfits(diff, graph):
        raise GraphDiffMismatchError(misfit)
    removed = {component.id for component in diff.removed}
    new_ids = {id_: diff.renamed.get(id_, id_) for id_ in graph.by_id if id_ not in removed}
    values: dict[str, dict[str, Any]] = defaultdict(dict)
    for change in (*diff.changed, *diff.moved):
        values[change.id][change.field] = change.after
    kept = (replace(graph.by_id[old], id=new, **values.get(new, {})) for old, new in new_ids.items())
    local = {new_ids[owner]: inside for owner, inside in graph.nested.items() if owner in new_ids}
    for owner, change_inside in diff.nested.items():
        local[owner] = apply_diff(change_inside, local.get(owner, _NOTHING))
    return Topology(
        components=(*kept, *diff.added),
        bindings=_changed_edges(graph.bindings, diff.bindings_removed, diff.bindings_added, new_ids),
        containment=_changed_edges(graph.containment, diff.containment_removed, diff.containment_added, new_ids),
        nested={owner: inside for owner, inside in local.items() if inside.components},
    )


def _changed_edges(
    edges: tuple[E, ...], removed: tuple[E, ...], added: tuple[E, ...], new_ids: Mapping[str, str]
) -> tuple[E, ...]:
    gone = set(removed)
    kept: list[E] = [edge.renamed(new_ids) for edge in edges if edge not in gone]
    return tuple(kept + list(added))


def _misfits(diff: GraphDiff, graph: Topology) -> Iterator[str]:
    """Yield what *diff* says of the graph before that is not so."""
    for component in diff.removed:
        if graph.by_id.get(component.id) != component:
            yield f"it removes {component.id!r}, which is not there or another"
    for old in diff.renamed:
        if old not in graph.by_id:
            yield f"it renames {old!r}, which is not there"
    olds = {new: old for old, new in diff.renamed.items()}
    for change in (*diff.changed, *diff.moved):
        component_before = graph.by_id.get(olds.get(change.id, change.id))
        if component_before is None or getattr(component_before, change.field) != change.before:
            yield f"it changes the {change.field} of {change.id!r} from {change.before!r}, which it is not"
    yield from _misfits_of_edges(graph.bindings, diff.bindings_removed)
    yield from _misfits_of_edges(graph.containment, diff.containment_removed)


def _misfits_of_edges(edges: tuple[E, ...], removed: tuple[E, ...]) -> Iterator[str]:
    there = set(edges)
    for edge in removed:
        if edge not in there:
            yield f"it removes {edge}, which is not there"
