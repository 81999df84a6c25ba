"""Which component of one graph is which of another: the same under the same or under another id.

Pairs are found from the certain to the probable:

1. Traits that only one component has on each side make a pair; so does one id with a type that only it has.
2. Colour refinement of the rest, around the pairs found so far, tells which components play the same part. Of those
   that still can't be told apart, equal ids make a pair (below a renamed owner: ids that follow it), then the order of
   the ids decides. After every such choice refinement draws its consequences, so that the parts of a layer go where
   the layer goes.
3. What is left is paired by equal ids, first where the type is the same, each time followed by step 2, and then by
   equal traits and edges to what has a partner: so the rest of a layer is found in which something was replaced.
4. Of what is left still, pairs are made whose surroundings, up to so many edges away, are equal and found only once in
   each graph: wide surroundings first. So the rest of a graph is found in which all ids are new and something was
   replaced, as far as that is not too near.
5. What is left then and has other traits was renamed and changed if there is no doubt: it is the only one left of its
   class with these edges to what has a partner, or the only one of its class in either graph.
6. A pair of different ids is dropped unless its edges agree; ``GraphDiff`` says with what. Ids of it that are left
   on both sides make pairs instead.

Step 2 alone finds that two graphs differ in nothing but ids, wherever refinement can tell. The others keep a change
from spreading: refinement alone would tell apart whatever is connected with it. All steps together cost about edges
times the logarithm of components.
"""

import re
from collections import Counter, deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from typing import Final, TypeVar

from wiremap.graph.elements import Component, Label
from wiremap.graph.refinement import Partition
from wiremap.graph.topology import Topology

S = TypeVar("S", bound=Hashable)
_Look = Callable[[Topology, Component], Hashable]
_STEPS: Final = 8
"""How far from what has a partner step 3 looks, in edges; what was changed all over is seldom deeper."""
_WIDEST: Final = 4
"""How far step 4 looks around a component, in edges."""


def correspondence(before: Topology, after: Topology, pinned: Mapping[str, str]) -> Mapping[str, str]:
    """Return ids of *after* by ids of *before*, each at most once; *pinned* are pairs that are known."""
    pairs = _Pairs(before, after, pinned)
    pairs.add_by_rarity()
    pairs.add_by_part(_traits_and_inside)
    pairs.add_by_part(_traits)
    for look in (_class, _anything):
        pairs.add_by_id(look)
        pairs.add_by_part(_traits)
        pairs.add_by_pairs(_traits)
    pairs.add_by_surroundings()
    pairs.add_by_pairs(_traits)
    pairs.add_what_only_one_can_be()
    pairs.drop_what_disagrees()
    return pairs.partner


# How a component looks, by itself.


def _traits_and_inside(graph: Topology, component: Component) -> Hashable:
    inside = graph.nested[component.id].shape(component.id) if component.id in graph.nested else None
    return (component.traits, component.provides, inside)


def _traits(_graph: Topology, component: Component) -> Hashable:
    return component.traits


def _class(_graph: Topology, component: Component) -> Hashable:
    return (component.type, component.module)


def _anything(_graph: Topology, _component: Component) -> Hashable:
    return None


class _Pairs:
    """The pairs found so far: ``partner`` leads from an id before to the one after, ``origin`` back."""

    def __init__(self, before: Topology, after: Topology, pinned: Mapping[str, str]) -> None:
        self.partner: dict[str, str] = {}
        self.origin: dict[str, str] = {}
        self._before = before
        self._after = after
        self._pinned = pinned
        for old, new in pinned.items():
            self._add(old, new)

    def _add(self, old: str, new: str) -> None:
        self.partner[old] = new
        self.origin[new] = old

    def _open(self) -> tuple[list[Component], list[Component]]:
        """Return the components before and after that have no partner."""
        return (
            [component for component in self._before.components if component.id not in self.partner],
            [component for component in self._after.components if component.id not in self.origin],
        )

    def add_by_rarity(self) -> None:
        """Pair what can't be taken for anything else."""
        for old, new in self._unique_on_both_sides(_traits):
            self._add(old, new)
        for old, new in self._unique_on_both_sides(_class):
            if old == new:
                self._add(old, new)

    def _unique_on_both_sides(self, look: _Look) -> Iterator[tuple[str, str]]:
        """Yield open pairs that look the same, and as nothing else does in the whole of their graphs."""
        old_ids, new_ids = _unique(self._before, look), _unique(self._after, look)
        for seen, old in old_ids.items():
            if seen in new_ids and old not in self.partner and new_ids[seen] not in self.origin:
                yield old, new_ids[seen]

    def add_by_id(self, look: _Look) -> None:
        """Pair equal ids of components that look the same."""
        old_components, _ = self._open()
        for old in old_components:
            new = self._after.by_id.get(old.id)
            if new and new.id not in self.origin and look(self._before, old) == look(self._after, new):
                self._add(old.id, new.id)

    def add_by_part(self, look: _Look) -> None:
        """Pair components that look the same and play the same part, as far as refinement can tell."""
        self._add_alike(look, by_pairs_only=False)

    def add_by_pairs(self, look: _Look) -> None:
        """Pair components that look the same and have the same edges to pairs, at least one."""
        for _ in range(_STEPS):
            found = len(self.partner)
            self._add_alike(look, by_pairs_only=True)
            if len(self.partner) == found:
                break

    def add_by_surroundings(self) -> None:
        """Pair components with equal surroundings that no other open one has; the widest tell most."""
        for width in range(_WIDEST, 0, -1):
            olds, news = (_unique_values(seen) for seen in self._surroundings(width))
            for seen in olds.keys() & news.keys():
                self._add(olds[seen], news[seen])

    def add_what_only_one_can_be(self) -> None:
        """Pair components of one class whose traits differ, where on neither side another may be meant."""
        for old, new in self._unique_on_both_sides(_class):
            self._add(old, new)
        for _ in range(_STEPS):
            olds, news = map(_unique_values, self._edges_to_pairs())
            found = olds.keys() & news.keys()
            for seen in found:
                self._add(olds[seen], news[seen])
            if not found:
                break

    def _edges_to_pairs(self) -> Iterator[Mapping[str, Hashable]]:
        """Yield for either graph what open components are, and their edges to pairs, by the name after."""
        after_names = {new: new for new in self.origin}
        graphs = ((self._before, self.partner), (self._after, after_names))
        for (graph, names), components in zip(graphs, self._open(), strict=True):
            edges = {
                component.id: frozenset(
                    (label, names[other]) for label, other in graph.links.get(component.id, ()) if other in names
                )
                for component in components
            }
            yield {c.id: (_class(graph, c), edges[c.id]) for c in components if edges[c.id]}

    def _surroundings(self, width: int) -> Iterator[Mapping[str, int]]:
        """Yield, for the graph before and the one after, hashes of what open components see: pairs are seen by name."""
        after_names = {new: new for new in self.origin}
        graphs = ((self._before, self.partner), (self._after, after_names))
        for (graph, names), components in zip(graphs, self._open(), strict=True):
            seen = {component.id: hash(component.traits) for component in components}
            for _ in range(width):
                seen = {id_: hash((own, _seen_around(graph, id_, seen, names))) for id_, own in seen.items()}
            yield seen

    def _add_alike(self, look: _Look, *, by_pairs_only: bool) -> None:
        old_ids, new_ids = (sorted((c.id for c in components), key=_in_order) for components in self._open())
        classes = self._classes(old_ids, new_ids, look, spreading=not by_pairs_only)
        nodes = {new: node for node, new in enumerate(new_ids, start=len(old_ids))}
        twins = _TwinsInOrder(classes, start=len(old_ids))
        for twin_of in (lambda node: nodes.get(self._expected_id(old_ids[node])), twins.next):
            for node, old in enumerate(old_ids):
                if old in self.partner or (by_pairs_only and not self._is_beside_a_pair(old)):
                    continue
                twin = twin_of(node)
                if twin is not None and classes.class_of[twin] == classes.class_of[node]:
                    self._add(old, new_ids[twin - len(old_ids)])
                    classes.single_out({node, twin})

    def _classes(self, old_ids: list[str], new_ids: list[str], look: _Look, *, spreading: bool) -> Partition:
        """Return classes of what is open in both graphs; what is after is numbered behind what is before."""
        colours: list[Hashable] = []
        edges: list[list[tuple[int, int]]] = []
        labels: dict[Label, int] = {}
        after_names = {new: new for new in self.origin}
        for graph, ids, names in ((self._before, old_ids, self.partner), (self._after, new_ids, after_names)):
            nodes = {id_: node for node, id_ in enumerate(ids, start=len(edges))}
            for id_ in ids:
                links = graph.links.get(id_, ())
                to_pairs = sorted((label, names[other]) for label, other in links if other not in nodes)
                colours.append((look(graph, graph.by_id[id_]), tuple(to_pairs)))
                inner = [(label, nodes[other]) for label, other in links if other in nodes]
                edges.append([(labels.setdefault(label, len(labels)), node) for label, node in inner])
        return Partition(colours, edges, spreading=spreading)

    def _is_beside_a_pair(self, old: str) -> bool:
        return any(other in self.partner for _, other in self._before.links.get(old, ()))

    def _expected_id(self, old: str) -> str:
        """Return the id that a component has if it only follows its owner: ids are made of an owner's id and a path."""
        owner = old
        while owner := owner.rpartition(".")[0]:
            if owner in self.partner:
                return self.partner[owner] + old.removeprefix(owner)
        return old

    def drop_what_disagrees(self) -> None:
        """Drop pairs of different ids whose edges disagree, and those that lose their support by that."""
        suspects = set(self.partner)
        while suspects:
            wrong = [old for old in suspects if self._is_rename(old) and not self._edges_agree(old)]
            freed = {id_ for old in wrong for id_ in (old, self.partner[old])}
            for old in wrong:
                del self.origin[self.partner.pop(old)]
            for id_ in freed:
                if self._is_open_on_both_sides(id_):
                    self._add(id_, id_)
            suspects = self._around(freed)

    def _is_rename(self, old: str) -> bool:
        return self.partner[old] != old and old not in self._pinned

    def _edges_agree(self, old: str) -> bool:
        """Tell whether a pair has the same edges to all pairs: at least one, unless it has no edges at all."""
        links_before = self._before.links.get(old, ())
        links_after = self._after.links.get(self.partner[old], ())
        here = {(label, self.partner[other]) for label, other in links_before if other in self.partner}
        there = {(label, other) for label, other in links_after if other in self.origin}
        return here == there and bool(here or not (links_before or links_after))

    def _is_open_on_both_sides(self, id_: str) -> bool:
        is_open_before = id_ in self._before.by_id and id_ not in self.partner
        return is_open_before and id_ in self._after.by_id and id_ not in self.origin

    def _around(self, ids: Iterable[str]) -> set[str]:
        """Return the ids before of all pairs that have an edge to one of *ids* in either graph."""
        found = set()
        for id_ in ids:
            found |= {other for _, other in self._before.links.get(id_, ()) if other in self.partner}
            found |= {self.origin[other] for _, other in self._after.links.get(id_, ()) if other in self.origin}
        return found


def _seen_around(
    graph: Topology, id_: str, seen: Mapping[str, int], names: Mapping[str, str]
) -> tuple[tuple[Label, int], ...]:
    links = graph.links.get(id_, ())
    return tuple(sorted((label, seen[other] if other in seen else hash(names[other])) for label, other in links))


def _unique_values(seen: Mapping[str, S]) -> Mapping[S, str]:
    """Return the ids that see what no other does, by that."""
    counts = Counter(seen.values())
    return {value: id_ for id_, value in seen.items() if counts[value] == 1}


class _TwinsInOrder:
    """Gives away the nodes from *start* on, each once and to a node of its class; among these in their order."""

    def __init__(self, classes: Partition, start: int) -> None:
        self._classes = classes
        self._start = start
        self._queues: dict[int, deque[int]] = {}  # by class; a node may have left it since

    def next(self, node: int) -> int | None:
        number = self._classes.class_of[node]
        if number not in self._queues:
            twins = (member for member in self._classes.members[number] if member >= self._start)
            self._queues[number] = deque(sorted(twins))
        queue = self._queues[number]
        while queue:
            twin = queue.popleft()
            if self._classes.class_of[twin] == number:
                return twin
        return None


def _unique(graph: Topology, look: _Look) -> Mapping[Hashable, str]:
    """Return the ids of the components that look as no other of *graph* does, by how they look."""
    seen = [look(graph, component) for component in graph.components]
    counts = Counter(seen)
    return {look_: c.id for look_, c in zip(seen, graph.components, strict=True) if counts[look_] == 1}


def _in_order(id_: str) -> tuple[list[str | int], str]:
    """Return a key that puts ``layers.9`` before ``layers.10``."""
    return [int(part) if part.isdecimal() else part for part in re.split(r"(\d+)", id_)], id_
