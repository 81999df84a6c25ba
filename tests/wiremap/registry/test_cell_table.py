import copy
import pickle
import threading
from collections.abc import Callable
from typing import Any

import pytest

from tests.wiremap.registry.parts import Blocks, Engine, Scheduler
from wiremap import RegistryOrchestrator
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
