import json
from typing import Any

from tests.wiremap.registry.parts import Blocks, Engine
from wiremap import RegistryOrchestrator


class Box:
    """Holds what it is given."""

    blocks: Any
    inner: Any
    parts: list[Any]
    by_name: dict[str, Any]

    def __init__(self, **held: Any) -> None:
        vars(self).update(held)


def test_the_class_names_a_component() -> None:
    orch = RegistryOrchestrator()
    orch.add(Engine())

    assert orch.compile().ids == ("Engine",)


def test_classes_functions_and_modules_have_names_of_their_own() -> None:
    orch = RegistryOrchestrator()
    for component in (Engine, len, test_the_class_names_a_component, json):
        orch.add(component)

    assert orch.compile().ids == ("Engine", "json", "len", "test_the_class_names_a_component")


def test_equal_names_are_numbered_in_the_order_of_adding() -> None:
    orch = RegistryOrchestrator()
    first, second = Box(), Box()
    orch.add(first, tags=["first"])
    orch.add(second)

    graph = orch.compile()

    assert graph.ids == ("Box", "Box#2")
    assert graph.component("Box").tags == ("first",)


def test_an_id_given_by_hand_goes_before_an_implicit_one() -> None:
    orch = RegistryOrchestrator()
    orch.add(Box())
    orch.add(Engine(), id="Box")

    assert orch.compile().component("Box").type == "Engine"
    assert orch.compile().component("Box#2").type == "Box"


def test_an_id_may_be_given_on_a_second_add() -> None:
    orch = RegistryOrchestrator()
    orch.register(blocks := Blocks(), "allocate", Engine())
    orch.add(blocks, id="kv")

    assert orch.compile().ids == ("Engine", "kv")


def test_what_a_component_held_when_it_was_added_is_named_after_its_place() -> None:
    box = Box(blocks=Blocks(), parts=[Engine(), Engine()], by_name={"a": Box()})
    orch = RegistryOrchestrator()
    orch.add(box)
    for part in (box.blocks, box.parts[1], box.by_name["a"]):
        orch.add(part)

    assert orch.compile().ids == ("Box", "Box.blocks", "Box.by_name.a", "Box.parts.1")


def test_what_a_component_came_to_hold_later_is_named_after_its_class() -> None:
    orch = RegistryOrchestrator()
    box = orch.add(Box())
    box.blocks = orch.add(Blocks())

    assert orch.compile().ids == ("Blocks", "Box")


def test_a_place_follows_the_id_of_its_owner() -> None:
    box = Box(inner=Box(blocks=Blocks()))
    orch = RegistryOrchestrator()
    orch.add(box)
    orch.add(box.inner)
    orch.add(box.inner.blocks)
    orch.add(box, id="root")

    assert orch.compile().ids == ("root", "root.inner", "root.inner.blocks")


def test_an_id_given_by_hand_holds_in_later_orchestrators() -> None:
    blocks = Blocks()
    first = RegistryOrchestrator()
    first.add(blocks, id="kv")
    first.finalize()
    second = RegistryOrchestrator()
    second.add(blocks)

    assert second.compile().ids == ("kv",)


def test_a_place_that_is_told_in_too_many_letters_gives_no_id() -> None:
    boxes = [Box()]
    for _ in range(300):
        boxes.insert(0, Box(inner=boxes[0]))
    orch = RegistryOrchestrator()
    for box in boxes:
        orch.add(box)

    ids = orch.compile().ids

    assert (len(ids), max(map(len, ids)) <= 200) == (301, True)
    assert {"Box", "Box.inner.inner", "Box#2", "Box#2.inner"} <= {*ids}
