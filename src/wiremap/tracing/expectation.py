"""What a process that was started must report, to be the one that was meant."""

from collections.abc import Sequence
from typing import NamedTuple

FORK, PROGRAM, SHELL = "fork", "program", "shell"


class Expectation(NamedTuple):
    """How a process was started.

    Attributes:
        starter: The process id of who started it.
        way: By a fork, as a program, or as a program by way of a shell.
        words: The command line of a program.
    """

    starter: int
    way: str
    words: tuple[str, ...] = ()

    def is_met_by(self, pid: int, parent: int, arguments: tuple[str, ...]) -> bool:
        """Tell whether the process *pid* below *parent* with these *arguments* is the one.

        A program that does not report may have started another that does, and that then is not the one.
        """
        if self.way == FORK:
            return True  # nobody else knows its id
        is_near = self.way == SHELL or self.starter in (pid, parent)
        return is_near and arguments == self.words

    def as_fields(self) -> tuple[str, ...]:
        """Return it as fields of a line."""
        return (str(self.starter), self.way, *self.words)


def from_fields(fields: Sequence[str]) -> Expectation:
    """Return what was written as these *fields*.

    Raises:
        ValueError: Nothing was.
    """
    starter, way, *words = fields
    return Expectation(int(starter), way, tuple(words))
