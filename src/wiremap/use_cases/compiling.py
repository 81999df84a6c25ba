"""The graph of each test, without running its work: the project's own pytest follows it so far in a child process."""

import contextlib
import importlib.util
import json
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from wiremap.errors import CollectionFailedError, PytestMissingError
from wiremap.graph import Graph
from wiremap.store.map import FOLDER, Map
from wiremap.use_cases.child_python import pytest_command
from wiremap.use_cases.collecting import FINE


@dataclass(slots=True)
class CompiledTest:
    """What is known of one test.

    Attributes:
        test: The node id.
        graphs: Digests of the graphs that it builds; none if it came to its end without one, or was not begun since
            its source refers to nothing that makes an orchestrator.
        refers_to: Units that it refers to by its source, where it has no graph.
        error: Why it did not come as far as a graph, in one line; None where nothing went wrong.
    """

    test: str
    graphs: list[str] = field(default_factory=list)
    refers_to: list[str] = field(default_factory=list)
    error: str | None = None


@dataclass(frozen=True, slots=True)
class CompiledTests:
    """What was found out.

    Attributes:
        tests: Each test that pytest collects, in its order.
        graphs: The graphs, by digest.
        errors: What could not be collected: node id to the error in a line.
        notes: What must be told.
    """

    tests: tuple[CompiledTest, ...]
    graphs: Mapping[str, Graph]
    errors: Mapping[str, str]
    notes: tuple[str, ...]


def compile_tests(pytest_arguments: Sequence[str] = ()) -> CompiledTests:
    """Return the graphs of the tests that pytest collects with *pytest_arguments*, and keep them in the map.

    Raises:
        PytestMissingError: This interpreter has no pytest.
        CollectionFailedError: pytest gave up, for instance over its configuration.
    """
    if importlib.util.find_spec("pytest") is None:
        raise PytestMissingError(sys.executable)
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.json")
        child = subprocess.run(  # noqa: S603 - the user's own pytest
            [*pytest_command(), f"--wiremap-compile={report}", *pytest_arguments],
            capture_output=True,
            text=True,
            check=False,
        )
        found: dict[str, Any] = json.loads(report.read_text(encoding="utf-8")) if report.exists() else {}
    if child.returncode not in FINE or not found:
        raise CollectionFailedError(child.returncode, child.stdout + child.stderr)
    tests = tuple(CompiledTest(**one) for one in found["tests"])
    notes = _kept(Path(found["rootdir"]), found["graphs"], tests, is_whole=not pytest_arguments)
    graphs = {digest: Graph.from_json(text) for digest, text in found["graphs"].items()}
    return CompiledTests(tests, graphs, found["errors"], tuple(notes))


def _kept(rootdir: Path, graphs: Mapping[str, str], tests: Sequence[CompiledTest], *, is_whole: bool) -> list[str]:
    """Write what was found to the map, and return what must be told of that."""
    with contextlib.closing(Map(rootdir / FOLDER)) as store:
        try:
            with store:
                store.graphs.record("compiled", graphs, {one.test: one.graphs for one in tests})
                if is_whole:
                    store.graphs.forget_compiled(but=[one.test for one in tests])
        except sqlite3.Error as error:
            return [*store.notes, f"The graphs were not kept, since the map can't be written: {error}"]
        return store.notes
