"""`wiremap explain`: why one test runs or does not."""

import argparse
import dataclasses
import json

from wiremap.cli.output import Subparsers, say, write
from wiremap.use_cases.explaining import Cause, Explanation, explain


def configure(subparsers: "Subparsers") -> None:
    """Add the command."""
    parser = subparsers.add_parser(
        "explain",
        help="say why one test runs or does not",
        description="Say why a test runs or does not: the chain from the change to the test, or the proof.",
    )
    parser.add_argument("test", metavar="NODEID", help="a test as pytest names it, for example tests/test_a.py::test_b")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the explanation."""
    explanation = explain(options.test)
    if options.json:
        document = {"schema": "wiremap.explanation/1", **dataclasses.asdict(explanation)}
        write(json.dumps(document, indent=2, ensure_ascii=False))
    else:
        write("\n".join(_lines(explanation)))
        for note in explanation.notes:
            say(f"note: {note}")
    return 0


def _lines(explanation: Explanation) -> list[str]:
    if not explanation.runs:
        return [f"{explanation.test} does not run: it is proved unaffected.", "", *_proof(explanation)]
    lines = [f"{explanation.test} runs."]
    for cause in explanation.causes:
        lines += ["", *_cause_lines(cause)]
    return lines


def _proof(explanation: Explanation) -> list[str]:
    held = ", ".join(f"{count} {_plural(kind, count)}" for kind, count in explanation.evidence.items())
    return [
        f"  Its last recorded run {explanation.last_outcome} in {explanation.last_duration:.2f} s.",
        f"  Everything that it rested on is as it was then: {held}.",
    ]


_PLURALS = {"environment": "facts of the environment", "source": "whole files"}


def _plural(kind: str, count: int) -> str:
    return _PLURALS.get(kind, kind if count == 1 else f"{kind}s")


def _other_path(unit: str) -> str:
    if unit.endswith("::<module>"):
        return "by import, of the test's own module or of what it leads to"
    return "not by calls from the test: in a fixture, at an import, or as work that an earlier test left"


def _cause_lines(cause: Cause) -> list[str]:
    lines = [f"  reason     {cause.detail}"]
    if cause.unit is not None:
        path, _, name = cause.unit.partition("::")
        lines.append(f"  changed    {path}{f':{cause.line}' if cause.line else ''} {name}")
    if cause.component is not None:
        lines.append(f"  component  {cause.component}")
    if cause.cell is not None:
        lines.append(f"  cell       {cause.cell} → {', '.join(cause.consumers)}")
    if cause.unit is not None and not cause.chain:
        lines.append(f"  path       {_other_path(cause.unit)}")
    for number, unit in enumerate(cause.chain):
        lines.append(f"  {'path' if number == 0 else '':<10} {'calls ' if number else ''}{unit}")
    return lines
