from wiremap import Binding, Component, Containment, Graph
from wiremap.registry.merging import Part, merged
from wiremap.registry.overriding import System


def graph(*ids: str, **edges: str) -> Graph:
    """Return a graph of components with these ids; ``provider="consumer"`` is a binding named after its provider."""
    return Graph(
        tuple(Component(name, "T", "m", tags=(ids[0],), provides=(ids[0],)) for name in ids),
        tuple(Binding(provider, provider, consumer) for provider, consumer in edges.items()),
    )


def _part(local: Graph, owner: str, numbers: dict[str, int]) -> Part:
    return Part(local, owner, numbers, System())


def test_one_part_stays_as_it_is() -> None:
    only = graph("runner", "a", a="runner")

    assert merged([_part(only, "runner", {"runner": 0, "a": 1})], "runner") is only


def test_the_owner_gets_the_name_that_it_is_asked_for_and_whoever_had_it_gives_way() -> None:
    part = _part(graph("runner", "gpu0", gpu0="runner"), "runner", {"runner": 0, "gpu0": 1})

    one = merged([part], "gpu0")

    assert one.ids == ("gpu0", "gpu0#inner")
    assert (one.bindings[0].provider, one.bindings[0].consumer) == ("gpu0#inner", "gpu0")


def test_an_object_in_several_parts_is_one_component_with_all_that_it_provides() -> None:
    first = _part(graph("runner", "cache", cache="runner"), "runner", {"runner": 0, "cache": 1})
    second = _part(graph("model", "kv", kv="model"), "model", {"model": 0, "kv": 1})

    one = merged([first, second], "runner")

    assert one.ids == ("cache", "runner")
    assert one.component("cache").provides == ("model", "runner")
    assert one.component("cache").tags == ("model", "runner")
    assert [(binding.provider, binding.cell) for binding in one.bindings] == [("cache", "cache"), ("cache", "kv")]


def test_different_objects_of_one_name_are_numbered() -> None:
    first = _part(graph("runner", "a", a="runner"), "runner", {"runner": 0, "a": 1})
    second = _part(graph("runner", "a", a="runner"), "runner", {"runner": 0, "a": 2})

    one = merged([first, second], "runner")

    assert one.ids == ("a", "a#2", "runner")
    assert [binding.provider for binding in one.bindings] == ["a", "a#2"]


def test_a_part_that_another_has_nested_in_the_owner_stands_beside_it() -> None:
    first = graph("runner", "a", a="runner")
    inside_b = graph("b", "c", c="b")
    second = Graph(
        graph("runner", "b", b="runner").components,
        containment=(Containment("b", "runner"),),
        nested={"runner": first, "b": inside_b},
    )

    one = merged(
        [_part(first, "runner", {"runner": 0, "a": 1}), _part(second, "runner", {"runner": 0, "b": 2})], "runner"
    )

    assert one.ids == ("a", "b", "runner")
    assert one.nested == {"b": inside_b}


def test_names_give_way_at_every_depth() -> None:
    inside = graph("runner", "gpu0", "gpu0#inner", gpu0="runner")
    outside = Graph(graph("runner", "gpu0", gpu0="runner").components, nested={"runner": inside})

    one = merged([_part(outside, "runner", {"runner": 0, "gpu0": 1})], "gpu0")

    assert one.ids == ("gpu0", "gpu0#inner")
    assert one.nested["gpu0"].ids == ("gpu0", "gpu0#inner", "gpu0#inner#inner")
