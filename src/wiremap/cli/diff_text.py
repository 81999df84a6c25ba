"""`wiremap diff` as text: one screen for an ordinary change."""

from collections.abc import Iterator, Sequence

from wiremap.cli.component_ids import folded_ids
from wiremap.cli.diff_rows import (
    Row,
    consumers_of,
    headline,
    place_of,
    rows,
    sentence_on_tests,
    short,
    unit_of,
)
from wiremap.cli.node_ids import folded
from wiremap.selection.changes import Change, widest
from wiremap.selection.diff_report import DiffReport, RunningTest, WiringChange

_SHOWN = 20
_SHOWN_CHANGES = 5


def text_lines(report: DiffReport, everything: bool) -> list[str]:  # noqa: FBT001 - an option, passed on
    """Return the lines; *everything*, or the first few of each list."""
    limit = None if everything else _SHOWN
    commits = [short(commit) for commit in report.commits]
    lines = [f"{report.base}{commits[0]} → {report.head}{commits[1]}", headline(report)]
    if sentence := sentence_on_tests(report):
        lines.append(sentence)
    lines += _section("components", _component_lines(report, limit))
    lines += _section("in no component", _elsewhere(report.elsewhere, limit))
    for title, told in _wirings(report.wirings, limit):
        lines += _section(title, told)
    lines += _section("tests to run", _tests(report.tests.run, limit))
    return lines


def _section(title: str, lines: Sequence[str]) -> list[str]:
    return ["", title, *(f"  {line}" for line in lines)] if lines else []


def _component_lines(report: DiffReport, limit: int | None) -> list[str]:
    found = rows(report.components)
    lines = [line for row in found[:limit] for line in _row_lines(report, row, limit)]
    return lines + _more(len(found), limit)


def _row_lines(report: DiffReport, row: Row, limit: int | None) -> Iterator[str]:
    most = limit and _SHOWN_CHANGES
    yield f"{row.title}  {row.one.kind}{_arrow(consumers_of(row.one), most)}"
    yield from (f"  {_change(report, change)}" for change in row.one.changes[:most])
    yield from (f"  {line}" for line in _more(len(row.one.changes), most))
    if any(line.startswith("may be") for line in row.one.wiring):
        yield f"  {row.one.wiring[0]}"


def _change(report: DiffReport, change: Change) -> str:
    place = report.places.get(change.unit)
    cell = f" (cell {place.cell})" if place and place.cell else ""
    return f"{_told(change)}{cell}"


def _arrow(consumers: Sequence[str], limit: int | None) -> str:
    more = f" and {len(consumers) - limit} more" if limit is not None and len(consumers) > limit else ""
    return f" → {', '.join(consumers[:limit])}{more}" if consumers else ""


def _told(change: Change) -> str:
    return " ".join(filter(None, [place_of(change), unit_of(change), f" {change.kind}: {change.detail}"]))


def _elsewhere(changes: Sequence[Change], limit: int | None) -> list[str]:
    """Return a line for each change; for each file where that would be too many."""
    if limit is None or len(changes) <= limit:
        return [_told(change) for change in changes]
    by_file: dict[str, list[Change]] = {}
    for change in changes:
        by_file.setdefault(change.file, []).append(change)
    lines = [_told(own[0]) if len(own) == 1 else _file(file, own) for file, own in by_file.items()]
    return lines[:limit] + _more(len(lines), limit)


def _file(file: str, changes: Sequence[Change]) -> str:
    return f"{file}  {widest(changes)}: {len(changes)} changes"


def _wirings(wirings: Sequence[WiringChange], limit: int | None) -> Iterator[tuple[str, list[str]]]:
    """Yield a title and the lines of each difference; recipes with the same one share it."""
    alike: dict[tuple[str, ...], list[str]] = {}
    for one in wirings:
        if one.diff is not None and (lines := folded_ids(one.diff.lines())):
            alike.setdefault(tuple(lines), []).append(one.recipe)
    for told, recipes in alike.items():
        title = f"wiring of {', '.join(recipes)}" if any(recipes) else "wiring, inferred"
        yield title, [*told[:limit], *_more(len(told), limit)]


def _tests(run: Sequence[RunningTest], limit: int | None) -> list[str]:
    """Return those that the change reaches before those of which that is not known; the others are counted above."""
    tests = [one.test for why in ("reached", "widened", "unknown") for one in run if one.why == why]
    lines = folded(tests) if limit else tests
    return lines[:limit] + _more(len(lines), limit)


def _more(count: int, limit: int | None) -> list[str]:
    return [f"… and {count - limit} more (--all shows them)"] if limit is not None and count > limit else []
