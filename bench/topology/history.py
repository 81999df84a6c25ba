"""The engine's own commits: recorded at one, selected at a later one."""

import io
import itertools
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

from bench.topology.experiment import Experiment
from bench.topology.projects import ENGINE, REPOSITORY


def replay(work: Path, known: Collection[str]) -> Iterator[dict[str, Any]]:
    """Yield a row for each two commits that change the engine or its tests: with a map of the earlier one.

    The tool is the one that is installed; of the commits only the engine and its tests are taken.
    """
    commits = _git("log", "--full-history", "--no-merges", "--format=%h", "--", "llm/src", "tests/wiremap_llm")
    trees = {commit: _tree(work / commit, commit) for commit in reversed(commits.decode().split())}
    for before, pairs in itertools.groupby(itertools.combinations(trees, 2), lambda pair: pair[0]):
        missing = [after for _, after in pairs if f"{before}..{after}" not in known]
        if not missing:
            continue
        experiment = Experiment(ENGINE, work / "project", trees[before])
        seen = experiment.clean()["seen"]
        for after in missing:
            row = experiment.compare(lambda copy, after=after: _become(copy, trees[after]), seen)  # type: ignore[misc]
            yield {"project": "history", "sort": "commit", "kind": "commits", "what": f"{before}..{after}", **row}


def _become(copy: Path, tree: Path) -> None:
    """Make the project in *copy* the one of *tree*, and leave its map."""
    with tempfile.TemporaryDirectory() as temporary:
        ENGINE.lay_out(tree, Path(temporary))
        for part in ("wiremap_llm", "tests"):
            shutil.rmtree(copy / part)
            shutil.copytree(Path(temporary, part), copy / part)


def _tree(folder: Path, commit: str) -> Path:
    parts = ("llm/src", "tests/__init__.py", "tests/wiremap_llm")
    with tarfile.open(fileobj=io.BytesIO(_git("archive", commit, "--", *parts))) as archive:
        archive.extractall(folder, filter="data")
    return folder


def _git(*arguments: str) -> bytes:
    command = ["git", "-C", str(REPOSITORY), *arguments]
    return subprocess.run(command, capture_output=True, check=True).stdout
