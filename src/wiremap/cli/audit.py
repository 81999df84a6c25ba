"""`wiremap audit`: how safe the selection is on this project."""

import argparse
import dataclasses
import json
import sys

from wiremap.cli.affected import change_lines
from wiremap.cli.output import Subparsers, say, write
from wiremap.use_cases.auditing import Audit, Finding, audit
from wiremap.wording import counted

_SHOWN = 20


def configure(subparsers: Subparsers) -> None:
    """Add the command."""
    parser = subparsers.add_parser(
        "audit",
        help="run what would be skipped, and report every miss",
        description="Run the tests that would be skipped, and report every one that fails: the selection was wrong "
        "about it. Tests that fail by chance are told apart by running them again. Exit code 1 if there is a miss.",
    )
    parser.add_argument(
        "--sample",
        metavar="N|FRACTION",
        type=_sample,
        help="run so many of them, or such a part (0.1), chosen anew after each recording",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document (schema wiremap.audit/1)")
    parser.add_argument(
        "pytest_arguments", nargs="*", metavar="PYTEST_ARGUMENT", help="files, folders, options after --"
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print what was found; return 1 if there is a miss, or a test that did not come to its end."""
    found = audit(options.pytest_arguments, options.sample, output=sys.stderr)
    if options.json:
        write(json.dumps({"schema": "wiremap.audit/1", **dataclasses.asdict(found)}, indent=2, ensure_ascii=False))
    else:
        write("\n".join(_lines(found)))
        for note in found.notes:
            say(f"note: {note}")
    return 1 if found.misses or found.not_run else 0


def _sample(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not (0 < number < 1 or (number >= 1 and number == int(number))):
        raise argparse.ArgumentTypeError(f"{text!r} is neither a number of tests, as 20, nor a part of them, as 0.1")
    return number


def _lines(found: Audit) -> list[str]:
    lines = [_summary(found)]
    if found.misses:
        lines += ["", "misses: these would have been skipped, and fail"]
        lines += [line for one in found.misses for line in _finding_lines(one)]
        lines += ["", "changed since the last recording"]
        lines += change_lines(found.changes, _SHOWN) or ["  nothing that wiremap sees"]
        lines += ["", "A miss is a fault of wiremap: please report it, with the lines above."]
    if found.flaky:
        lines += ["", "flaky: these failed once, and passed when they were run again in the same way"]
        lines += [line for one in found.flaky for line in _finding_lines(one)]
    if found.differing:
        lines += ["", "ended in another way than recorded, without failing"]
        lines += [f"  {one.test}: {one.recorded} then, {one.now} now" for one in found.differing]
    if found.not_run:
        lines += ["", "did not come to their end"]
        lines += [f"  {test}" for test in found.not_run]
    return lines


def _summary(found: Audit) -> str:
    ran = f"{found.num_run} of {found.num_skippable} tests that would be skipped were run"
    flaky = f", {len(found.flaky)} flaky" if found.flaky else ""
    misses = f"{len(found.misses) or 'no'} {'miss' if len(found.misses) == 1 else 'misses'}"
    return f"{ran}: {misses}{flaky}."


def _finding_lines(one: Finding) -> list[str]:
    where = ", among the others only: alone it passes" if one.needs_company else ""
    known = ", known as flaky" if one.is_known_flaky else ""
    return [
        f"  {one.test}{where}{known}",
        f"      {one.error}",
        f"      recorded as {one.recorded} {_age(one.age_days)}",
    ]


def _age(days: float) -> str:
    for size, name in ((1.0, "day"), (1 / 24, "hour"), (1 / 1440, "minute")):
        if days >= size:
            return f"{counted(int(days / size), name)} ago"
    return "less than a minute ago"
