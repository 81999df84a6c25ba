"""`wiremap`: parses arguments, calls a use case, prints, and sets the exit code."""

import argparse
import sys
from collections.abc import Sequence

import wiremap.cli.affected
import wiremap.cli.audit
import wiremap.cli.check
import wiremap.cli.compile
import wiremap.cli.diff
import wiremap.cli.explain
import wiremap.cli.flaky
import wiremap.cli.graph
import wiremap.cli.lock
import wiremap.cli.map
import wiremap.cli.path
import wiremap.cli.rules
import wiremap.cli.run
import wiremap.cli.shard
import wiremap.cli.view
import wiremap.cli.where
from wiremap import __version__
from wiremap.errors import UntrustedMapError, WiremapError

_COMMANDS = (
    wiremap.cli.run,
    wiremap.cli.affected,
    wiremap.cli.shard,
    wiremap.cli.explain,
    wiremap.cli.path,
    wiremap.cli.where,
    wiremap.cli.compile,
    wiremap.cli.lock,
    wiremap.cli.check,
    wiremap.cli.diff,
    wiremap.cli.audit,
    wiremap.cli.flaky,
    wiremap.cli.map,
    wiremap.cli.graph,
    wiremap.cli.view,
    wiremap.cli.rules,
)
EXIT_USAGE = 2
EXIT_REFUSED = 3
EXIT_INTERRUPTED = 130  # as shells say it of a command that Ctrl-C ended


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code.

    That is 0 for fine, 1 for findings or failed tests, 2 for wrong usage, 3 for refused, 130 for interrupted.
    """
    parser = _parser()
    options, unknown = parser.parse_known_args(arguments)
    if unknown:
        hint = "; options for pytest go after `--`" if hasattr(options, "pytest_arguments") else ""
        parser.error(f"unrecognized arguments: {' '.join(unknown)}{hint}")
    try:
        return int(options.run(options))
    except WiremapError as error:
        print(f"wiremap: {error}", file=sys.stderr)  # noqa: T201
        return EXIT_REFUSED if isinstance(error, UntrustedMapError) else EXIT_USAGE
    except KeyboardInterrupt:
        print("wiremap: interrupted", file=sys.stderr)  # noqa: T201
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        # Whoever read the output has enough of it; the interpreter must not complain about that at exit.
        sys.stderr.close()
        return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="wiremap", description="Run the tests that a change can reach, and prove the rest unaffected."
    )
    parser.add_argument("--version", action="version", version=f"wiremap {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in _COMMANDS:
        command.configure(commands)
    return parser
