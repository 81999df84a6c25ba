"""Patterns as text."""

import pytest

from wiremap import Pattern
from wiremap.errors import PatternSyntaxError
from wiremap.graph import PatternEdge, PatternNode


def test_an_edge_with_a_cell_is_a_binding() -> None:
    assert Pattern.parse("MoeBackend -[run_experts_ll]-> ExpertsEPLL") == Pattern(
        nodes=(
            PatternNode("MoeBackend", id_or_type="MoeBackend"),
            PatternNode("ExpertsEPLL", id_or_type="ExpertsEPLL"),
        ),
        edges=(PatternEdge("MoeBackend", "ExpertsEPLL", "run_experts_ll"),),
    )


def test_an_edge_without_a_cell_is_containment() -> None:
    assert Pattern.parse("Layer --> Model").edges == (PatternEdge("Layer", "Model"),)


def test_a_component_alone_is_a_pattern() -> None:
    assert Pattern.parse(" Scheduler ") == Pattern((PatternNode("Scheduler", id_or_type="Scheduler"),))


def test_spaces_around_arrows_may_go() -> None:
    assert Pattern.parse("A-[x]->B-->C") == Pattern.parse("  A   -[x]->  B -->\tC ")


@pytest.mark.parametrize(
    "text", ["A -[x]-> B, B --> C", "A -[x]-> B\nB --> C", "\n  A -[x]-> B,\n  B --> C,\n", "A -[x]-> B --> C"]
)
def test_chains_are_separated_by_commas_or_lines_and_share_what_is_called_the_same(text: str) -> None:
    assert Pattern.parse(text) == Pattern(
        nodes=tuple(PatternNode(name, id_or_type=name) for name in "ABC"),
        edges=(PatternEdge("A", "B", "x"), PatternEdge("B", "C")),
    )


def test_a_component_is_told_by_id_type_or_tag() -> None:
    assert Pattern.parse("id:Cache#2, type:Cache, tag:moe").nodes == (
        PatternNode("id:Cache#2", id="Cache#2"),
        PatternNode("type:Cache", type="Cache"),
        PatternNode("tag:moe", tag="moe"),
    )


def test_a_component_may_be_given_a_name() -> None:
    assert Pattern.parse("x=Linear -[forward]-> y=Linear, y --> type:Mlp") == Pattern(
        nodes=(
            PatternNode("x", id_or_type="Linear"),
            PatternNode("y", id_or_type="Linear"),
            PatternNode("type:Mlp", type="Mlp"),
        ),
        edges=(PatternEdge("x", "y", "forward"), PatternEdge("y", "type:Mlp")),
    )


def test_what_stands_in_quotes_is_taken_as_it_is() -> None:
    assert Pattern.parse('"a, b -[*]-> c" --> id:"layers.[0]?"').nodes == (
        PatternNode("a, b -[*]-> c", id_or_type="a, b -[[][*]]-> c"),
        PatternNode("id:layers.[0]?", id="layers.[[]0][?]"),
    )


@pytest.mark.parametrize(
    ("text", "line", "column", "reason"),
    [
        ("", 1, 1, "a component is expected here"),
        (" \n ", 2, 2, "a component is expected here"),
        ("A -> B", 1, 3, r"'-\[cell\]->', '-->', a comma or the end of the line is expected here"),
        ("A -[]-> B", 1, 3, r"'-\[cell\]->', '-->', a comma or the end of the line is expected here"),
        ("A B", 1, 3, r"'-\[cell\]->', '-->', a comma or the end of the line is expected here"),
        ("A -[x]->", 1, 9, "a component is expected here"),
        ("A -[x]-> , B", 1, 10, "a component is expected here"),
        ("A --> B\nB -[x]->\nC", 2, 9, "a component is expected here"),
        ("A,, B", 1, 3, "a component is expected here"),
        ('A --> "B', 1, 7, "a component is expected here"),
        ("x=A --> x=B", 1, 9, "'x' is another component already; call this one otherwise, as in x=Name"),
    ],
)
def test_a_bad_pattern_is_refused_with_the_place(text: str, line: int, column: int, reason: str) -> None:
    with pytest.raises(PatternSyntaxError, match=rf"at line {line}, column {column}: {reason}\.") as caught:
        Pattern.parse(text)

    shown, caret = str(caught.value).splitlines()[1:3]
    assert shown == f"    {text.split(chr(10))[line - 1]}"
    assert caret.index("^") == 4 + column - 1


def test_a_pattern_put_together_by_hand_is_checked_too() -> None:
    with pytest.raises(ValueError, match="two nodes of a pattern have one name"):
        Pattern((PatternNode("A"), PatternNode("A")))
    with pytest.raises(ValueError, match="names no node of the pattern"):
        Pattern((PatternNode("A"),), (PatternEdge("A", "B"),))
