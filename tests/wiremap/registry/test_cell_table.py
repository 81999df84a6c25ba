import copy
import dataclasses
import pickle
import threading
from collections.abc import Callable
from typing import Any, Protocol

import pytest

from tests.wiremap.registry.parts import Blocks, Engine, Scheduler
from wiremap import RegistryOrchestrator, Requires
from wiremap.errors import WiredCopyError


def _wired(*cells: str) -> tuple[Blocks, Any]:
    orch = RegistryOrchestrator()
    blocks, engine = Blocks(), Engine()
    for cell in cells:
        orch.register(blocks, cell, engine)
    orch.finalize()
    return blocks, engine


@pytest.mark.parametrize("copied", [copy.deepcopy, pickle.dumps])
@pytest.mark.parametrize("cell", ["allocate", "num_free"])
def test_a_wired_component_can_be_neither_deep_copied_nor_pickled(copied: Callable[[Any], Any], cell: str) -> None:
    _, engine = _wired(cell)

    with pytest.raises(WiredCopyError, match=r"^Engine is wired .* a second Blocks along\. .* \[wired-copy\]$"):
        copied([engine])


def test_the_refusal_comes_before_a_provider_is_touched() -> None:
    blocks, engine = _wired("allocate")
    vars(blocks)["lock"] = threading.Lock()  # can't be copied itself

    with pytest.raises(WiredCopyError):
        copy.deepcopy(engine)


def test_a_shallow_copy_reads_the_same_cells() -> None:
    blocks, engine = _wired("allocate", "num_free")

    twin = copy.copy(engine)
    blocks.num_free = 3

    assert (twin.num_free, twin.allocate(1)) == (3, 2)


def test_what_was_not_wired_can_be_copied() -> None:
    blocks, _ = _wired("allocate")
    orch = RegistryOrchestrator()
    scheduler = orch.add(Scheduler())

    assert copy.deepcopy(blocks).num_free == 7
    assert type(pickle.loads(pickle.dumps(scheduler))) is Scheduler  # noqa: S301 -- our own bytes


class Given:
    num_free = 99

    def allocate(self, count: int) -> int:
        return self.num_free + count


class Pool(Protocol):
    num_free: int

    def allocate(self, count: int) -> int: ...


class Pooling:
    blocks = Requires[Pool]()

    def read(self) -> tuple[int, int]:
        return self.blocks.num_free, self.blocks.allocate(0)


class CopyingItself(Engine):
    def __copy__(self) -> "CopyingItself":
        twin = type(self).__new__(type(self))
        vars(twin).update(vars(self))
        return twin


def _read(consumer: Any) -> tuple[int, int]:
    return consumer.num_free, consumer.allocate(0)


@pytest.mark.parametrize("cls", [Engine, CopyingItself])
def test_what_a_shallow_copy_is_handed_later_the_original_does_not_notice(cls: type) -> None:
    orch, later, blocks = RegistryOrchestrator(), RegistryOrchestrator(), Blocks()
    engine: Any = cls()
    orch.register(blocks, "allocate", engine)
    orch.finalize()

    twin = copy.copy(engine)
    later.register(blocks, "num_free", twin)
    later.finalize()

    assert twin.num_free == 7
    assert not hasattr(engine, "num_free")


def test_a_shallow_copy_is_not_split_by_an_override() -> None:
    orch, blocks = RegistryOrchestrator(), Blocks()
    engine: Any = Engine()
    pooling = Pooling()
    for cell in ("allocate", "num_free"):
        orch.register(blocks, cell, engine)
    Pooling.blocks.register(orch, blocks, pooling)
    graph = orch.finalize()
    twin, pooling_twin = copy.copy(engine), copy.copy(pooling)

    with graph.override("Blocks", Given()):
        assert (_read(engine), pooling.read()) == ((99, 99), (99, 99))
        assert (_read(twin), pooling_twin.read()) == ((7, 7), (7, 7))
    assert (_read(engine), pooling.read()) == ((7, 7), (7, 7))


def _pooling() -> tuple[Any, Any]:
    orch, pooling = RegistryOrchestrator(), Pooling()
    Pooling.blocks.register(orch, Blocks(), pooling)
    return pooling, orch.finalize()


def test_a_view_that_is_kept_follows_its_consumer() -> None:
    pooling, graph = _pooling()
    kept = pooling.blocks

    with graph.override("Blocks", Given()):
        assert (kept.num_free, kept.allocate(0)) == (99, 99)
    assert (kept.num_free, kept.allocate(0)) == (7, 7)
    assert pooling.blocks is kept


def test_a_shallow_copy_that_is_made_inside_an_override_keeps_the_stand_in() -> None:
    pooling, graph = _pooling()

    with graph.override("Blocks", Given()):
        twin = copy.copy(pooling)

    assert (twin.read(), pooling.read()) == ((99, 99), (7, 7))


def test_a_copy_of_a_shallow_copy_reads_what_that_was_handed() -> None:
    pooling, graph = _pooling()
    twin = copy.copy(pooling)

    with graph.override("Blocks", Given()):
        other = copy.copy(twin)
        assert (twin.read(), other.read(), pooling.read()) == ((7, 7), (7, 7), (99, 99))
        assert twin.blocks is twin.blocks


def test_a_shallow_copy_that_is_wired_itself_is_overridden_alone() -> None:
    pooling, graph = _pooling()
    twin, orch = copy.copy(pooling), RegistryOrchestrator()
    blocks = pooling.blocks.allocate.__self__
    Pooling.blocks.register(orch, blocks, twin)
    twin_graph = orch.finalize()

    with twin_graph.override("Blocks", Given()):
        assert (twin.read(), pooling.read()) == ((99, 99), (7, 7))
    with graph.override("Blocks", Given()):
        assert (twin.read(), pooling.read()) == ((7, 7), (99, 99))


def test_a_view_may_be_assigned_over_and_deleted_after_an_override_as_before() -> None:
    pooling, graph = _pooling()
    with graph.override("Blocks", Given()):
        pass

    pooling.blocks = Given()
    assert pooling.read() == (99, 99)
    del pooling.blocks
    assert not hasattr(pooling, "blocks")
    assert Pooling.blocks.name == "blocks"


def test_a_dataclass_that_is_replaced_is_not_wired() -> None:
    @dataclasses.dataclass(frozen=True)
    class Frozen:
        size: int

    orch, frozen = RegistryOrchestrator(), Frozen(1)
    orch.register(Blocks(), "num_free", frozen)
    orch.finalize()

    other: Any = dataclasses.replace(frozen, size=2)

    assert not hasattr(other, "num_free")


def test_a_class_that_is_rebuilt_by_a_call_may_be_deep_copied_without_its_cells() -> None:
    class Rebuilt:
        def __reduce__(self) -> tuple[type, tuple[()]]:
            return type(self), ()

    orch, rebuilt = RegistryOrchestrator(), Rebuilt()
    orch.register(Blocks(), "num_free", rebuilt)
    orch.finalize()

    assert not hasattr(copy.deepcopy(rebuilt), "num_free")
