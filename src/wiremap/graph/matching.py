"""Finding a pattern in a graph and in the graphs nested in it."""

import re
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from fnmatch import translate
from itertools import islice
from typing import Final, NamedTuple

from wiremap.errors import PatternNameWarning, PatternTooHardError, nearest
from wiremap.graph.elements import HANDS, HELD, HOLDS, TAKES, Component, Label, Link
from wiremap.graph.patterns import Pattern, PatternEdge, PatternNode
from wiremap.graph.topology import Topology

_Key = tuple[str, ...]
"""A component: the ids of the owners around it, from outside to inside, and its own id."""
_NUMBER: Final = re.compile("#?[0-9]+")
_Candidates = Mapping[str, AbstractSet[_Key]]
MOST_TRIES: Final = 100_000
"""So many components are tried in a row without a match; that takes some seconds."""
_START: Final = "start"
_END: Final = "end"
_SHOWN: Final = 3
_LIKENESS: Final = 0.8  # of a name to a misspelled one; at 0.6, as for names in errors, words for like things meet


class Matches:
    """All matches of a pattern, found as they are asked for. There is one if this is true; each loop begins anew."""

    def __init__(self, pattern: Pattern, search: "_Search") -> None:
        self._names = tuple(node.name for node in pattern.nodes)
        self._search = search

    def __iter__(self) -> Iterator[Mapping[str, str]]:
        return ({name: "/".join(chosen[name]) for name in self._names} for chosen in self._search.matches())

    def __bool__(self) -> bool:
        return next(iter(self), None) is not None

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        first = [repr(match) for match in islice(self, _SHOWN + 1)]
        shown = ", ".join(first[:_SHOWN]) + (", ..." if len(first) > _SHOWN else "")
        return f"<Matches: {shown or 'none'}>"


def find_matches(pattern: Pattern, graph: Topology) -> Matches:
    """Return every match of *pattern*: by the names of its nodes, keys of components joined with ``/``.

    Candidates are first compared with those at the other ends of their edges, and dropped where none fits. The node
    with the fewest left comes first, and then the search follows the edges of the pattern: first to what most edges
    tie to the nodes chosen so far, since what few tie would be tried in all combinations. Each choice narrows what
    its neighbours may be, and is taken back as soon as one of the others has nothing left, or some have too few
    together. So a pattern that hangs together costs a few passes over the components, and what its matches and near
    misses cost. There are patterns for which all that is of no help: after ``MOST_TRIES`` in a row without a match
    the search is given up.

    A name that is nowhere in the graph and looks misspelled is warned of at the line of the caller's caller.
    """
    site = _Site(graph)
    search = _Search(pattern, site)
    for warning in _names_nowhere(pattern, site, search):
        warnings.warn(warning, stacklevel=3)
    return Matches(pattern, search)


class _Place(NamedTuple):
    """A component in one of the graphs, and what its links lead to."""

    links: Collection[Link]
    key_of: Callable[[str], _Key]


class _Site:
    """A graph and all that is nested in it as one: the owner of a local graph is one component, inside and outside."""

    def __init__(self, graph: Topology) -> None:
        self.components: dict[_Key, Component] = {}
        self._places: dict[_Key, list[_Place]] = defaultdict(list)
        self._add(graph, around=(), owner=None, owner_key=())

    def _add(self, graph: Topology, *, around: _Key, owner: str | None, owner_key: _Key) -> None:
        def key_of(id_: str) -> _Key:
            return owner_key if id_ == owner else (*around, id_)

        for id_, component in graph.by_id.items():
            self.components.setdefault(key_of(id_), component)  # an owner is what it is outside
            self._places[key_of(id_)].append(_Place(graph.links.get(id_, ()), key_of))
        for id_, local in graph.nested.items():
            self._add(local, around=(*around, id_), owner=id_, owner_key=key_of(id_))

    def links(self, key: _Key) -> Iterator[tuple[Label, _Key]]:
        """Yield the edges at a component, in all graphs that it stands in."""
        for place in self._places[key]:
            for label, other in place.links:
                yield label, place.key_of(other)


def _names_nowhere(pattern: Pattern, site: _Site, search: "_Search") -> Iterator[PatternNameWarning]:
    """Yield a warning for each literal name that nothing here has and that looks like a misspelled one.

    What merely is not there may be what the pattern is to show.
    """
    components = site.components.values()
    for node in search.nodes_nowhere:
        known: set[str] = set()
        if node.id is not None or node.id_or_type is not None:
            known.update(component.id for component in components)
        if node.type is not None or node.id_or_type is not None:
            known.update(name for component in components for name in _type_names(component))
        if node.tag is not None:
            known.update(tag for component in components for tag in component.tags)
        for name in (node.id, node.type, node.tag, node.id_or_type):
            if name is not None and (near := _misspelled(name, known)):
                yield PatternNameWarning("tag" if node.tag is not None else "component", name, near)
    asked = dict.fromkeys(edge.cell for edge in pattern.edges if edge.cell is not None and not _is_glob(edge.cell))
    cells = {name for key in site.components for label, _ in site.links(key) for name in label[1:3]} if asked else set()
    for cell in asked:
        if near := _misspelled(cell, cells):
            yield PatternNameWarning("cell", cell, near)


def _misspelled(name: str, known: AbstractSet[str]) -> list[str]:
    """Return what *name* is a misspelling of: names that differ in more than a number, and not in much."""
    if name in known or _is_glob(name):
        return []
    plain = _NUMBER.sub("", name)
    return [near for near in nearest(name, known, most=2, likeness=_LIKENESS) if _NUMBER.sub("", near) != plain]


class _Search:
    """The search for one pattern: extends a choice of components for some nodes by one for the next node."""

    def __init__(self, pattern: Pattern, site: _Site) -> None:
        self._site = site
        self._edges = pattern.edges
        self._seen: dict[tuple[PatternEdge, str, _Key], AbstractSet[_Key]] = {}
        alone = {
            node.name: {key for key, component in site.components.items() if fits(component)}
            for node, fits in ((node, _component_test(node)) for node in pattern.nodes)
        }
        self.nodes_nowhere = [node for node in pattern.nodes if not alone[node.name]]
        """The nodes that no component can be, whatever is beside it."""
        self._candidates: _Candidates = {} if self.nodes_nowhere else self._consistent(alone)
        self._order = self._names_in_order()
        self._edges_at: dict[str, list[tuple[PatternEdge, str, str]]] = {node.name: [] for node in pattern.nodes}
        for edge in pattern.edges:
            self._edges_at[edge.start].append((edge, _START, edge.end))
            self._edges_at[edge.end].append((edge, _END, edge.start))
        self._num_tried = 0

    def _consistent(self, candidates: _Candidates) -> _Candidates:
        """Return *candidates* without those that have no edge to a candidate for a neighbour."""
        left = dict(candidates)
        for _ in left:  # what one pass drops tells the next; this often is enough but for long cycles
            before = sum(map(len, left.values()))
            for edge in sorted(self._edges, key=lambda edge: min(len(left[name]) for name in edge.ends)):
                self._agree(edge, left)
            if sum(map(len, left.values())) == before:
                break
        return left

    def _agree(self, edge: PatternEdge, left: dict[str, AbstractSet[_Key]]) -> None:
        """Drop from both ends of *edge* what it leads to nothing from, by a look at those of which fewer are left."""
        here, name, other = (_START, edge.start, edge.end)
        if len(left[other]) < len(left[name]):
            here, name, other = (_END, edge.end, edge.start)
        ends = {key: self._other_ends(edge, here, key) for key in left[name]}
        if name == other:
            left[name] = {key for key, there in ends.items() if key in there}
        else:
            left[name] = {key for key, there in ends.items() if not there.isdisjoint(left[other])}
            left[other] = left[other] & set().union(*(ends[key] for key in left[name]))

    def _names_in_order(self) -> list[str]:
        order: list[str] = []
        rest = list(self._candidates)
        while rest:
            links = Counter(end for edge in self._edges for end in edge.ends if {*edge.ends} & {*order})
            order.append(min(rest, key=lambda name: (-links[name], len(self._candidates[name]))))
            rest.remove(order[-1])
        return order

    def matches(self) -> Iterator[Mapping[str, _Key]]:
        """Yield every choice for all nodes, in the order of the keys.

        Raises:
            PatternTooHardError: Too much was tried since the last one.
        """
        self._num_tried = 0
        if not self.nodes_nowhere and all(self._candidates.values()):
            yield from self._extensions({}, self._candidates)

    def _extensions(self, chosen: Mapping[str, _Key], candidates: _Candidates) -> Iterator[Mapping[str, _Key]]:
        if len(chosen) == len(self._order):
            self._num_tried = 0
            yield chosen
            return
        name = self._order[len(chosen)]
        for key in sorted(candidates[name] - set(chosen.values())):
            self._num_tried += 1
            if self._num_tried > MOST_TRIES:
                raise PatternTooHardError(MOST_TRIES, len(self._order))
            extended = {**chosen, name: key}
            if (narrowed := self._narrowed(extended, name, candidates)) is not None:
                yield from self._extensions(extended, narrowed)

    def _narrowed(self, chosen: Mapping[str, _Key], name: str, candidates: _Candidates) -> _Candidates | None:
        """Return what the other nodes may be now that *name* is chosen, or None if that can't be for all of them."""
        narrowed = dict(candidates)
        for edge, here, other in self._edges_at[name]:
            if other not in chosen:
                narrowed[other] = narrowed[other] & self._other_ends(edge, here, chosen[name])
                if not narrowed[other]:
                    return None
        open_names = self._order[len(chosen) :]
        return narrowed if _may_all_differ([narrowed[one] for one in open_names], set(chosen.values())) else None

    def _other_ends(self, edge: PatternEdge, here: str, key: _Key) -> AbstractSet[_Key]:
        """Return the components at the other ends of all edges at *key* that fit *edge*; *key* is at its end *here*."""
        asked = (edge, here, key)
        if asked not in self._seen:
            fits = _label_test(edge, here)
            self._seen[asked] = {other for label, other in self._site.links(key) if fits(label)}
        return self._seen[asked]


def _may_all_differ(choices: Sequence[AbstractSet[_Key]], taken: AbstractSet[_Key]) -> bool:
    """Tell whether each of *choices* has a key that is not *taken* and no other one's; found by augmenting paths."""
    if all(len(keys) > taken_before for taken_before, keys in enumerate(sorted(choices, key=len), start=len(taken))):
        return True
    holder: dict[_Key, int] = {}
    # Who has more keys than there are others always finds one.
    scarce = [number for number, keys in enumerate(choices) if len(keys) < len(choices) + len(taken)]

    def finds_one(number: int, asked: set[_Key]) -> bool:
        for key in choices[number] - taken - asked:
            asked.add(key)
            if key not in holder or finds_one(holder[key], asked):
                holder[key] = number
                return True
        return False

    return all(finds_one(number, set()) for number in scarce)


def _label_test(edge: PatternEdge, here: str) -> Callable[[Label], bool]:
    """Return what tells the labels that edges like *edge* have at one of its ends."""
    if edge.cell is None:
        return (HELD if here == _START else HOLDS).__eq__
    role, cell_fits = HANDS if here == _START else TAKES, _name_test(edge.cell)
    return lambda label: label[0] == role and (cell_fits(label[1]) or cell_fits(label[2]))


def _component_test(node: PatternNode) -> Callable[[Component], bool]:
    """Return what tells the components that *node* may stand for."""
    tests: list[Callable[[Component], bool]] = []
    if node.id is not None:
        id_fits = _name_test(node.id)
        tests.append(lambda component: id_fits(component.id))
    if node.type is not None:
        type_fits = _name_test(node.type)
        tests.append(lambda component: any(map(type_fits, _type_names(component))))
    if node.tag is not None:
        tag_fits = _name_test(node.tag)
        tests.append(lambda component: any(map(tag_fits, component.tags)))
    if node.id_or_type is not None:
        either_fits = _name_test(node.id_or_type)
        tests.append(lambda component: any(map(either_fits, (component.id, *_type_names(component)))))
    return lambda component: all(test(component) for test in tests)


def _type_names(component: Component) -> tuple[str, ...]:
    return (component.type, f"{component.module}.{component.type}", component.type.rpartition(".")[2])


def _name_test(glob: str) -> Callable[[str], bool]:
    if not _is_glob(glob):
        return glob.__eq__
    match = re.compile(translate(glob)).match
    return lambda name: match(name) is not None


def _is_glob(name: str) -> bool:
    return not set("*?[").isdisjoint(name)
