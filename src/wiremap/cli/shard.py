"""`wiremap shard`: the affected tests, divided among machines."""

import argparse

from wiremap.cli.output import Subparsers, say, write, write_json
from wiremap.selection.shards import Shard
from wiremap.use_cases.sharding import Sharding, shard
from wiremap.wording import counted


def configure(subparsers: Subparsers) -> None:
    """Add the command."""
    parser = subparsers.add_parser(
        "shard",
        help="divide the tests to run among machines, by recorded time",
        description="Divide the tests that would run into parts that take about the same time, by what was recorded. "
        "Tests of one file stay together where they can. Runs nothing.",
        epilog="Where the map is the same, so are the parts: give each machine the same map, or divide on one and hand "
        "the others theirs. One machine of four: wiremap shard --of 4 --part 2 > tests.txt",
    )
    parser.add_argument("--of", type=_number, required=True, metavar="N", help="how many parts")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--part", type=_number, metavar="K", help="print only the ids of part K of 1 to N, one per line")
    form.add_argument("--json", action="store_true", help="print one JSON document (schema wiremap.shards/1)")
    parser.add_argument(
        "pytest_arguments", nargs="*", metavar="PYTEST_ARGUMENT", help="files, folders, options after --"
    )
    parser.set_defaults(run=run, usage_error=parser.error)


def run(options: argparse.Namespace) -> int:
    """Print the parts, or the tests of one."""
    if options.part is not None and options.part > options.of:
        options.usage_error(f"argument --part: there is no part {options.part} of {options.of}")
    found = shard(options.of, options.pytest_arguments)
    if options.json:
        write_json(_document(found))
        return 0
    if options.part is None:
        for number, one in enumerate(found.shards, start=1):
            write(_line(number, one, found.is_timed))
        say(_summary(found))
    else:
        for test in found.shards[options.part - 1].tests:
            write(test)
    for note in found.notes:
        say(f"note: {note}")
    return 0


def _number(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError(text)
    return number


_number.__name__ = "number from 1 on"  # as argparse names it: invalid … value


def _document(found: Sharding) -> dict[str, object]:
    parts = [
        {"tests": list(one.tests), "seconds": round(one.seconds, 3) if found.is_timed else None} for one in found.shards
    ]
    return {
        "schema": "wiremap.shards/1",
        "parts": parts,
        "unknown": found.num_unknown,
        "skipped": found.num_skipped,
        "notes": list(found.notes),
    }


def _line(number: int, one: Shard, is_timed: bool) -> str:  # noqa: FBT001 - one of two forms
    tests = counted(len(one.tests), "test")
    return f"part {number}  {tests:>12}" + (f"  {one.seconds:8.2f} s" if is_timed else "")


def _summary(found: Sharding) -> str:
    number = sum(len(one.tests) for one in found.shards)
    told = f"{number} of {number + found.num_skipped} tests to run"
    if not found.is_timed:
        return f"{told}; no time of them was recorded, so parts are of equal number."
    return f"{told}, {found.num_unknown} of unknown time, taken as the mean." if found.num_unknown else f"{told}."
