"""`wiremap lock`: what the recipes wire, as a file that is reviewed."""

import argparse

from wiremap.cli.output import Subparsers, say
from wiremap.use_cases.locking import lock
from wiremap.wording import counted


def configure(subparsers: Subparsers) -> None:
    """Add the command."""
    parser = subparsers.add_parser(
        "lock",
        help="write what the recipes wire to wiremap.lock",
        description="Compile the recipes that `recipes` in [tool.wiremap] names, and write their components, cells and "
        "parameters to wiremap.lock, beside pyproject.toml. Commit it: a change of the wiring is then a line of a "
        "diff.",
    )
    parser.set_defaults(run=run)


def run(_: argparse.Namespace) -> int:
    """Write the lock."""
    locked = lock()
    if locked.talk:
        say(locked.talk.rstrip())
    components = sum(len(graph.components) for graph in locked.graphs.values())
    told = f"{counted(len(locked.graphs), 'recipe')}, {counted(components, 'component')}"
    say(f"wrote {locked.path} ({told})" if locked.is_new else f"{locked.path} is right as it is ({told})")
    return 0
