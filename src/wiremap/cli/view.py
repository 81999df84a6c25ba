"""`wiremap view`: the page that shows graphs, as a file."""

import argparse
import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import Final

from wiremap.cli.output import Subparsers, say, saying_wiring_warnings, write_file
from wiremap.render.page import render_page
from wiremap.use_cases.viewing import view
from wiremap.wording import counted

_FILE: Final = "wiremap.html"


def configure(subparsers: Subparsers) -> None:
    """Add the command."""
    parser = subparsers.add_parser(
        "view",
        help="write the graph as one HTML page to look at",
        description="Write one HTML file that shows the graph in any browser: it needs no network and no server. "
        "Where tests were recorded, it shows which of them execute which component.",
    )
    parser.add_argument(
        "source",
        nargs="?",
        metavar="SOURCE",
        help="a recipe, a graph as JSON or a folder, as for `wiremap graph` (default: the recipes that "
        "`recipes` in [tool.wiremap] names; without any, what the source of the project tells of)",
    )
    parser.add_argument(
        "-o", "--output", metavar="FILE", default=_FILE, help=f"the file (default: {_FILE}); - is standard output"
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Write the page."""
    # What somebody's module or recipe prints must not get into the page.
    with saying_wiring_warnings(), redirect_stdout(sys.stderr):
        viewed = view(options.source)
    page = render_page(viewed.graphs, viewed.executed.tests_of if viewed.executed else None)
    for note in viewed.notes:
        say(f"note: {note}")
    if options.output == "-":
        sys.stdout.write(page)
        return 0
    write_file(options.output, page)
    components = sum(len(graph.components) for graph in viewed.graphs.values())
    bindings = sum(len(graph.bindings) for graph in viewed.graphs.values())
    tests = "" if viewed.executed else "; no tests were recorded: `wiremap run` records"
    say(f"wrote {options.output} ({counted(components, 'component')}, {counted(bindings, 'binding')}{tests})")
    say(f"open {Path(options.output).resolve().as_uri()}")
    return 0
