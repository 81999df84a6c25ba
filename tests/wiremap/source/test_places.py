"""Lines to units."""

import ast
from textwrap import dedent

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wiremap.source.places import Site, site_at, site_by_layout, sites, sites_by_layout
from wiremap.source.units import parse_units

SOURCE = dedent(
    '''\
    """A shop."""
    import os
    RATE: float = 0.2

    @cached
    def price(cents):
        def inner():
            return 1
        return inner()

    class Shop:
        currency = "EUR"

        @property
        def total(self):
            return (
        1)

        class Till:
            async def open(self):
                pass

    if os.name:
        def late(): pass
        A = B = 1
    '''
).encode()
ROWS = SOURCE.decode().splitlines()


def line_of(text: str) -> int:
    return 1 + next(number for number, row in enumerate(ROWS) if text in row)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A shop", "<module>"),
        ("RATE", "RATE"),
        ("@cached", "price"),
        ("def price", "price"),
        ("return 1", "price"),
        ("class Shop", "Shop"),
        ("currency", "Shop"),
        ("@property", "Shop.total"),
        ("1)", "Shop.total"),
        ("class Till", "Shop.Till"),
        ("pass", "Shop.Till.open"),
        ("def late", "late"),
        ("A = B", "<module>"),
    ],
)
def test_a_line_belongs_to_the_innermost_definition_but_for_what_is_nested_in_functions(
    text: str, expected: str
) -> None:
    assert site_at(SOURCE, line_of(text)).name == expected


def test_a_definition_has_its_decorators_and_its_last_line() -> None:
    assert site_at(SOURCE, line_of("def price")) == Site("price", "function", 5, 9)


def test_blank_lines_between_definitions_belong_to_the_module() -> None:
    assert site_at(SOURCE, 4).name == "<module>"


def test_definitions_are_listed_with_those_that_hold_others_first() -> None:
    assert [one.name for one in sites(SOURCE)] == [
        "RATE", "price", "Shop", "Shop.total", "Shop.Till", "Shop.Till.open", "late",
    ]  # fmt: skip


def test_functions_have_the_names_of_their_units() -> None:
    functions = {one.name for one in sites(SOURCE) if one.kind == "function"}

    assert functions == parse_units(SOURCE).units.keys() - {"<module>"}


BROKEN = SOURCE + b"def broken(:\n    x = (\n"


def test_a_text_that_does_not_parse_is_refused() -> None:
    with pytest.raises(SyntaxError):
        site_at(BROKEN, 1)


@pytest.mark.parametrize(
    "text", ["@cached", "return 1", "class Shop", "currency", "@property", "class Till", "def late"]
)
def test_by_layout_a_line_belongs_to_the_same_definition(text: str) -> None:
    assert site_by_layout(BROKEN, line_of(text)).name == site_at(SOURCE, line_of(text)).name


def test_by_layout_the_broken_definition_itself_is_found() -> None:
    assert site_by_layout(BROKEN, len(ROWS) + 2) == Site("broken", "function", len(ROWS) + 1, len(ROWS) + 2)


def test_by_layout_definitions_are_listed_too() -> None:
    names = [one.name for one in sites(SOURCE) if one.kind != "name"]

    assert [one.name for one in sites_by_layout(BROKEN)] == [*names, "broken"]


def test_a_text_that_is_no_text_has_no_definitions() -> None:
    assert sites_by_layout(b"\xff\xfe\x00") == []
    assert site_by_layout(b"\xff\xfe\x00", 1).name == "<module>"


names = st.sampled_from(["a", "b", "c"])
simple = st.builds(lambda name: [f"{name} = 1"], names)


def _indented(block: list[str]) -> list[str]:
    return [f"    {row}" for row in block]


def _compound(bodies: st.SearchStrategy[list[str]]) -> st.SearchStrategy[list[str]]:
    headers = st.one_of(names.map("def {}():".format), names.map("class {}:".format), st.just("if 1:"))
    return st.builds(lambda header, body: [header, *_indented(body)], headers, bodies) | st.builds(
        lambda one, other: [*one, *other], bodies, bodies
    )


@given(st.recursive(simple, _compound, max_leaves=12))
def test_layout_and_syntax_agree_wherever_both_can_tell(rows: list[str]) -> None:
    text = "\n".join(rows).encode()
    ast.parse(text)

    for line in range(1, len(rows) + 1):
        by_syntax, by_layout = site_at(text, line), site_by_layout(text, line)
        if by_syntax.kind in ("function", "class"):
            assert (by_layout.name, by_layout.kind, by_layout.first) == (
                by_syntax.name,
                by_syntax.kind,
                by_syntax.first,
            )
        else:
            assert by_layout.kind == "module"
