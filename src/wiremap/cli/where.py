"""`wiremap where`: the unit, component and cells at a place in the source, and the tests that reach it."""

import argparse
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from wiremap.cli.component_ids import enumeration
from wiremap.cli.node_ids import folded_lines, rest_of, unfolded_lines
from wiremap.cli.output import Subparsers, say, write, write_json
from wiremap.use_cases.locating import Answer, Located, locate
from wiremap.wording import counted

_SHOWN = 20


def configure(subparsers: Subparsers) -> None:
    """Add the command."""
    parser = subparsers.add_parser(
        "where",
        help="say which component a line of source belongs to, and which tests reach it",
        description="Say which unit and component a line of source belongs to, which cell it is, who consumes it, and "
        "which tests reach it, by what was recorded. Runs nothing; the file need not parse.",
    )
    parser.add_argument("place", metavar="FILE[:LINE]", help="a Python file of the project, and a line of it")
    parser.add_argument("--json", action="store_true", help="print one JSON document (schema wiremap.place/1)")
    parser.add_argument("--all", action="store_true", help=f"show every test, not the first {_SHOWN}")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the place."""
    file, line = _parsed(options.place)
    answer = locate(Path(file), line)
    if options.json:
        write_json(_document(answer, line))
    elif line is None:
        _print_file(answer.found)
    else:
        _print_place(answer.found[0], line, answer.num_recorded)
        _print_tests(answer.found[0].tests, limit=None if options.all else _SHOWN)
    if not options.json:
        for note in answer.notes:
            say(f"note: {note}")
    return 0


def _parsed(place: str) -> tuple[str, int | None]:
    """Return file and line; what editors write behind them, a column, is left out."""
    found = re.fullmatch(r"(.+?):(\d+)(?::\d*)?:?", place)
    return (found[1], int(found[2])) if found else (place, None)


# JSON


def _document(answer: Answer, line: int | None) -> dict[str, object]:
    units = [_unit(one) for one in answer.found]
    what = {"units": units} if line is None else {"line": line, **units[0]}
    return {"schema": "wiremap.place/1", **what, "notes": list(answer.notes)}


def _unit(one: Located) -> dict[str, object]:
    return {
        "file": one.file,
        "unit": one.unit,
        "kind": one.site.kind,
        "lines": [one.site.first, one.site.last],
        "component": one.place.component if one.place else None,
        "cell": one.place.cell if one.place else None,
        "consumers": list(one.place.consumers) if one.place else [],
        "provides": {cell: list(ids) for cell, ids in one.wiring.provides.items()},
        "requires": {cell: list(ids) for cell, ids in one.wiring.requires.items()},
        "tests": list(one.tests),
        "imported_by": list(one.imported_by),
    }


# Text


def _print_place(one: Located, line: int, num_recorded: int) -> None:
    write(f"{one.file}:{line} is in {_what(one)}.\n")
    write(f"  unit       {one.unit}")
    write(f"  component  {one.place.component if one.place else 'none'}")
    if one.place and one.place.cell:
        _print_cells("cell", {one.place.cell: one.place.consumers}, "→")
    _print_cells("provides", one.wiring.provides, "→")
    _print_cells("requires", one.wiring.requires, "←")
    if one.is_executed:
        write(f"  executed   by {len(one.executed_by)} of {num_recorded} recorded tests")
    write(f"  imported   by {len(one.imported_by)} of {num_recorded} recorded tests, with its file")


def _print_tests(tests: Sequence[str], limit: int | None) -> None:
    lines = folded_lines(tests) if limit else unfolded_lines(tests)
    if lines:
        write("")
    for line in lines[:limit]:
        write(f"  {line.text}")
    if hidden := lines[len(lines) if limit is None else limit :]:
        write(rest_of(hidden))


def _what(one: Located) -> str:
    site = one.site
    if site.kind == "module":
        return "what runs when the file is imported"
    lines = f"line {site.first}" if site.first == site.last else f"lines {site.first} to {site.last}"
    return f"the {site.kind} {site.name}, {lines}"


def _print_cells(label: str, cells: Mapping[str, tuple[str, ...]], arrow: str) -> None:
    """Print which cells go to, or come from, whom: those with the same others in one line."""
    by_others: dict[tuple[str, ...], list[str]] = {}
    for cell, others in cells.items():
        by_others.setdefault(others, []).append(cell)
    for others, names in by_others.items():
        write(f"  {label:<10} {', '.join(names)} {arrow} {enumeration(others)}")
        label = ""


def _print_file(found: tuple[Located, ...]) -> None:
    """Print a line for each definition: where it begins, its name, its component, its cell, its tests."""
    rows = [(str(one.site.first), one.site.name, _component(one), _tests(one)) for one in found]
    widths = [max((len(row[column]) for row in rows), default=0) for column in range(3)]
    for first, name, component, tests in rows:
        write(f"{first:>{widths[0]}}  {name:<{widths[1]}}  {component:<{widths[2]}}  {tests}")


def _component(one: Located) -> str:
    if one.place is None:
        return ""
    cell = f": {one.place.cell} → {enumeration(one.place.consumers)}" if one.place.cell else ""
    return one.place.component + cell


def _tests(one: Located) -> str:
    return counted(len(one.executed_by), "test")
