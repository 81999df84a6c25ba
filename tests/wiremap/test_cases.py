"""Trouble reports about test selection, each replayed: record, change, ask what is affected.

A file in `tests/cases/` lays out a project, its recording runs and a change, and says which tests the change
must run and which it must not.
"""

import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.wiremap.projects import Answer, Project

_FOLDER = Path(__file__).parent.parent / "cases"
_GIT = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_AUTHOR_NAME": "case",
    "GIT_AUTHOR_EMAIL": "case@example.invalid",
    "GIT_COMMITTER_NAME": "case",
    "GIT_COMMITTER_EMAIL": "case@example.invalid",
}


@dataclass(frozen=True)
class Replayed:
    """A case, and the verdicts after its change."""

    case: dict[str, Any]
    answer: Answer

    def expected(self, name: str) -> list[str]:
        """Return the patterns of ids in the list *name* of what is expected."""
        return list((self.case.get("expected") or {}).get(name) or ())


def _case_files() -> list[Path]:
    return sorted(_FOLDER.glob("*.yaml"))


@pytest.fixture(scope="module", params=_case_files(), ids=lambda path: path.stem)
def replayed(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Replayed:
    case = yaml.safe_load(request.param.read_text(encoding="utf-8"))
    return Replayed(case, _replay(case, tmp_path_factory.mktemp("case") / "project"))


def test_what_the_change_reaches_runs(replayed: Replayed) -> None:
    wanted = replayed.expected("select")

    missed = [pattern for pattern in wanted if not _is_covered(pattern, replayed.answer)]

    assert missed == []


def test_what_the_change_cannot_reach_does_not_run(replayed: Replayed) -> None:
    selected = _matching(replayed.expected("select"), replayed.answer.run)

    too_many = _matching(replayed.expected("must_not"), replayed.answer.run) - selected

    assert too_many == set()


def test_every_test_has_one_verdict(replayed: Replayed) -> None:
    answer = replayed.answer
    named = [one for name in ("select", "must_not", "prefer_not", "may") for one in replayed.expected(name)]

    without = [one for one in named if not _matching([one], answer.run | answer.skip) and not _is_covered(one, answer)]

    assert without == []
    assert not answer.run & answer.skip


def _replay(case: Mapping[str, Any], root: Path) -> Answer:
    circumstances = case.get("circumstances") or {}
    arguments = [*(circumstances.get("args") or ())]
    project = Project(
        root, circumstances.get("cwd", "."), plugins=["xdist.plugin"] if "-n" in arguments else [],
        environment=_GIT | _variables(circumstances.get("env"), root),
    )  # fmt: skip
    _lay_out(project, case, "files", "files_generator", eol=circumstances.get("eol"))
    _shell(project, ["git init -q -b main .", "git add -A", "git commit -q -m base"])
    _shell(project, circumstances.get("pre_commands"))
    for run in case.get("base_run") or ():
        _shell(project, run.get("before"))
        variables = _variables(circumstances.get("env_base"), root) | _variables(run.get("env"), root)
        finished = project.run_pytest(*arguments, *(run.get("args") or ()), env=variables)
        assert finished.exit_code == run.get("exit", 0), finished.text

    _shell(project, circumstances.get("change_pre_commands"))
    _lay_out(project, case, "change", "change_generator", eol=circumstances.get("change_eol"))
    _shell(project, circumstances.get("change_commands"))
    return project.affected(
        *arguments,
        *(circumstances.get("user_args") or ()),
        env=_variables(circumstances.get("env_changed"), root),
    )


def _lay_out(
    project: Project, case: Mapping[str, Any], written: str, generated: str, eol: Mapping[str, str] | None
) -> None:
    files = dict(case.get(written) or {})
    if generated in case:
        made: dict[str, Any] = {}
        exec(case[generated], made)  # noqa: S102 - a program of ours that sets `files`
        files |= made["files"]
    encodings = (case.get("circumstances") or {}).get("encodings") or {}
    for path, content in files.items():
        text = content
        if text is not None and (eol or {}).get(path) == "crlf":
            text = text.replace("\n", "\r\n")
        project.write({path: None if text is None else text.encode(encodings.get(path, "utf-8"))})


def _shell(project: Project, commands: list[str] | None) -> None:
    for command in commands or ():
        environment = {"PATH": os.environ["PATH"], "PYTHON": sys.executable, **_GIT}
        subprocess.run(["sh", "-c", command], check=True, cwd=project.root, capture_output=True, env=environment)  # noqa: S607 - any shell will do


def _variables(given: Mapping[str, object] | None, root: Path) -> dict[str, str]:
    return {name: str(value).replace("{root}", str(root)) for name, value in (given or {}).items()}


def _is_covered(pattern: str, answer: Answer) -> bool:
    """Tell whether everything that *pattern* names runs, or its file is reported as not collectable."""
    file = pattern.partition("::")[0]
    if file in answer.run:
        return answer.rules(file) == {"error"}
    named = _matching([pattern], answer.run | answer.skip)
    return bool(named) and named <= answer.run


def _matching(patterns: list[str], tests: set[str]) -> set[str]:
    # In node ids a bracket is a bracket.
    return {test for test in tests for one in patterns if fnmatchcase(test, one.replace("[", "[[]"))}
