"""Tiny projects in a temporary folder, and the child processes that test them."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

# All that a child inherits. Anything more (PYTEST_ADDOPTS, PYTHONPATH, GIT_DIR, …) would make its answer depend
# on where the tests of wiremap run.
_INHERITED = ("PATH", "SYSTEMROOT", "TMPDIR", "TEMP", "LD_LIBRARY_PATH")


def clean_environment(extra: Mapping[str, str] | None = None, plugins: Sequence[str] = ()) -> dict[str, str]:
    """Return the environment of a child process.

    pytest loads wiremap and *plugins* only: importing every installed plugin takes longer than most tests.
    Compiled files are not written, since two versions of one length within a second would share theirs.
    """
    given = {name: os.environ[name] for name in _INHERITED if name in os.environ}
    loaded = " ".join(f"-p {plugin}" for plugin in ("wiremap.pytest_plugin", *plugins))
    fixed = {
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "PYTEST_ADDOPTS": f"-p no:cacheprovider {loaded}",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",
        "LC_ALL": "C.UTF-8",
    }
    return given | fixed | dict(extra or {})


def work_in(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make this process like a child process of a project in *folder*: same environment, same current folder."""
    monkeypatch.chdir(folder)
    clean = clean_environment()
    for name in os.environ.keys() - clean.keys():
        monkeypatch.delenv(name)
    for name, value in clean.items():
        monkeypatch.setenv(name, value)


@dataclass(frozen=True)
class Finished:
    """What a child process left."""

    exit_code: int
    stdout: str
    stderr: str

    @property
    def text(self) -> str:
        """Everything that it printed."""
        return self.stdout + self.stderr


@dataclass(frozen=True)
class Answer:
    """What `wiremap affected --json` said."""

    document: dict[str, Any]

    @property
    def run(self) -> set[str]:
        """Ids of the tests that run."""
        return {entry["test"] for entry in self.document["run"]}

    @property
    def skip(self) -> set[str]:
        """Ids of the tests that are proved unaffected."""
        return set(self.document["skip"])

    def rules(self, test: str) -> set[str]:
        """The rules by which *test* runs."""
        return {reason["rule"] for reason in self._reasons(test)}

    def details(self, test: str) -> str:
        """Why *test* runs, in words."""
        return "\n".join(reason["detail"] for reason in self._reasons(test))

    def units(self, test: str) -> set[str]:
        """The changed units by which *test* runs."""
        return {reason["unit"] for reason in self._reasons(test) if reason["unit"]}

    def _reasons(self, test: str) -> list[dict[str, str]]:
        return [reason for entry in self.document["run"] if entry["test"] == test for reason in entry["reasons"]]


@dataclass
class Project:
    """A project below *root*, tested from *folder* within it."""

    root: Path
    folder: str = "."
    plugins: Sequence[str] = ()
    environment: dict[str, str] = field(default_factory=dict)

    def write(self, files: Mapping[str, str | bytes | None]) -> None:
        """Write *files* (path to content, dedented if it is text); None removes a file or folder."""
        for path, content in files.items():
            target = self.root / path
            if content is None:
                _remove(target)
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content if isinstance(content, bytes) else dedent(content).encode())

    def run_pytest(self, *arguments: str, mode: str = "--wiremap", env: Mapping[str, str] | None = None) -> Finished:
        """Run the tests with wiremap."""
        return self.run_python("-m", "pytest", *([mode] if mode else []), *arguments, env=env)

    def record(self, *arguments: str, env: Mapping[str, str] | None = None, expected: int = 0) -> None:
        """Record all tests, which are expected to pass unless another exit code is."""
        finished = self.run_pytest(*arguments, mode="--wiremap-record", env=env)
        assert finished.exit_code == expected, finished.text

    def affected(self, *arguments: str, env: Mapping[str, str] | None = None) -> Answer:
        """Ask for the verdicts."""
        finished = self.wiremap("affected", "--json", "--", *arguments, env=env)
        assert finished.exit_code == 0, finished.text
        return Answer(json.loads(finished.stdout))

    def wiremap(self, *arguments: str, env: Mapping[str, str] | None = None) -> Finished:
        """Run the command line."""
        return self.run_python("-m", "wiremap", *arguments, env=env)

    def run_python(self, *arguments: str, env: Mapping[str, str] | None = None) -> Finished:
        """Run this interpreter in the project's folder."""
        child = subprocess.run(
            [sys.executable, *arguments],
            cwd=self.root / self.folder,
            env=clean_environment(self.environment | dict(env or {}), self.plugins),
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )
        return Finished(child.returncode, child.stdout, child.stderr)


def new_project(root: Path, files: Mapping[str, str | bytes | None]) -> Project:
    """Lay out a project that no folder above it can reach into: neither a repository nor a configuration."""
    project = Project(root)
    (root / ".git").mkdir(parents=True)
    project.write({"pytest.ini": "[pytest]\npythonpath = .\n", **files})
    return project


def _remove(target: Path) -> None:
    if target.is_dir() and not target.is_symlink():
        shutil.rmtree(target)
    else:
        target.unlink()
