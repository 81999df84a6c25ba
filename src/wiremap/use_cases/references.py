"""What tests refer to by their source, before they have run."""

from collections.abc import Iterable

from wiremap.project.sources import ProjectSources
from wiremap.source.modules import absolute_name, with_parents
from wiremap.source.references import References
from wiremap.source.units import UnitKey

_MAKES_GRAPHS = "RegistryOrchestrator"


class ReferencesOfTests:
    """Follows tests through the files that theirs import, directly or not."""

    def __init__(self, sources: ProjectSources) -> None:
        self._sources = sources
        self._of_files: dict[frozenset[str], References] = {}
        self._closures: dict[str, frozenset[str]] = {}
        self._found: dict[frozenset[UnitKey], set[str]] = {}

    def may_build_graph(self, start: Iterable[UnitKey]) -> bool:
        """Tell whether what *start*, a test with its fixtures, refers to makes an orchestrator."""
        return _MAKES_GRAPHS in self._words(frozenset(start))

    def units(self, start: Iterable[UnitKey]) -> list[UnitKey]:
        """Return the functions that *start* refers to, directly or not, sorted."""
        start = frozenset(start)
        own = {key for key in start if key.unit in self._sources.units(key.path).units}
        return sorted({*self._references(start).units(self._words(start)), *own})

    def _words(self, start: frozenset[UnitKey]) -> set[str]:
        if start not in self._found:
            units = [self._sources.units(key.path).units.get(key.unit) for key in start]
            words = {word for unit in units if unit is not None for word in (*unit.names, *unit.mentions)}
            self._found[start] = self._references(start).words(words)
        return self._found[start]

    def _references(self, start: frozenset[UnitKey]) -> References:
        files = frozenset().union(*(self._closure(key.path) for key in start))
        if files not in self._of_files:
            self._of_files[files] = References({path: self._sources.units(path) for path in files})
        return self._of_files[files]

    def _closure(self, path: str) -> frozenset[str]:
        if path not in self._closures:
            reached: set[str] = set()
            pending = {path}
            while pending:
                one = pending.pop()
                reached.add(one)
                pending |= self._imported_by(one) - reached
            self._closures[path] = frozenset(reached)
        return self._closures[path]

    def _imported_by(self, path: str) -> set[str]:
        names = {
            absolute_name(name, path) for unit in self._sources.units(path).units.values() for name in unit.imports
        }
        return {file for name in names for part in with_parents(name) for file in self._sources.candidates(part)}
