from textwrap import indent

import pytest
from hypothesis import given

from tests.wiremap.source.programs import programs
from wiremap.source.keepers import PROCESS, Keepers
from wiremap.source.units import parse_units


def keepers(body: str, others: str = "") -> Keepers:
    """Return who keeps what a function `f(self, other)` of this body fills."""
    source = parse_units(f"{others}\ndef f(self, other):\n{indent(body, '    ')}\n".encode())
    assert source.fault is None
    return source.units["f"].keepers


@pytest.mark.parametrize(
    "body",
    [
        "global x\nif x is None: x = make()\nreturn x",
        "if key not in cache: cache[key] = make()\nreturn cache[key]",
        "try: return cache[key]\nexcept KeyError: cache[key] = make()",
        "if not holder.value: holder.value = make()",
        "if not cache: cache.update(a=make())",
        "if not cache: cache.append(make())",
        "return cache.get(key) or cache.setdefault(key, make())",
        "found = cache.get(key)\nif found is None: cache[key] = make()",
        "while not ready: ready.append(make())",
        "match cache:\n    case []: cache.append(make())",
    ],
)
def test_what_is_filled_when_it_is_found_empty_is_kept_in_the_process(body: str) -> None:
    assert keepers(body) == (PROCESS,)


@pytest.mark.parametrize(
    "body",
    [
        "if self.x is None: self.x = make()\nreturn self.x",
        "if self.x: return self.x\nself.x = make()\nreturn self.x",
        "if not hasattr(self, 'x'): self.x = make()",
        "try: return self.x\nexcept AttributeError: self.x = make()",
        "if key not in self.cache: self.cache[key] = make()",
        "if not self.items: self.items.extend(make())",
    ],
)
def test_what_an_object_fills_of_itself_is_kept_by_it(body: str) -> None:
    assert keepers(body) == (0,)


def test_what_is_filled_of_an_argument_is_kept_by_that() -> None:
    assert keepers("if not other.value: other.value = make()") == (1,)


@pytest.mark.parametrize(
    "body",
    [
        "x = make()\nreturn x",
        "self.x = make()\nreturn self.x",
        "if a: x = make()",
        "found = []\nif not found: found.append(make())\nreturn found",
        "return make()",
    ],
)
def test_what_every_call_makes_anew_is_kept_by_nobody(body: str) -> None:
    assert keepers(body) == ()


def test_a_test_and_a_store_in_a_function_that_it_calls_count() -> None:
    others = "def fill():\n    global x\n    x = make()\n"

    assert keepers("if x is None: fill()\nreturn x", others) == (PROCESS,)


@given(programs())
def test_every_program_has_an_answer(program: str) -> None:
    source = parse_units(program.encode())

    assert source.fault is None
    assert all(place >= PROCESS for unit in source.units.values() for place in unit.keepers)
