"""`wiremap diff`: a change, told in components."""

import argparse
import json
from pathlib import Path
from typing import Final

from wiremap.cli.diff_html import change_page
from wiremap.cli.diff_markdown import markdown_page
from wiremap.cli.diff_text import text_lines
from wiremap.cli.output import Subparsers, say, write, write_file, write_json
from wiremap.selection.diff_report import DiffReport
from wiremap.use_cases.diffing import diff

_SUFFIXES: Final = {".json": "json", ".md": "markdown", ".html": "html"}


def configure(subparsers: Subparsers) -> None:
    """Add the command."""
    parser = subparsers.add_parser(
        "diff",
        help="tell a change in components: kinds, wiring, consumers, tests to run",
        description="Tell what differs between two states of the project: which components, how far each change "
        "reaches, who consumes it, how the wiring differs, and which tests to run. A difference is no failure.",
        epilog="The graphs before and after are those of the recipes that `recipes` in [tool.wiremap] names; recipes "
        "of a commit are compiled in a copy of it. The index and the working tree are left as they are.",
    )
    parser.add_argument("base", nargs="?", metavar="BASE", help="a commit (default: HEAD), BASE..HEAD or BASE...HEAD")
    parser.add_argument("head", nargs="?", metavar="HEAD", help="a commit (default: the working tree, new files too)")
    parser.add_argument(
        "--staged", "--cached", action="store_true", help="compare with the index, not the working tree"
    )
    parser.add_argument(
        "--format",
        choices=["text", "json", "markdown", "html"],
        help="what to write (default: by the suffix of FILE, else text); JSON is of schema wiremap.diff/1",
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="write to FILE instead of standard output")
    parser.add_argument("--all", action="store_true", help="show all changes and tests as text, not the first few")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Write what differs."""
    chosen = options.format or _SUFFIXES.get(Path(options.output or "").suffix.lower(), "text")
    report = diff(options.base, options.head, staged=options.staged)
    if options.output is not None:
        write_file(options.output, _text(report, chosen, show_all=options.all))
        say(f"wrote {options.output}")
    elif chosen == "json":
        write_json(report.as_document())
    else:
        write(_text(report, chosen, show_all=options.all).removesuffix("\n"))
    if chosen in ("text", "html"):
        for note in report.notes:
            say(f"note: {note}")
    return 0


def _text(report: DiffReport, chosen: str, *, show_all: bool) -> str:
    if chosen == "json":
        return json.dumps(report.as_document(), indent=2) + "\n"
    if chosen == "markdown":
        return markdown_page(report)
    if chosen == "html":
        return change_page(report)
    return "\n".join(text_lines(report, show_all)) + "\n"
