"""Rows of results in a file, and the tables made of them."""

import json
import statistics
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.mutation.projects import PROJECTS, REQUIREMENTS
from bench.mutation.tools import TOOLS

Row = Mapping[str, Any]

_HEAD = f"""\
# Safety and precision by mutation

`python -m bench.mutation` makes these tables (`--help` tells its options; `--report` makes them from the rows that
stand beside them, and runs nothing).

One change in one place of a project from PyPI; then each tool says what it would run, and the full suite says which
tests end otherwise than before: fail, are gone, or are new and fail. **Missed**: such tests that the tool would not run
(in brackets: in how many mutants, and in how many of those it would run none of them, so that its run is green).
**Selected**: tests that it would run, as a share of the tests of all mutants' suites together. **CPU s**: asking, with
the start of pytest and what it collects; the median.

- Each tool recorded the clean project in a folder of its own, and is asked in a copy of it with the change: none learns
  a mutant. Nothing else is installed as a plugin of pytest, and no compiled files are kept.
- wiremap: `pytest --wiremap-record`, then `wiremap affected --json`.
- testmon: `pytest --testmon`, then `pytest --testmon-nocollect --testmon-forceselect --collect-only`.
- impacted: a git commit, then `pytest --impacted --impacted-module=PACKAGE --impacted-tests-dir=TESTS --collect-only`.
- A file that can't be collected counts as selected with all of its tests, and where pytest gives up the whole suite
  does: the user sees red. This holds for every tool.
- Tests whose outcome differs between three clean runs are flaky, and not counted among what changed. Where a tool
  misses something the full suite runs a second time, and only what ends alike in both counts.
- Mutants come from the package and what helps its tests, not from test files. Those that don't compile or that differ
  by layout only are no mutants.

Versions: {", ".join(f"{project.name} {project.version}" for project in PROJECTS)}; {", ".join(REQUIREMENTS)}.
"""


class Results:
    """One JSON document a line; each is written whole as soon as it is known."""

    def __init__(self, path: Path) -> None:
        self._path = path
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        whole, newline, rest = text.rpartition("\n")
        if rest:  # a run was stopped while it wrote
            path.write_text(whole + newline, encoding="utf-8")
        self._rows: list[dict[str, Any]] = [json.loads(line) for line in whole.splitlines()]
        self._names = {(row["project"], row["mutant"]) for row in self._rows}

    def has(self, project: str, mutant: str | None) -> bool:
        """Return whether *mutant*, or the clean project if None, was tried."""
        return (project, mutant) in self._names

    def commits(self) -> set[str]:
        """Return the commits of wiremap that were measured."""
        return {row["commit"] for row in self._rows if row["mutant"] is None}

    def add(self, row: dict[str, Any]) -> None:
        """Keep *row*."""
        self._rows.append(row)
        self._names.add((row["project"], row["mutant"]))
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row, separators=(",", ":")) + "\n")

    def tables(self) -> str:
        """Return all that the rows tell, as Markdown."""
        clean = [row for row in self._rows if row["mutant"] is None]
        tried = [row for row in self._rows if row["mutant"] is not None]
        counted = [row for row in tried if "excluded" not in row]
        projects = dict.fromkeys(row["project"] for row in counted)
        kinds = sorted({row["kind"] for row in counted})
        return "\n".join(
            [
                _HEAD,
                *sorted({_conditions(row) for row in clean}),
                "",
                "## By project",
                "",
                *_table("project", [(name, _of(counted, "project", name)) for name in projects], total=counted),
                "",
                "## By kind of change",
                "",
                *_table("kind", [(name, _of(counted, "kind", name)) for name in kinds]),
                "",
                "## Where testmon misses nothing",
                "",
                *_beside_testmon([(name, _of(counted, "project", name)) for name in projects]),
                "",
                "## Nothing changed",
                "",
                *_clean_table(clean),
                "",
                f"{len(tried) - len(counted)} mutants are not counted, since the suite does not end with them.",
                "",
            ]
        )


def _conditions(row: Row) -> str:
    """Return under which conditions the clean project of *row* was recorded, in words."""
    return f"Measured {row['date']} on {row['machine']}, Python {row['python']}, wiremap at {row['commit']}."


def _of(rows: Sequence[Row], key: str, name: str) -> list[Row]:
    return [row for row in rows if row[key] == name]


def _table(title: str, groups: Sequence[tuple[str, Sequence[Row]]], total: Sequence[Row] = ()) -> list[str]:
    """Return lines with, for each tool: missed tests (in how many mutants), share of the suite, CPU time."""
    header = [title, "mutants", "with effect", "tests changed"]
    for tool in TOOLS:
        header += [f"{tool.name}: missed", "selected", "CPU s"]
    lines = [_line(header), _line(["---"] + ["---:"] * (len(header) - 1))]
    lines += [_line(_summary(name, rows)) for name, rows in groups if rows]
    return [*lines, _line(_summary("**all**", total))] if total else lines


def _summary(name: str, rows: Sequence[Row]) -> list[str]:
    effective = [row for row in rows if row["changed"]]
    cells = [name, str(len(rows)), str(len(effective)), f"{sum(row['changed'] for row in rows):,}"]
    for tool in TOOLS:
        missing = [row for row in rows if "missed" in row[tool.name]]
        selected, tests = sum(row[tool.name]["selected"] for row in rows), sum(row["tests"] for row in rows)
        cpu = statistics.median(row[tool.name]["cpu"] for row in rows)
        missed = sum(row[tool.name]["missed"] for row in missing)
        green = sum(row[tool.name]["missed"] == row["changed"] for row in missing)
        cells += [
            f"{missed:,} ({len(missing)}, {green} green)" if missing else "0",
            f"{selected / tests:.1%}",
            f"{cpu:.2f}",
        ]
    return cells


def _beside_testmon(groups: Sequence[tuple[str, Sequence[Row]]]) -> list[str]:
    """Return lines that hold what wiremap selects against testmon, for mutants that testmon is right about."""
    header = ["project", "mutants", "wiremap selects", "testmon selects", "wiremap selects fewer in", "more in"]
    lines = [_line(header), _line(["---"] + ["---:"] * (len(header) - 1))]
    for name, rows in groups:
        pairs = [(row["wiremap"]["selected"], row["testmon"]["selected"]) for row in rows if not _misses(row)]
        sums = (f"{sum(pair[side] for pair in pairs):,}" for side in (0, 1))
        fewer, more = sum(ours < theirs for ours, theirs in pairs), sum(ours > theirs for ours, theirs in pairs)
        lines.append(_line([name, str(len(pairs)), *sums, str(fewer), str(more)]))
    return lines


def _misses(row: Row) -> bool:
    return "missed" in row["testmon"]


def _clean_table(rows: Sequence[Row]) -> list[str]:
    header = ["project", "tests", "flaky", *(tool.name for tool in TOOLS)]
    lines = [_line(header), _line(["---"] + ["---:"] * (len(header) - 1))]
    for row in rows:
        cells = [f"{row['project']} {row['version']}", str(row["tests"]), str(row["flaky"])]
        lines.append(_line([*cells, *(str(row[tool.name]["selected"]) for tool in TOOLS)]))
    return lines


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
