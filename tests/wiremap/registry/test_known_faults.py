"""What a known implementation of this idea does silently, measured on its own code, and what happens here instead."""

from collections.abc import Callable
from typing import Any
from unittest import mock

import pytest

from tests.wiremap.registry.parts import Blocks, Engine, Scheduler
from wiremap import Containment, RegistryOrchestrator, Requires, WiringError
from wiremap.errors import StateCellAssignmentError, UnusedComponentWarning


def _finalized(*registrations: tuple[object, str, object]) -> RegistryOrchestrator:
    orch = RegistryOrchestrator()
    for provider, cell, consumer in registrations:
        orch.register(provider, cell, consumer)
    orch.finalize()
    return orch


def test_a_misspelled_cell_is_told_with_the_right_name_and_not_as_a_bare_attribute_error() -> None:
    with pytest.raises(WiringError, match=r"Blocks has no cell 'alocate'(.*\n)*Did you mean 'allocate'\?"):
        _finalized((Blocks(), "alocate", Engine()))


def test_a_cell_that_nobody_hands_over_is_told_before_anything_runs_and_not_at_the_first_call() -> None:
    class NeedsBlocks:
        allocate: Requires[Callable[[int], int]]

    orch = RegistryOrchestrator()
    orch.add(NeedsBlocks())

    with pytest.raises(WiringError, match="requires the cell 'allocate', and nobody hands it over"):
        orch.finalize()


def test_the_last_of_two_providers_does_not_win() -> None:
    engine = Engine()

    with pytest.raises(WiringError, match="Engine would get its cell 'allocate' from Blocks and Blocks#2"):
        _finalized((Blocks(), "allocate", engine), (Blocks(), "allocate", engine))


def test_a_method_of_the_consumer_does_not_shadow_the_cell() -> None:
    class OwnMethod(Engine):
        def allocate(self) -> None: ...

    with pytest.raises(WiringError, match=r"taken by .*OwnMethod\.allocate of its class"):
        _finalized((Blocks(), "allocate", OwnMethod()))


def test_a_state_cell_does_not_split_in_two_when_its_owner_is_assigned_to() -> None:
    blocks, engine = Blocks(), Engine()
    reader: Any = engine
    _finalized((blocks, "num_free", reader), (blocks, "allocate", reader))

    blocks.num_free = 8

    assert (blocks.num_free, reader.num_free) == (8, 8)
    assert reader.allocate(3) == blocks.num_free == reader.num_free == 5
    with pytest.raises(StateCellAssignmentError):
        reader.num_free = 9
    assert (blocks.num_free, reader.num_free) == (5, 5)


def test_a_cell_does_not_leak_to_what_contains_its_consumer() -> None:
    class Holding(Engine):
        def __init__(self, held: object) -> None:
            self.held = held

    scheduler = Scheduler()
    parent = Holding(scheduler)
    grandparent = Holding(parent)
    orch = RegistryOrchestrator()
    orch.add(grandparent)
    orch.add(parent)
    orch.register(Blocks(), "allocate", scheduler)

    graph = orch.finalize()

    assert scheduler.allocate(1) == 6
    assert not hasattr(parent, "allocate")
    assert not hasattr(grandparent, "allocate")
    assert [(edge.consumer, edge.cell) for edge in graph.bindings] == [(graph.bindings[0].consumer, "allocate")]


def test_a_component_that_was_never_connected_is_told() -> None:
    orch = RegistryOrchestrator()
    orch.register(Blocks(), "allocate", Scheduler())
    orch.add(Engine())

    with pytest.warns(UnusedComponentWarning, match="Engine takes no part in the wiring"):
        orch.finalize()


def test_containment_is_in_the_graph() -> None:
    class Holding(Engine):
        def __init__(self, held: object) -> None:
            self.held = held

    orch = RegistryOrchestrator()
    blocks = orch.add(Blocks())
    orch.add(Holding(blocks), id="holder")

    assert orch.finalize().containment == (Containment("Blocks", "holder"),)


def test_no_base_class_is_needed() -> None:
    taker: Any = type("Taker", (), {})()

    _finalized((Blocks(), "allocate", taker))

    assert taker.allocate(2) == 5


def test_an_instance_that_was_patched_before_it_is_registered_stays_patched() -> None:
    blocks, scheduler = Blocks(), Scheduler()
    with mock.patch.object(blocks, "allocate", lambda count: -count):
        _finalized((blocks, "allocate", scheduler))

        assert scheduler.schedule() == -1


def test_a_call_through_a_method_cell_is_a_call_of_the_bound_method_itself() -> None:
    """What it costs is measured in ``bench/cell_call.py``; here, that there is nothing between."""
    blocks, scheduler = Blocks(), Scheduler()
    _finalized((blocks, "allocate", scheduler))

    assert vars(scheduler)["allocate"] == blocks.allocate
    assert "__getattr__" not in vars(Scheduler)
