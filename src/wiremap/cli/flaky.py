"""`wiremap flaky`: tests with equal dependencies and different outcomes."""

import argparse
import json
from pathlib import Path

from wiremap.cli.output import Subparsers, say, write
from wiremap.project.map_folder import find_map_folder
from wiremap.store.map import FOLDER
from wiremap.use_cases.flakiness import FlakyReport, find_flaky


def configure(subparsers: Subparsers) -> None:
    """Add the command."""
    parser = subparsers.add_parser(
        "flaky",
        help="list tests with equal dependencies and different outcomes",
        description="List the tests that ended differently though nothing that they rest on differed. Runs nothing: "
        "it looks at what was recorded. Exit code 1 if there are any.",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document (schema wiremap.flaky/1)")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the flaky tests; return 1 if there are any."""
    report = find_flaky(find_map_folder(Path.cwd(), FOLDER))
    if options.json:
        write(json.dumps(_document(report), indent=2, ensure_ascii=False))
    else:
        for one in report.flaky:
            write(f"{one.test}  {' and '.join(one.outcomes)}, last {one.last_outcome}")
        say(_summary(report))
        for note in report.notes:
            say(f"note: {note}")
    return 1 if report.flaky else 0


def _document(report: FlakyReport) -> dict[str, object]:
    flaky = [
        {"test": one.test, "outcomes": list(one.outcomes), "last_outcome": one.last_outcome} for one in report.flaky
    ]
    return {"schema": "wiremap.flaky/1", "flaky": flaky, "tests": report.num_tests, "notes": list(report.notes)}


def _summary(report: FlakyReport) -> str:
    of_all = f"{len(report.flaky)} of {report.num_tests} recorded tests"
    if not report.flaky:
        return f"{of_all} ended differently with one input."
    return f"{of_all} ended differently though nothing that they rest on differed: chance, time, order or the network."
