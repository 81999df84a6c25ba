from __future__ import annotations  # every annotation below is a string: the harder case

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Protocol

import pytest

import wiremap
from tests.wiremap.registry.parts import Blocks
from wiremap import RegistryOrchestrator, Requires
from wiremap.errors import CellNotWiredError, ModuleCellNotWiredError, NotACellError, WiringError
from wiremap.registry.requirements import annotated_names, required_cells, requirements_of

if TYPE_CHECKING:
    from somewhere import Unknown  # type: ignore[import-not-found] # exists for type checkers only

Allocate = Requires[Callable[[int], int]]


class Base:
    plain: int
    allocate: Requires[Callable[[int], int]]
    dotted: wiremap.Requires[int]
    unresolvable: Requires[Callable[[Unknown], None]]
    by_alias: Allocate
    other: Annotated[int, "a note"]


class Derived(Base):
    allocate: Callable[[int], int]  # takes the requirement back
    more: Requires[int]

    def by_alias(self, count: int) -> int:  # same
        return count


class BlockPool(Protocol):
    num_free: int

    def allocate(self, count: int) -> int: ...


class Pool:
    def __init__(self) -> None:
        self.num_free = 7

    def allocate(self, count: int) -> int:
        self.num_free -= count
        return self.num_free


class Scheduler:
    allocate = Requires[Callable[[int], int]]()
    blocks = Requires[BlockPool]()
    untyped = Requires[Any]()


class Named:
    num_free: Requires[int]


class Answering:
    allocate = Requires[Callable[[int], int]]()

    def __getattr__(self, name: str) -> object:
        raise AttributeError(f"nothing known of {name}")


# Declaring


def test_annotated_cells_are_found_whatever_the_rest_of_the_annotation() -> None:
    assert required_cells(Base) == {"allocate", "dotted", "unresolvable", "by_alias"}


def test_cells_declared_by_a_value_are_found() -> None:
    assert required_cells(Scheduler) == {"allocate", "blocks", "untyped"}


def test_a_derived_class_may_add_requirements_and_take_them_back() -> None:
    assert required_cells(Derived) == {"dotted", "unresolvable", "more"}


def test_annotations_that_are_no_strings_are_read_too() -> None:
    made = type("Made", (), {"__annotations__": {"cell": Requires[int], "plain": int}})

    assert required_cells(made) == {"cell"}


def test_an_import_inside_a_function_is_recognised_by_its_name() -> None:
    made = type("Made", (), {"__annotations__": {"cell": "w.Requires[int]"}, "__module__": "nowhere"})

    assert required_cells(made) == {"cell"}


def test_classes_without_annotations_require_nothing() -> None:
    assert required_cells(int) == frozenset()
    assert annotated_names(Derived) >= {"plain", "more"}


def test_the_type_is_resolved_where_it_was_written() -> None:
    declared = requirements_of(Base)

    assert declared["allocate"].type == Callable[[int], int]
    assert declared["by_alias"].type == Callable[[int], int]
    assert declared["unresolvable"].type is Any


def test_a_requirement_knows_where_it_was_declared() -> None:
    where = Scheduler.allocate.where

    assert where.file == __file__
    assert "allocate = Requires" in Path(where.file).read_text(encoding="utf-8").splitlines()[where.line - 1]


def test_a_subclass_still_requires_after_one_of_its_instances_was_wired() -> None:
    class Mine(Named):
        pass

    orch = RegistryOrchestrator()
    orch.register(Pool(), "num_free", Mine())
    orch.finalize()

    assert required_cells(Mine) == {"num_free"}


# The typed wiring line


def test_a_bound_method_is_handed_over_under_its_own_name() -> None:
    orch, pool, scheduler = RegistryOrchestrator(), Pool(), Scheduler()
    Scheduler.allocate.register(orch, pool.allocate, scheduler)
    Scheduler.blocks.register(orch, pool, scheduler)
    orch.register(pool, "num_free", Named())
    Scheduler.untyped.register(orch, Tool().untyped, scheduler)

    orch.finalize()

    assert scheduler.allocate(2) == 5


def test_an_interface_hands_over_each_of_its_members() -> None:
    orch, pool, scheduler = RegistryOrchestrator(), Pool(), InterfaceOnly()
    InterfaceOnly.blocks.register(orch, pool, scheduler)

    graph = orch.finalize()

    assert [(b.cell, b.kind, b.interface) for b in graph.bindings] == [
        ("allocate", "method", "blocks"),
        ("num_free", "state", "blocks"),
    ]
    assert scheduler.blocks.allocate(3) == scheduler.blocks.num_free == 4


def test_state_behind_an_interface_is_the_providers_and_can_not_be_assigned() -> None:
    orch, pool, scheduler = RegistryOrchestrator(), Pool(), InterfaceOnly()
    InterfaceOnly.blocks.register(orch, pool, scheduler)
    orch.finalize()

    pool.num_free = 1

    assert scheduler.blocks.num_free == 1
    with pytest.raises(AttributeError, match="'num_free' from Pool"):
        scheduler.blocks.num_free = 2


def test_an_interface_shows_nothing_else_of_its_provider() -> None:
    orch, pool, scheduler = RegistryOrchestrator(), Pool(), InterfaceOnly()
    pool.secret = 3  # type: ignore[attr-defined]
    InterfaceOnly.blocks.register(orch, pool, scheduler)
    orch.finalize()

    assert not hasattr(scheduler.blocks, "secret")


def test_two_consumers_of_one_class_have_interfaces_of_their_own() -> None:
    orch, pools, schedulers = RegistryOrchestrator(), [Pool(), Pool()], [InterfaceOnly(), InterfaceOnly()]
    for pool, scheduler in zip(pools, schedulers, strict=True):
        InterfaceOnly.blocks.register(orch, pool, scheduler)
    orch.finalize()

    schedulers[0].blocks.allocate(2)

    assert [scheduler.blocks.num_free for scheduler in schedulers] == [5, 7]


def test_two_providers_of_one_interface_are_a_fault() -> None:
    orch, scheduler = RegistryOrchestrator(), InterfaceOnly()
    InterfaceOnly.blocks.register(orch, Pool(), scheduler)
    InterfaceOnly.blocks.register(orch, Pool(), scheduler)

    with pytest.raises(wiremap.WiringError, match=r"would get its cell 'blocks' from Pool and Pool#2\."):
        orch.compile()


@pytest.mark.parametrize("given", [Pool(), Pool().num_free, [].append])
def test_what_is_no_method_of_that_name_is_refused_at_the_line(given: Any) -> None:
    orch, scheduler = RegistryOrchestrator(), Scheduler()

    with pytest.raises(NotACellError, match=r"Pass that method or a callable; for state use register"):
        Scheduler.allocate.register(orch, given, scheduler)


# Reading too early


def test_reading_a_required_cell_before_it_was_handed_over_says_so() -> None:
    with pytest.raises(CellNotWiredError, match=r"'allocate' .* before it was handed over"):
        _ = Scheduler().allocate


def test_a_required_cell_that_is_not_wired_yet_is_no_attribute() -> None:
    assert not hasattr(Scheduler(), "allocate")


def test_an_annotated_cell_says_so_once_its_class_is_registered() -> None:
    named = RegistryOrchestrator().add(Named())

    with pytest.raises(CellNotWiredError, match=r"'num_free' .* before it was handed over"):
        _ = named.num_free


def test_an_annotated_cell_lets_what_another_base_defines_be_read() -> None:
    class Full:
        num_free = 3

    class Both(Named, Full):
        pass

    orch = RegistryOrchestrator()
    orch.add(Named())
    both = orch.add(Both())

    assert both.num_free == 3


def test_a_requirement_that_is_written_hides_what_its_base_defines() -> None:
    class Plain:
        def allocate(self, _count: int) -> int:
            return 0

    class Demanding(Plain):
        allocate = Requires[Callable[[int], int]]()  # type: ignore[assignment] # as one who means it

    orch = RegistryOrchestrator()
    consumer = orch.add(Demanding())
    with pytest.raises(CellNotWiredError):
        _ = consumer.allocate
    with pytest.raises(WiringError, match=r"Demanding requires the cell 'allocate'"):
        orch.compile()

    orch.register(Blocks(), "allocate", consumer)
    orch.finalize()
    assert consumer.allocate(3) == 4


def test_a_class_that_answers_for_unknown_attributes_does_not_hide_the_reason() -> None:
    with pytest.raises(ModuleCellNotWiredError, match=r"'allocate' .* before it was handed over"):
        _ = Answering().allocate


class InterfaceOnly:
    blocks = Requires[BlockPool]()


class Tool:
    def untyped(self) -> None: ...
