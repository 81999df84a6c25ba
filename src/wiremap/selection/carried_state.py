"""State that one test leaves for the next: which kept work a test may have used without doing it.

Most of it the recorder notes by itself, when a test calls a function that an earlier one made fill something
(`wiremap.tracing.kept_work`). A memoised function is not even called when it remembers the answer. So the
work of one that a cache surely stands before counts for every test whose imports reach its file, and the work of
one with a decorator that nobody knows for every test that executes a function in which its name occurs.
"""

from collections.abc import Callable, Iterable
from collections.abc import Set as AbstractSet

from wiremap.source.units import SourceUnits, UnitKey
from wiremap.tracing.observation import Observation


class CarriedState:
    """The work of memoised functions, and whom it concerns."""

    def __init__(self, work: Iterable[tuple[UnitKey, Observation]], units: Callable[[str], SourceUnits]) -> None:
        """Index *work*, what happened in the calls of functions; *units* gives the source of a file."""
        self._units = units
        self._by_file: dict[str, list[Observation]] = {}
        self._by_name: dict[str, list[tuple[UnitKey, Observation]]] = {}
        self._work_of_unit: dict[UnitKey, list[tuple[UnitKey, Observation]]] = {}
        for key, seen in work:
            unit = units(key.path).units.get(key.unit)
            if unit is not None and unit.memory == "certain":
                self._by_file.setdefault(key.path, []).append(seen)
            elif unit is not None and unit.memory == "possible":
                self._by_name.setdefault(key.unit.rpartition(".")[2], []).append((key, seen))

    def behind(self, executed: AbstractSet[UnitKey], within: AbstractSet[str]) -> list[Observation]:
        """Return what may have happened for a test that *executed* these, and whose imports reach *within*."""
        certain = [seen for path in within for seen in self._by_file.get(path, ())]
        if not self._by_name:
            return certain
        possible = [seen for key in executed for other, seen in self._named_by(key) if other.path in within]
        return certain + possible

    def _named_by(self, key: UnitKey) -> list[tuple[UnitKey, Observation]]:
        if key not in self._work_of_unit:
            unit = self._units(key.path).units.get(key.unit)
            names = unit.names if unit is not None else ()
            self._work_of_unit[key] = [entry for name in names for entry in self._by_name.get(name, ())]
        return self._work_of_unit[key]
