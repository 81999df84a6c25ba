"""Which components play the same part."""

import itertools
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from tests.wiremap.graph.strategies import renamings, wirings
from wiremap import Binding, Component, Containment, Graph
from wiremap.graph import Shape


def component(component_id: str, kind: str) -> Component:
    return Component(component_id, kind, "m")


def stack(*kinds: str) -> Graph:
    """Return a model of layers with parts of these kinds."""
    layers = [component(f"M.{number}", "Layer") for number in range(len(kinds))]
    parts = [component(f"{layer.id}.mlp", kind) for layer, kind in zip(layers, kinds, strict=True)]
    return Graph(
        components=(component("M", "Model"), *layers, *parts),
        containment=(
            *(Containment(layer.id, "M") for layer in layers),
            *(Containment(f"{layer.id}.mlp", layer.id) for layer in layers),
        ),
    )


def test_equal_layers_are_one_shape_with_their_number() -> None:
    shapes = stack(*["Mlp"] * 48).shapes()

    assert [(shape.type, shape.count) for shape in shapes] == [("Model", 1), ("Layer", 48), ("Mlp", 48)]
    assert shapes[1].ids[:3] == ("M.0", "M.1", "M.10")


def test_a_layer_that_holds_another_part_is_of_another_shape() -> None:
    shapes = stack("Mlp", "Moe", "Mlp").shapes()

    assert shapes == (
        Shape("Model", ("M",)),
        Shape("Layer", ("M.0", "M.2")),
        Shape("Mlp", ("M.0.mlp", "M.2.mlp")),
        Shape("Layer", ("M.1",)),
        Shape("Moe", ("M.1.mlp",)),
    )


def test_what_stands_at_different_distances_plays_different_parts() -> None:
    names = [f"n{number:04}" for number in range(3_000)]
    chain = Graph(
        components=tuple(component(name, "T") for name in names),
        bindings=tuple(Binding(one, "x", other) for one, other in itertools.pairwise(names)),
    )

    assert len(chain.shapes()) == 3_000


def test_what_is_nested_tells_components_apart() -> None:
    graph = Graph((component("a", "T"), component("b", "T"), component("c", "T")))
    local = Graph((component("a", "T"), component("p", "T")), (Binding("p", "x", "a"),))

    nested = replace(graph, nested={"a": local, "b": local.renamed({"a": "b", "p": "q"})})

    assert [shape.ids for shape in nested.shapes()] == [("a", "b"), ("c",)]


@given(wirings(), st.data())
def test_renaming_changes_nobodys_part(graph: Graph, data: st.DataObject) -> None:
    renamed = data.draw(renamings(graph))

    assert sorted((s.type, s.count) for s in renamed.shapes()) == sorted((s.type, s.count) for s in graph.shapes())


@given(wirings())
def test_components_of_one_shape_have_stars_of_one_shape(graph: Graph) -> None:
    for shape in graph.shapes():
        assert len({graph.star(id_).shape for id_ in shape.ids}) == 1


@given(wirings())
def test_every_component_has_one_shape(graph: Graph) -> None:
    assert sorted(id_ for shape in graph.shapes() for id_ in shape.ids) == list(graph.ids)


def test_a_shape_names_the_parameters_in_which_it_is_unlike_its_siblings() -> None:
    layers = [
        Component(f"M.{i}", "Layer", "m", parameters=str(i == 2), parameter_values=("size=8", f"window={4 * (i == 2)}"))
        for i in range(4)
    ]

    assert Graph(components=tuple(layers)).shapes() == (
        Shape("Layer", ("M.0", "M.1", "M.3"), ("window=0",)),
        Shape("Layer", ("M.2",), ("window=4",)),
    )
