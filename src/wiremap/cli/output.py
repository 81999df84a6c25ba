"""Where output goes: data to stdout, talk to stderr."""

import argparse
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO, TypeAlias

from wiremap.errors import WiringWarning
from wiremap.registry.location import Location

Subparsers: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"  # noqa: SLF001 - argparse gives its own type no public name


def write(text: str) -> None:
    """Print data."""
    sys.stdout.write(text + "\n")


def say(text: str) -> None:
    """Print talk, in order with the data where both go to one terminal."""
    sys.stdout.flush()
    sys.stderr.write(text + "\n")


@contextmanager
def saying_wiring_warnings() -> Iterator[None]:
    """Let each warning about a wiring be one line of talk; all others look as Python shows them."""

    def show(  # noqa: PLR0913, PLR0917 -- as `warnings` calls it
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        if isinstance(message, WiringWarning):
            say(f"wiremap: {Location(filename, lineno)}: {message}")
        else:
            shown_otherwise(message, category, filename, lineno, file, line)

    with warnings.catch_warnings():
        shown_otherwise, warnings.showwarning = warnings.showwarning, show
        yield
