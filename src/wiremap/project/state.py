"""The values of facts as they are now."""

from collections.abc import Mapping
from hashlib import blake2b

from wiremap.project.files import files_digest
from wiremap.project.sources import ProjectSources
from wiremap.selection import facts as kinds
from wiremap.selection.facts import Fact
from wiremap.source.units import MODULE_UNIT
from wiremap.tracing.path_state import path_presence, path_state
from wiremap.tracing.territory import Territory
from wiremap.tracing.variables import Variables


class ProjectState:
    """Looks facts up in the sources, on disk and in the environment."""

    def __init__(
        self, sources: ProjectSources, territory: Territory, variables: Variables, environment: frozenset[Fact]
    ) -> None:
        self.sources = sources
        self.territory = territory
        self.environment = environment
        self._variables = variables
        self._environment: Mapping[str, str] = {fact.key: fact.value for fact in environment}
        self._values: dict[tuple[str, str], str] = {}

    def value(self, kind: str, key: str) -> str:
        """Return the value that a fact of *kind* about *key* has now; each is looked up once."""
        if (kind, key) not in self._values:
            self._values[kind, key] = self._find(kind, key)
        return self._values[kind, key]

    def _find(self, kind: str, key: str) -> str:  # noqa: C901, PLR0911 - a table in the form of code
        match kind:
            case kinds.FUNCTION:
                path, _, unit = key.partition("::")
                return self._fingerprint(path, unit)
            case kinds.MODULE:
                return self._fingerprint(key, MODULE_UNIT)
            case kinds.CLASSES | kinds.NAMES:
                top = self.sources.units(key).top
                return kinds.ABSENT if top is None else top.fingerprint
            case kinds.SOURCE:
                return self.sources.digest(key) or kinds.ABSENT
            case kinds.IMPORT:
                return _digest_of_paths(self.sources.index.candidates(key))
            case kinds.FILE:
                return path_state(self.territory.absolute(key))
            case kinds.PRESENCE:
                return path_presence(self.territory.absolute(key))
            case kinds.VARIABLE:
                return self._variables.digest(key) or kinds.ABSENT
            case kinds.ENVIRONMENT:
                return self._environment.get(key, kinds.ABSENT)
            case kinds.PROJECT:
                return files_digest(self.sources.root, self.sources.files)
            case _:
                return kinds.ABSENT  # a kind that a later version wrote: it holds for nothing

    def _fingerprint(self, path: str, unit: str) -> str:
        found = self.sources.units(path).units.get(unit)
        return kinds.ABSENT if found is None else found.fingerprint


def _digest_of_paths(paths: tuple[str, ...]) -> str:
    if not paths:
        return kinds.ABSENT
    return blake2b("\0".join(paths).encode("utf-8", "surrogateescape"), digest_size=8).hexdigest()
