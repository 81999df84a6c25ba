"""The wiring that tests declare to depend on: compiled from the project's recipes, at most once in a session.

Graphs and what compiles them are imported when a test declares any: every recorded run imports this module.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from wiremap.errors import PatternSyntaxError, PatternTooHardError
from wiremap.selection.facts import UNCOMPILED

if TYPE_CHECKING:
    from wiremap.graph import Graph
    from wiremap.selection.wiring_matches import WiringMatches


class Wirings:
    """What patterns match in the graphs of the recipes, as they are when it is first asked."""

    def __init__(self, compile_graphs: "Callable[[], Mapping[str, Graph] | str]") -> None:
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
        except (PatternSyntaxError, PatternTooHardError) as error:  # the former in a record of another version
            return f"{UNCOMPILED}{error}"

    def classes(self, pattern: str) -> frozenset[tuple[str, str]]:
        """Return the source path, below its import root, and the type of each component that *pattern* matches."""
        graphs = self.graphs()
        try:
            found = () if isinstance(graphs, str) else self._matched(pattern, graphs).components
        except PatternTooHardError:  # the value says so, which is enough to run
            return frozenset()
        return frozenset((one.source_path, one.type) for one in found if one.source_path)

    def matching_nothing(self, patterns: Iterable[str]) -> list[str]:
        """Return those of *patterns* that match nothing, though the graphs are known."""
        graphs = self.graphs()
        if isinstance(graphs, str):
            return []
        return sorted(one for one in set(patterns) if self._finds_nothing(one, graphs))

    def _finds_nothing(self, pattern: str, graphs: "Mapping[str, Graph]") -> bool:
        try:
            return self._matched(pattern, graphs).are_none
        except PatternTooHardError:
            return False

    def graphs(self) -> "Mapping[str, Graph] | str":
        """Return the graphs by recipe, or why there are none."""
        if self._graphs is None:
            self._graphs = self._compile()
        return self._graphs

    def _matched(self, pattern: str, graphs: "Mapping[str, Graph]") -> "WiringMatches":
        from wiremap.selection.wiring_matches import wiring_matches  # noqa: PLC0415 -- as said above

        if pattern not in self._matches:
            self._matches[pattern] = wiring_matches(pattern, graphs)
        return self._matches[pattern]


def graphs_of(
    recipes: Sequence[str], folder: Path, environment: Mapping[str, str], search_path: Sequence[str]
) -> "Mapping[str, Graph] | str":
    """Return the graph of each of *recipes*, or why one has none.

    Args:
        recipes: `package.module` or `package.module:function`.
        folder: Where they are compiled.
        environment: The environment variables there.
        search_path: Folders in which modules are looked up before all others.
    """
    if not recipes:
        return "[tool.wiremap] names no recipes"
    from wiremap.use_cases.recipe_compiling import Workplace, compile_recipes  # noqa: PLC0415 -- as said above

    graphs: dict[str, Graph] = {}
    workplace = Workplace(folder, tuple(search_path), environment=environment)
    for recipe, compiled in compile_recipes(recipes, workplace).items():
        if compiled.graph is None:
            return f"{recipe} can't be compiled: {compiled.error_line(folder)}"
        graphs[recipe] = compiled.graph
    return graphs


def search_path_of(rootdir: Path, folders: Iterable[object]) -> list[str]:
    """Return the folders that pytest's `pythonpath` names, absolute."""
    return [str(rootdir / str(folder)) for folder in folders]
