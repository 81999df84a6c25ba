"""One project: recorded clean by every tool, and tried with one mutant after the other."""

import json
import os
import platform
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench.mutation.mutants import Mutant, mutants
from bench.mutation.projects import Project
from bench.mutation.tools import TOOLS, Answer
from bench.mutation.workspace import Workspace

_CLEAN_RUNS = 3
_SHOWN_MISSES = 5
_TOO_LONG = 30
"""Seconds: the suites take two at most."""


class Experiment:
    """What is recorded lies in the workspace: `prepare` finds it there the next time."""

    def __init__(self, workspace: Workspace, project: Project, seed: int) -> None:
        self._workspace = workspace
        self._project = project
        self._seed = seed
        self._folder = workspace.folder / "projects" / project.name

    def prepare(self) -> None:
        """Run the clean suite several times, and let every tool record it."""
        clean = self._workspace.unpack(self._project)
        if not self._baseline.exists():
            runs = [self._full_run(None) for _ in range(_CLEAN_RUNS)]
            steady = {test: runs[0][test] for test in runs[0] if all(run.get(test) == runs[0][test] for run in runs)}
            flaky = sorted({test for run in runs for test in run} - set(steady))
            self._baseline.write_text(json.dumps({"outcomes": steady, "flaky": flaky}), encoding="utf-8")
        for tool in TOOLS:
            recorded = self._folder / tool.name
            if not recorded.exists():
                # Put in its place when it is whole, so that a run that was stopped leaves no half recording.
                with self._workspace.copy(clean) as folder:
                    tool.record(self._workspace, self._project, folder)
                    folder.rename(recorded)
                    folder.mkdir()

    def mutants(self) -> Iterator[Mutant]:
        """Yield the mutants of the project's code, of its data, and of what helps its tests."""
        clean = self._folder / "clean"
        paths = {
            path
            for part in (self._project.package, self._project.tests)
            for path in (clean / part).rglob("*")
            if path.is_file() and path.name != "py.typed"
        }
        return mutants({str(path.relative_to(clean)): path.read_bytes() for path in sorted(paths)}, self._seed)

    def try_clean(self) -> dict[str, Any]:
        """Return what each tool selects of the unchanged project."""
        outcomes, flaky = self._expected()
        known = frozenset(outcomes) | flaky
        row = {"project": self._project.name, "version": self._project.version, "mutant": None, "tests": len(known)}
        row |= {
            "flaky": len(flaky),
            "commit": self._workspace.wiremap_commit,
            "python": platform.python_version(),
            "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
            "date": datetime.now(UTC).date().isoformat(),
        }
        return row | {name: _told(answer) for name, answer in self._answers(None, known).items()}

    def try_mutant(self, mutant: Mutant) -> dict[str, Any]:
        """Return how many tests end otherwise with *mutant*, and what each tool selects and misses."""
        outcomes, flaky = self._expected()
        known = frozenset(outcomes) | flaky
        row = {"project": self._project.name, "mutant": mutant.name, "kind": mutant.kind, "tests": len(known)}
        try:
            changed = self._changed(mutant, outcomes, flaky)
            answers = self._answers(mutant, known)
            missed = {name: _missed(answer, changed, known) for name, answer in answers.items()}
            if any(missed.values()):
                # What ends otherwise only now and then is no truth to measure by.
                changed &= self._changed(mutant, outcomes, flaky)
                missed = {name: _missed(answer, changed, known) for name, answer in answers.items()}
        except TimeoutError:
            return row | {"excluded": "the suite takes too long"}
        row["changed"] = len(changed)
        return row | {name: _told(answer, missed[name]) for name, answer in answers.items()}

    @property
    def _baseline(self) -> Path:
        return self._folder / "baseline.json"

    def _expected(self) -> tuple[dict[str, str], frozenset[str]]:
        baseline = json.loads(self._baseline.read_text(encoding="utf-8"))
        return baseline["outcomes"], frozenset(baseline["flaky"])

    def _answers(self, mutant: Mutant | None, known: frozenset[str]) -> dict[str, Answer]:
        answers = {}
        for tool in TOOLS:
            with self._workspace.copy(self._folder / tool.name, mutant) as folder:
                answers[tool.name] = tool.ask(self._workspace, self._project, folder, known)
        return answers

    def _changed(self, mutant: Mutant, outcomes: Mapping[str, str], flaky: frozenset[str]) -> set[str]:
        """Return the tests that end otherwise, or are gone, or are new and do not pass."""
        now = self._full_run(mutant)
        new = {test for test in now.keys() - outcomes.keys() if "failed" in now[test]}
        return {test for test in outcomes if now.get(test) != outcomes[test]} | new - flaky

    def _full_run(self, mutant: Mutant | None) -> dict[str, str]:
        """Return how each test ends.

        Raises:
            TimeoutError: The suite took too long.
        """
        with self._workspace.copy(self._folder / "clean", mutant) as folder:
            finished, notes = self._workspace.pytest(
                folder, self._project, "--continue-on-collection-errors", timeout=_TOO_LONG if mutant else 600
            )
        if finished.exit_code is None:
            raise TimeoutError
        outcomes: dict[str, str] = json.loads(notes)["outcomes"] if notes else {}
        return outcomes


def _missed(answer: Answer, changed: set[str], known: frozenset[str]) -> list[str]:
    return sorted(test for test in changed if answer.misses(test, known))


def _told(answer: Answer, missed: list[str] | None = None) -> dict[str, Any]:
    told: dict[str, Any] = {"selected": len(answer.selected), "cpu": round(answer.cpu_seconds, 2)}
    if missed:
        told |= {"missed": len(missed), "for example": missed[:_SHOWN_MISSES]}
    return told
