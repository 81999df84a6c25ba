"""Where output goes: data to stdout, talk to stderr."""

import argparse
import json
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO, TypeAlias

from wiremap.errors import UnwritableOutputError, WiringWarning
from wiremap.registry.location import Location

Subparsers: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"  # noqa: SLF001 - argparse gives its own type no public name


def write(text: str) -> None:
    """Print data; a file name that is no text as the bytes that it is."""
    _print(text, sys.stdout)


def write_json(document: object) -> None:
    """Print one JSON document. What is no text stands in it as escapes, so that the document stays UTF-8."""
    text = json.dumps(document, indent=2, ensure_ascii=False)
    write(text if _is_text(text) else json.dumps(document, indent=2))


def _is_text(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _print(text: str, stream: TextIO) -> None:
    if not _is_text(text) and hasattr(stream, "buffer"):
        stream.flush()
        stream.buffer.write(f"{text}\n".encode("utf-8", "surrogateescape"))
        stream.buffer.flush()
    else:
        stream.write(text + "\n")


def write_file(file: str, text: str) -> None:
    """Write data to *file*, with the line ends that it has.

    Raises:
        UnwritableOutputError: It can't be written.
    """
    try:
        Path(file).write_bytes(text.encode("utf-8", "surrogateescape"))
    except OSError as error:
        raise UnwritableOutputError(file, error.strerror or str(error)) from error


def say(text: str) -> None:
    """Print talk, in order with the data where both go to one terminal."""
    sys.stdout.flush()
    _print(text, sys.stderr)


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
