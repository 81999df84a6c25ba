"""Where output goes: data to stdout, talk to stderr."""

import argparse
import sys
from typing import TypeAlias

Subparsers: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"  # noqa: SLF001 - argparse gives its own type no public name


def write(text: str) -> None:
    """Print data."""
    sys.stdout.write(text + "\n")


def say(text: str) -> None:
    """Print talk, in order with the data where both go to one terminal."""
    sys.stdout.flush()
    sys.stderr.write(text + "\n")
