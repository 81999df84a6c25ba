from typing import Any

from tests.wiremap.registry.parts import Blocks, Engine
from wiremap import RegistryOrchestrator
from wiremap.registry.containment import held_objects


class Box:
    other: Any
    myself: Any

    def __init__(self, **held: Any) -> None:
        vars(self).update(held)


class FakeModule:
    """Looks like a torch module to whoever does not import torch."""

    def __init__(self, **children: Any) -> None:
        self._modules = children

    def named_children(self) -> Any:
        return self._modules.items()


def _edges(*components: object) -> list[tuple[str, str]]:
    orch = RegistryOrchestrator()
    for component in components:
        orch.add(component)
    return [(pair.child, pair.parent) for pair in orch.compile().containment]


def test_attributes_that_hold_a_component_are_containment() -> None:
    blocks, engine = Blocks(), Engine()

    assert _edges(blocks, engine, Box(one=blocks, many=(engine,))) == [("Blocks", "Box"), ("Engine", "Box")]


def test_slots_are_looked_into() -> None:
    class Slotted:
        __slots__ = ("blocks", "empty")
        blocks: Blocks

    slotted, blocks = Slotted(), Blocks()
    slotted.blocks = blocks

    assert _edges(blocks, slotted) == [("Blocks", "Slotted")]


def test_plain_containers_are_followed_one_level() -> None:
    blocks = Blocks()

    assert _edges(blocks, Box(deep=[[blocks]])) == []


def test_child_modules_are_followed_to_the_next_component() -> None:
    leaf = FakeModule()
    middle = FakeModule(leaf=leaf)
    model = FakeModule(layers=FakeModule(**{"0": middle}))
    orch = RegistryOrchestrator()
    orch.add(model, id="model")
    orch.add(middle)
    orch.add(leaf)

    graph = orch.compile()

    assert graph.ids == ("model", "model.layers.0", "model.layers.0.leaf")
    assert [(pair.child, pair.parent) for pair in graph.containment] == [
        ("model.layers.0", "model"),
        ("model.layers.0.leaf", "model.layers.0"),
    ]


def test_a_module_in_an_attribute_is_followed_too() -> None:
    leaf = FakeModule()
    runner = Box(model=FakeModule(leaf=leaf))

    assert _edges(leaf, runner) == [("FakeModule", "Box")]


def test_objects_that_hold_one_another_are_both_recorded_and_no_loop() -> None:
    first, second = Box(), Box()
    first.other, second.other, first.myself = second, first, first

    assert _edges(first, second) == [("Box", "Box.other"), ("Box.other", "Box")]


def test_modules_that_hold_one_another_end() -> None:
    module = FakeModule()
    module._modules["again"] = FakeModule(back=module)

    assert [path for path, _ in held_objects(module)] == ["again"]


def test_no_property_is_run() -> None:
    class Costly:
        @property
        def weights(self) -> int:
            raise AssertionError("was read")

    assert _edges(Costly()) == []
