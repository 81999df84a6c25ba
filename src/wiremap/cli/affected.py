"""`wiremap affected`: the verdicts, without running anything."""

import argparse
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from wiremap.cli.output import Subparsers, say, write, write_json
from wiremap.use_cases.collecting import affected

_SHOWN = 20
_SHOWN_REASONS = 3
_WIDEST = 90


def configure(subparsers: "Subparsers") -> None:
    """Add the command."""
    parser = subparsers.add_parser(
        "affected",
        help="say which tests would run and why; run nothing",
        description="Say which tests would run and why; run nothing and record nothing.",
        epilog="Options for pytest go after `--`: wiremap affected -- -k parser. Verdicts come from what was recorded "
        "and need no git; --since only chooses which changes are told with them.",
    )
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print one JSON document (schema wiremap.verdict/1)")
    form.add_argument("--ids", action="store_true", help="print only the ids of the tests to run, one per line")
    parser.add_argument(
        "--since", metavar="REV", help="tell the changes since this commit, not since the last recording"
    )
    parser.add_argument("--all", action="store_true", help=f"show every test and reason, not the first {_SHOWN}")
    parser.add_argument(
        "pytest_arguments", nargs="*", metavar="PYTEST_ARGUMENT", help="files, folders, options after --"
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the verdicts."""
    document = affected(options.pytest_arguments, since=options.since).document
    if options.json:
        write_json(document)
    elif options.ids:
        for entry in document["run"]:
            write(entry["test"])
    else:
        _print(document, limit=None if options.all else _SHOWN, base=options.since or "the last recording")
    return 0


def change_lines(changes: Sequence[Mapping[str, Any]], limit: int | None) -> list[str]:
    """Return a line for each of *changes*, of the first *limit* if there is one."""
    shown = changes[:limit]
    width = min(max((len(_where(change)) for change in shown), default=0), _WIDEST)
    return [
        f"  {_where(change):<{width}}  {change['kind']}: {change['detail']}{_component(change)}" for change in shown
    ]


def _print(document: dict[str, Any], limit: int | None, base: str) -> None:
    write(_summary(document, base))
    if document["changes"]:
        write("\n".join(["\nchanges", *change_lines(document["changes"], limit)]))
        _more(len(document["changes"]), limit)
    if document["run"]:
        write("\ntests to run")
        _print_tests(sorted(document["run"], key=_rank), limit)
    for note in document["notes"]:
        say(f"note: {note}")
    if document["gone"]:
        say(f"note: gone since they were recorded: {', '.join(document['gone'][:_SHOWN])}")
    if document["run"] and document["skip"]:
        say("\n`wiremap explain TEST` shows the chain from a change to a test, or the proof that there is none.")


def _print_tests(to_run: list[dict[str, Any]], limit: int | None) -> None:
    """Print the tests grouped by their reasons, since many share them."""
    groups: dict[tuple[str, ...], list[str]] = {}
    for entry in to_run[:limit]:
        groups.setdefault(tuple(reason["detail"] for reason in entry["reasons"]), []).append(entry["test"])
    for details, tests in groups.items():
        for detail in details[: limit and _SHOWN_REASONS]:
            write(f"  {detail}")
        if limit is not None and len(details) > _SHOWN_REASONS:
            write(f"  … and {len(details) - _SHOWN_REASONS} more reasons")
        for test in tests:
            write(f"      {test}")
    _more(len(to_run), limit)


def _rank(entry: dict[str, Any]) -> tuple[int, str]:
    """Return the place of a test: what a change reaches is told before what was never recorded."""
    rules = list(_RULES)
    return min(rules.index(reason["rule"]) for reason in entry["reasons"]), entry["test"]


def _summary(document: dict[str, Any], base: str) -> str:
    run, skipped = len(document["run"]), len(document["skip"])
    if not run and not skipped:
        return "pytest collects no tests here."
    if not run and document["kind"] == "none":
        return f"Nothing changed: 0 of {skipped} tests to run, all proved unaffected."
    if not run:
        changed = f"what changed since {base} ({document['kind']})"
        return f"0 of {skipped} tests to run, all proved unaffected: none rests on {changed}, or its record knows it."
    counts = Counter(_rank(entry)[0] for entry in document["run"])
    causes = ", ".join(f"{counts[rank]} {words}" for rank, words in enumerate(_RULES.values()) if counts[rank])
    return f"{run} of {run + skipped} tests to run ({causes}), {skipped} proved unaffected. Change: {document['kind']}."


# Each test is counted once, by the first rule that it runs by.
_RULES = {
    "error": "not collectable",
    "failed": "failed last time",
    "changed": "reached by a change",
    "unseen": "did something unseen",
    "new": "never recorded",
}


def _where(change: Mapping[str, Any]) -> str:
    if change["line"] and change["unit"]:
        return f"{change['file']}:{change['line']} {change['unit'].partition('::')[2]}"
    return str(change["file"])


def _component(change: Mapping[str, Any]) -> str:
    return f" (component {change['component']})" if change["component"] else ""


def _more(count: int, limit: int | None) -> None:
    if limit is not None and count > limit:
        write(f"  … and {count - limit} more (--all shows them)")
