"""The tables of what was measured."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

Row = Mapping[str, Any]

_HEAD = """\
# Selection where the wiring changes

`python -m bench.topology` makes these tables (`--help` tells its options; `--report` makes them from the rows beside
them, and runs nothing).

One edit of a project; then wiremap says what it would run with the map of the unedited one, and all tests run.
**Changed**: tests that end otherwise or that assert other values than before (where two clean runs agree). **Missed**:
such tests that would have been skipped. **Selected**: tests that would run, as a share of all; **without**: the same
where recipes count as functions like others, without stars and cutoff.
"""


def tables(rows: Sequence[Row]) -> str:
    """Return all that the *rows* tell, as Markdown."""
    tried = [row for row in rows if row["what"] != "clean"]
    made = [row for row in tried if row["project"] != "history"]
    lines = [_HEAD, "## By project", "", *_table("project, sort", _groups(tried, "project", "sort"))]
    lines += ["", "## By kind of edit", "", *_table("kind", _groups(made, "kind"))]
    lines += ["", "## Compiling against running", ""]
    lines += ["| project | tests | selected of the unedited project | compiling all graphs, s | running all tests, s |"]
    lines += ["| --- | ---: | ---: | ---: | ---: |"]
    lines += [
        f"| {row['project']} | {row['tests']} | {row['selected']} | {row['compile']:.1f} | {row['suite']:.1f} |"
        for row in rows
        if row["what"] == "clean"
    ]
    conditions = sorted({row["conditions"] for row in rows if row["what"] == "clean"})
    return "\n".join([*lines, "", *(f"Measured {one}." for one in conditions), ""])


def _groups(rows: Iterable[Row], *keys: str) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(", ".join(row[key] for key in keys), []).append(row)
    return found


def _table(title: str, groups: Mapping[str, Sequence[Row]]) -> Iterable[str]:
    yield f"| {title} | edits | with effect | tests changed | missed | selected | without |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: | ---: |"
    for name, rows in groups.items():
        tests = sum(row["tests"] for row in rows)
        numbers = [len(rows), sum(bool(row["changed"]) for row in rows), sum(row["changed"] for row in rows)]
        shares = [f"{sum(row[key] for row in rows) / tests:.1%}" for key in ("selected", "bare")]
        missed = sum(len(row["missed"]) for row in rows)
        yield f"| {' | '.join(map(str, [name, *numbers, missed, *shares]))} |"
