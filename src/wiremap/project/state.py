"""The values of facts as they are now."""

from collections.abc import Callable
from fnmatch import fnmatchcase
from hashlib import blake2b

from wiremap.project.environment import Environment
from wiremap.project.files import files_digest
from wiremap.project.libraries import library_state
from wiremap.project.settings import Settings
from wiremap.project.sources import ProjectSources
from wiremap.selection import facts as kinds
from wiremap.selection.facts import Fact
from wiremap.source.units import MODULE_UNIT
from wiremap.tracing.path_state import path_presence, path_state
from wiremap.tracing.territory import Territory
from wiremap.tracing.variables import Variables


class ProjectState:
    """Looks facts up in the sources, on disk and in the environment."""

    def __init__(  # noqa: PLR0913 -- each is another part of what surrounds the tests
        self,
        sources: ProjectSources,
        territory: Territory,
        variables: Variables,
        environment: Environment,
        settings: Settings | None = None,
        *,
        wiring: Callable[[str], str] | None = None,
    ) -> None:
        """Prepare to look up.

        Args:
            sources: The files of the project.
            territory: Which files are the project's.
            variables: The environment variables that the process was started with.
            environment: Everything around the project.
            settings: What the project declares; nothing by default.
            wiring: Tells what a pattern matches in the graphs of the recipes; by default nobody does.
        """
        self.sources = sources
        self.territory = territory
        self.environment = environment
        self._environment = environment.values
        self.settings = settings or Settings()
        self._values: dict[tuple[str, str], str] = {}
        self._finders: dict[str, Callable[[str], str]] = {
            kinds.FUNCTION: self._function,
            kinds.MODULE: lambda key: self._fingerprint(key, MODULE_UNIT),
            **dict.fromkeys((kinds.CLASSES, kinds.NAMES), self._top),
            kinds.SOURCE: lambda key: sources.digest(key) or kinds.ABSENT,
            kinds.IMPORT: self._answers,
            kinds.FILE: lambda key: path_state(territory.absolute(key)),
            kinds.PRESENCE: lambda key: path_presence(territory.absolute(key)),
            kinds.VARIABLE: lambda key: variables.digest(key) or kinds.ABSENT,
            kinds.ENVIRONMENT: lambda key: self._environment.get(key, kinds.ABSENT),
            kinds.DISTRIBUTION: environment.distributions.state,
            kinds.LIBRARY: library_state,
            kinds.DATA: self._data,
            kinds.COLLECTED_TEST: lambda _key: kinds.COLLECTED_TEST,  # what was found then was found
            kinds.PROJECT: self._project,
            kinds.WIRING: wiring or (lambda _pattern: f"{kinds.UNCOMPILED}nobody compiles it here"),
            kinds.WIRED: self._wired,
        }

    def value(self, kind: str, key: str) -> str:
        """Return the value that a fact of *kind* about *key* has now; each is looked up once."""
        if (kind, key) not in self._values:
            self._values[kind, key] = self._find(kind, key)
        return self._values[kind, key]

    def is_ignored(self, fact: Fact) -> bool:
        """Tell whether *fact* is about something that the project declares to decide no outcome."""
        if fact.kind in (kinds.FILE, kinds.PRESENCE):
            return self._is_ignored_path(fact.key)
        if fact.kind == kinds.LIBRARY:
            return "libraries" in self.settings.ignored_environment
        return fact.kind == kinds.VARIABLE and fact.key in self.settings.ignored_variables

    def _is_ignored_path(self, path: str) -> bool:
        return any(fnmatchcase(path, pattern) for pattern in self.settings.ignore)

    def _find(self, kind: str, key: str) -> str:
        finder = self._finders.get(kind)
        # A kind that a later version wrote holds for nothing.
        return kinds.ABSENT if finder is None else finder(key)

    def _function(self, key: str) -> str:
        path, _, unit = key.partition("::")
        return self._fingerprint(path, unit)

    def _top(self, path: str) -> str:
        return self.sources.outline(path).top or kinds.ABSENT

    def _wired(self, key: str) -> str:
        """Return one fingerprint of a class with its methods, or of a function."""
        path, _, name = key.partition("::")
        source = self.sources.units(path)
        if source.top is None:
            return self.sources.digest(path) or kinds.ABSENT
        units = {one: unit.fingerprint for one, unit in source.units.items() if _is_part(one, name)}
        names = {one: made.fingerprint for one, made in source.top.names.items() if _is_part(one, name)}
        # A class that does more than to bind its members is one of the effects.
        effects = "" if name in names or name in units else source.top.effects
        parts = [*sorted(units.items()), *sorted(names.items()), effects]
        return blake2b(repr(parts).encode("utf-8", "surrogateescape"), digest_size=12).hexdigest()

    def _data(self, pattern: str) -> str:
        return files_digest(self.sources.root, [path for path in self.sources.files if fnmatchcase(path, pattern)])

    def _project(self, _all: str) -> str:
        files = [path for path in self.sources.files if not self._is_ignored_path(path)]
        return files_digest(self.sources.root, files)

    def _fingerprint(self, path: str, unit: str) -> str:
        return self.sources.outline(path).units.get(unit, kinds.ABSENT)

    def _answers(self, name: str) -> str:
        """Return who answers to the module name *name*, in the project and among what is installed."""
        own = self.sources.index.candidates(name)
        installed = () if "." in name else self.environment.distributions.providers(name)
        if not own:
            return ", ".join(installed) or kinds.ABSENT
        answers = "\0".join([*own, *installed]).encode("utf-8", "surrogateescape")
        return blake2b(answers, digest_size=8).hexdigest()


def _is_part(one: str, name: str) -> bool:
    return one == name or one.startswith(f"{name}.")
