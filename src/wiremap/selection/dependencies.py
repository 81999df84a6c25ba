"""From what was observed to facts: everything that a test's outcome rests on.

A test rests on what ran in its own context and in those of its wider fixtures; on every module in the import
closure of all that, with what ran while those were imported; and on values that another test may have left
behind. The closure is followed by what was observed and by what the source says, whichever is wider, since a
module that was imported already shows no second import.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import CodeType
from typing import Protocol

from wiremap.selection import facts as kinds
from wiremap.selection.carried_state import CarriedState
from wiremap.selection.facts import Fact
from wiremap.source.modules import absolute_name, with_parents
from wiremap.source.units import MODULE_UNIT, SourceUnits, Unit, UnitKey, unit_of_code
from wiremap.tracing.observation import Observation, with_kept


class Surroundings(Protocol):
    """What the resolver asks about the project and the process that ran the tests."""

    def units(self, path: str) -> SourceUnits:
        """Return the units of a project file; empty when it is gone."""

    def code_path(self, filename: str) -> str | None:
        """Return the project path of a code object's file."""

    def data_path(self, real: str) -> str | None:
        """Return the project path of a data file, as it is named: links are not followed."""

    def loaded_path(self, module: str) -> str | None:
        """Return the project path from which the process loaded *module*, if it did."""

    def candidates(self, module: str) -> tuple[str, ...]:
        """Return the project files that the name *module* may mean."""

    def value(self, kind: str, key: str) -> str:
        """Return the value of a fact as it was when the tests ran."""


@dataclass(slots=True)
class _Imports:
    """Where names lead that are imported: the modules, and the facts that a name means these."""

    modules: set[str] = field(default_factory=set)
    facts: set[Fact] = field(default_factory=set)


@dataclass(slots=True)
class _Closure:
    """What a set of modules brings along."""

    facts: set[Fact] = field(default_factory=set)
    units: set[UnitKey] = field(default_factory=set)
    doubts: set[str] = field(default_factory=set)
    modules: set[str] = field(default_factory=set)


class DependencyResolver:
    """Turns observations into facts, for all tests of one session."""

    def __init__(
        self,
        around: Surroundings,
        imports: Mapping[str, Observation],
        kept: Iterable[tuple[CodeType, Observation]] = (),
    ) -> None:
        """Prepare for a session.

        Args:
            around: The project and the process.
            imports: What was observed while each project file was imported, by path.
            kept: Functions that may have left something, each with what happened in its calls.
        """
        self._around = around
        self._imports = imports
        self._unit_of_code: dict[int, UnitKey | None] = {}
        self._closures: dict[frozenset[str], _Closure] = {}
        self._unit_facts: dict[UnitKey, Fact] = {}
        # By id of the observation, which the session keeps: many tests share theirs.
        self._units_seen: dict[int, set[UnitKey]] = {}
        self._readings_seen: dict[int, set[Fact]] = {}
        self._imports_by_unit: dict[UnitKey, _Imports] = {}
        work = [(key, seen) for code, seen in kept if (key := self._unit_key(code))]
        self._carried = CarriedState(work, self._around.units)

    def facts(
        self, observations: Iterable[Observation], roots: Iterable[str], own_units: Iterable[UnitKey] = ()
    ) -> frozenset[Fact]:
        """Return what a test rests on.

        Args:
            observations: What was seen in its contexts.
            roots: Its own modules, as project paths.
            own_units: Units that it rests on though it may not have executed them.
        """
        seen = with_kept(list(observations))
        while True:
            units = set(own_units).union(*map(self._units_of, seen))
            closure = self._reach(units, seen, roots)
            more = with_kept([*seen, *self._carried.behind(units | closure.units, closure.modules)])
            if len(more) == len(seen):
                break
            seen = more
        found = closure.facts | {fact for one in seen for fact in self._readings(one)}
        found |= {self._unit_fact(key) for key in units | closure.units}
        found |= {fact for key in units for fact in self._imports_of(key).facts}
        found |= self._resolve(name for one in seen for name in one.imports).facts
        if closure.doubts or any(one.doubts for one in seen):
            found.add(self._fact(kinds.PROJECT, "*"))
        return frozenset(found)

    def _units_of(self, seen: Observation) -> set[UnitKey]:
        if id(seen) not in self._units_seen:
            here = {key for code in seen.codes.values() if (key := self._unit_key(code))}
            self._units_seen[id(seen)] = here | {UnitKey(path, unit) for path, unit in seen.units}
        return self._units_seen[id(seen)]

    def _reach(self, units: set[UnitKey], seen: Iterable[Observation], roots: Iterable[str]) -> _Closure:
        modules = {*roots, *(key.path for key in units), *(path for one in seen for path in one.modules)}
        modules |= self._resolve(name for one in seen for name in one.imports).modules
        for key in units:
            modules |= self._imports_of(key).modules
        return self._closure(frozenset(modules))

    def _closure(self, roots: frozenset[str]) -> _Closure:
        if roots not in self._closures:
            self._closures[roots] = self._follow(roots)
        return self._closures[roots]

    def _follow(self, roots: frozenset[str]) -> _Closure:
        closure = _Closure()
        pending = set(roots)
        while pending:
            path = pending.pop()
            if path in closure.modules:
                continue
            closure.modules.add(path)
            pending |= self._module(path, closure) - closure.modules
        return closure

    def _module(self, path: str, closure: _Closure) -> set[str]:
        """Add what the import of *path* rests on; return the modules that it leads to."""
        own = self._imports_of(UnitKey(path, MODULE_UNIT))
        closure.facts |= own.facts
        seen = self._imports.get(path)
        if seen is None:
            # It was imported before anybody watched: which of its functions ran then is not known.
            closure.facts.add(self._fact(kinds.SOURCE, path))
            return own.modules
        closure.facts.add(self._fact(kinds.MODULE, path))
        during = with_kept([seen])  # it may have found something full
        closure.facts |= {fact for one in during for fact in self._readings(one)}
        closure.doubts |= {doubt for one in during for doubt in one.doubts}
        units = {key for one in during for key in self._units_of(one)}
        closure.units |= units
        found = [own, self._resolve(name for one in during for name in one.imports)]
        found.extend(self._imports_of(key) for key in units)
        closure.facts |= {fact for one in found for fact in one.facts}
        reached = {key.path for key in units} | {path for one in during for path in one.modules}
        return reached | {path for one in found for path in one.modules}

    def _imports_of(self, key: UnitKey) -> "_Imports":
        """Return what a unit's own import statements lead to, and the submodules that it reaches through them."""
        if key not in self._imports_by_unit:
            units = self._around.units(key.path).units
            unit = units.get(key.unit)
            if unit is None:
                return _Imports()
            own = {absolute_name(name, key.path) for name in unit.imports}
            of_file = {absolute_name(name, key.path) for name in units[MODULE_UNIT].imports} | own
            self._imports_by_unit[key] = self._resolve(own | self._submodules(unit, of_file))
        return self._imports_by_unit[key]

    def _submodules(self, unit: Unit, imported: set[str]) -> set[str]:
        """Return modules that *unit* may use as attributes of packages, once somebody else has imported them."""
        attributes = [name for name in unit.names if self._around.candidates(name)]
        named = {f"{package}.{name}" for package in imported for name in attributes}
        return {name for name in named if self._around.candidates(name)}

    def _resolve(self, names: Iterable[str]) -> "_Imports":
        found = _Imports()
        for part in {part for name in names for part in with_parents(name)}:
            found.facts.add(self._fact(kinds.IMPORT, part))
            loaded = self._around.loaded_path(part)
            if loaded is not None:
                found.modules.add(loaded)
            else:
                found.modules |= {path for path in self._around.candidates(part) if path in self._imports}
        return found

    def _readings(self, seen: Observation) -> set[Fact]:
        if id(seen) not in self._readings_seen:
            self._readings_seen[id(seen)] = self._read_facts(seen)
        return self._readings_seen[id(seen)]

    def _read_facts(self, seen: Observation) -> set[Fact]:
        read = {
            Fact(kinds.FILE, path, state)
            for real, state in seen.files.items()
            if (path := self._around.data_path(real)) is not None
        }
        read |= {
            Fact(kinds.PRESENCE, path, presence)
            for real, presence in seen.presences.items()
            if (path := self._around.data_path(real)) is not None
        }
        variables = {Fact(kinds.VARIABLE, name, value or kinds.ABSENT) for name, value in seen.variables.items()}
        distributions = {self._fact(kinds.DISTRIBUTION, name) for name in seen.distributions}
        return read | variables | distributions

    def _unit_fact(self, key: UnitKey) -> Fact:
        if key not in self._unit_facts:
            self._unit_facts[key] = self._make_unit_fact(key)
        return self._unit_facts[key]

    def _make_unit_fact(self, key: UnitKey) -> Fact:
        if key.unit == MODULE_UNIT:
            return self._fact(kinds.MODULE, key.path)
        if key.unit not in self._around.units(key.path).units:
            # Code made at run time under the name of this file: only the whole file stands for it.
            return self._fact(kinds.SOURCE, key.path)
        return self._fact(kinds.FUNCTION, str(key))

    def _fact(self, kind: str, key: str) -> Fact:
        return Fact(kind, key, self._around.value(kind, key))

    def _unit_key(self, code: CodeType) -> UnitKey | None:
        if id(code) not in self._unit_of_code:
            self._unit_of_code[id(code)] = self._locate(code)
        return self._unit_of_code[id(code)]

    def _locate(self, code: CodeType) -> UnitKey | None:
        path = self._around.code_path(code.co_filename)
        if path is None:
            return None
        return UnitKey(path, unit_of_code(code.co_qualname, code.co_flags))
