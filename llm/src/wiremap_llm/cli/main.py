"""`python -m wiremap_llm COMMAND`: chooses the command and sets the exit code."""

import argparse
import os
import sys
from collections.abc import Sequence

import wiremap_llm.cli.bench
import wiremap_llm.cli.chat
import wiremap_llm.cli.generate
import wiremap_llm.cli.graph
import wiremap_llm.cli.serve
from wiremap_llm import __version__
from wiremap_llm.cli.output import say
from wiremap_llm.errors import EngineError

_COMMANDS = (
    wiremap_llm.cli.generate,
    wiremap_llm.cli.chat,
    wiremap_llm.cli.serve,
    wiremap_llm.cli.bench,
    wiremap_llm.cli.graph,
)
EXIT_FAILED = 1
EXIT_USAGE = 2
EXIT_INTERRUPTED = 130  # as shells say it of a command that Ctrl-C ended


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code.

    That is 0 for fine, 1 for a request that failed while it ran, 2 for input that cannot be used,
    130 for interrupted.
    """
    parser = _parser()
    options, more = parser.parse_known_args(arguments)
    if more and not hasattr(options, "takes_more"):
        parser.error(f"unrecognized arguments: {' '.join(more)}")
    options.more = more
    try:
        return int(options.run(options))
    except EngineError as error:
        say(str(error))
        return EXIT_USAGE
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        # Whoever read the output has enough of it. What is still buffered must not raise once more at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_FAILED


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m wiremap_llm",
        description="Run a language model: complete texts, talk, serve, measure.",
    )
    parser.add_argument("--version", action="version", version=f"wiremap_llm {__version__}")
    subparsers = parser.add_subparsers(required=True, metavar="COMMAND")
    for command in _COMMANDS:
        command.configure(subparsers)
    return parser
