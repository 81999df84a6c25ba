import random
import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.wiremap.registry.parts import Blocks, Engine, Scheduler
from wiremap import Binding, Graph, RegistryOrchestrator, Requires, WiringError, compile_mode
from wiremap.errors import AlreadyFinalizedError


def _wired() -> tuple[RegistryOrchestrator, Blocks, Scheduler, Any]:
    orch = RegistryOrchestrator()
    blocks, scheduler, engine = orch.add(Blocks()), orch.add(Scheduler()), orch.add(Engine())
    orch.register(blocks, "allocate", scheduler)
    orch.register(blocks, "num_free", scheduler)
    orch.register(scheduler, "schedule", engine)
    return orch, blocks, scheduler, engine


def test_finalize_binds_what_was_registered() -> None:
    orch, _, _, engine = _wired()

    graph = orch.finalize()

    assert engine.schedule() == 6
    assert graph.bindings == (
        Binding("Blocks", "allocate", "Scheduler", "method"),
        Binding("Blocks", "num_free", "Scheduler", "state"),
        Binding("Scheduler", "schedule", "Engine", "method"),
    )


def test_a_component_says_what_it_is_provides_and_requires() -> None:
    orch, _, scheduler, _ = _wired()
    orch.add(scheduler, tags=["loop", "cpu"], extension="demo")

    component = orch.compile().component("Scheduler")

    assert component.type == "Scheduler"
    assert component.module == "tests.wiremap.registry.parts"
    assert component.source_path == "tests/wiremap/registry/parts.py"
    assert component.source_line == 19
    assert component.tags == ("cpu", "loop")
    assert component.extension == "demo"
    assert component.provides == ("schedule",)
    assert component.requires == ("allocate",)


def test_a_plain_string_is_one_tag() -> None:
    orch = RegistryOrchestrator()
    orch.add(Engine(), tags="cpu")

    assert orch.compile().component("Engine").tags == ("cpu",)


def test_compile_binds_nothing_and_gives_the_graph_that_finalize_gives() -> None:
    orch, blocks, scheduler, engine = _wired()
    before = [dict(vars(part)) for part in (blocks, scheduler, engine)]

    graph = orch.compile()

    assert [vars(part) for part in (blocks, scheduler, engine)] == before
    assert graph == orch.finalize() == orch.compile()


def test_registering_or_adding_twice_is_harmless() -> None:
    orch, blocks, scheduler, _ = _wired()
    once = orch.compile()

    assert orch.add(blocks) is blocks
    orch.register(blocks, "allocate", scheduler)

    assert orch.finalize() == once


def test_connect_tells_a_containment_that_no_attribute_shows() -> None:
    orch = RegistryOrchestrator()
    blocks, engine = Blocks(), Engine()

    orch.connect(blocks, engine)

    assert [(pair.child, pair.parent) for pair in orch.compile().containment] == [("Blocks", "Engine")]


@pytest.mark.parametrize(
    ("operation", "act"),
    [
        ("add", lambda orch: orch.add(Engine())),
        ("register", lambda orch: orch.register(Blocks(), "allocate", Engine())),
        ("connect", lambda orch: orch.connect(Blocks(), Engine())),
        ("finalize", lambda orch: orch.finalize()),
    ],
)
def test_nothing_is_taken_after_finalize(operation: str, act: Callable[[RegistryOrchestrator], object]) -> None:
    orch, *_ = _wired()
    orch.finalize()

    where = r"tests.wiremap.registry.test_orchestrator\.py:\d+"
    with pytest.raises(
        AlreadyFinalizedError,
        match=rf"^{operation}\(\) came too late: .*\n    {where}: {operation}\(\)\n    {where}: finalize\(\)\n",
    ):
        act(orch)


def test_describe_reads_like_the_graph() -> None:
    orch, *_ = _wired()

    text = orch.describe()

    assert re.search(r"Blocks .*parts\.py:\d+\n    → Scheduler  allocate\n +num_free \(state\)", text)
    orch.finalize()
    assert orch.describe() == text


@settings(deadline=None)
@given(st.randoms())
def test_the_graph_does_not_depend_on_the_order_of_registration(chance: random.Random) -> None:
    blocks, scheduler, engine = Blocks(), Scheduler(), Engine()
    steps: list[Callable[[RegistryOrchestrator], object]] = [
        lambda orch: orch.add(engine),
        lambda orch: orch.add(blocks, id="kv"),
        lambda orch: orch.register(blocks, "allocate", scheduler),
        lambda orch: orch.register(blocks, "num_free", engine),
        lambda orch: orch.register(scheduler, "schedule", engine),
        lambda orch: orch.connect(scheduler, engine),
    ]

    def graph_of(order: list[Callable[[RegistryOrchestrator], object]]) -> Graph:
        orch = RegistryOrchestrator()
        for step in order:
            step(orch)
        return orch.compile()

    assert graph_of(chance.sample(steps, len(steps))) == graph_of(steps)


# Lifecycle


class _Heavy(Engine):
    def __init__(self, name: str, log: list[str]) -> None:
        self.name, self.log = name, log

    def work(self) -> None:
        """Something to hand over."""

    def __post_wire__(self) -> None:
        self.log.append(self.name)


def _heavy_pair(log: list[str]) -> RegistryOrchestrator:
    orch = RegistryOrchestrator()
    consumer, provider = orch.add(_Heavy("consumer", log), id="a"), orch.add(_Heavy("provider", log), id="b")
    provider.__dict__["other"] = provider.work
    orch.register(provider, "other", consumer)
    return orch


def test_hooks_run_once_all_is_bound_and_providers_come_first() -> None:
    log: list[str] = []

    _heavy_pair(log).finalize()

    assert log == ["provider", "consumer"]


def test_a_contained_component_is_ready_before_its_container() -> None:
    log: list[str] = []
    orch = RegistryOrchestrator()
    orch.connect(orch.add(_Heavy("inner", log), id="z"), orch.add(_Heavy("outer", log), id="a"))

    orch.finalize()

    assert log == ["inner", "outer"]


def test_compile_mode_binds_but_calls_no_hook() -> None:
    log: list[str] = []
    orch = _heavy_pair(log)

    with compile_mode():
        orch.finalize()

    assert log == []


def test_a_hook_that_fails_is_named_and_leaves_nothing_bound() -> None:
    class Failing(Engine):
        def __post_wire__(self) -> None:
            raise MemoryError("no weights")

    orch = RegistryOrchestrator()
    blocks, failing = Blocks(), Failing()
    orch.register(blocks, "allocate", failing)
    orch.register(blocks, "num_free", failing)

    with pytest.raises(MemoryError, match="no weights") as caught:
        orch.finalize()

    assert caught.value.__notes__ == ["while __post_wire__ of the component 'Failing' ran"]
    assert vars(failing) == {}
    assert not hasattr(failing, "num_free")


def test_after_a_fault_nothing_is_bound_and_the_wiring_can_be_mended() -> None:
    orch = RegistryOrchestrator()
    blocks, scheduler = Blocks(), Scheduler()
    orch.register(blocks, "num_free", scheduler)

    with pytest.raises(WiringError, match=r"missing-cell"):
        orch.finalize()
    assert vars(scheduler) == {}

    orch.register(blocks, "allocate", scheduler)
    orch.finalize()
    assert scheduler.schedule() == 6


def test_a_binding_that_fails_half_way_leaves_nothing_half_bound() -> None:
    class Moody:
        """Loses its method between the check and the binding."""

        def __getattribute__(self, name: str) -> object:
            if name == "late":
                raise RuntimeError("gone")
            return super().__getattribute__(name)

        def late(self) -> None: ...

    orch = RegistryOrchestrator()
    blocks, engine = Blocks(), Engine()
    orch.register(blocks, "allocate", engine)
    orch.register(blocks, "num_free", engine)
    orch.register(Moody(), "late", engine)

    with pytest.raises(RuntimeError, match="gone"):
        orch.finalize()

    assert vars(engine) == {}
    assert not hasattr(engine, "num_free")


class _SelfWiring(Engine):
    """Finalizes its own inside in ``__init__``, and requires a cell that comes from outside."""

    allocate: Requires[Callable[[int], int]]

    def __init__(self, log: list[str]) -> None:
        self.log = log
        orch = RegistryOrchestrator()
        orch.register(orch.add(_Heavy("inside", log)), "work", self)
        orch.finalize()
        self.whole = True

    def __post_wire__(self) -> None:
        self.log.append(f"outside, whole: {self.whole}, {self.allocate(1)}")


def test_a_component_that_is_being_made_is_judged_and_started_by_who_gets_it_whole() -> None:
    log: list[str] = []
    runner = _SelfWiring(log)
    orch = RegistryOrchestrator()
    orch.register(Blocks(), "allocate", runner)

    assert log == ["inside"]
    orch.finalize()
    assert log == ["inside", "outside, whole: True, 6"]


def test_what_a_whole_component_requires_is_still_asked_for() -> None:
    orch = RegistryOrchestrator()
    orch.add(_SelfWiring([]))

    with pytest.raises(WiringError, match=r"_SelfWiring requires the cell 'allocate'"):
        orch.finalize()


def test_a_component_of_two_orchestrators_is_started_once() -> None:
    log: list[str] = []
    shared = _Heavy("shared", log)
    for _ in range(2):
        orch = RegistryOrchestrator()
        orch.add(shared)
        orch.finalize()

    assert log == ["shared"]
