"""What the page is told: a tree that holds every component once, and every edge between places of that tree."""

from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from wiremap.graph import Binding, Component, Containment, Graph
from wiremap.render.change_union import change_union
from wiremap.render.page.scene import MOST_AT_ONCE, scene_of


def component(id_: str, module: str = "app") -> Component:
    return Component(id_, "Thing", module)


def one(graph: Graph) -> dict[str, Any]:
    return scene_of({"app": graph})


def titles(scene: dict[str, Any], kind: str) -> list[str]:
    return [node["title"] for node in scene["nodes"] if node["kind"] == kind]


def test_a_small_graph_lies_flat() -> None:
    graph = Graph((component("A"), component("B")), (Binding("A", "run", "B", "method", ""),))

    scene = one(graph)

    assert [(node["title"], node["parent"]) for node in scene["nodes"]] == [("A", -1), ("B", -1)]
    assert scene["cells"] == [[0, 1, [["run", "method"]]]]


def test_a_local_graph_lies_inside_its_owner_and_ends_at_it() -> None:
    local = Graph((component("A"), component("Inner")), (Binding("Inner", "step", "A", "method", ""),))
    scene = one(Graph((component("A"),), nested={"A": local}))

    assert [(node["key"], node["parent"]) for node in scene["nodes"]] == [("A", -1), ("A/Inner", 0)]
    assert scene["cells"] == [[1, 0, [["step", "method"]]]]


def test_repeated_parts_lie_in_one_node_that_opens() -> None:
    layers = [component(f"model.layers.{number}") for number in range(48)]
    scene = one(Graph((component("model"), *layers), containment=tuple(Containment(x.id, "model") for x in layers)))

    assert titles(scene, "repeat") == ["model.layers.[0..47]"]
    assert len(titles(scene, "component")) == 49


def test_more_than_fit_on_a_screen_lie_in_their_packages() -> None:
    names = [f"C{number}x" for number in range(MOST_AT_ONCE + 10)]
    many = tuple(component(name, f"app.{'core' if at % 2 else 'edge'}.m") for at, name in enumerate(names))

    scene = one(Graph(many))

    assert titles(scene, "package") == ["edge.m", "core.m"]
    assert all(node["parent"] >= 0 for node in scene["nodes"] if node["kind"] == "component")


def test_several_graphs_stand_side_by_side() -> None:
    scene = scene_of({"dense": Graph((component("A"),)), "moe": Graph((component("A"),))})

    assert titles(scene, "part") == ["dense", "moe"]
    assert len({node["key"] for node in scene["nodes"]}) == 4


def test_what_a_change_did_is_told_of_nodes_and_edges() -> None:
    run = Binding("A", "run", "B", "method", "")
    before = Graph((component("A"), component("B"), component("Old")), (run,), (Containment("Old", "B"),))
    after = Graph((component("A"), component("B"), component("New")), (replace(run, cell="go"),))

    scene = one(change_union(before, after, before.diff(after)))

    marks = {node["title"]: node.get("mark") for node in scene["nodes"]}
    # Alike but for the name and the edges: which is which can't be told.
    assert (marks["New"], marks["Old"]) == ("added", "removed")
    assert [cells for *_, cells in scene["cells"]] == [[["go", "method", "added"], ["run", "method", "removed"]]]
    assert [mark for *_, mark in scene["containment"]] == ["removed"]


def test_tests_are_told_by_component() -> None:
    graph = Graph((component("A"), component("B")))

    scene = scene_of({"app": graph}, lambda one: ["test_a", "test_b"] if one.id == "B" else [])

    assert (scene["tests"], scene["reached"]) == (["test_a", "test_b"], {"1": [0, 1]})


def test_that_nothing_was_recorded_is_not_that_nothing_is_reached() -> None:
    graph = Graph((component("A"),))

    assert "tests" not in one(graph)
    assert scene_of({"app": graph}, lambda _: [])["tests"] == []


ids = st.text("ab.0123#/<", min_size=1, max_size=7)


@given(st.data())
def test_every_component_and_every_edge_is_there_once(data: st.DataObject) -> None:
    names = data.draw(st.lists(ids, unique=True, max_size=60))
    modules = st.sampled_from(["a", "a.b", "a.b.c", "d.e"])
    components = tuple(component(name, data.draw(modules)) for name in names)
    ends = st.sampled_from(names)
    pairs = data.draw(st.lists(st.tuples(ends, ends), max_size=40)) if names else []
    graph = Graph(components, tuple(Binding(a, "x", b, "method", "") for a, b in pairs))

    scene = one(graph)

    places = {node["key"]: at for at, node in enumerate(scene["nodes"]) if node["kind"] == "component"}
    titles_ = [scene["nodes"][at]["title"] for at in places.values()]
    assert sorted(titles_) == sorted(names)
    assert len(scene["cells"]) == len(set(pairs))
    assert all(node["parent"] < at for at, node in enumerate(scene["nodes"]))
