"""The tools under test: how each records the clean project, and what it would skip of a changed one."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bench.mutation.projects import Project
from bench.mutation.workspace import Finished, Workspace

# All passed, some failed, interrupted by collection errors, nothing collected. Otherwise pytest itself gave up.
_FINE = (0, 1, 2, 5)


@dataclass(frozen=True)
class Answer:
    """What a tool would run.

    Attributes:
        selected: Tests that it would run. A file that can't be collected counts with all of its tests, and so does
            the whole suite where pytest gives up: the user sees red.
        skipped: Tests of the clean project that it would not run. One that no longer exists, in a file that was
            collected, is in neither.
        cpu_seconds: What asking took, pytest's start and collection included.
    """

    selected: frozenset[str]
    skipped: frozenset[str]
    cpu_seconds: float
    wall_seconds: float

    def misses(self, test: str, known: frozenset[str]) -> bool:
        """Return whether *test*, which ended otherwise than before, would go unnoticed."""
        return test in self.skipped or (test not in known and test not in self.selected)


@dataclass(frozen=True)
class Tool:
    """One tool: `record` leaves in a folder what it needs, `ask` writes nothing that lasts."""

    name: str
    record: Callable[[Workspace, Project, Path], None]
    ask: Callable[[Workspace, Project, Path, frozenset[str]], Answer]


def _record_wiremap(workspace: Workspace, project: Project, folder: Path) -> None:
    workspace.python(folder, project, "-m", "pytest", "--wiremap-record", plugin="wiremap.pytest_plugin")


def _ask_wiremap(workspace: Workspace, project: Project, folder: Path, known: frozenset[str]) -> Answer:
    finished = workspace.python(folder, project, "-m", "wiremap", "affected", "--json", plugin="wiremap.pytest_plugin")
    if finished.exit_code != 0:
        return _everything(finished, known)
    document = json.loads(finished.stdout)
    run = {entry["test"] for entry in document["run"]}
    broken = {entry["test"] for entry in document["run"] if any(why["rule"] == "error" for why in entry["reasons"])}
    return _answer(finished, known, run - broken, frozenset(document["skip"]), broken)


def _record_testmon(workspace: Workspace, project: Project, folder: Path) -> None:
    workspace.python(folder, project, "-m", "pytest", "--testmon", plugin="testmon.pytest_testmon")


def _ask_testmon(workspace: Workspace, project: Project, folder: Path, known: frozenset[str]) -> Answer:
    # Forced, since an `-m` in the project's own options would switch selection off.
    options = ("--testmon-nocollect", "--testmon-forceselect")
    finished, notes = workspace.pytest(folder, project, "--collect-only", *options, plugin="testmon.pytest_testmon")
    return _observed(finished, notes, known)


def _record_impacted(_workspace: Workspace, _project: Project, _folder: Path) -> None:
    """Leave it: the commit in the repository is all that it needs."""


def _ask_impacted(workspace: Workspace, project: Project, folder: Path, known: frozenset[str]) -> Answer:
    options = ("--impacted", f"--impacted-module={project.package}", f"--impacted-tests-dir={project.tests}")
    finished, notes = workspace.pytest(folder, project, "--collect-only", *options, plugin="pytest_impacted.plugin")
    return _observed(finished, notes, known)


TOOLS = (
    Tool("wiremap", _record_wiremap, _ask_wiremap),
    Tool("testmon", _record_testmon, _ask_testmon),
    Tool("impacted", _record_impacted, _ask_impacted),
)


def _observed(finished: Finished, notes: str | None, known: frozenset[str]) -> Answer:
    """Return what the *notes* of the observer tell of a tool that is a plugin of pytest."""
    if finished.exit_code not in _FINE or notes is None:
        return _everything(finished, known)
    seen = json.loads(notes)
    selected, broken = set(seen["selected"]), set(seen["broken"])
    collected = set(seen["collected"])
    collected_files = {_file(test) for test in collected}
    gone = {test for test in known - collected if _file(test) in collected_files}
    return _answer(finished, known, selected, known - selected - gone, broken)


def _answer(
    finished: Finished, known: frozenset[str], selected: set[str], skipped: frozenset[str], broken: set[str]
) -> Answer:
    red = {test for test in known if _file(test) in broken}
    return Answer(frozenset(selected | red), skipped - red, finished.cpu_seconds, finished.wall_seconds)


def _everything(finished: Finished, known: frozenset[str]) -> Answer:
    return Answer(known, frozenset(), finished.cpu_seconds, finished.wall_seconds)


def _file(test: str) -> str:
    return test.partition("::")[0]
