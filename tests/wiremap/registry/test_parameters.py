import dataclasses
import enum
import os
import subprocess
import sys
import threading
from collections import OrderedDict, defaultdict, deque
from typing import Any

import pytest

from tests.wiremap.registry.parts import Blocks
from wiremap import RegistryOrchestrator
from wiremap.registry.parameters import parameters_digest


class Box:
    def __init__(self, **held: Any) -> None:
        vars(self).update(held)


class Mode(enum.Enum):
    FAST = 1
    SAFE = 2


@dataclasses.dataclass
class Config:
    size: int
    mode: Mode = Mode.FAST


def digest(**held: Any) -> str | None:
    return parameters_digest(Box(**held), lambda value: isinstance(value, Blocks))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, 2),
        (1, True),
        (1, 1.0),
        ("1", 1),
        (b"1", "1"),
        (None, "None"),
        ([1], (1,)),
        ([1, 2], [2, 1]),
        ({"a": 1}, {"a": 2}),
        ({1: "a"}, {"1": "a"}),
        ({1, 2}, {1, 3}),
        (Mode.FAST, Mode.SAFE),
        (Config(1), Config(2)),
        (Config(1), Config(1, Mode.SAFE)),
        (len, sum),
        (Config, Mode),
        (["a, b"], ["a", "b"]),
        (OrderedDict(), {}),
    ],
)
def test_different_parameters_have_different_digests(one: object, other: object) -> None:
    assert digest(value=one) is not None
    assert digest(value=other) is not None
    assert digest(value=one) != digest(value=other)


def test_equal_parameters_have_equal_digests() -> None:
    values = {"a": [1, {"b": (2.5, None)}], "c": Config(3), "d": frozenset("xyz")}

    assert digest(**values) == digest(**values)
    assert digest(a=1) != digest(b=1)


def _cyclic() -> list[Any]:
    items: list[Any] = []
    items.append(items)
    return items


@pytest.mark.parametrize(
    "value",
    [object(), lambda: None, threading.Lock(), deque(), defaultdict(list), _cyclic(), list(range(10_001))],
    ids=lambda value: type(value).__name__,
)
def test_what_has_no_canonical_form_makes_the_digest_unknown(value: object) -> None:
    assert digest(fine=1, doubtful=value) is None
    assert digest(fine=1, deep=[value]) is None


def test_a_component_counts_as_being_there() -> None:
    assert digest(part=Blocks()) == digest(part=Blocks())
    assert digest(part=Blocks()) != digest(part=None)


def test_cells_do_not_count() -> None:
    box, blocks = Box(size=1), Blocks()
    before = parameters_digest(box, lambda _: False)
    orch = RegistryOrchestrator()
    orch.register(blocks, "allocate", box)
    orch.register(blocks, "num_free", box)
    orch.finalize()

    assert parameters_digest(box, lambda _: False) == before


def test_digests_are_the_same_in_every_process() -> None:
    program = (
        "from wiremap.registry.parameters import parameters_digest as d\n"
        "import types; print(d(types.SimpleNamespace(a={'x', 'y', 'z'}, b=len), lambda _: False))"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }

    assert len(outputs) == 1
