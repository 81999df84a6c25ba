"""Which facts a change between two states of the files touches: those whose value it may make another."""

from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase

from wiremap.selection import facts as kinds
from wiremap.selection.facts import ABSENT, Fact
from wiremap.source.modules import ModuleIndex
from wiremap.source.units import MODULE_UNIT, SourceUnits


class TouchedFacts:
    """Tells of each fact whether a change touches it. What is not about files never is."""

    def __init__(
        self,
        before: Mapping[str, SourceUnits | None],
        now: Mapping[str, SourceUnits | None],
        unknown: Iterable[str] = (),
    ) -> None:
        """Take the files that differ, by path, as they were and as they are: None for what is no Python source.

        *unknown* are files of which nothing is known but that they differ.
        """
        self._unknown = frozenset(unknown)
        self._paths = frozenset(before.keys() | now.keys() | self._unknown)
        self._moved = frozenset(before.keys() ^ now.keys()) | self._unknown
        self._names = ModuleIndex(path for path in self._moved if path.endswith(".py"))
        self._touched: set[tuple[str, str]] = set()
        for path in self._paths:
            self._touched.update(_differing(path, before.get(path), now.get(path)))

    @property
    def paths(self) -> frozenset[str]:
        """The files that differ."""
        return self._paths

    def __call__(self, fact: Fact) -> bool:
        """Tell whether the change touches *fact*."""
        if (fact.kind, fact.key) in self._touched or fact.kind == kinds.PROJECT:
            return True
        if fact.kind == kinds.IMPORT:
            return bool(self._names.candidates(fact.key))
        if fact.kind == kinds.DATA:
            return any(fnmatchcase(path, fact.key) for path in self._paths)
        if fact.kind in (kinds.FILE, kinds.PRESENCE):
            return fact.key in self._paths or (bool(self._moved) and self._may_list(fact.key))
        return fact.path in self._unknown

    def _may_list(self, folder: str) -> bool:
        """Tell whether something came to *folder*, which may have come with it, or went."""
        prefix = "" if folder in ("", ".") else f"{folder}/"
        return any(path.startswith(prefix) for path in self._moved)


def value_of(units: SourceUnits, fact: Fact) -> str | None:
    """Return the value of a fact about functions or what runs at an import; None for facts about anything else."""
    if fact.kind == kinds.FUNCTION:
        unit = units.units.get(fact.key.partition("::")[2])
    elif fact.kind == kinds.MODULE:
        unit = units.units.get(MODULE_UNIT)
    elif fact.kind in (kinds.CLASSES, kinds.NAMES):
        return ABSENT if units.top is None else units.top.fingerprint
    else:
        return None
    return ABSENT if unit is None else unit.fingerprint


def _differing(path: str, before: SourceUnits | None, now: SourceUnits | None) -> Iterator[tuple[str, str]]:
    """Yield the kinds and keys of the facts about *path* that have another value."""
    yield kinds.SOURCE, path
    old, new = before or SourceUnits({}), now or SourceUnits({})
    for name in old.units.keys() | new.units.keys():
        kind, key = (kinds.MODULE, path) if name == MODULE_UNIT else (kinds.FUNCTION, f"{path}::{name}")
        fact = Fact(kind, key, "")
        if value_of(old, fact) != value_of(new, fact):
            yield kind, key
    fact = Fact(kinds.NAMES, path, "")
    if value_of(old, fact) != value_of(new, fact):
        yield kinds.CLASSES, path
        yield kinds.NAMES, path
