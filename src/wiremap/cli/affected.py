"""`wiremap affected`: the verdicts, without running anything."""

import argparse
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from wiremap.cli.node_ids import folded_lines, rest_of, unfolded_lines
from wiremap.cli.output import Subparsers, say, write, write_json
from wiremap.selection.reach import Reach
from wiremap.use_cases.collecting import affected
from wiremap.wording import counted

_SHOWN = 20
_SHOWN_REASONS = 3
_WIDEST = 90
_MOST_ALIKE = 3


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
    return _aligned([(_where(change), _what(change)) for change in changes[:limit]])


def _lines_by_reach(document: Mapping[str, Any], limit: int | None) -> list[str]:
    """Return the lines of changes: those first that a reason names, and many others that are alike in one."""
    reach = Reach((reason["detail"], reason["unit"]) for entry in document["run"] for reason in entry["reasons"])
    reaching: list[tuple[str, str]] = []
    others: dict[str, list[str]] = {}
    for change in document["changes"]:
        if reach.includes(change["file"], change["unit"], change["detail"]):
            reaching.append((_where(change), _what(change)))
        else:
            others.setdefault(_what(change), []).append(_where(change))
    rows = reaching + [(place, what) for what, places in others.items() for place in _grouped(places, limit)]
    hidden = [] if limit is None else rows[limit:]
    return _aligned(rows[:limit]) + ([f"  … and {len(hidden)} more (--all shows them)"] if hidden else [])


def _grouped(places: list[str], limit: int | None) -> list[str]:
    if limit is None or len(places) <= _MOST_ALIKE:
        return places
    return [f"{places[0]} and {len(places) - 1} more"]


def _aligned(rows: Sequence[tuple[str, str]]) -> list[str]:
    width = min(max((len(place) for place, _ in rows), default=0), _WIDEST)
    return [f"  {place:<{width}}  {what}" for place, what in rows]


def _what(change: Mapping[str, Any]) -> str:
    component = f" (component {change['component']})" if change["component"] else ""
    return f"{change['kind']}: {change['detail']}{component}"


def _print(document: dict[str, Any], limit: int | None, base: str) -> None:
    uncollected = [entry for entry in document["run"] if _is_uncollected(entry)]
    to_run = [entry for entry in document["run"] if not _is_uncollected(entry)]
    write(_summary(document, len(uncollected), to_run, base))
    if document["changes"]:
        write("\n".join(["\nchanges", *_lines_by_reach(document, limit)]))
    if uncollected:
        write("\nnot collected")
        write("\n".join(map(_error_line, uncollected[:limit])))
        _more(len(uncollected), limit)
    if to_run:
        write("\ntests to run")
        _print_tests(sorted(to_run, key=_rank), limit)
    for note in document["notes"]:
        say(f"note: {note}")
    if document["gone"]:
        say(f"note: gone since they were recorded: {', '.join(document['gone'][:_SHOWN])}")
    if to_run and document["skip"]:
        say("\n`wiremap explain TEST` shows the chain from a change to a test, or the proof that there is none.")


def _error_line(entry: dict[str, Any]) -> str:
    file, detail = entry["test"], entry["reasons"][0]["detail"]
    return f"  {detail}" if detail.startswith(file) else f"  {file}: {detail}"


def _print_tests(to_run: list[dict[str, Any]], limit: int | None) -> None:
    """Print the tests grouped by their reasons, since many share them."""
    groups: dict[tuple[str, ...], list[str]] = {}
    for entry in to_run:
        groups.setdefault(tuple(reason["detail"] for reason in entry["reasons"]), []).append(entry["test"])
    lines_of = folded_lines if limit else unfolded_lines
    rows = [(details, line) for details, tests in groups.items() for line in lines_of(tests)]
    told: tuple[str, ...] = ()
    for details, line in rows[:limit]:
        if details != told:
            _print_reasons(details, limit)
            told = details
        write(f"      {line.text}")
    if limit is not None and len(rows) > limit:
        write(rest_of([line for _, line in rows[limit:]]))


def _print_reasons(details: tuple[str, ...], limit: int | None) -> None:
    for detail in details[: limit and _SHOWN_REASONS]:
        write(f"  {detail}")
    if limit is not None and len(details) > _SHOWN_REASONS:
        write(f"  … and {len(details) - _SHOWN_REASONS} more reasons")


def _rank(entry: dict[str, Any]) -> tuple[int, str]:
    """Return the place of a test: what a change reaches is told before what was never recorded."""
    rules = list(_RULES)
    return min(rules.index(reason["rule"]) for reason in entry["reasons"]), entry["test"]


def _is_uncollected(entry: dict[str, Any]) -> bool:
    return any(reason["rule"] == "error" for reason in entry["reasons"])


def _summary(document: dict[str, Any], num_uncollected: int, to_run: list[dict[str, Any]], base: str) -> str:
    run, skipped = len(to_run), len(document["skip"])
    told = f" {counted(num_uncollected, 'file')} could not be collected." if num_uncollected else ""
    if not run and not skipped:
        return told.lstrip() or "pytest collects no tests here."
    if run:
        counts = Counter(_rank(entry)[0] for entry in to_run)
        causes = ", ".join(f"{counts[rank]} {words}" for rank, words in enumerate(_RULES.values()) if counts[rank])
        numbers = f"{run} of {run + skipped} tests to run ({causes}), {skipped} proved unaffected."
        return f"{numbers}{told} Change: {document['kind']}."
    if document["kind"] == "none":
        return f"Nothing changed: 0 of {skipped} tests to run, all proved unaffected.{told}"
    changed = f"what changed since {base} ({document['kind']})"
    none = f"0 of {skipped} tests to run, all proved unaffected: none rests on {changed}, or its record knows it."
    return f"{none}{told}"


# Each test is counted once, by the first rule that it runs by.
_RULES = {
    "failed": "failed last time",
    "topology": "wired otherwise",
    "changed": "reached by a change",
    "unseen": "did something unseen",
    "new": "never recorded",
}


def _where(change: Mapping[str, Any]) -> str:
    if change["line"] and change["unit"]:
        return f"{change['file']}:{change['line']} {change['unit'].partition('::')[2]}"
    return str(change["file"])


def _more(count: int, limit: int | None) -> None:
    if limit is not None and count > limit:
        write(f"  … and {count - limit} more (--all shows them)")
