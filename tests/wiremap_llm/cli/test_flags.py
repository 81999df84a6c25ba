"""Every field of a dataclass becomes a flag that says what the class says."""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, fields

import pytest

from wiremap_llm.cli.flags import add_flags, given
from wiremap_llm.config import EngineConfig
from wiremap_llm.request import SamplingParams


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Some.

    Attributes:
        num_things: How many: 100% of them,
            if you like.
        ratio: A share.
        is_fast: Hurry.
        words: Some words.
    """

    num_things: int | None = None
    ratio: int | float = 0.5
    is_fast: bool = False
    words: str | Sequence[str] = ()
    names: Sequence[int] = ()
    anything: object = None


def parsed(*arguments: str) -> dict[str, object]:
    parser = argparse.ArgumentParser()
    add_flags(parser, Settings, "settings")
    return given(parser.parse_args(arguments), Settings)


def test_only_what_was_given_is_set() -> None:
    assert parsed() == {}


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--num-things", "3"], {"num_things": 3}),
        (["--ratio", "2"], {"ratio": 2.0}),
        (["--is-fast"], {"is_fast": True}),
        (["--no-is-fast"], {"is_fast": False}),
        (["--words", "a b", "--words", "c"], {"words": ["a b", "c"]}),
        (["--names", "1", "--names", "2"], {"names": [1, 2]}),
    ],
)
def test_a_value_has_the_type_of_its_field(arguments: list[str], expected: dict[str, object]) -> None:
    assert parsed(*arguments) == expected


def test_the_help_is_that_of_the_class() -> None:
    parser = argparse.ArgumentParser(formatter_class=lambda prog: argparse.HelpFormatter(prog, width=100))
    add_flags(parser, Settings, "settings", defaults={"ratio": 0.7}, leave_out=["is_fast"])

    told = parser.format_help()

    assert "How many: 100% of them, if you like\n" in told
    assert "A share (default: 0.7)\n" in told
    assert "--is-fast" not in told
    assert "--anything" not in told


@pytest.mark.parametrize("kind", [SamplingParams, EngineConfig])
def test_every_field_of_the_engines_dataclasses_is_a_flag_with_help(kind: type) -> None:
    parser = argparse.ArgumentParser()
    add_flags(parser, kind, "all")

    flags = {action.dest: action.help or "" for action in parser._actions}

    for field in fields(kind):
        if field.name != "hf_config":
            assert flags[field.name][:1].strip(" (")
