"""Every fault of a wiring, by its message: what, where, and what to do."""

import dataclasses
import types
from collections.abc import Callable
from typing import Any
from unittest.mock import Mock

import pytest

from tests.wiremap.registry.parts import Blocks, Engine, Scheduler
from wiremap import RegistryOrchestrator, Requires, WiringError
from wiremap.errors import (
    BindingCycleError,
    CannotHoldCellError,
    ConflictingIdError,
    DuplicateIdError,
    MissingCellError,
    NameTakenError,
    SelfContainmentError,
    TwoProvidersError,
    UnknownCellError,
)

HERE = r"tests.wiremap.registry.test_validation\.py:\d+"
Registration = tuple[object, str, object]


def _registered(*registrations: Registration) -> RegistryOrchestrator:
    orch = RegistryOrchestrator()
    for provider, cell, consumer in registrations:
        orch.register(provider, cell, consumer)
    return orch


def _only_fault(orch: RegistryOrchestrator) -> Any:
    with pytest.raises(WiringError) as caught:
        orch.compile()
    (fault,) = caught.value.faults
    return fault


def test_an_unknown_cell_names_both_ends_the_line_and_near_names() -> None:
    fault = _only_fault(_registered((Blocks(), "alocate", Engine())))

    assert isinstance(fault, UnknownCellError)
    with pytest.raises(
        UnknownCellError,
        match=rf"^Blocks has no cell 'alocate' to hand to Engine \(registered at {HERE}\)\. "
        r"Did you mean 'allocate'\? \[unknown-cell\]$",
    ):
        raise fault


def test_an_unknown_cell_without_near_names_says_how_to_declare_it() -> None:
    with pytest.raises(WiringError, match="Define it on the provider's class, or annotate it there"):
        _registered((Blocks(), "zzz", Engine())).compile()


def test_two_providers_of_one_cell_are_both_named_with_their_lines() -> None:
    engine = Engine()
    fault = _only_fault(_registered((Blocks(), "allocate", engine), (Blocks(), "allocate", engine)))

    assert isinstance(fault, TwoProvidersError)
    with pytest.raises(
        TwoProvidersError,
        match=rf"Engine would get its cell 'allocate' from Blocks \(registered at {HERE}\) "
        rf"and Blocks#2 \(registered at {HERE}\)\. Keep one",
    ):
        raise fault


def test_a_method_of_the_consumers_class_is_not_replaced_silently() -> None:
    class Stubborn(Engine):
        def allocate(self) -> None: ...

    fault = _only_fault(_registered((Blocks(), "allocate", Stubborn())))

    assert isinstance(fault, NameTakenError)
    with pytest.raises(NameTakenError, match=r"taken by .*Stubborn\.allocate of its class\. Remove or rename"):
        raise fault


def test_a_default_on_the_consumers_class_takes_the_name() -> None:
    class Defaulted:
        allocate: Callable[[int], int] | None = None

    with pytest.raises(WiringError, match=r"Defaulted\.allocate of its class"):
        _registered((Blocks(), "allocate", Defaulted())).compile()


def test_an_attribute_of_the_consumer_takes_the_name() -> None:
    engine = Engine()
    vars(engine)["num_free"] = 3

    with pytest.raises(WiringError, match="taken by an attribute of the instance"):
        _registered((Blocks(), "num_free", engine)).compile()


def test_a_cell_of_another_orchestrator_takes_the_name() -> None:
    engine = Engine()
    _registered((Blocks(), "allocate", engine)).finalize()

    with pytest.raises(WiringError, match="the cell that Blocks hands it in another orchestrator"):
        _registered((Blocks(), "allocate", engine)).compile()


def test_the_same_binding_in_two_orchestrators_is_harmless() -> None:
    blocks, engine = Blocks(), Engine()

    first = _registered((blocks, "allocate", engine)).finalize()
    second = _registered((blocks, "allocate", engine)).finalize()

    assert first.bindings == second.bindings


def test_a_bare_annotation_takes_no_name() -> None:
    class Annotated:
        allocate: Callable[[int], int]

    _registered((Blocks(), "allocate", Annotated())).finalize()


def test_a_mock_that_answers_everything_can_consume() -> None:
    consumer = Mock()

    _registered((blocks := Blocks(), "allocate", consumer)).finalize()

    assert consumer.allocate.__self__ is blocks


def test_a_cycle_is_drawn_with_every_line() -> None:
    orch = RegistryOrchestrator()
    p, q = orch.add(_Giver("x"), id="A"), orch.add(_Giver("y"), id="B")
    orch.register(p, "x", q)
    orch.register(q, "y", p)

    fault = _only_fault(orch)
    assert isinstance(fault, BindingCycleError)
    with pytest.raises(
        BindingCycleError, match=rf"A -\[x\]-> B -\[y\]-> A \(registered: 'x' at {HERE}, 'y' at {HERE}\)"
    ):
        raise fault


class _Giver:
    def __init__(self, *cells: str) -> None:
        vars(self).update(dict.fromkeys(cells, 1))


def test_a_component_that_feeds_itself_is_a_cycle() -> None:
    giver = _Giver("x")

    with pytest.raises(WiringError, match=r"_Giver -\[x\]-> _Giver"):
        _registered((giver, "x", giver)).compile()


def test_separate_cycles_are_reported_together() -> None:
    a, b, c, d = _Giver("ab"), _Giver("ba"), _Giver("cd"), _Giver("dc")

    with pytest.raises(WiringError) as caught:
        _registered((a, "ab", b), (b, "ba", a), (c, "cd", d), (d, "dc", c)).compile()

    assert [fault.code for fault in caught.value.faults] == ["binding-cycle"] * 2


def test_a_missing_required_cell_says_who_has_it() -> None:
    orch = RegistryOrchestrator()
    orch.add(Scheduler())
    orch.add(Blocks())

    fault = _only_fault(orch)

    assert isinstance(fault, MissingCellError)
    with pytest.raises(
        MissingCellError,
        match=rf"Scheduler \(added at {HERE}\) requires the cell 'allocate', and nobody hands it over\. "
        r"Blocks has one: register it with orch\.register\(provider, 'allocate', consumer\)",
    ):
        raise fault


def test_a_requirement_can_be_met_by_hand_or_by_another_orchestrator() -> None:
    by_hand, by_other = Scheduler(), Scheduler()
    by_hand.allocate = lambda count: count
    _registered((Blocks(), "allocate", by_other)).finalize()
    orch = RegistryOrchestrator()

    orch.add(by_hand)
    orch.add(by_other)

    orch.compile()


def test_a_required_state_cell_met_by_another_orchestrator_is_not_missing() -> None:
    class Reader:
        num_free: Requires[int]

    reader = Reader()
    _registered((Blocks(), "num_free", reader)).finalize()
    orch = RegistryOrchestrator()
    orch.add(reader)

    orch.compile()


def test_one_id_for_two_components_names_both() -> None:
    orch = RegistryOrchestrator()
    orch.add(Blocks(), id="kv")
    orch.add(Engine(), id="kv")

    fault = _only_fault(orch)

    assert isinstance(fault, DuplicateIdError)
    with pytest.raises(
        DuplicateIdError,
        match=rf"'kv' was given to a Blocks \(added at {HERE}\) and a Engine \(added at {HERE}\)",
    ):
        raise fault


def test_two_ids_for_one_component_are_a_fault_in_one_orchestrator_and_in_two() -> None:
    blocks = Blocks()
    orch = RegistryOrchestrator()
    orch.add(blocks, id="kv")
    orch.finalize()
    other = RegistryOrchestrator()
    other.add(blocks, id="cache")

    fault = _only_fault(other)

    assert isinstance(fault, ConflictingIdError)
    with pytest.raises(ConflictingIdError, match=rf"'kv' \(at {HERE}\) and 'cache' \(at {HERE}\)"):
        raise fault
    twice = RegistryOrchestrator()
    twice.add(engine := Engine(), id="a")
    twice.add(engine, id="b")
    assert _only_fault(twice).code == "conflicting-id"


def test_a_component_can_not_contain_itself() -> None:
    orch = RegistryOrchestrator()
    engine = Engine()
    orch.connect(engine, engine)

    with pytest.raises(WiringError, match=rf"Engine was connected to itself \(at {HERE}\)"):
        orch.compile()
    assert isinstance(_only_fault(orch), SelfContainmentError)


class _Slotted:
    __slots__ = ("allocate",)
    allocate: Any


class _Sealed:
    __slots__ = ()


@dataclasses.dataclass(frozen=True, slots=True)
class _FrozenSlots:
    size: int = 1


@pytest.mark.parametrize(
    ("cell", "consumer", "message"),
    [
        (
            "allocate",
            _Sealed(),
            r"no place for new attributes\. Add '__dict__' to its __slots__, or 'allocate'",
        ),
        ("num_free", _Sealed(), r"no place for new attributes\. Add '__dict__' to its __slots__\. \["),
        ("allocate", _FrozenSlots(), "its class _FrozenSlots has no place"),
        ("allocate", Engine, "it is a class, not an instance"),
        ("num_free", types.SimpleNamespace(), r"is built in and can't be extended\. Derive a class of your own"),
        ("allocate", 3, "its class int is built in"),
    ],
)
def test_a_consumer_without_room_is_told_why_and_what_to_do(cell: str, consumer: object, message: str) -> None:
    orch = _registered((Blocks(), cell, consumer))

    assert isinstance(_only_fault(orch), CannotHoldCellError)
    with pytest.raises(WiringError, match=message):
        orch.finalize()


def test_a_slot_has_no_room_for_a_state_cell() -> None:
    class Slotted:
        __slots__ = ("__dict__", "num_free")

    with pytest.raises(WiringError, match="Take 'num_free' out of the __slots__ of "):
        _registered((Blocks(), "num_free", Slotted())).compile()


def test_a_free_slot_takes_a_method_cell_and_a_filled_one_does_not() -> None:
    free, filled = _Slotted(), _Slotted()
    filled.allocate = 1

    _registered((Blocks(), "allocate", free)).finalize()

    assert free.allocate(2) == 5
    with pytest.raises(WiringError, match="taken by the value in its slot"):
        _registered((Blocks(), "allocate", filled)).compile()


def test_all_faults_are_reported_together_and_numbered() -> None:
    orch = RegistryOrchestrator()
    orch.add(Scheduler())
    orch.register(Blocks(), "alocate", Engine())
    orch.register(Blocks(), "allocate", _Sealed())

    with pytest.raises(WiringError) as caught:
        orch.finalize()

    text = str(caught.value)
    assert [fault.code for fault in caught.value.faults] == [
        "unknown-cell",
        "cannot-hold-cell",
        "missing-cell",
    ]
    assert text.startswith("The wiring has 3 faults:\n  1. Blocks has no cell")
    assert text.endswith("Nothing was bound. [wiring]")


def test_a_single_fault_reads_without_a_number() -> None:
    with pytest.raises(WiringError) as caught:
        _registered((Blocks(), "alocate", Engine())).compile()

    first, second = str(caught.value).splitlines()
    assert first.endswith("Did you mean 'allocate'? [unknown-cell]")
    assert second == "Nothing was bound. [wiring]"
