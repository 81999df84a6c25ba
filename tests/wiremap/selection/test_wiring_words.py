"""What became of components and cells, as the steps of a recipe tell."""

import ast

import pytest

from wiremap.selection.wiring_words import star_changes
from wiremap.source.interactions import Step, steps_along, ways

BEFORE = """\
def wire(orch, size):
    pool = orch.add(Pool(size))
    users = orch.add(User("a")), orch.add(User("b"))
    first, second = users
    orch.register(pool, "take", first)
    for cell in ("give", "count"):
        orch.register(pool, cell, second)
    return first
"""


def steps(text: str) -> list[Step]:
    function = ast.parse(text).body[0]
    assert isinstance(function, ast.FunctionDef)
    return next(ways(function, {}))


def told(old: str, new: str) -> str:
    assert old in BEFORE
    return star_changes(steps(BEFORE), steps(BEFORE.replace(old, new)))


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("Pool(size)", "Pool(2)", ["the component Pool(size) is Pool(2) now"]),
        (
            "Pool(size)",
            "Pool(size, kind=Big())",
            ["the component Pool(size) is Pool(size, kind=Big()) now", "the component Big() is new"],
        ),
        ("    return first", "    orch.add(Log())\n    return first", ["the component Log() is new"]),
        ('"take", first', '"take", second', []),  # both are of one class: the statement tells them apart
        ('"give", "count"', '"give",', ["the cell count of Pool goes to User no more"]),
        (
            '"take", first',
            '"take", pool',
            ["the cell take of Pool goes to User no more", "the cell take of Pool goes to Pool now"],
        ),
        ("return first", "return second", []),
        ("pool", "the_pool", []),
    ],
)
def test_stars_are_told_by_class_cell_and_arguments(old: str, new: str, words: list[str]) -> None:
    assert told(old, new) == ", ".join(words)


def test_no_more_than_three_are_told() -> None:
    words = told("    return first", "    A(), B(), C(), D(), E()\n    return first")

    assert words == "the component A() is new, the component B() is new, the component C() is new, 2 more"


def test_nothing_is_told_of_a_way_that_is_not_known_to_its_end() -> None:
    longer = ast.parse(BEFORE.replace("    return first", "    if size:\n        Log()\n    return first")).body[0]
    assert isinstance(longer, ast.FunctionDef)

    assert star_changes(steps(BEFORE), steps_along(longer, steps(BEFORE))) == ""
