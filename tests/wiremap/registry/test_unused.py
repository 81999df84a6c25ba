"""Warnings about what nothing uses: when, where, and when not."""

import runpy
import types
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.wiremap.registry.parts import Blocks, Engine, Scheduler
from wiremap import RegistryOrchestrator, WiringWarning
from wiremap.errors import UnusedCellWarning, UnusedComponentWarning


class Idle:
    def work(self) -> None: ...


class Started(Idle):
    def __post_wire__(self) -> None: ...


class Holder:
    def __init__(self, held: object) -> None:
        self.held = held


def _wired() -> RegistryOrchestrator:
    orch = RegistryOrchestrator()
    orch.register(Blocks(), "allocate", Scheduler())
    return orch


def _warned(orch: RegistryOrchestrator) -> list[warnings.WarningMessage]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        orch.compile()
    return caught


def _add_held(orch: RegistryOrchestrator) -> None:
    orch.add(Holder(orch.add(Idle())))


def _connect(orch: RegistryOrchestrator) -> None:
    orch.connect(Idle(), Idle())


def _add_from_elsewhere(orch: RegistryOrchestrator) -> None:
    blocks = Blocks()
    elsewhere = RegistryOrchestrator()
    elsewhere.register(blocks, "allocate", Scheduler())
    elsewhere.finalize()
    orch.add(blocks)


# Components


def test_a_component_that_nothing_uses_is_told_at_its_line() -> None:
    orch = _wired()
    orch.add(Idle())

    (warning,) = _warned(orch)

    assert isinstance(warning.message, UnusedComponentWarning)
    assert (
        str(warning.message) == "Idle takes no part in the wiring. Register what it gives or takes. [unused-component]"
    )
    assert warning.filename == __file__


def test_a_class_that_nothing_uses_was_perhaps_to_be_an_instance() -> None:
    orch = _wired()
    orch.add(Idle)

    (warning,) = _warned(orch)

    assert "It is a class: did you mean an instance?" in str(warning.message)


@pytest.mark.parametrize(
    "add",
    [_add_held, _connect, _add_from_elsewhere, lambda orch: orch.add(Started())],
    ids=["held", "connected", "in another graph", "started"],
)
def test_what_has_any_part_in_it_is_used(add: Callable[[RegistryOrchestrator], object]) -> None:
    orch = _wired()

    add(orch)

    assert _warned(orch) == []


def test_the_only_component_has_nothing_to_be_bound_to() -> None:
    orch = RegistryOrchestrator()
    orch.add(Idle())

    assert _warned(orch) == []


# Cells


def _handing(consumer: Any, cell: str = "num_free") -> RegistryOrchestrator:
    orch = RegistryOrchestrator()
    orch.register(Blocks(), cell, consumer)
    return orch


def test_a_cell_that_its_consumer_never_reads_is_told_at_the_line_that_hands_it_over() -> None:
    (warning,) = _warned(_handing(Idle()))

    assert isinstance(warning.message, UnusedCellWarning)
    assert warning.message.cell == "num_free"
    assert warning.message.defined_at.startswith("tests")
    assert "the class of Idle" in str(warning.message)
    assert warning.filename == __file__


def test_a_loop_over_consumers_of_one_class_is_told_once() -> None:
    orch = RegistryOrchestrator()
    blocks = Blocks()
    for _ in range(48):
        orch.register(blocks, "allocate", Idle())

    (warning,) = _warned(orch)

    assert str(warning.message).startswith("Idle and 47 more never read 'allocate' of Blocks.")


def test_a_cell_that_is_read_handed_on_or_nobodys_to_tell_is_used() -> None:
    relay, patched = Idle(), Idle()
    vars(patched)["work"] = types.MethodType(lambda self: self.num_free, patched)
    handed_on = _handing(relay)
    handed_on.register(relay, "num_free", Engine())

    assert _warned(_handing(Scheduler(), "allocate")) == []
    assert _warned(handed_on) == []
    assert _warned(_handing(patched)) == []
    assert _warned(_handing(types.ModuleType("plugin"), "allocate")) == []


# How


def test_finalize_warns_and_describe_does_not() -> None:
    orch = _handing(Idle())

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        orch.describe()
    with pytest.warns(UnusedCellWarning):
        orch.finalize()


def test_a_warning_made_an_error_leaves_nothing_bound() -> None:
    idle = Idle()
    orch = _handing(idle)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(WiringWarning):
            orch.finalize()
    assert vars(idle) == {}

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        orch.finalize()


def test_a_recipe_that_is_compiled_often_warns_once_as_python_does_by_default() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        for _ in range(3):
            _handing(Idle()).compile()

    assert len(caught) == 1


def test_the_example_of_the_readme_has_no_warning() -> None:
    """Nor has the recipe of the engine: its tests run with warnings made errors."""
    example = runpy.run_path(str(Path(__file__).parents[3] / "examples" / "wiring.py"))

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        example["build"]()
