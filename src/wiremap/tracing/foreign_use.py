"""What foreign code was seen to import and to look up: it is not followed, but what it uses counts for who uses it.

A library that imports another only if it is there asks for it in no metadata. Which of its functions asked
first is chance; that the library asks is not. So this is kept for the whole process, by top-level name.
"""

import sys
from collections.abc import Iterable
from dataclasses import dataclass, field


@dataclass(slots=True)
class ForeignUse:
    """Imports and look-ups by foreign modules.

    Attributes:
        loaded_before: Top-level names of foreign modules that were loaded before anybody watched.
        imports: Top-level names that the code of a top-level name asked the import system for, in vain or not.
        lookups: Names of distributions whose metadata the code of a top-level name asked for.
    """

    loaded_before: frozenset[str] = frozenset()
    imports: dict[str, set[str]] = field(default_factory=dict)
    lookups: dict[str, set[str]] = field(default_factory=dict)

    def note_import(self, importer: str, name: str) -> None:
        """Note that *importer* imports *name*, of which the first part counts."""
        self.imports.setdefault(importer, set()).add(name.partition(".")[0])

    def note_lookup(self, asker: str, distribution: str) -> None:
        """Note that *asker* asks for the metadata of *distribution*."""
        self.lookups.setdefault(asker, set()).add(distribution)

    def absorb(self, other: "ForeignUse") -> None:
        """Add what another process saw."""
        self.loaded_before |= other.loaded_before
        for own, added in ((self.imports, other.imports), (self.lookups, other.lookups)):
            for asker, names in added.items():
                own.setdefault(asker, set()).update(names)


def loaded_names(modules: Iterable[str]) -> frozenset[str]:
    """Return the top-level names among *modules* that are neither the standard library's nor the observer's."""
    names = {name.partition(".")[0] for name in modules}
    return frozenset(names - sys.stdlib_module_names - {"wiremap", "__main__", "__mp_main__"})
