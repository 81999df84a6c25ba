"""`wiremap run`: select, run and record; the same as `pytest --wiremap`."""

import argparse
import importlib.util
import subprocess
import sys

from wiremap.cli.output import Subparsers
from wiremap.errors import PytestMissingError


def configure(subparsers: "Subparsers") -> None:
    """Add the command."""
    parser = subparsers.add_parser(
        "run",
        help="run the affected tests and record them (the same as pytest --wiremap)",
        description="Run the affected tests and record them. All arguments go to pytest.",
        prefix_chars="\0",  # so that -x and -k reach pytest instead of being taken here
        add_help=False,
    )
    parser.add_argument("pytest_arguments", nargs=argparse.REMAINDER, metavar="PYTEST_ARGUMENT")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Run pytest with `--wiremap` and return its exit code."""
    if importlib.util.find_spec("pytest") is None:
        raise PytestMissingError(sys.executable)
    command = [sys.executable, "-m", "pytest", "--wiremap", *options.pytest_arguments]
    return subprocess.run(command, check=False).returncode  # noqa: S603 - the user's own pytest
