"""Hypothesis strategies for sound graphs."""

from collections.abc import Mapping
from dataclasses import replace

from hypothesis import strategies as st

from wiremap import Binding, Component, Containment, Graph
from wiremap.graph import CellKind

ids = st.text(min_size=1, max_size=8)
labels = st.lists(ids, max_size=2, unique=True).map(lambda names: tuple(sorted(names)))


def components(component_id: str) -> st.SearchStrategy[Component]:
    return st.builds(
        Component,
        id=st.just(component_id),
        type=ids,
        module=ids,
        source_path=st.text(max_size=5),
        source_line=st.integers(0, 9),
        tags=labels,
        extension=ids,
        provides=labels,
        requires=labels,
        parameters=st.none() | st.text(max_size=4),
        parameter_values=st.lists(st.text(max_size=4), max_size=2).map(tuple),
    )


@st.composite
def graphs(draw: st.DrawFn, depth: int = 1) -> Graph:
    names = draw(st.lists(ids, min_size=1, max_size=6, unique=True))
    some = st.sampled_from(names)
    kinds = st.sampled_from(("method", "state"))
    nested: dict[str, Graph] = {}
    if depth and draw(st.booleans()):
        local = draw(graphs(depth=depth - 1))
        owner = draw(st.sampled_from(local.ids))
        if owner not in names:
            names.append(owner)
        nested[owner] = local
    return Graph(
        components=tuple(draw(components(name)) for name in names),
        bindings=tuple(draw(st.lists(st.builds(Binding, some, ids, some, kinds), max_size=8))),
        containment=tuple(draw(st.lists(st.builds(Containment, some, some), max_size=5))),
        nested=nested,
    )


NAMES = ("A", "A#2", "A#3", "B", "B.x", "B.x.0", "B.x.1")


def look_alikes(component_id: str) -> st.SearchStrategy[Component]:
    """Components of few kinds, so that several of one graph, or of two, may be taken for one another."""
    return st.builds(
        Component,
        id=st.just(component_id),
        type=st.sampled_from("TU"),
        module=st.just("m"),
        source_line=st.integers(0, 1),
        tags=st.sampled_from(((), (), ("t",))),
        provides=st.sampled_from(((), (), ("x",))),
        parameters=st.sampled_from((None, None, "1")),
        parameter_values=st.sampled_from(((), ("size=1",))),
    )


@st.composite
def wirings(draw: st.DrawFn, depth: int = 1, *, holding: str = "A", acyclic: bool = False) -> Graph:
    """Graphs over few ids, types and cells, such as come about when a recipe is edited.

    Args:
        draw: Given by Hypothesis.
        depth: How deep local graphs may be nested.
        holding: An id that is always there.
        acyclic: All edges lead from a smaller id to a greater one, as in a graph that was compiled.
    """
    names = sorted({holding, *draw(st.sets(st.sampled_from(NAMES), max_size=6))})
    pairs = [(one, other) for one in names for other in names if one < other or not acyclic]
    ends = st.lists(st.sampled_from(pairs), max_size=8) if pairs else st.just([])
    cells = st.sampled_from(("x", "x", "y"))
    kinds: st.SearchStrategy[CellKind] = st.sampled_from(("method", "method", "state"))
    interfaces = st.sampled_from(("", "", "i"))
    owners = sorted(draw(st.sets(st.sampled_from(names), max_size=2))) if depth else []
    return Graph(
        components=tuple(draw(look_alikes(name)) for name in names),
        bindings=tuple(Binding(start, draw(cells), end, draw(kinds), draw(interfaces)) for start, end in draw(ends)),
        containment=tuple(Containment(child, parent) for child, parent in draw(ends)),
        nested={owner: draw(wirings(depth - 1, holding=owner, acyclic=acyclic)) for owner in owners},
    )


@st.composite
def renamings(draw: st.DrawFn, graph: Graph) -> Graph:
    """Return *graph* with all ids, or some of them, replaced by others or exchanged; local graphs likewise."""
    fresh = [f"N{number}" for number in range(len(graph.ids))]
    new_ids = draw(st.permutations(graph.ids) | st.permutations(fresh))
    return _renamed(graph, dict(zip(graph.ids, new_ids, strict=True)))


def _renamed(graph: Graph, names: Mapping[str, str]) -> Graph:
    """Rename components here; in a local graph, first out of the way whoever has the owner's new name already."""
    nested = {
        owner: local if names[owner] == owner or names[owner] not in local else local.renamed({names[owner]: "aside"})
        for owner, local in graph.nested.items()
    }
    return replace(graph, nested=nested).renamed(names)
