"""From what was observed to facts: everything that a test's outcome rests on.

A test rests on what ran in its own context and in those of its wider fixtures; on every module in the import
closure of all that, with what ran while those were imported; and on values that another test may have left
behind. The closure is followed by what was observed and by what the source says, whichever is wider, since a
module that was imported already shows no second import.
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from types import CodeType
from typing import Protocol

from wiremap.selection import facts as kinds
from wiremap.selection.carried_state import CarriedState
from wiremap.selection.facts import Fact
from wiremap.selection.recipe_ways import RecipeWays
from wiremap.source.modules import absolute_name, with_parents
from wiremap.source.reach import OWN_MODULE, Sight
from wiremap.source.units import MODULE_UNIT, SourceUnits, Unit, UnitKey, unit_of_code
from wiremap.tracing.observation import Observation, with_kept
from wiremap.tracing.recipe_branches import ToldRecipe

_GIVE_ATTRIBUTES = frozenset({"__builtin__", "builtins", "operator"})
"""Modules of which data may name `getattr`, or another function that gives the attributes it is asked for."""
_MOST_HOPS = 8
"""So many modules may hand on a name before it reaches somebody."""


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

    def is_foreign_import(self, path: str) -> bool:
        """Tell whether code that is not the project's imported the file, and may read it in ways unseen."""

    def value(self, kind: str, key: str) -> str:
        """Return the value of a fact as it was when the tests ran."""


@dataclass(slots=True)
class _Imports:
    """Where names lead that are imported: the modules, and the facts that a name means these."""

    modules: set[str] = field(default_factory=set)
    facts: set[Fact] = field(default_factory=set)


@dataclass(slots=True)
class _Reached:
    """What a unit may read by computed names, and the modules that it may read as wholes."""

    sight: Sight
    modules: set[str] = field(default_factory=set)


@dataclass(slots=True)
class _Read:
    """What some units may read: by computed names, and which modules as wholes."""

    sights: set[Sight] = field(default_factory=set)
    modules: set[str] = field(default_factory=set)


@dataclass(slots=True)
class _Closure:
    """What a set of modules brings along; many tests share one, so all that follows from it is kept here."""

    facts: set[Fact] = field(default_factory=set)
    units: set[UnitKey] = field(default_factory=set)
    doubts: set[str] = field(default_factory=set)
    processes: set[str] = field(default_factory=set)
    unpickled: set[str] = field(default_factory=set)
    during: dict[Observation, None] = field(default_factory=dict)
    modules: set[str] = field(default_factory=set)
    read: _Read = field(default_factory=_Read)
    unfollowed: set[str] = field(default_factory=set)
    starred: dict[str, set[str]] = field(default_factory=dict)
    opaque: dict[tuple[str, frozenset[str], frozenset[str]], frozenset[str]] = field(default_factory=dict)
    told_apart: dict[tuple[str, frozenset[str]], frozenset[Fact]] = field(default_factory=dict)


class DependencyResolver:
    """Turns observations into facts, for all tests of one session."""

    def __init__(
        self,
        around: Surroundings,
        imports: Mapping[str, Observation],
        kept: Iterable[tuple[CodeType, Observation]] = (),
        recipes: Mapping[UnitKey, ToldRecipe] | None = None,
    ) -> None:
        """Prepare for a session.

        Args:
            around: The project and the process.
            imports: What was observed while each project file was imported, by path.
            kept: Functions that may have left something, each with what happened in its calls.
            recipes: Recipes that told all branches that they took.
        """
        self._recipes = RecipeWays(recipes or {}, self._unit_key)
        self._around = around
        self._imports = imports
        self._unit_of_code: dict[int, UnitKey | None] = {}
        self._brought: dict[str, _Closure] = {}
        self._closures: dict[frozenset[str], _Closure] = {}
        self._closures_of_modules: dict[frozenset[str], _Closure] = {}
        self._unit_facts: dict[UnitKey, Fact] = {}
        # Many tests share observations, or see the same.
        self._contents: dict[Observation, Hashable] = {}
        self._found: dict[Hashable, frozenset[Fact]] = {}
        self._units_seen: dict[Observation, set[UnitKey]] = {}
        self._modules_seen: dict[Observation, set[str]] = {}
        self._readings_seen: dict[Observation, set[Fact]] = {}
        self._imports_by_unit: dict[UnitKey, _Imports] = {}
        self._reached: dict[UnitKey, _Reached] = {}
        work = [(key, seen) for code, seen in kept if (key := self._unit_key(id(code), code))]
        self._carried = CarriedState(work, self._around.units)

    def facts(
        self,
        observations: Iterable[Observation],
        roots: Iterable[str],
        own_units: Iterable[UnitKey] = (),
        *,
        whole: bool = False,
    ) -> frozenset[Fact]:
        """Return what a test rests on.

        Args:
            observations: What was seen in its contexts.
            roots: Its own modules, as project paths.
            own_units: Units that it rests on though it may not have executed them.
            whole: Whether it may read any name of its modules, as somebody does who looks for all tests of a file.
        """
        observations, own_units = list(observations), frozenset(own_units)
        key = (frozenset(map(self._content, observations)), frozenset(roots), own_units, whole)
        if key not in self._found:
            self._found[key] = self._find(observations, roots, own_units, whole=whole)
        return self._found[key]

    def _content(self, seen: Observation) -> Hashable:
        if seen not in self._contents:
            self._contents[seen] = seen.content()
        return self._contents[seen]

    def _find(
        self, observations: list[Observation], roots: Iterable[str], own_units: AbstractSet[UnitKey], *, whole: bool
    ) -> frozenset[Fact]:
        seen = with_kept(observations)
        while True:
            units = set(own_units).union(*map(self._units_of, seen))
            closure = self._reach(own_units, seen, roots)
            more = with_kept([*seen, *self._carried.behind(units | closure.units, closure.modules)])
            if len(more) == len(seen):
                break
            seen = more
        units -= closure.units
        found = {self._unit_fact(key) for key in units}.union(*map(self._readings, seen))
        during = [*seen, *closure.during]
        found |= self._recipes.facts(during, own_units, lambda key: self._unit_fact(key).value)
        found.update(*(self._imports_of(key).facts for key in units))
        found |= self._resolve(name for one in seen for name in one.imports).facts
        if closure.doubts or any(one.doubts for one in seen):
            found.add(self._fact(kinds.PROJECT, "*"))
        # Which names the libraries know that a child process loads is not known here.
        whole = whole or bool(own_units or closure.processes or any(one.processes for one in seen))
        if whole:
            return frozenset(found | closure.facts)
        unpickled = closure.unpickled.union(*(one.unpickled for one in seen))
        return frozenset(self._told_apart(found, closure, units, unpickled))

    def _told_apart(
        self, found: set[Fact], closure: _Closure, units: set[UnitKey], unpickled: set[str]
    ) -> AbstractSet[Fact]:
        """Return *found* and the facts of *closure*, those about modules by names as far as all that is read has one.

        Args:
            found: Facts that the test has besides those of the closure.
            closure: What its modules bring along.
            units: What it executed besides the units of the closure.
            unpickled: Modules that data named.
        """
        sights, opaque = set(closure.read.sights), set(closure.read.modules)
        for key in units:
            reached = self._reach_of(key)
            sights.add(reached.sight)
            opaque |= reached.modules
        if "all" in sights:
            return found | closure.facts
        if not unpickled.isdisjoint(_GIVE_ATTRIBUTES):
            sights.add("members")
        opaque |= {path for name in unpickled for path in self._around.candidates(name)}
        unfollowed = closure.unfollowed.union(fact.key for fact in found if fact.kind == kinds.SOURCE)
        finer = kinds.CLASSES if "members" in sights else kinds.NAMES
        asked = (finer, frozenset(opaque), frozenset(unfollowed))
        if asked not in closure.opaque:
            closure.opaque[asked] = self._all_opaque(closure, *asked)
        way = (finer, closure.opaque[asked])
        if way not in closure.told_apart:
            closure.told_apart[way] = frozenset(self._finer(closure.facts, *way))
        return closure.told_apart[way].union(self._finer(found, *way))

    def _all_opaque(
        self, closure: _Closure, finer: str, opaque: AbstractSet[str], unfollowed: AbstractSet[str]
    ) -> frozenset[str]:
        """Return the modules of which any name may be read, also by way of *opaque* and *unfollowed* ones."""
        if finer == kinds.CLASSES:
            opaque = self._with_held(opaque, closure.modules)
        return frozenset(_with_starred(opaque, unfollowed, closure.starred))

    def _with_held(self, opaque: AbstractSet[str], modules: AbstractSet[str]) -> set[str]:
        """Return *opaque* modules with those of *modules* that are attributes of them, of these, and so on.

        Who computes names of a module may get another module by one, and compute names of that.
        """
        reached: set[str] = set()
        pending = set(opaque)
        while pending:
            path = pending.pop()
            reached.add(path)
            pending |= (self._held_by(path, modules) & modules) - reached
        return reached

    def _held_by(self, path: str, modules: AbstractSet[str]) -> set[str]:
        top = self._around.units(path).top
        if top is None:
            return set()
        names = {absolute_name(name, path) for name in (*top.aliases.values(), *top.stars)}
        held = {file for name in names for file in self._modules_meant(name)}
        package, _, file = path.rpartition("/")
        if file == "__init__.py":  # whoever imports a submodule makes it an attribute of its package
            held |= {one for one in modules if one.removesuffix("/__init__.py").rpartition("/")[0] == package}
        return held

    def _finer(self, found: Iterable[Fact], finer: str, opaque: AbstractSet[str]) -> Iterator[Fact]:
        for fact in found:
            is_by_name = fact.kind == kinds.MODULE and fact.key not in opaque
            yield self._fact(finer, fact.key) if is_by_name and not self._around.is_foreign_import(fact.key) else fact

    def _reach_of(self, key: UnitKey) -> "_Reached":
        if key not in self._reached:
            self._reached[key] = self._find_reach(key)
        return self._reached[key]

    def _find_reach(self, key: UnitKey) -> "_Reached":
        source = self._around.units(key.path)
        unit = source.units.get(key.unit)
        if unit is None or source.top is None:
            return _Reached("all")
        handled = {absolute_name(name, key.path) for name in unit.reach.handled - {OWN_MODULE}}
        modules = {path for name in handled for path in self._modules_meant(name)}
        modules |= {path for name in unit.reach.spelled for path in self._modules_spelled(name)}
        return _Reached(unit.reach.sight, modules | ({key.path} if OWN_MODULE in unit.reach.handled else set()))

    def _modules_spelled(self, text: str) -> Iterable[str]:
        """Return the files of the module that a string may name. A single word does so if the module is there."""
        loaded = self._around.loaded_path(text)
        if loaded is not None:
            return (loaded,)
        return self._around.candidates(text) if "." in text else ()

    def _modules_meant(self, dotted: str, depth: int = 0) -> set[str]:
        """Return the files of the module that a dotted name means, also by way of a module that imports it."""
        files = set(self._around.candidates(dotted))
        owner, _, name = dotted.rpartition(".")
        if files or not owner or depth > _MOST_HOPS:
            return files
        for path in self._modules_meant(owner, depth + 1):
            top = self._around.units(path).top
            if top is not None and name in top.aliases:
                files |= self._modules_meant(absolute_name(top.aliases[name], path), depth + 1)
        return files

    def _units_of(self, seen: Observation) -> set[UnitKey]:
        if seen not in self._units_seen:
            here = {key for number, code in seen.codes.items() if (key := self._unit_key(number, code))}
            self._units_seen[seen] = here | {UnitKey(path, unit) for path, unit in seen.units}
        return self._units_seen[seen]

    def _reach(self, own_units: AbstractSet[UnitKey], seen: Iterable[Observation], roots: Iterable[str]) -> _Closure:
        modules = self._modules_of(own_units).union(roots, *map(self._modules_led_to, seen))
        return self._closure(frozenset(modules))

    def _modules_led_to(self, seen: Observation) -> set[str]:
        if seen not in self._modules_seen:
            modules = self._modules_of(self._units_of(seen)) | self._resolve(seen.imports).modules | seen.modules
            self._modules_seen[seen] = modules
        return self._modules_seen[seen]

    def _modules_of(self, units: AbstractSet[UnitKey]) -> set[str]:
        """Return the files that *units* stand in, and those of what they import."""
        modules = {key.path for key in units}
        return modules.union(*(self._imports_of(key).modules for key in units))

    def _closure(self, roots: frozenset[str]) -> _Closure:
        if roots not in self._closures:
            self._closures[roots] = self._follow(roots)
        return self._closures[roots]

    def _follow(self, roots: frozenset[str]) -> _Closure:
        modules: set[str] = set()
        pending = set(roots)
        while pending:
            path = pending.pop()
            modules.add(path)
            pending |= self._brought_by(path).modules - modules
        # Most ways in lead to the same modules.
        key = frozenset(modules)
        if key not in self._closures_of_modules:
            self._closures_of_modules[key] = self._unite(key)
        return self._closures_of_modules[key]

    def _unite(self, modules: frozenset[str]) -> _Closure:
        closure = _Closure(modules=set(modules))
        for path in modules:
            brought = self._brought_by(path)
            closure.facts |= brought.facts
            closure.units |= brought.units
            closure.doubts |= brought.doubts
            closure.processes |= brought.processes
            closure.unpickled |= brought.unpickled
            closure.during |= brought.during
            if starred := self._starred_by(path):
                closure.starred[path] = starred
        closure.facts |= {self._unit_fact(key) for key in closure.units}
        for key in closure.units | {UnitKey(path, MODULE_UNIT) for path in closure.modules}:
            reached = self._reach_of(key)
            closure.read.sights.add(reached.sight)
            closure.read.modules |= reached.modules
        closure.unfollowed = {fact.key for fact in closure.facts if fact.kind == kinds.SOURCE}
        closure.unfollowed |= {path for path in closure.starred if self._around.is_foreign_import(path)}
        return closure

    def _starred_by(self, path: str) -> set[str]:
        """Return the files of the modules of which the one in *path* imports everything."""
        top = self._around.units(path).top
        stars = top.stars if top is not None else ()
        return {file for name in stars for file in self._around.candidates(absolute_name(name, path))}

    def _brought_by(self, path: str) -> _Closure:
        if path not in self._brought:
            self._brought[path] = self._module(path)
        return self._brought[path]

    def _module(self, path: str) -> _Closure:
        """Return what the import of *path* rests on, and the modules that it leads to."""
        own = self._imports_of(UnitKey(path, MODULE_UNIT))
        seen = self._imports.get(path)
        if seen is None:
            # It was imported before anybody watched: which of its functions ran then is not known.
            return _Closure(facts={self._fact(kinds.SOURCE, path), *own.facts}, modules=own.modules)
        during = with_kept([seen])  # it may have found something full
        units = set[UnitKey]().union(*map(self._units_of, during))
        found = [own, self._resolve(name for one in during for name in one.imports)]
        found.extend(self._imports_of(key) for key in units)
        facts = {self._fact(kinds.MODULE, path)}.union(*map(self._readings, during), *(one.facts for one in found))
        reached = {key.path for key in units}.union(*(one.modules for one in during), *(one.modules for one in found))
        return _Closure(
            facts=facts,
            units=units,
            doubts={doubt for one in during for doubt in one.doubts},
            processes={process for one in during for process in one.processes},
            unpickled={module for one in during for module in one.unpickled},
            during=dict.fromkeys(during),
            modules=reached,
        )

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
        if seen not in self._readings_seen:
            self._readings_seen[seen] = self._read_facts(seen)
        return self._readings_seen[seen]

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

    def _unit_key(self, number: int, code: CodeType) -> UnitKey | None:
        if number not in self._unit_of_code:
            self._unit_of_code[number] = self._locate(code)
        return self._unit_of_code[number]

    def _locate(self, code: CodeType) -> UnitKey | None:
        path = self._around.code_path(code.co_filename)
        if path is None:
            return None
        return UnitKey(path, unit_of_code(code.co_qualname, code.co_flags))


def _with_starred(
    opaque: AbstractSet[str], unfollowed: AbstractSet[str], starred: Mapping[str, AbstractSet[str]]
) -> AbstractSet[str]:
    """Return *opaque* and the modules of which one of these, or one *unfollowed*, has all names of its own.

    Args:
        opaque: Modules of which any name may be read.
        unfollowed: Modules of which that is so by the facts about them.
        starred: For each module that imports everything of others, these.
    """
    found = set(opaque)
    while True:
        having = [path for path in starred if path in found or path in unfollowed]
        more = {file for path in having for file in starred[path]} - found
        if not more:
            return found
        found |= more
