from hypothesis import given

from tests.wiremap.graph.strategies import graphs
from tests.wiremap.render.samples import bindings, component
from wiremap import Binding, Component, Containment, Graph
from wiremap.render.bundling import bundled


def _stacks() -> Graph:
    names = [f"{stack}.layers.{i}.{part}" for stack in "AB" for i in range(3) for part in ("attn", "mlp")]
    return Graph(
        components=tuple(component(name, "T") for name in names),
        bindings=(*bindings(names[0], names[1], "inner"), *bindings(names[0], names[6], "outer")),
    )


def test_what_lies_in_one_place_is_bundled_deepest_first() -> None:
    ids = [bundling.graph.ids for bundling in bundled(_stacks())]

    assert ids[0] == ("A.layers.0", "A.layers.1", "A.layers.2", "B.layers.0", "B.layers.1", "B.layers.2")
    assert ids[1] == ("A.layers", "B.layers")


def test_a_bundle_says_how_many_it_holds_and_keeps_only_edges_to_others() -> None:
    first = next(iter(bundled(_stacks())))

    assert first.bundles["A.layers.0"] == ["A.layers.0.attn", "A.layers.0.mlp"]
    assert first.graph.component("A.layers.0").type == "2 components"
    assert first.graph.bindings == (Binding("A.layers.0", "outer", "B.layers.0"),)


def test_where_ids_tell_nothing_modules_do() -> None:
    graph = Graph(
        components=tuple(Component(f"m{n}", "T", f"pk{n % 2}.part") for n in range(20)),
        containment=(Containment("m0", "m1"),),
    )

    first = next(iter(bundled(graph)))

    assert first.graph.ids == ("module pk0.part", "module pk1.part")
    assert first.graph.containment == (Containment("module pk0.part", "module pk1.part"),)


def test_where_nothing_tells_anything_the_order_does() -> None:
    graph = Graph(tuple(component(f"m{n:02}") for n in range(36)))

    (only,) = bundled(graph)

    assert only.graph.ids[0] == "m00 to m02"
    assert len(only.graph.components) == 12


def test_what_is_alone_stays_itself_and_bundles_take_other_names() -> None:
    graph = Graph((component("a.x"), component("a.y"), component("b.x")))

    first = next(iter(bundled(graph)))

    assert first.graph.ids == ("a", "b.x")


@given(graphs())
def test_bundles_get_coarser_lose_nothing_and_end_small(graph: Graph) -> None:
    bundlings = list(bundled(graph))

    sizes = [len(bundling.graph.components) for bundling in bundlings]
    assert sizes[:-1] == sorted(set(sizes[:-1]), reverse=True)
    assert sizes[-1] <= 12
    for bundling in bundlings:
        alone = set(bundling.graph.ids) - bundling.bundles.keys()
        inside = [id_ for ids in bundling.bundles.values() for id_ in ids]
        assert sorted([*alone, *inside]) == sorted(graph.ids)
        assert all(len(ids) < len(graph.ids) or len(bundlings) == 1 for ids in bundling.bundles.values())
