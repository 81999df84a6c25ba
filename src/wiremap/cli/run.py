"""`wiremap run`: select, run and record; the same as `pytest --wiremap`."""

import argparse
import importlib.util
import subprocess
import sys

from wiremap.cli.output import Subparsers, say, write
from wiremap.errors import PytestMissingError
from wiremap.use_cases.child_python import run_to_its_end

_DESCRIPTION = """\
Run the tests that are not proved unaffected by what changed, and record what each rests on: `pytest --wiremap`.
All arguments go to pytest. Of its options these are wiremap's:

  --wiremap-record        record all tests and leave none out
  --wiremap-order=file    keep the order of the project; without it, files that are likeliest to fail come first

`wiremap affected` says beforehand what would run and why. Exit codes are pytest's, but for 0 when nothing was left
to run, and 130 for Ctrl-C. What pytest itself offers follows.
"""


def configure(subparsers: "Subparsers") -> None:
    """Add the command."""
    parser = subparsers.add_parser(
        "run",
        help="run the affected tests and record them (the same as pytest --wiremap)",
        usage="wiremap run [PYTEST_ARGUMENT ...]",
        description=_DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        prefix_chars="\0",  # so that -x and -k reach pytest instead of being taken here
        add_help=False,
    )
    parser.add_argument("pytest_arguments", nargs=argparse.REMAINDER, metavar="PYTEST_ARGUMENT", help=argparse.SUPPRESS)
    parser.set_defaults(run=lambda options: run(options, parser.format_help()))


def run(options: argparse.Namespace, own_help: str) -> int:
    """Run pytest with `--wiremap` and return its exit code."""
    if importlib.util.find_spec("pytest") is None:
        raise PytestMissingError(sys.executable)
    command = [sys.executable, "-m", "pytest", "--wiremap", *options.pytest_arguments]
    if not {"-h", "--help"}.isdisjoint(options.pytest_arguments):
        write(own_help)
        return _help_of(command)
    return run_to_its_end(command)


def _help_of(command: list[str]) -> int:
    """Let pytest tell its options, without those of conftest files where one is broken."""
    sys.stdout.flush()
    child = subprocess.run(command, stderr=subprocess.PIPE, text=True, errors="replace", check=False)  # noqa: S603 - the user's own pytest
    if not child.returncode:
        sys.stderr.write(child.stderr)
        return 0
    code = subprocess.run([*command, "--noconftest"], check=False).returncode  # noqa: S603 - as above
    if not code:
        say(f"note: without the options of conftest files: {child.stderr.strip().rpartition(chr(10))[2]}")
    return code
