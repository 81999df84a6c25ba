"""Verdicts without a run: the project's own pytest collects in a child process, and the plugin decides there."""

import importlib.util
import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wiremap.errors import CollectionFailedError, MapUnavailableError, PytestMissingError, SettingsError
from wiremap.project.map_folder import find_map_folder
from wiremap.store.map import FOLDER
from wiremap.use_cases.changes_since import changes_since
from wiremap.use_cases.child_python import pytest_command
from wiremap.use_cases.collection_errors import exception_in_a_line

# Interrupted by collection errors, and nothing collected: verdicts are written all the same.
FINE = (0, 1, 2, 5)


@dataclass(frozen=True, slots=True)
class Answer:
    """What the child process found out.

    Attributes:
        document: The report, as plain data of schema `wiremap.verdict/1`.
        rootdir: The folder that pytest took as its root, which holds the map.
    """

    document: dict[str, Any]
    rootdir: Path


def affected(pytest_arguments: Sequence[str] = (), *, since: str | None = None) -> Answer:
    """Return the verdicts for what pytest collects in the current folder with *pytest_arguments*.

    Args:
        pytest_arguments: Given to pytest.
        since: Tell the changes since this revision of the repository, not since the last recording. Verdicts
            come from recordings in both cases.

    Raises:
        UnknownRevisionError: There is no revision *since*.
        PytestMissingError: This interpreter has no pytest.
        CollectionFailedError: pytest gave up, for instance over its configuration.
        SettingsError: `[tool.wiremap]` is not what it should be.
        MapUnavailableError: The map could not be read.
    """
    if importlib.util.find_spec("pytest") is None:
        raise PytestMissingError(sys.executable)
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.json")
        command = [*pytest_command(), f"--wiremap-report={report}"]
        child = subprocess.run(  # noqa: S603 - the user's own pytest
            [*command, *pytest_arguments], capture_output=True, text=True, check=False
        )
        found = json.loads(report.read_text(encoding="utf-8")) if report.exists() else {}
        if "settings" in found:
            raise SettingsError(*found["settings"])
        if child.returncode not in FINE or not found:
            said = child.stdout + child.stderr
            raise CollectionFailedError(child.returncode, said, exception_in_a_line(said, _rootdir()))
    if "error" in found:
        raise MapUnavailableError(FOLDER, found["error"])
    document, rootdir = found["report"], Path(found["rootdir"])
    if since is not None:
        document |= changes_since(rootdir, since)
        document["notes"].append(f"the changes are those since {since}; the verdicts come from what was recorded")
    return Answer(document, rootdir)


def _rootdir() -> str:
    """Return the folder that pytest most likely took as its root, where it gave up before it could tell."""
    return str(find_map_folder(Path.cwd(), FOLDER).parent)
