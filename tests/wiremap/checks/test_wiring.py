from wiremap.checks.source_classes import ClassName
from wiremap.checks.wiring import Wiring
from wiremap.graph import CALL, Binding, Component, Containment, Graph

A, B, C = (ClassName("parts", name) for name in "ABC")


def component(id_: str, type_: str) -> Component:
    return Component(id_, type_, "parts")


def test_cells_and_interfaces_are_known_by_the_names_that_are_read() -> None:
    graph = Graph(
        (component("a", "A"), component("b", "B")),
        (
            Binding("a", "take", "b"),
            Binding("a", "give", "b", interface="pool"),
            Binding("a", CALL, "b", interface="sample"),
        ),
    )

    wiring = Wiring([graph], {})

    assert dict(wiring.cells[B]) == {"take": {A}, "sample": {A}}
    assert dict(wiring.interfaces[B]) == {"pool": {A}}
    assert wiring.are_joined(A, B)
    assert wiring.are_joined(B, A)


def test_graphs_inside_components_count() -> None:
    local = Graph((component("a", "A"), component("a.b", "B")), containment=(Containment("a.b", "a"),))

    wiring = Wiring([Graph((component("a", "A"),), nested={"a": local})], {})

    assert wiring.are_joined(A, B)
    assert dict(wiring.parts[A]) == {"b": {B}}
    assert not wiring.are_joined(A, C)


def test_a_class_is_owned_by_those_that_derive_from_it() -> None:
    wiring = Wiring([Graph((component("a", "A"), component("b", "B")))], {A: [A, C], B: [B, C]})

    assert wiring.owners(C) == [A, B]
    assert wiring.owners(A) == [A]
    assert not wiring.are_kin(A, B)


def test_the_ids_of_a_class_are_sorted_and_told_once() -> None:
    graph = Graph((component("b", "A"), component("a", "A")))

    assert Wiring([graph, graph], {}).ids[A] == ["a", "b"]
