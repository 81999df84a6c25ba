"""A rule as data: a list of patterns, and the commands that run when a changed file fits it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from wiremap.rules.yaml_nodes import Node, Scalar

Meaning = Literal["prefixes", "globs", "ignored globs"]
"""What a list says: the beginnings of paths, patterns of paths as GitHub has them, or such of paths to ignore."""


@dataclass(frozen=True, slots=True)
class Command:
    """One entry of a step's commands, which may have several lines."""

    text: str
    line: int


@dataclass(frozen=True, slots=True)
class Shell:
    """Commands that share a shell, and so its current folder.

    Attributes:
        folder: Where they begin, as it is written; None where it is not said.
    """

    folder: str | None
    commands: tuple[Command, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Rule:
    """One list, and what runs by it.

    Attributes:
        label: What the step is called.
        line: Where it stands.
        key: What the list is called.
        meaning: What its entries mean.
        node: The list where it stands; None where there is none, so that nothing can be judged.
        entries: Its entries.
        shells: What runs.
        notes: What is not judged of the step.
    """

    label: str
    line: int
    key: str
    meaning: Meaning
    node: Node | None
    entries: tuple[Scalar, ...]
    shells: tuple[Shell, ...]
    notes: tuple[str, ...] = ()

    @property
    def patterns(self) -> list[str]:
        """The entries' texts."""
        return [entry.value for entry in self.entries]


Covers = Callable[[str], bool]
"""Tells whether a file (a path from the project's root) is covered."""
