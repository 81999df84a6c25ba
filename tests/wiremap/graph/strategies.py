"""Hypothesis strategies for sound graphs."""

from hypothesis import strategies as st

from wiremap import Binding, Component, Containment, Graph

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
