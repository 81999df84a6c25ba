import sys

import pytest

from wiremap.errors import RuleFileError, YamlMissingError
from wiremap.rules.yaml_nodes import Mapping, Scalar, Sequence, parse_yaml


def value_at(text: str, *keys: str) -> str | None:
    node = parse_yaml(text, "ci.yaml")
    for key in keys:
        assert isinstance(node, Mapping)
        found = node.get(key)
        if found is None:
            return None
        node = found
    assert isinstance(node, Scalar)
    return node.value


def test_keys_are_texts_also_where_yaml_has_other_values_for_them() -> None:
    assert value_at("on: {push: yes}", "on", "push") == "yes"


def test_an_empty_value_is_none() -> None:
    assert value_at("a:\nb: ~\n", "a") is None
    assert value_at("a:\nb: ~\n", "b") is None


def test_own_keys_count_before_merged_ones_and_the_last_before_the_first() -> None:
    text = "x: &x {a: 1, b: 1, c: 1}\ny: &y {b: 2, c: 2}\nz: {c: 3, <<: [*x, *y], d: 3, d: 4}\n"

    assert [value_at(text, "z", key) for key in "abcd"] == ["1", "1", "3", "4"]


def test_what_an_alias_repeats_is_one_node() -> None:
    node = parse_yaml("[&a [x], *a]", "ci.yaml")

    assert isinstance(node, Sequence)
    assert node.items[0] is node.items[1]


def test_nodes_know_where_they_stand() -> None:
    text = "a:\n  - 'x'\n"
    node = parse_yaml(text, "ci.yaml")
    assert isinstance(node, Mapping)
    found = node.get("a")
    assert isinstance(found, Sequence)
    item = found.items[0]
    assert isinstance(item, Scalar)

    assert (item.line, text[item.start : item.end]) == (2, "'x'")


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("a: 1\nb: [2\n", 3, "this is no YAML"),
        ("a: 1\n{% if x %}\n", 2, "this is no YAML"),
        ("a: 1\n---\nb: 2\n", 2, "this is no YAML"),
        ("a: 1\nb: \x07\n", 2, "this is no YAML"),
        ("# nothing\n", 1, "it is empty"),
        ("a: &a\n  b: *a\n", 1, "a part of it holds itself"),
    ],
)
def test_what_is_no_yaml_is_told_with_its_line(text: str, line: int, reason: str) -> None:
    with pytest.raises(RuleFileError, match=rf"^ci\.yaml:{line}: {reason}"):
        parse_yaml(text, "ci.yaml")


def test_a_missing_library_is_told_with_the_command_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "yaml", None)

    with pytest.raises(YamlMissingError, match=r"pip install 'wiremap\[rules\]'"):
        parse_yaml("a: 1", "ci.yaml")
