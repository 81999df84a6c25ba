"""What foreign code was seen to import and to look up: it is not followed, but what it uses counts for who uses it.

A library that imports another only if it is there asks for it in no metadata. Which of its functions asked
first is chance; that the library asks is not. So this is kept for the whole process, by top-level name.
"""

import sys
from collections.abc import Callable, Iterable

IMPORTS, LOOKUPS = "foreign imports", "foreign lookups"
"""What kind of use is told: a top-level name imports another, or asks for the metadata of a distribution."""

Listener = Callable[[str, str, str], None]
"""Takes the kind of a use, who uses, and what."""


class ForeignUse:
    """Imports and look-ups by foreign modules. It is no dataclass, for the reason that `Observation` is none.

    Attributes:
        loaded_before: Top-level names of foreign modules that were loaded before anybody watched.
        imports: Top-level names that the code of a top-level name asked the import system for, in vain or not.
        lookups: Names of distributions whose metadata the code of a top-level name asked for.
        modules: Modules that somebody other than pytest asked for by a computed name, and so has as objects.
        files: Project files that foreign code other than pytest was the first to import.
        listener: Who is told each use when it is first seen.
    """

    __slots__ = ("files", "imports", "listener", "loaded_before", "lookups", "modules")

    def __init__(
        self,
        loaded_before: frozenset[str] = frozenset(),
        imports: dict[str, set[str]] | None = None,
        lookups: dict[str, set[str]] | None = None,
        listener: Listener | None = None,
    ) -> None:
        self.loaded_before = loaded_before
        self.imports: dict[str, set[str]] = {} if imports is None else imports
        self.lookups: dict[str, set[str]] = {} if lookups is None else lookups
        self.modules: set[str] = set()
        self.files: set[str] = set()
        self.listener = listener

    def note_import(self, importer: str, name: str) -> None:
        """Note that *importer* imports *name*, of which the first part counts."""
        self._note(IMPORTS, self.imports, importer, name.partition(".")[0])

    def note_lookup(self, asker: str, distribution: str) -> None:
        """Note that *asker* asks for the metadata of *distribution*."""
        self._note(LOOKUPS, self.lookups, asker, distribution)

    def absorb(self, other: "ForeignUse") -> None:
        """Add what another process saw."""
        self.loaded_before |= other.loaded_before
        for own, added in ((self.imports, other.imports), (self.lookups, other.lookups)):
            for asker, names in added.items():
                own.setdefault(asker, set()).update(names)

    def _note(self, kind: str, uses: dict[str, set[str]], user: str, used: str) -> None:
        known = uses.setdefault(user, set())
        if used not in known:
            known.add(used)
            if self.listener is not None:
                self.listener(kind, user, used)


def loaded_names(modules: Iterable[str]) -> frozenset[str]:
    """Return the top-level names among *modules* that are neither the standard library's nor the observer's."""
    names = {name.partition(".")[0] for name in modules}
    return frozenset(names - sys.stdlib_module_names - {"wiremap", "__main__", "__mp_main__"})
