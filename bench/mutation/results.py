"""Rows of results in a file, and the tables made of them."""

import json
import statistics
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.mutation.tools import TOOLS

Row = Mapping[str, Any]


class Results:
    """One JSON document a line; each is written whole as soon as it is known."""

    def __init__(self, path: Path) -> None:
        self._path = path
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        self._rows: list[dict[str, Any]] = [json.loads(line) for line in lines]
        self._names = {(row["project"], row["mutant"]) for row in self._rows}

    def has(self, project: str, mutant: str | None) -> bool:
        """Return whether *mutant*, or the clean project if None, was tried."""
        return (project, mutant) in self._names

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
        parts = [_by(row["project"] for row in clean), _by(row["kind"] for row in counted)]
        projects, kinds = parts
        return "\n".join(
            [
                "## By project",
                "",
                *_table("project", [(name, _of(counted, "project", name)) for name in projects], total=counted),
                "",
                "## By kind of change",
                "",
                *_table("kind", [(name, _of(counted, "kind", name)) for name in kinds]),
                "",
                "## Nothing changed",
                "",
                *_clean_table(clean),
                "",
                f"{len(tried) - len(counted)} mutants are not counted, since the suite does not end with them.",
                "",
            ]
        )


def _by(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(names))


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
        missing = [row[tool.name]["missed"] for row in rows if "missed" in row[tool.name]]
        selected, tests = sum(row[tool.name]["selected"] for row in rows), sum(row["tests"] for row in rows)
        cpu = statistics.median(row[tool.name]["cpu"] for row in rows)
        missed = f"{sum(missing):,} ({len(missing)})" if missing else "0"
        cells += [missed, f"{selected / tests:.1%}", f"{cpu:.2f}"]
    return cells


def _clean_table(rows: Sequence[Row]) -> list[str]:
    header = ["project", "tests", "flaky", *(tool.name for tool in TOOLS)]
    lines = [_line(header), _line(["---"] + ["---:"] * (len(header) - 1))]
    for row in rows:
        cells = [f"{row['project']} {row['version']}", str(row["tests"]), str(row["flaky"])]
        lines.append(_line([*cells, *(str(row[tool.name]["selected"]) for tool in TOOLS)]))
    return lines


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
