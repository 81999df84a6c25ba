"""What source may refer to, by the words in it: wider than what runs, and known before anything has run.

A word stands for everything in the given files that bears it as its last name. So a reference that is told by
computing a name is not seen, and one that is seen may lead elsewhere.
"""

from collections.abc import Iterable, Mapping

from wiremap.source.module_names import ModuleNames
from wiremap.source.units import MODULE_UNIT, SourceUnits, UnitKey


class References:
    """Follows the words of some files."""

    def __init__(self, files: Mapping[str, SourceUnits]) -> None:
        """Index *files*: the units of each, by path."""
        self._units: dict[str, list[UnitKey]] = {}
        self._words: dict[str, set[str]] = {}
        for path, source in files.items():
            for name, unit in source.units.items():
                if name != MODULE_UNIT:
                    for word in _words_for(name):
                        self._units.setdefault(word, []).append(UnitKey(path, name))
                        self._words.setdefault(word, set()).update(unit.names, unit.mentions)
            top = source.top or ModuleNames()
            for name, made in top.names.items():
                self._words.setdefault(name.rpartition(".")[2], set()).update(made.reads)
            for word in top.effect_reads:  # of which it is not known what makes what
                self._words.setdefault(word, set()).update(top.effect_reads)

    def words(self, start: Iterable[str]) -> set[str]:
        """Return the words that *start* leads to, itself included."""
        reached: set[str] = set()
        pending = set(start)
        while pending:
            word = pending.pop()
            reached.add(word)
            pending |= self._words.get(word, frozenset()) - reached
        return reached

    def units(self, words: Iterable[str]) -> list[UnitKey]:
        """Return the functions that *words* stand for, sorted."""
        return sorted({unit for word in words for unit in self._units.get(word, ())})


def _words_for(name: str) -> set[str]:
    """Return the words that may lead to the function *name*: its own, and that of its class for what Python calls."""
    owner, _, own = name.rpartition(".")
    is_called_by_python = own.startswith("__") and own.endswith("__")
    return {own, owner.rpartition(".")[2]} if owner and is_called_by_python else {own}
