"""The wiring that tests declare to depend on: compiled from the project's recipes, at most once in a session."""

import os
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from wiremap.errors import GraphFormatError, PatternSyntaxError
from wiremap.graph import Graph
from wiremap.selection.facts import UNCOMPILED
from wiremap.selection.wiring_matches import WiringMatches, wiring_matches
from wiremap.use_cases.collecting import python_command

_LONGEST_SECONDS = 600


class Wirings:
    """What patterns match in the graphs of the recipes, as they are when it is first asked."""

    def __init__(self, compile_graphs: Callable[[], Mapping[str, Graph] | str]) -> None:
        """Prepare to ask.

        Args:
            compile_graphs: Returns the graphs by recipe, or why there are none.
        """
        self._compile = compile_graphs
        self._graphs: Mapping[str, Graph] | str | None = None
        self._matches: dict[str, WiringMatches] = {}

    def value(self, pattern: str) -> str:
        """Return the digest of what *pattern* matches, or `UNCOMPILED` with the reason, which equals no digest."""
        graphs = self.graphs()
        if isinstance(graphs, str):
            return f"{UNCOMPILED}{graphs}"
        try:
            return self._matched(pattern, graphs).digest
        except PatternSyntaxError as error:  # a record of another version
            return f"{UNCOMPILED}{error}"

    def classes(self, pattern: str) -> frozenset[tuple[str, str]]:
        """Return the source path, below its import root, and the type of each component that *pattern* matches."""
        graphs = self.graphs()
        found = () if isinstance(graphs, str) else self._matched(pattern, graphs).components
        return frozenset((one.source_path, one.type) for one in found if one.source_path)

    def matching_nothing(self, patterns: Iterable[str]) -> list[str]:
        """Return those of *patterns* that match nothing, though the graphs are known."""
        graphs = self.graphs()
        if isinstance(graphs, str):
            return []
        return sorted(one for one in set(patterns) if self._matched(one, graphs).are_none)

    def graphs(self) -> Mapping[str, Graph] | str:
        """Return the graphs by recipe, or why there are none."""
        if self._graphs is None:
            self._graphs = self._compile()
        return self._graphs

    def _matched(self, pattern: str, graphs: Mapping[str, Graph]) -> WiringMatches:
        if pattern not in self._matches:
            self._matches[pattern] = wiring_matches(pattern, graphs)
        return self._matches[pattern]


def compile_recipes(
    recipes: Sequence[str], folder: Path, environment: Mapping[str, str], search_path: Sequence[str]
) -> Mapping[str, Graph] | str:
    """Return the graph of each of *recipes*, compiled in a process of its own, or why one has none.

    Args:
        recipes: `package.module` or `package.module:function`.
        folder: Where the processes run.
        environment: Their environment variables.
        search_path: Folders in which modules are looked up before all others.
    """
    if not recipes:
        return "[tool.wiremap] names no recipes"
    path = [*search_path, *filter(None, [environment.get("PYTHONPATH", "")])]
    child_environment = {**environment, **({"PYTHONPATH": os.pathsep.join(path)} if path else {})}
    graphs: dict[str, Graph] = {}
    with tempfile.TemporaryDirectory() as scratch:
        for recipe in recipes:
            file = Path(scratch, "graph.json")
            reason = _compile(recipe, file, folder, child_environment)
            if reason is not None:
                return f"{recipe} can't be compiled: {reason}"
            try:
                graphs[recipe] = Graph.from_json(file.read_text(encoding="utf-8"))
            except (OSError, GraphFormatError) as error:
                return f"{recipe} can't be compiled: {error}"
    return graphs


def _compile(recipe: str, file: Path, folder: Path, environment: Mapping[str, str]) -> str | None:
    """Write the graph of *recipe* to *file*; return why that did not work, if so, in one line."""
    command = [*python_command(), "-m", "wiremap", "graph", recipe, "--format", "json", "-o", str(file)]
    try:
        child = subprocess.run(  # noqa: S603 - the user's own recipe
            command,
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            timeout=_LONGEST_SECONDS,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return " ".join(str(error).split())
    if child.returncode == 0:
        return None
    told = child.stderr.rpartition("wiremap: ")[2] or f"it ended with exit code {child.returncode}"
    return " ".join(told.split())


def search_path_of(rootdir: Path, folders: Iterable[object]) -> list[str]:
    """Return the folders that pytest's `pythonpath` names, absolute."""
    return [str(rootdir / str(folder)) for folder in folders]
