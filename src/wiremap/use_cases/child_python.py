"""What starts this Python, and the user's pytest, in a child process."""

import subprocess
import sys


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
