"""All that is said about wirings, in one file to look at: ``tests/golden/wiring_messages.txt``."""

import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FunctionType

import pytest

from tests.wiremap.registry import faulty
from tests.wiremap.render.golden import assert_golden
from wiremap import WiremapError, WiringWarning, errors
from wiremap.registry.location import Location

ROOT = Path(__file__).parents[3]
WIDTH = 100


def _wirings() -> Iterator[tuple[str, Callable[[], None]]]:
    for name, value in vars(faulty).items():
        if isinstance(value, FunctionType) and value.__module__ == faulty.__name__:
            yield name.replace("_", " "), value


def _said_about(wiring: Callable[[], None]) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            wiring()
        except WiremapError as error:
            return [str(error)]
    return [f"(at {Location(warning.filename, warning.lineno)})\n{warning.message}" for warning in caught]


@pytest.fixture(scope="module")
def messages() -> dict[str, str]:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        return {title: "\n".join(_said_about(wiring)) for title, wiring in _wirings()}


def test_the_messages_are_those_that_were_looked_at(messages: dict[str, str]) -> None:
    assert_golden("wiring_messages.txt", "\n".join(f"== {title}\n\n{text}\n" for title, text in messages.items()))


def test_each_fault_and_warning_of_a_wiring_is_among_them(messages: dict[str, str]) -> None:
    shown = "\n".join(messages.values())
    first, last = list(vars(errors)).index("WiringError"), list(vars(errors)).index("UnusedCellWarning")
    classes = [value for value in list(vars(errors).values())[first : last + 1] if isinstance(value, type)]
    codes = {cls.code for cls in classes if issubclass(cls, WiremapError | WiringWarning)} - {WiringWarning.code}

    assert {code for code in codes if f"[{code}]" not in shown} == set()


def test_messages_are_no_wider_than_a_terminal_unless_names_are(messages: dict[str, str]) -> None:
    lines = [line for text in messages.values() for line in text.splitlines() if "Qwen3" not in line]

    assert [line for line in lines if len(line) > WIDTH] == []
