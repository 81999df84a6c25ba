import re
from typing import Any

from tests.wiremap.registry import parts
from tests.wiremap.registry.parts import Blocks, Scheduler
from wiremap.registry.declarations import Declarations


class _Derived(Scheduler):
    if True:
        nested: int = 0

    a, (b, c) = 1, (2, 3)

    async def method(self) -> None:
        local = 1
        del local


def _line(where: str, text: str) -> bool:
    """Tell whether *where* is a line of this or the other file that contains *text*."""
    file, _, number = where.rpartition(":")
    with open(file, encoding="utf-8") as lines:  # noqa: PTH123 -- as the message has it
        return text in lines.read().splitlines()[int(number) - 1]


def test_a_class_is_found_at_its_statement() -> None:
    assert _line(Declarations().of_class(_Derived), "class _Derived(")
    assert _line(Declarations().of_class(Blocks), "class Blocks:")


def test_a_name_is_found_in_the_body_of_the_class_that_declares_it() -> None:
    declarations = Declarations()

    assert _line(declarations.of_name(_Derived, "nested"), "nested: int = 0")
    assert _line(declarations.of_name(_Derived, "c"), "a, (b, c) =")
    assert _line(declarations.of_name(_Derived, "method"), "async def method")
    assert _line(declarations.of_name(_Derived, "allocate"), "allocate: Requires[")
    assert declarations.of_name(_Derived, "local") == ""
    assert declarations.of_name(_Derived, "absent") == ""


def test_an_attribute_is_found_where_a_method_sets_it() -> None:
    assert _line(Declarations().of_attribute(Blocks, "num_free"), "self.num_free = 7")
    assert Declarations().of_attribute(Scheduler, "allocate") == ""


def test_what_has_no_source_is_nowhere() -> None:
    made: Any = type("Made", (), {"x": 1})
    declarations = Declarations()

    assert declarations.of_class(made) == declarations.of_class(dict) == declarations.of_name(made, "x") == ""


def test_places_are_as_all_others_in_messages() -> None:
    assert re.fullmatch(r"tests.wiremap.registry.parts\.py:\d+", Declarations().of_class(parts.Engine))
