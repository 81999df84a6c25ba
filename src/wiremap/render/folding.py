"""Repeated parts of a graph drawn once: ``layers.[0..47].self_attn`` for 48 layers of one shape.

Parts are told by their numbers: the indexes below one prefix (``layers.0``, ``layers.1``), or what ids of one name
got to stay apart (``Worker``, ``Worker#2``). Two of a series repeat each other if everything whose id begins with
them is equal but for the number: the same ids behind it, types and tags, the same local graphs, and the same edges
to one another and to the rest. So a first layer that is wired differently stays visible. Series that are joined
number by number (``Queue#2`` to ``Worker#2``) are folded together. Parameters may differ: a layer often knows its
own number. Inner repetition is folded before outer, and only equal numbers of inner repetitions make outer parts
equal.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from wiremap.graph import Binding, Component, Containment, Graph, Star

_HERE: Final = "\0"  # stands for the place of a part in what is compared; no id holds it
_INDEX: Final = re.compile("0|[1-9][0-9]*")
_NUMBERED: Final = re.compile("(.+)#([2-9]|[1-9][0-9]+)")  # without one it is the first of its name


@dataclass(frozen=True, slots=True)
class Fold:
    """A graph with repetition folded.

    Attributes:
        graph: One component for all that repeat one another.
        members: For each component that stands for several: their ids.
    """

    graph: Graph
    members: Mapping[str, tuple[str, ...]]

    @property
    def counts(self) -> Mapping[str, int]:
        """How many components each of those stands for."""
        return {name: len(ids) for name, ids in self.members.items()}

    def count(self, component_id: str) -> int:
        """Return how many components that one stands for."""
        return len(self.members.get(component_id, (component_id,)))


def unfolded(graph: Graph) -> Fold:
    """Return *graph* as it is."""
    return Fold(graph, {})


def fold_repetition(graph: Graph, kept: Collection[str] = ()) -> Fold:
    """Return *graph* with its repetition folded, except that the components in *kept* stay as they are."""
    fold = Fold(graph, {})
    for depth in range(max((len(_split(name)) for name in graph.ids), default=0) - 1, -1, -1):
        fold = _fold_at(depth, fold, kept)
    return fold


def _split(component_id: str) -> list[str]:
    return component_id.split(".")


@dataclass(frozen=True, slots=True)
class _Series:
    """Parts that differ in a number.

    Attributes:
        name: What is before the number.
        is_list: Whether the number is an index, else it keeps equal names apart.
    """

    name: str
    is_list: bool

    def stem(self, number: int) -> str:
        """Return what the ids of everything in the part with that number begin with."""
        if self.is_list:
            return f"{self.name}.{number}"
        return self.name if number == 1 else f"{self.name}#{number}"

    def span(self, numbers: Sequence[int], *, all_of_them: bool) -> str:
        """Return what takes the place of the stem for several parts drawn as one."""
        if self.is_list:
            return f"{self.name}.[{_ranges(numbers)}]"
        return self.name if all_of_them else f"{self.name}#[{_ranges(numbers)}]"


Members = Mapping[int, Sequence[Star]]  # what lies in each part of a series


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a component goes: *stem* at the beginning of its id becomes *span*, which stands for several parts."""

    stem: str
    span: str

    def name(self, component_id: str) -> str:
        """Return the id there."""
        return self.span + component_id.removeprefix(self.stem) if _is_in(component_id, self.stem) else component_id


def _is_in(component_id: str, stem: str) -> bool:
    return component_id == stem or component_id.startswith(f"{stem}.")


def _prefixes(component_id: str) -> Iterator[str]:
    """Yield the stems that an id is in, as ``_is_in`` tells it: itself, and what is before each of its dots."""
    end = len(component_id)
    while end > 0:
        yield component_id[:end]
        end = component_id.rfind(".", 0, end)


def _fold_at(depth: int, fold: Fold, kept: Collection[str]) -> Fold:
    """Fold all series whose numbers stand at one *depth*."""
    series = _series_at(depth, fold.graph)
    places: dict[str, _Place] = {}
    for one in series:
        places |= _places([one], series, fold, kept)
    untouched = {
        one: members
        for one, members in series.items()
        if not any(star.component.id in places for stars in members.values() for star in stars)
    }
    for joined in _joined(untouched, fold.graph):
        places |= _places(joined, series, fold, kept)
    return _moved(fold, places)


def _series_at(depth: int, graph: Graph) -> dict[_Series, Members]:
    series: dict[_Series, dict[int, list[Star]]] = defaultdict(lambda: defaultdict(list))
    first: dict[str, list[Star]] = defaultdict(list)
    for name, star in graph.stars().items():
        if len(parts := _split(name)) <= depth:
            continue
        before = "".join(f"{part}." for part in parts[:depth])
        if depth and _INDEX.fullmatch(parts[depth]):
            series[_Series(before[:-1], is_list=True)][int(parts[depth])].append(star)
        elif numbered := _NUMBERED.fullmatch(parts[depth]):
            series[_Series(before + numbered[1], is_list=False)][int(numbered[2])].append(star)
        else:
            first[before + parts[depth]].append(star)
    for one, members in series.items():
        if not one.is_list and one.name in first:
            members[1] = first[one.name]
    return {one: members for one, members in series.items() if len(members) > 1}


def _joined(series: Mapping[_Series, Members], graph: Graph) -> Iterator[list[_Series]]:
    """Yield series with the same numbers that edges join, two or more together."""
    series_of = {
        star.component.id: one for one, members in series.items() for stars in members.values() for star in stars
    }
    # Which series have equal numbers is found once: there may be as many edges as there are numbers.
    kinds: dict[frozenset[int], int] = {}
    kind_of = {one: kinds.setdefault(frozenset(members), len(kinds)) for one, members in series.items()}
    beside: dict[_Series, dict[_Series, None]] = defaultdict(dict)
    pairs = [(edge.provider, edge.consumer) for edge in graph.bindings]
    pairs += [(pair.child, pair.parent) for pair in graph.containment]
    for start, end in pairs:
        one, other = series_of.get(start), series_of.get(end)
        if one and other and one != other and kind_of[one] == kind_of[other]:
            beside[one][other] = beside[other][one] = None
    seen: set[_Series] = set()
    for root in beside:
        together, todo = [], [root]
        while todo:
            if (one := todo.pop()) not in seen:
                seen.add(one)
                together.append(one)
                todo += beside[one]
        if together:
            yield together


def _places(
    joined: Sequence[_Series], series: Mapping[_Series, Members], fold: Fold, kept: Collection[str]
) -> dict[str, _Place]:
    """Return the places of all that is folded if the parts of these series with one number are compared together."""
    alike: dict[object, list[int]] = defaultdict(list)
    for number in sorted(series[joined[0]]):
        stars = [star for one in joined for star in series[one][number]]
        if not any(star.component.id in kept for star in stars):
            alike[_shape([one.stem(number) for one in joined], stars, fold)].append(number)
    return {
        star.component.id: _Place(one.stem(number), span)
        for numbers in alike.values()
        if len(numbers) > 1
        for one in joined
        for span in [one.span(numbers, all_of_them=len(numbers) == len(series[one]))]
        for number in numbers
        for star in series[one][number]
    }


def _shape(stems: Sequence[str], stars: Iterable[Star], fold: Fold) -> object:
    """Return what parts must have in common to be alike, with *stems* taken out of every id."""
    numbers = {stem: number for number, stem in enumerate(stems)}

    def neutral(name: str) -> str:
        for stem in _prefixes(name):
            if stem in numbers:
                return f"{_HERE}{numbers[stem]}{name.removeprefix(stem)}"
        return name

    return frozenset(
        (
            _component_shape(star.component, neutral),
            fold.count(star.component.id),
            _edges_shape(star.bindings, star.containment, neutral),
            _graph_shape(fold.graph.nested.get(star.component.id, Graph()), neutral),
        )
        for star in stars
    )


def _graph_shape(graph: Graph, neutral: Callable[[str], str]) -> object:
    return (
        frozenset(_component_shape(component, neutral) for component in graph.components),
        _edges_shape(graph.bindings, graph.containment, neutral),
        frozenset((neutral(owner), _graph_shape(local, neutral)) for owner, local in graph.nested.items()),
    )


def _component_shape(component: Component, neutral: Callable[[str], str]) -> object:
    return replace(component, id=neutral(component.id), parameters=None, parameter_values=())


def _edges_shape(
    bindings: Iterable[Binding], containment: Iterable[Containment], neutral: Callable[[str], str]
) -> object:
    return (
        frozenset((neutral(edge.provider), edge.name, neutral(edge.consumer), edge.kind) for edge in bindings),
        frozenset((neutral(pair.child), neutral(pair.parent)) for pair in containment),
    )


def _moved(fold: Fold, places: Mapping[str, _Place]) -> Fold:
    """Return *fold* with all components in their places; of those that meet in one place the first stays."""
    graph = fold.graph
    names = {name: places[name].name(name) if name in places else name for name in graph.ids}
    components: dict[str, Component] = {}
    nested: dict[str, Graph] = {}
    members: dict[str, list[str]] = defaultdict(list)
    for component in graph.components:
        name = names[component.id]
        members[name].extend(fold.members.get(component.id, (component.id,)))
        if name in components:
            continue
        components[name] = replace(component, id=name)
        place = places.get(component.id)
        if component.id in graph.nested:
            local = graph.nested[component.id]
            nested[name] = local.renamed({id_: place.name(id_) for id_ in local.ids}) if place else local
    return Fold(
        Graph(
            components=tuple(components.values()),
            bindings=tuple(replace(b, provider=names[b.provider], consumer=names[b.consumer]) for b in graph.bindings),
            containment=tuple(Containment(names[pair.child], names[pair.parent]) for pair in graph.containment),
            nested=nested,
        ),
        {name: tuple(ids) for name, ids in members.items() if len(ids) > 1},
    )


def _ranges(indexes: Iterable[int]) -> str:
    """Return ``0..2,5`` for 0, 1, 2 and 5; *indexes* are sorted."""
    runs: list[list[int]] = []
    for index in indexes:
        if runs and index == runs[-1][1] + 1:
            runs[-1][1] = index
        else:
            runs.append([index, index])
    return ",".join(str(first) if first == last else f"{first}..{last}" for first, last in runs)
