"""The Python sources of a state of the repository, read from git."""

from collections.abc import Mapping
from functools import cached_property

from wiremap.project.repository import WORKING_TREE, Repository, State
from wiremap.project.sources import ProjectSources, is_text
from wiremap.selection import facts as kinds
from wiremap.selection.facts import Fact
from wiremap.selection.touched import value_of
from wiremap.source.identifiers import words
from wiremap.source.modules import ModuleIndex
from wiremap.source.units import SourceUnits, content_digest, parse_units


class StateSources:
    """The sources of one state; `earlier` ones that are known by what their top level does are those of another."""

    def __init__(
        self, repository: Repository, state: State, remembered: ProjectSources, earlier: Mapping[str, SourceUnits]
    ) -> None:
        """Prepare to read; units are taken from those *remembered* where they are there.

        *earlier* are the sources of the files that differ from another state, by path.
        """
        self._repository = repository
        self._state = state
        self._remembered = remembered
        self._earlier = {units.top.fingerprint: units for units in earlier.values() if units.top is not None}
        self._units: dict[str, SourceUnits] = {}

    def units(self, path: str) -> SourceUnits:
        """Return the units of a file; none when it is not there."""
        if path not in self._units:
            text = self._texts.get(path)
            self._units[path] = SourceUnits({}) if text is None else self._parsed(text)
        return self._units[path]

    def value(self, fact: Fact) -> str:
        """Return the value of a fact about source in this state."""
        path = fact.path or ""
        if path not in self._kept and path not in self._texts:  # it is generated, or lies elsewhere
            now = self._remembered.digest(path) if fact.kind == kinds.SOURCE else None
            return now or value_of(self._remembered.units(path), fact) or kinds.ABSENT
        if fact.kind == kinds.SOURCE:
            return content_digest(self._texts[path]) if path in self._texts else kinds.ABSENT
        return value_of(self.units(path), fact) or kinds.ABSENT

    def candidates(self, module: str) -> tuple[str, ...]:
        """Return the files that the name *module* may mean."""
        return self._index.candidates(module)

    def source_of_module(self, fingerprint: str) -> SourceUnits | None:
        """Return the earlier source whose top level has that fingerprint."""
        return self._earlier.get(fingerprint)

    def words(self, path: str) -> frozenset[str] | None:
        """Return what may be identifiers in a file of data, or None if that can't be told."""
        data = self._repository.read(self._state, [path]).get(path)
        return words(data) if data is not None and is_text(data) else None

    def is_known_outside(self, name: str) -> bool:
        """Tell whether a library may read *name* of what it is handed."""
        return self._remembered.is_known_outside(name)

    def _parsed(self, text: bytes) -> SourceUnits:
        return self._remembered.units_of_digest(content_digest(text)) or parse_units(text)

    @cached_property
    def _texts(self) -> Mapping[str, bytes]:
        paths = self._repository.paths(self._state)
        return self._repository.read(self._state, [path for path in paths if path.endswith(".py")])

    @cached_property
    def _kept(self) -> frozenset[str]:
        """The files of the working tree that git keeps or would keep."""
        return frozenset(self._repository.paths(WORKING_TREE))

    @cached_property
    def _index(self) -> ModuleIndex:
        return ModuleIndex(self._texts)
