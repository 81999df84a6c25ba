"""`wiremap diff` as Markdown, for a pull request: a table, a picture of what is wired otherwise, the tests.

Nothing is said of the wiring where it is as it was.
"""

import re
from collections.abc import Iterator, Sequence

from wiremap.cli.component_ids import folded_ids
from wiremap.cli.diff_rows import Row, consumers_of, headline, rows, sentence_on_tests, short, unit_of
from wiremap.cli.node_ids import folded
from wiremap.graph import Graph
from wiremap.graph.differences import GraphDiff
from wiremap.render.change_picture import LEGEND, render_change
from wiremap.selection.changes import Change
from wiremap.selection.diff_report import DiffReport, RunningTest, WiringChange

_SHOWN = 30
_SHOWN_CHANGES = 4
_MOST_PICTURES = 3
_MARKS = re.compile(r"([\\`*_{}\[\]<>()#+!|~$&@-])")
_INVISIBLE = re.compile(r"[\x00-\x1f\x7f]")


def markdown_page(report: DiffReport) -> str:
    """Return the page, with a line break at its end."""
    commits = [short(commit) for commit in report.commits]
    names = [
        _code(name) if commit else name for name, commit in zip((report.base, report.head), report.commits, strict=True)
    ]
    between = f"{names[0]}{commits[0]} → {names[1]}{commits[1]}"
    blocks = [
        f"### Wiremap: {_text(headline(report).removesuffix('.'))}",
        " ".join(filter(None, [f"{between}.", sentence_on_tests(report)])),
    ]
    blocks += _table(report)
    blocks += _elsewhere(report.elsewhere)
    blocks += _wirings(report)
    blocks += _tests(report.tests.run)
    if report.notes:
        blocks.append("\n".join(f"> {_text(note)}  " for note in report.notes))
    return "\n\n".join(blocks) + "\n"


def _table(report: DiffReport) -> list[str]:
    found = rows(report.components)
    if not found:
        return []
    lines = ["| component | kind | what | consumed by | tests |", "|---|---|---|---|---|"]
    lines += [_row(report, row) for row in found[:_SHOWN]]
    return ["\n".join(lines), *_more(len(found), _SHOWN)]


def _row(report: DiffReport, row: Row) -> str:
    one = row.one
    told = [f"{_code(unit_of(change) or change.file)} {_text(change.detail)}" for change in one.changes]
    doubts = [line for line in one.wiring if line.startswith("may be")]
    told += [_text(doubts[0])] if doubts else ["wired otherwise"] if one.wiring else []
    hidden = [f"and {len(told) - _SHOWN_CHANGES} more"] if len(told) > _SHOWN_CHANGES else []
    tests = str(len(one.tests)) if report.tests.found_by != "nothing" else "not known"
    consumers = ", ".join(map(_code, consumers_of(one)))
    cells = [_code(row.title), one.kind, "<br>".join([*told[:_SHOWN_CHANGES], *hidden]), consumers, tests]
    return f"| {' | '.join(cells)} |"


def _elsewhere(changes: Sequence[Change]) -> list[str]:
    if not changes:
        return []
    lines = [
        f"- {_code(change.file)} {_code(unit_of(change)) + ' ' if unit_of(change) else ''}"
        f"{change.kind}: {_text(change.detail)}"
        for change in changes[:_SHOWN]
    ]
    return ["In no component:", "\n".join(lines), *_more(len(changes), _SHOWN)]


def _wirings(report: DiffReport) -> Iterator[str]:
    """Yield the differences of the graphs, each with a picture; recipes with the same one share it."""
    edited = {one.component for one in report.components if one.changes}
    alike: dict[str, list[WiringChange]] = {}
    for one in report.wirings:
        if one.diff:
            alike.setdefault(one.diff.to_json(), []).append(one)
    for number, found in enumerate(alike.values()):
        first = found[0]
        assert first.before is not None and first.after is not None and first.diff is not None  # noqa: S101, PT018
        names = ", ".join(_code(one.recipe) for one in found if one.recipe)
        yield f"#### Wiring of {names}" if names else "#### Wiring, inferred from the source"
        if number < _MOST_PICTURES and not first.diff.is_renaming:
            yield from _picture(first.before, first.after, first.diff, edited)
        lines = folded_ids(first.diff.lines())
        yield "\n".join(["```diff", *(_INVISIBLE.sub("?", _for_diff(line)) for line in lines[:_SHOWN]), "```"])
        yield from _more(len(lines), _SHOWN)


def _picture(before: Graph, after: Graph, diff: GraphDiff, edited: set[str]) -> Iterator[str]:
    picture = render_change(before, after, diff, edited)
    # No name can close the fence: in Mermaid's text every backtick is escaped.
    yield f"```mermaid\n{picture.text}```"
    hidden = f" {picture.hidden} more components that changed have no room in it." if picture.hidden else ""
    yield f"{LEGEND}{hidden}"


def _for_diff(line: str) -> str:
    """Return *line* such that it is coloured as added or removed, and closes no fence."""
    return (
        line.replace("~ ", "! ", 1).replace("```", "'''")
        if line.lstrip().startswith("~")
        else line.replace("```", "'''")
    )


def _tests(run: Sequence[RunningTest]) -> list[str]:
    tests = folded([one.test for why in ("reached", "widened", "unknown") for one in run if one.why == why])
    if not tests:
        return []
    listed = "\n".join(f"- {_code(test)}" for test in tests[:_SHOWN])
    more = _more(len(tests), _SHOWN)
    return ["<details><summary>Tests to run for this change</summary>", listed, *more, "</details>"]


def _more(count: int, limit: int) -> list[str]:
    return [f"… and {count - limit} more."] if count > limit else []


def _text(text: str) -> str:
    return _MARKS.sub(r"\\\1", _INVISIBLE.sub("?", text))


def _code(text: str) -> str:
    """Return *text* as code, which a table splits at a bar all the same."""
    shown = _INVISIBLE.sub("?", text)
    if "`" in shown:
        return _text(shown)
    return f"`{shown}`".replace("|", "\\|")
