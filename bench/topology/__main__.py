"""Edit recipes and components of projects, and hold what wiremap selects against what a full run sees.

    python -m bench.topology                                        all projects, 100 edits of each sort
    python -m bench.topology --projects service --edits 20          a part of it
    python -m bench.topology --history                              the engine's own commits, instead of made edits
    python -m bench.topology --report                               the tables of what is there, nothing run

It uses the Python and the wiremap that run it. It may be stopped at any time and goes on where it was: an edit that
--results has is not tried again.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench.topology.edits import local_edits, topology_edits
from bench.topology.experiment import Experiment
from bench.topology.history import replay
from bench.topology.projects import PROJECTS, REPOSITORY, Project
from bench.topology.results import tables


def main() -> None:
    """Run what is missing, and print the tables."""
    options = _options()
    rows = _Rows(options.results)
    with tempfile.TemporaryDirectory() as temporary:
        if options.history:
            for row in replay(Path(temporary), rows.names("history")):
                rows.add(row)
        elif not options.report:
            for project in (one for one in PROJECTS if one.name in options.projects):
                _run(project, Path(temporary, project.name), rows, options.edits, options.seed)
    text = tables(rows.rows)
    print(text)
    options.results.with_suffix(".md").write_text(text, encoding="utf-8")


def _options() -> argparse.Namespace:
    names = [project.name for project in PROJECTS]
    parser = argparse.ArgumentParser(
        prog="python -m bench.topology", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--projects", nargs="+", choices=names, default=names)
    parser.add_argument("--edits", type=int, default=100, metavar="N", help="of each sort, for each project")
    parser.add_argument("--seed", type=int, default=0, help="other seeds give other edits")
    parser.add_argument("--results", type=Path, default=REPOSITORY / "bench" / "results" / "topology.jsonl")
    parser.add_argument("--history", action="store_true", help="replay the engine's commits")
    parser.add_argument("--report", action="store_true", help="print the tables and run nothing")
    return parser.parse_args()


def _run(project: Project, folder: Path, rows: "_Rows", number: int, seed: int) -> None:
    experiment = Experiment(project, folder)
    files = experiment.files()
    edits = {
        "topology": topology_edits(files, number, seed),
        "local": local_edits({name: files[name] for name in files if name.startswith(project.package)}, number, seed),
    }
    clean = experiment.clean()
    _must_select_nothing(clean["selected"]["run"], project)
    if "clean" not in rows.names(project.name):
        costs = {"compile": experiment.compile_seconds(), "suite": experiment.plain_seconds()}
        selected = {
            "selected": len(clean["selected"]["run"]),
            "flaky": len(clean["flaky"]),
            "conditions": _conditions(),
        }
        rows.add({"project": project.name, "what": "clean", "tests": len(clean["seen"]), **selected, **costs})
    for sort, chosen in edits.items():
        for edit in chosen:
            if edit.what not in rows.names(project.name):
                rows.add({"project": project.name, "sort": sort, **experiment.try_edit(edit, clean["seen"])})
    _must_select_nothing(experiment.ask_unedited()["run"], project)


def _conditions() -> str:
    command = ["git", "-C", str(REPOSITORY), "describe", "--always", "--dirty", "--exclude=*"]
    commit = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    machine = f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores"
    return f"{datetime.now(UTC).date()}, {machine}, Python {platform.python_version()}, wiremap at {commit}"


def _must_select_nothing(tests: list[str], project: Project) -> None:
    if tests:
        sys.exit(f"{len(tests)} tests of the unedited {project.name} would run: wiremap itself changed meanwhile?")


class _Rows:
    """One JSON document a line, written as soon as it is known."""

    def __init__(self, path: Path) -> None:
        self._path = path
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        self.rows: list[dict[str, Any]] = [json.loads(line) for line in text.splitlines()]

    def names(self, project: str) -> set[str]:
        return {row["what"] for row in self.rows if row["project"] == project}

    def add(self, row: dict[str, Any]) -> None:
        self.rows.append(row)
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row, separators=(",", ":")) + "\n")
        print(
            row["project"],
            row["what"],
            f"{row.get('selected')} of {row.get('tests')}",
            row.get("missed") or "",
            flush=True,
        )


if __name__ == "__main__":
    main()
