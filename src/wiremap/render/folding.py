"""Repeated parts of a graph drawn once: ``layers.[0..47].self_attn`` for 48 layers of one shape.

Two indexes below one prefix (``layers.0`` and ``layers.1``) repeat each other if everything whose id begins
with them is equal but for the index: the same ids behind it, types and tags, and the same edges to one
another and to the rest. So a first layer that is wired differently stays visible. Parameters may differ: a
layer often knows its own number. Inner repetition is folded before outer, and only equal numbers of inner
repetitions make outer parts equal.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from wiremap.graph import Binding, Component, Containment, Graph, Star

_HERE: Final = "\0"  # stands for the index in what is compared; no id holds it


@dataclass(frozen=True, slots=True)
class Fold:
    """A graph with repetition folded, and for each folded component how many it stands for."""

    graph: Graph
    counts: Mapping[str, int]


def unfolded(graph: Graph) -> Fold:
    """Return *graph* as it is."""
    return Fold(graph, {})


def fold_repetition(graph: Graph, kept: Collection[str] = ()) -> Fold:
    """Return *graph* with its repetition folded, except that the components in *kept* stay as they are."""
    fold = Fold(graph, {})
    depths = {at for name in graph.ids for at, part in enumerate(_split(name)) if at and part.isdecimal()}
    for depth in sorted(depths, reverse=True):
        fold = _fold_at(depth, fold, kept)
    return fold


def _split(component_id: str) -> list[str]:
    return component_id.split(".")


def _fold_at(depth: int, fold: Fold, kept: Collection[str]) -> Fold:
    """Fold all indexes that stand at one *depth*: below different prefixes they are independent."""
    stars = fold.graph.stars()
    families: dict[str, dict[str, list[Star]]] = defaultdict(lambda: defaultdict(list))
    for name in fold.graph.ids:
        parts = _split(name)
        if len(parts) > depth and parts[depth].isdecimal():
            families[".".join(parts[:depth])][parts[depth]].append(stars[name])
    names = {name: name for name in fold.graph.ids}
    counts = dict(fold.counts)
    for prefix, members in families.items():
        for indexes in _alike(prefix, members, fold.counts, kept):
            span = f"{prefix}.[{_ranges(map(int, indexes))}]"
            for index in indexes:
                for star in members[index]:
                    name = star.component.id
                    names[name] = span + name.removeprefix(f"{prefix}.{index}")
                    counts[names[name]] = counts.pop(name, 1) * len(indexes)
    return Fold(_mapped(fold.graph, names), counts)


def _alike(
    prefix: str, members: Mapping[str, list[Star]], counts: Mapping[str, int], kept: Collection[str]
) -> Iterator[list[str]]:
    """Yield the indexes below *prefix* that repeat one another, two or more together, in numerical order."""
    alike: dict[object, list[str]] = defaultdict(list)
    for index in sorted(members, key=int):
        if not any(star.component.id in kept for star in members[index]):
            alike[_shape(f"{prefix}.{index}", members[index], counts)].append(index)
    yield from (indexes for indexes in alike.values() if len(indexes) > 1)


def _shape(stem: str, stars: Iterable[Star], counts: Mapping[str, int]) -> object:
    """Return what two indexes must have in common, with *stem* (prefix and index) taken out of every id."""

    def neutral(name: str) -> str:
        inside = name == stem or name.startswith(f"{stem}.")
        return _HERE + name.removeprefix(stem) if inside else name

    return frozenset(
        (
            replace(star.component, id=neutral(star.component.id), parameters=None),
            counts.get(star.component.id, 1),
            frozenset((neutral(e.provider), e.cell, neutral(e.consumer), e.kind) for e in star.bindings),
            frozenset((neutral(pair.child), neutral(pair.parent)) for pair in star.containment),
        )
        for star in stars
    )


def _mapped(graph: Graph, names: Mapping[str, str]) -> Graph:
    components: dict[str, Component] = {}
    for component in graph.components:
        components.setdefault(names[component.id], replace(component, id=names[component.id]))
    return Graph(
        components=tuple(components.values()),
        bindings=tuple(
            Binding(names[edge.provider], edge.cell, names[edge.consumer], edge.kind) for edge in graph.bindings
        ),
        containment=tuple(Containment(names[pair.child], names[pair.parent]) for pair in graph.containment),
        nested=graph.nested,
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
