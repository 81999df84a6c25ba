import dataclasses
import enum
import os
import re
import subprocess
import sys
import threading
from collections import OrderedDict, defaultdict, deque
from functools import partial
from typing import Any

import pytest

from tests.wiremap.registry.parts import Blocks
from wiremap import RegistryOrchestrator
from wiremap.registry.parameters import Parameters, parameters_of


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
    return parameters(**held).digest


def parameters(**held: Any) -> Parameters:
    return parameters_of(Box(**held), lambda value: isinstance(value, Blocks))


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
    [object(), threading.Lock(), deque(), defaultdict(list), _cyclic(), list(range(10_001))],
    ids=lambda value: type(value).__name__,
)
def test_what_has_no_canonical_form_makes_the_digest_unknown(value: object) -> None:
    assert digest(fine=1, doubtful=value) is None
    assert digest(fine=1, deep=[value]) is None


def _adder(number: object) -> Any:
    return lambda value: (value, number)


class Step:
    def __init__(self, size: int) -> None:
        self.size = size

    def run(self) -> int:
        return self.size


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (lambda x: x + 1, lambda x: x + 2),
        (lambda x: x, lambda y: y),
        (lambda x=1: x, lambda x=2: x),
        (lambda x: len(x) + 1, lambda x: sum(x) + 1),
        (lambda x: x in {"a", "c"}, lambda x: x in {"b", "c"}),
        (lambda: lambda: 1, lambda: lambda: 2),
        (_adder(1), _adder(2)),
        (_adder([1]), _adder([2])),
        (partial(sorted, reverse=True), partial(sorted, reverse=False)),
        (partial(_adder, 1), partial(_adder, 2)),
        (Step(1).run, Step(2).run),
    ],
)
def test_callables_that_do_something_else_have_different_digests(one: object, other: object) -> None:
    assert None not in {digest(value=one), digest(value=other)}
    assert digest(value=one) != digest(value=other)


def test_where_a_lambda_is_written_does_not_count() -> None:
    first, second = (eval("\n" * lines + "lambda x: x + 1") for lines in (0, 40))  # noqa: S307 -- a text of this test

    assert digest(value=first) == digest(value=second)


def test_a_function_that_closes_over_itself_has_a_digest() -> None:
    def count(number: int) -> int:
        return count(number - 1) if number else 0

    assert digest(value=count) is not None


def test_values_that_share_their_parts_to_any_depth_are_given_up() -> None:
    value: list[Any] = []
    for _ in range(31):
        value = [value, value]

    assert digest(value=value) is None


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (8, "8"),
        ("fast", "'fast'"),
        (Mode.SAFE, "Mode.SAFE"),
        (float("nan"), "nan"),
        ((1,), "(1,)"),
        ({"b", "a"}, "{'a', 'b'}"),
        ({"a": [1, None]}, "{'a': [1, None]}"),
        (len, "len"),
        (object(), "<object>"),
        ("\ud800", "'\\ud800'"),
    ],
)
def test_each_parameter_has_a_short_text(value: object, text: str) -> None:
    assert parameters(size=value).values == (f"size={text}",)


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("prompt", "x" * 500, r"'x{59}… #[0-9a-f]{8}"),
        ("seed", 1 << 12_000, r"<int> #[0-9a-f]{8}"),
        ("table", {1 << 12_000: 1}, r"<dict> #[0-9a-f]{8}"),
        ("key", lambda: 1, r"<function> ~[0-9a-f]{8}"),
        ("sizes", list(range(100)), r"<list> #[0-9a-f]{8}"),
        ("api_key", "abc", r"\*\*\* #[0-9a-f]{8}"),
        ("model", "/home/me/weights", r"<str> ~[0-9a-f]{8}"),
        ("models", {"/home/me/weights": 1}, r"<dict> ~[0-9a-f]{8}"),
        ("hooks", [lambda: 1], r"<list> ~[0-9a-f]{8}"),
    ],
)
def test_what_is_long_or_private_or_of_this_machine_is_not_shown(name: str, value: object, text: str) -> None:
    (shown,) = parameters(**{name: value}).values

    assert re.fullmatch(f"{name}={text}", shown)


def test_what_parameters_there_are_is_told_where_one_can_not_be_digested() -> None:
    assert parameters(size=8, lock=object()) == (None, ("lock=<object>", "size=8"))


def test_edges_say_which_component_is_held_and_no_value_does() -> None:
    assert parameters(blocks=Blocks(), size=1).values == ("size=1",)


def test_a_component_counts_as_being_there() -> None:
    assert digest(part=Blocks()) == digest(part=Blocks())
    assert digest(part=Blocks()) != digest(part=None)


def test_cells_do_not_count() -> None:
    box, blocks = Box(size=1), Blocks()
    before = parameters_of(box, lambda _: False)
    orch = RegistryOrchestrator()
    orch.register(blocks, "allocate", box)
    orch.register(blocks, "num_free", box)
    orch.finalize()

    assert parameters_of(box, lambda _: False) == before


def test_digests_are_the_same_in_every_process() -> None:
    program = (
        "from wiremap.registry.parameters import parameters_of as d\n"
        "import types; print(d(types.SimpleNamespace(a={'x', 'y', 'z'}, b=len, "
        "c=lambda x: x in {'p', 'q', 'r'}), lambda _: False))"
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
