import ast
from textwrap import dedent

import pytest

from wiremap.source.identifiers import Keeping, handed, identifiers, words


def of(text: str) -> frozenset[str]:
    return identifiers(ast.parse(dedent(text)))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a.b.c", {"a", "b", "c"}),
        ("f(a=1)", {"f", "a"}),
        ("import a.b as c", {"a", "b", "c"}),
        ("from .a.b import c as d", {"a", "b", "c", "d"}),
        ("def f(): ...", {"f"}),
        ("class A:\n    async def f(self): ...", {"A", "f"}),
        ("match a:\n    case B(c=1, d=_): ...", {"a", "B", "c", "d"}),
        ("x = 'a.b:c {d.e}'", {"x", "a", "b", "c", "d", "e"}),
        ("x = b'capp\\nRate'", {"x", "capp", "Rate"}),
        ("x = f'{a.b} c'", {"x", "a", "b", "c"}),
    ],
)
def test_an_identifier_is_found_wherever_it_stands(text: str, expected: set[str]) -> None:
    assert of(text) == expected


def test_text_that_stands_alone_names_nothing() -> None:
    assert of("'''a'''\ndef f():\n    '''b'''\n") == {"f"}


def test_the_words_of_data_are_those_of_any_text_in_it() -> None:
    assert words("{0.naïve}\x00\xff".encode("latin-1")) >= {"na\udcefve"}
    assert words(b"\x80\x04capp\nRate\n1x_y") >= {"Rate", "x_y"}
    assert "C" in words(b"\x8c\x01C\x94\x93")  # as pickles have it


@pytest.mark.parametrize("text", ["C()", "C.x", "C(1).x", "m.C().f()", "f(m.C.x)"])
def test_a_class_is_not_handed_on_by_who_calls_it_or_reads_one_attribute(text: str) -> None:
    assert "C" not in set(handed(ast.parse(text)))


@pytest.mark.parametrize(
    "text",
    [
        "f(C)",
        "f(m.C)",
        "C[1]",
        "x = C",
        "m.f(a=[C]).x",
        "C.values()",
        "m.C.values()",
        "class D(C): ...",
        "for c in m.C: ...",
    ],
)
def test_a_class_is_handed_on_by_who_does_more(text: str) -> None:
    assert "C" in set(handed(ast.parse(text)))


def _keeps(function: ast.expr) -> Keeping:
    return {"fixture": "decorator", "partial": "argument"}.get(ast.unparse(function), "")  # type: ignore[return-value]


@pytest.mark.parametrize(
    "decorator", ["fixture(params=[C, m.C])", "fixture(params=[partial(C, C)])", "fixture('x', [C])"]
)
def test_a_decorator_that_only_keeps_what_it_is_given_hands_nothing_on(decorator: str) -> None:
    assert "C" not in set(handed(ast.parse(f"@{decorator}\ndef f(): ..."), _keeps))


@pytest.mark.parametrize(
    "decorator",
    [
        "fixture(params=C)",
        "fixture('x', C)",
        "fixture('x, y', [C])",
        "fixture(names, [C])",
        "fixture(params=[C], ids=show)",
        "fixture(**{'params': [C]})",
        "fixture(params=[C[1]])",
        "fixture(params=[*C])",
        "fixture(params=[look(C)])",
        "partial(look, C)",
        "look(C)",
        "other(fixture(params=[C]))",
    ],
)
def test_any_other_decorator_hands_on_what_it_is_given(decorator: str) -> None:
    assert "C" in set(handed(ast.parse(f"@{decorator}\ndef f(): ..."), _keeps))
