import random
import re
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Protocol

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.wiremap.registry.parts import Blocks, Engine, Scheduler
from wiremap import Binding, Graph, RegistryOrchestrator, Requires, WiringError
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


@pytest.fixture
def hasty_threads() -> Iterator[None]:
    """Let threads take turns as often as they can."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


@pytest.mark.usefixtures("hasty_threads")
def test_orchestrators_of_several_threads_may_share_a_consumer() -> None:
    for _ in range(40):
        consumer = Engine()
        orchs = [RegistryOrchestrator() for _ in range(6)]
        for number, orch in enumerate(orchs):
            orch.register(type("Provider", (), {f"c{number}": number})(), f"c{number}", consumer)
        with ThreadPoolExecutor(len(orchs)) as pool:
            for result in [pool.submit(orch.finalize) for orch in orchs]:
                result.result()

        assert [getattr(consumer, f"c{number}") for number in range(len(orchs))] == [*range(len(orchs))]


@pytest.mark.usefixtures("hasty_threads")
def test_of_several_threads_that_hand_over_one_cell_all_but_one_are_told() -> None:
    for _ in range(40):
        consumer = Engine()
        orchs = [RegistryOrchestrator() for _ in range(4)]
        for orch in orchs:
            orch.register(type("Provider", (), {"cell": 1})(), "cell", consumer)
        with ThreadPoolExecutor(len(orchs)) as pool:
            results = [pool.submit(orch.finalize) for orch in orchs]

        assert sum(isinstance(result.exception(), WiringError) for result in results) == len(orchs) - 1


class _Pool(Protocol):
    def allocate(self, count: int) -> int: ...


class _Slotted:
    __slots__ = ("allocate", "pool", "pools")


class _Pooling:
    __slots__ = ()
    pool = Requires[_Pool]()


class _SlottedPooling(_Pooling):
    __slots__ = ("pool",)


def test_another_orchestrator_may_register_the_same_for_a_consumer_with_slots_only() -> None:
    blocks, slotted, pooling = Blocks(), _Slotted(), _SlottedPooling()
    for _ in range(2):
        orch = RegistryOrchestrator()
        orch.register(blocks, "allocate", slotted)
        orch.register(abs, "__call__", slotted, name="pools")
        _Pooling.pool.register(orch, blocks, pooling)
        orch.finalize()
    rival = RegistryOrchestrator()
    rival.register(Blocks(), "allocate", slotted)

    with pytest.raises(WiringError, match="name-taken"):
        rival.finalize()
