"""One project: recorded clean, then edited in one place after the other."""

import json
import multiprocessing
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench.topology.edits import Edit
from bench.topology.projects import REPOSITORY, Project
from bench.topology.truth import run_suite

_OPTIONS = ("-q", "-p", "no:cacheprovider")
# As `python -m pytest` after the module beside this one, which is no plugin: the map would hold it as one.
_ASK = """\
import os, runpy, sys
sys.path[0] = os.getcwd()
runpy.run_path(sys.argv.pop(1), {"bare_file": sys.argv.pop(1)})
import pytest
sys.exit(pytest.main(sys.argv[1:]))
"""
_LONG = 300


class Experiment:
    """A project in a folder of its own, with its map."""

    def __init__(self, project: Project, folder: Path, repository: Path = REPOSITORY) -> None:
        """Lay out and record *project* as it is in *repository*, in *folder*, which is made."""
        self.project = project
        self.folder = folder
        self._context = multiprocessing.get_context("forkserver")
        self._context.set_forkserver_preload(["pytest", *project.preload])
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        project.lay_out(repository, folder)
        self.record_seconds = self._timed("-m", "pytest", *_OPTIONS, "--wiremap-record")

    def files(self) -> dict[str, bytes]:
        """Return the Python files of the package and of the tests."""
        found = sorted(path for path in self.folder.rglob("*.py") if ".wiremap" not in path.parts)
        names = {path.relative_to(self.folder).as_posix(): path.read_bytes() for path in found}
        return {
            name: text for name, text in names.items() if name.split("/")[0] == self.project.package or "test" in name
        }

    def clean(self) -> dict[str, Any]:
        """Return what is seen without any edit, by test, where two runs agree; and what it costs."""
        with self.copy(lambda _: None) as copy:
            began = time.monotonic()
            first = self.truth(copy)
            seconds = time.monotonic() - began
            second = self.truth(copy)
            selected = self.ask(copy)
        steady = {test: seen for test, seen in first.items() if second.get(test) == seen}
        return {"seen": steady, "flaky": sorted(first.keys() - steady.keys()), "seconds": seconds, "selected": selected}

    def ask_unedited(self) -> dict[str, Any]:
        """Return what would run without any edit: nothing, unless something else changed."""
        with self.copy(lambda _: None) as copy:
            return self.ask(copy)

    def compile_seconds(self) -> float:
        """Return how long it takes to compile the graphs of all tests."""
        return self._timed("-m", "wiremap", "compile", "--json")

    def plain_seconds(self) -> float:
        """Return how long all tests take, in a process of their own and without wiremap."""
        return self._timed("-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:wiremap")

    def try_edit(self, edit: Edit, steady: Mapping[str, Any]) -> dict[str, Any]:
        """Return what is selected and missed with *edit*."""

        def make(copy: Path) -> None:
            for name, text in edit.files.items():
                (copy / name).write_bytes(text)

        return {"kind": edit.kind, "what": edit.what, **self.compare(make, steady)}

    def compare(self, make: Callable[[Path], None], steady: Mapping[str, Any]) -> dict[str, Any]:
        """Return what is selected, and what a full run sees otherwise, in a copy that *make* changed."""
        with self.copy(make) as copy:
            answer = self.ask(copy)
            now = self.truth(copy)
            changed = _changed(now, steady)
            missed = sorted(changed & set(answer["skip"]))
            if missed:  # what differs only now and then is no truth to measure by
                missed = sorted(set(missed) & _changed(self.truth(copy), steady))
        row = {
            "tests": len(steady),
            "changed": len(changed),
            "selected": len(answer["run"]),
            "bare": len(answer["bare"]),
        }
        return row | {"missed": missed}

    @contextmanager
    def copy(self, make: Callable[[Path], None]) -> Iterator[Path]:
        """Give a copy of the recorded project that *make* has changed."""
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary, "project")
            shutil.copytree(self.folder, folder)
            make(folder)
            yield folder

    def truth(self, folder: Path) -> dict[str, list[str]]:
        """Return what a full run sees."""
        with ProcessPoolExecutor(1, mp_context=self._context) as pool:
            return pool.submit(run_suite, folder, list(self.project.path)).result(_LONG)

    def ask(self, folder: Path) -> dict[str, Any]:
        """Return what would run and be skipped, and what would run without stars and cutoff (`bare`)."""
        with tempfile.TemporaryDirectory() as temporary:
            report, bare = Path(temporary, "report.json"), Path(temporary, "bare.json")
            asking = str(Path(__file__).with_name("asking.py"))
            command = [sys.executable, "-c", _ASK, asking, str(bare), *_OPTIONS, f"--wiremap-report={report}"]
            done = subprocess.run(
                command, cwd=folder, env=self._environment(), capture_output=True, text=True, check=False
            )
            if not report.exists():
                sys.exit(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
            document = json.loads(report.read_text(encoding="utf-8"))["report"]
            runs = [entry["test"] for entry in document["run"]]
            return {"run": runs, "skip": document["skip"], "bare": json.loads(bare.read_text(encoding="utf-8"))}

    def _timed(self, *arguments: str) -> float:
        began = time.monotonic()
        done = subprocess.run(
            [sys.executable, *arguments], cwd=self.folder, env=self._environment(), capture_output=True, check=False
        )
        if done.returncode not in (0, 1):
            sys.exit(f"{arguments} failed:\n{done.stdout.decode()}{done.stderr.decode()}")
        return time.monotonic() - began

    def _environment(self) -> dict[str, str]:
        kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
        return kept | {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONHASHSEED": "0"}


def _changed(now: Mapping[str, Any], steady: Mapping[str, Any]) -> set[str]:
    """Return the tests that a full run sees otherwise; where a file can't be collected, all of its tests."""
    return {test for test, seen in steady.items() if now.get(test) != seen}
