"""What is said of a recipe that fails: where, and what the mistake in the wiring is if it is one."""

import itertools
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from wiremap.errors import RecipeFailedError
from wiremap.use_cases.graph_source import compile_source

_numbers = itertools.count()
WORK = "If that comes of heavy work, keep it in __post_wire__, which compile mode does not call."
EARLY = "only at finalize(): read it in __post_wire__ or later."
PARTS = """\
import sys
from wiremap import RegistryOrchestrator, Requires, recipe
class Clock:
    def tick(self): ...
class User:
    def use(self):
        return self.tick()
class Eager:
    def __init__(self):
        self.tick()
class Needing:
    tick = Requires[object]()
@recipe
def combine():
    orch, clock, user = RegistryOrchestrator(), Clock(), User()
"""
FIRST_LINE = PARTS.count("\n") + 1


@pytest.fixture
def failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Tell what is said of a recipe that ends with some statements, in a module that is called ``m``."""
    monkeypatch.chdir(tmp_path)

    def told(*statements: str) -> str:
        name = f"failing_recipe_{next(_numbers)}"
        (tmp_path / f"{name}.py").write_text(PARTS + "".join(f"    {one}\n" for one in statements))
        with pytest.raises(RecipeFailedError) as caught:
            compile_source(name)
        return re.sub(rf"\b{name}\b", "m", str(caught.value))

    return told


def test_the_line_that_raised_is_told_and_that_of_the_recipe(failure: Callable[..., str]) -> None:
    assert f"(at m.py:7, called at m.py:{FIRST_LINE})" in failure("user.use()")
    assert f"(at m.py:{FIRST_LINE})" in failure("user.tick()")


@pytest.mark.parametrize("reading", ["user.use()", "user.tick()", "getattr(user, 'tick')"])
def test_a_cell_that_is_registered_and_read_is_told_with_both_lines(failure: Callable[..., str], reading: str) -> None:
    told = failure("orch.register(clock, 'tick', user)", reading)

    assert f"User gets its cell 'tick' (registered at m.py:{FIRST_LINE}) {EARLY}" in told


def test_a_cell_that_is_read_in_a_constructor_is_told(failure: Callable[..., str]) -> None:
    told = failure("orch.register(clock, 'tick', Eager())")

    assert f"(at m.py:10, called at m.py:{FIRST_LINE}). If 'tick' is a cell, Eager gets it {EARLY}" in told


@pytest.mark.parametrize(
    ("call", "cure"),
    [
        (
            "orch.register(clock.tick, user)",
            "Pass the provider, the name of its cell, and the consumer: register(provider, 'name', consumer).",
        ),
        ("orch.register()", "Pass the provider, the name of its cell, and the consumer"),
        (
            "orch.add(clock, name='clock')",
            "Pass the component, and its name as id=: add(component, id='name').",
        ),
        ("orch.add(clock, 'clock')", "Pass the component, and its name as id="),
        ("orch.connect(clock)", "Pass the child, then its parent: connect(child, parent)."),
        ("orch.finalize(clock)", "RegistryOrchestrator.finalize() takes no arguments."),
        (
            "Needing.tick.register(clock.tick, Needing())",
            "Pass the orchestrator, what is handed over, and the consumer.",
        ),
    ],
)
def test_arguments_that_do_not_fit_are_told_with_those_that_do(
    failure: Callable[..., str], call: str, cure: str
) -> None:
    told = failure(call)

    assert f"(at m.py:{FIRST_LINE}). {cure}" in told
    assert WORK not in told


@pytest.mark.parametrize("mistake", ["clock.tick(1)", "Clock.nothing", "None.nothing", "sys.nothing", "1 / 0"])
def test_work_is_suspected_of_all_else(failure: Callable[..., str], mistake: str) -> None:
    assert WORK in failure(mistake)
