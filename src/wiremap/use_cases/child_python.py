"""What starts this Python, and the user's pytest, in a child process."""

import subprocess
import sys
from collections.abc import Sequence
from typing import TextIO

Stream = TextIO | int | None
"""Where a child process writes: a file, what `subprocess` has a number for, or where this process does."""


def pytest_command() -> list[str]:
    """Return what starts pytest in a child process as it would run in this one."""
    return [*python_command(), "-m", "pytest"]


def python_command() -> list[str]:
    """Return what starts this Python in a child process, with its own flags."""
    # What `multiprocessing` gives its children, too: -O, -W, -X and the like decide outcomes.
    flags = subprocess._args_from_interpreter_flags()  # type: ignore[attr-defined]  # noqa: SLF001 - as said
    if sys.flags.utf8_mode:
        # Python took the mode from a bare locale, which it then replaced: a child would find a good one, and no mode.
        flags += ["-X", "utf8"]
    return [sys.executable, *flags]


def run_to_its_end(command: Sequence[str], stdout: Stream = None, stderr: Stream = None) -> int:
    """Run *command*, and return its exit code; an interrupt is passed on once the child has ended."""
    with subprocess.Popen(command, stdout=stdout, stderr=stderr) as child:  # noqa: S603 - the user's own pytest
        try:
            return child.wait()
        except KeyboardInterrupt:
            child.wait()  # the terminal interrupts it too, and it has fixtures to end and records to write
            raise
