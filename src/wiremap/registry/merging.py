"""Several graphs that were wired inside one component, as the one graph that lies in it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from wiremap.graph import Component, Graph
from wiremap.registry.overriding import System


@dataclass(frozen=True, slots=True)
class Part:
    """One of the graphs.

    Attributes:
        graph: The graph itself.
        owner: The id of its owner in it.
        numbers: By id, a number for each object in it.
        system: Where its components live.
    """

    graph: Graph
    owner: str
    numbers: Mapping[str, int]
    system: System


def merged(parts: Sequence[Part], owner: str) -> Graph:
    """Return the graph of all *parts*, in which their owner is called *owner*.

    What is named after its place in the owner is so too where that has another name outside. An object that several
    parts hold is one component, under the id that the first of them has for it.
    Whoever else has the name of the owner is called ``#inner``; other clashes get ``#2``, ``#3``.
    """
    names = list(_common_ids(parts, owner))
    graphs = [part.graph.renamed(new) if new else part.graph for part, new in zip(parts, names, strict=True)]
    if len(graphs) == 1:
        return graphs[0]
    system = System.joined(part.system.renamed(new) for part, new in zip(parts, names, strict=True))
    # What one part has nested in the owner are earlier parts: they stand beside it now.
    nested = {name: local for graph in graphs for name, local in graph.nested.items() if name != owner}
    return Graph(
        components=tuple(_combined(component for graph in graphs for component in graph.components)),
        bindings=tuple(binding for graph in graphs for binding in graph.bindings),
        containment=tuple(pair for graph in graphs for pair in graph.containment),
        nested=nested,
    ).living_in(system)


def _common_ids(parts: Sequence[Part], owner: str) -> Iterator[dict[str, str]]:
    """Yield, for each part, its ids that have to change, with what they change to."""
    ids: dict[int, str] = {part.numbers[part.owner]: owner for part in parts}
    taken = {owner}
    for part in parts:
        names = {}
        for name, number in part.numbers.items():
            if number not in ids:
                ids[number] = _unused(_name_inside(name, part.owner, owner), taken)
                taken.add(ids[number])
            names[name] = ids[number]
        yield {name: new for name, new in names.items() if name != new}


def _name_inside(name: str, owner_before: str, owner: str) -> str:
    if name == owner:
        return f"{name}#inner"
    return owner + name.removeprefix(owner_before) if name.startswith(f"{owner_before}.") else name


def _unused(name: str, taken: set[str]) -> str:
    number, candidate = 1, name
    while candidate in taken:
        number += 1
        candidate = f"{name}#{number}"
    return candidate


def _combined(components: Iterable[Component]) -> Iterator[Component]:
    """Yield one component per id: with all that it provides, else as the last graph describes it."""
    found: dict[str, Component] = {}
    for component in components:
        known = found.get(component.id, component)
        found[component.id] = replace(
            component,
            tags=tuple(sorted({*known.tags, *component.tags})),
            provides=tuple(sorted({*known.provides, *component.provides})),
        )
    yield from found.values()
