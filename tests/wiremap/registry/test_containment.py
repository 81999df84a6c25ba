import collections
import dataclasses
import enum
import functools
import types
import weakref
from collections.abc import Callable
from typing import Any

import pytest

from tests.wiremap.registry.parts import Blocks, Engine, Scheduler
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


@dataclasses.dataclass(slots=True)
class Record:
    part: Any


class Worker:
    def turn(self) -> None: ...


class Lazy:
    @functools.cached_property
    def part(self) -> Blocks:
        return Blocks()


HOLDING: dict[str, Callable[[Blocks], object]] = {
    "list": lambda part: Box(parts=[part]),
    "tuple in a dictionary": lambda part: Box(parts={"a": (part, 1)}),
    "lists in lists": lambda part: Box(parts=[[[[part]]]]),
    "dictionary under any key": lambda part: Box(parts={(1, 2): part}),
    "read-only mapping": lambda part: Box(parts=types.MappingProxyType({"a": part})),
    "set": lambda part: Box(parts={part}),
    "frozen set": lambda part: Box(parts=frozenset([part])),
    "queue": lambda part: Box(parts=collections.deque([part])),
    "data class with slots": Record,
    "partial": lambda part: Box(call=functools.partial(print, part)),
    "partial by name": lambda part: Box(call=functools.partial(print, file=part)),
    "bound method": lambda part: Box(call=part.allocate),
    "partial of a bound method": lambda part: Box(call=functools.partial(part.allocate, 1)),
}


@pytest.mark.parametrize("kind", HOLDING)
def test_what_refers_to_a_component_holds_it(kind: str) -> None:
    part = Blocks()
    orch = RegistryOrchestrator()
    orch.add(HOLDING[kind](part), id="owner")
    orch.add(part, id="part")

    assert [(pair.child, pair.parent) for pair in orch.compile().containment] == [("part", "owner")]


def test_a_cached_property_counts_once_it_is_cached() -> None:
    lazy = Lazy()
    assert _edges(Blocks(), lazy) == []

    part = lazy.part

    assert _edges(part, lazy) == [("Blocks", "Lazy")]


NOT_HOLDING: dict[str, Callable[[Blocks], object]] = {
    "weak reference": lambda part: Box(part=weakref.ref(part)),
    "weak proxy": lambda part: Box(part=weakref.proxy(part)),
    "weak set": lambda part: Box(parts=weakref.WeakSet([part])),
    "closure": lambda part: Box(call=lambda: part),
    "object that is no component": lambda part: Box(inner=Box(part=part)),
}


@pytest.mark.parametrize("kind", NOT_HOLDING)
def test_what_knows_a_component_otherwise_does_not_hold_it(kind: str) -> None:
    part = Blocks()

    assert _edges(part, NOT_HOLDING[kind](part)) == []


def test_a_cell_is_handed_over_and_not_held() -> None:
    blocks, scheduler, first = Blocks(), Scheduler(), RegistryOrchestrator()
    first.register(blocks, "allocate", scheduler)
    first.register(blocks, "num_free", scheduler)
    first.finalize()

    assert _edges(blocks, scheduler) == []


def test_a_place_is_a_name_only_where_it_reads_as_one() -> None:
    ordered, keyed, unordered, called = Blocks(), Blocks(), Engine(), Worker()
    box = Box(parts=[{"a": ordered, (1, 2): keyed}], some={unordered}, call=called.turn)
    orch = RegistryOrchestrator()
    for component in (box, ordered, keyed, unordered, called):
        orch.add(component)

    assert orch.compile().ids == ("Blocks", "Box", "Box.parts.0.a", "Engine", "Worker")


def test_in_large_data_components_are_found_and_containers_not_looked_into() -> None:
    near, deep = Blocks(), Blocks()
    orch = RegistryOrchestrator()
    for component in (Box(data=[*range(10_000), near, [deep]]), near, deep):
        orch.add(component)

    assert [pair.child for pair in orch.compile().containment] == ["Box.data.10000"]


def test_containers_that_hold_themselves_end() -> None:
    endless: list[Any] = [Blocks()]
    endless.append({"again": endless})

    assert [path for path, _ in held_objects(Box(parts=endless))] == ["parts", "parts.0", "parts.1"]


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


# What objects do when they are asked


def _refuse(*_: object) -> Any:
    raise RuntimeError


_ASKED = ("__len__", "__iter__", "__eq__", "__hash__", "__bool__", "__contains__", "__getitem__", "__repr__", "items")
_METHODS = {**dict.fromkeys(_ASKED, _refuse), "__class__": property(_refuse)}
_OWN_PARTS = {name: property(_refuse) for name in ("func", "args", "keywords")}


def refusing(base: Any, **members: object) -> Any:
    """Return a class derived from *base*, whose instances raise whatever they are asked."""
    return type(f"Refusing{base.__name__}", (base,), {**_METHODS, **members})


class Unnamed(enum.Enum):
    FIRST = 1

    @property
    def name(self) -> str:
        raise RuntimeError


REFUSING: dict[str, Callable[[Blocks], Any]] = {
    "list": lambda part: refusing(list)([part]),
    "tuple": lambda part: refusing(tuple)([part]),
    "dictionary": lambda part: refusing(dict)(a=part),
    "read-only mapping": lambda part: types.MappingProxyType(refusing(dict)(a=part)),
    "set": lambda part: refusing(set)([part]),
    "frozen set": lambda part: refusing(frozenset)([part]),
    "queue": lambda part: refusing(collections.deque)([part]),
    "partial": lambda part: refusing(functools.partial, **_OWN_PARTS)(print, part),
    "key of a dictionary": lambda part: {refusing(str, __hash__=str.__hash__)("a"): part},
}


@pytest.mark.parametrize("kind", REFUSING)
def test_a_part_is_found_without_asking_what_holds_it(kind: str) -> None:
    part = Blocks()

    assert _edges(part, Box(held=REFUSING[kind](part))) == [("Blocks", "Box")]


# Made in the test, since pytest asks what it is given.
VALUES: dict[str, Callable[[], Any]] = {
    "object": refusing(object),
    "number": refusing(int),
    "text": refusing(str),
    "member of an enumeration": lambda: Unnamed.FIRST,
    "read-only view of another mapping": lambda: types.MappingProxyType(collections.ChainMap({"a": 1})),
    "no module": type("NoModule", (), {"named_children": _refuse}),
}


@pytest.mark.parametrize("kind", VALUES)
def test_a_value_that_refuses_all_questions_is_held_and_compiled(kind: str) -> None:
    part = Blocks()

    assert _edges(part, Box(held=VALUES[kind](), part=part)) == [("Blocks", "Box")]


def test_components_that_refuse_all_questions_are_wired() -> None:
    provider = refusing(object, allocate=Blocks.allocate)()
    consumer = refusing(dict, turn=lambda self: self.allocate)()
    orch = RegistryOrchestrator()
    orch.register(provider, "allocate", consumer)

    graph = orch.finalize()

    assert [binding.cell for binding in graph.bindings] == ["allocate"]
    assert consumer.turn().__self__ is provider
