"""Whether a change of module-level code concerns a test: by the names that it may read.

A fact about a module holds no longer as soon as anything changed that runs when the module is imported. That
alone is no reason to run a test of which it is known which names it may read. It is unconcerned if the effects
of the module are as they were, what is new can't fail, and no name that changed is one that the test may read:
in a function that it executed, in an effect of a module that it imports, or by way of other names that are
bound to something made of it.

Names are compared as identifiers, wherever they stand: `timeout` stands for every `timeout`. That widens, and
never narrows, and it needs no types.
"""

import importlib.util
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from wiremap.selection import facts as kinds
from wiremap.selection.facts import Fact
from wiremap.source.module_names import ModuleNames, Name
from wiremap.source.modules import absolute_name, dotted_name
from wiremap.source.units import MODULE_UNIT, SourceUnits, Unit


class Sources(Protocol):
    """The sources as they are now, and as far as they are remembered."""

    def units(self, path: str) -> SourceUnits:
        """Return the units of a file now."""

    def candidates(self, module: str) -> tuple[str, ...]:
        """Return the files that the name *module* may mean."""

    def source_of_module(self, fingerprint: str) -> SourceUnits | None:
        """Return an earlier source whose module unit had that fingerprint, or None when it was forgotten."""


@dataclass(frozen=True, slots=True)
class _Difference:
    """What changed at the top level of one module.

    Attributes:
        path: The module.
        changed: Identifiers that may mean something else now.
        added: Names that were not bound before, and that nobody who got on without them may read.
        removed: Names that are bound no longer, which are among the changed ones too.
        doubt: What may concern everybody who imports it, if anything does.
    """

    path: str
    changed: frozenset[str] = frozenset()
    added: frozenset[str] = frozenset()
    removed: frozenset[str] = frozenset()
    doubt: str = ""


class NameChanges:
    """Judges stale facts about modules, for many tests."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources
        self._differences: dict[Fact, _Difference] = {}
        self._readers: dict[str, dict[str, list[str]]] = {}
        self._reached: dict[tuple[Fact, frozenset[str], frozenset[str]], frozenset[str]] = {}

    def concern(self, facts: frozenset[Fact], stale: Iterable[Fact]) -> dict[Fact, str]:
        """Return those of the *stale* facts about modules that concern a test with *facts*, each with what it is.

        Facts of `kinds.MODULE` are not judged: they concern whoever has them.
        """
        judged = [fact for fact in stale if fact.kind in (kinds.CLASSES, kinds.NAMES)]
        found = {fact: self._what_concerns(fact, facts) for fact in judged}
        return {fact: what for fact, what in found.items() if what}

    def _what_concerns(self, fact: Fact, facts: frozenset[Fact]) -> str:
        difference = self._difference(fact)
        if difference.doubt:
            return difference.doubt
        modules = frozenset(one.key for one in facts if one.kind in (*kinds.MODULES, kinds.SOURCE))
        opaque = frozenset(one.key for one in facts if one.kind in (kinds.MODULE, kinds.SOURCE))
        reached = self._reached_by(fact, difference, modules, opaque)
        if _IMPORT_TIME in reached:
            return "the import of a module reads what changed"
        read = sorted(name for one in facts for name in self._read_in_function(one, difference, reached))
        return f"it may read {read[0]}" if read else ""

    # What a function reads

    def _read_in_function(self, fact: Fact, difference: _Difference, reached: frozenset[str]) -> Iterator[str]:
        """Yield the identifiers by which the function that *fact* is about may meet the difference."""
        if fact.kind not in (kinds.FUNCTION, kinds.SOURCE):
            return
        path, _, name = fact.key.partition("::")
        units = self._sources.units(path).units
        for unit in [units[name]] if name in units else units.values():
            # A method is reached through its class, whatever name the object has where it is called.
            own = set(unit.name.split("."))
            yield from (reached & unit.names) | (reached & unit.mentions) | (reached & own)
            yield from difference.added & unit.reach.probes
            if path == difference.path:
                yield from difference.added & unit.names

    # What import-time code makes of it

    def _reached_by(
        self, fact: Fact, difference: _Difference, modules: frozenset[str], opaque: frozenset[str]
    ) -> frozenset[str]:
        key = (fact, modules, opaque)
        if key not in self._reached:
            self._reached[key] = frozenset(self._spread(difference, modules, opaque))
        return self._reached[key]

    def _spread(self, difference: _Difference, modules: frozenset[str], opaque: frozenset[str]) -> set[str]:
        """Return the identifiers that may mean something else, in one way or another, when *modules* are imported."""
        reached = set(difference.changed)
        pending = [*reached, *self._met_at_import(difference, modules)]
        reached.update(pending)
        while pending:
            identifier = pending.pop()
            if identifier == _IMPORT_TIME:
                return reached
            for path in modules:
                for name in self._readers_in(path).get(identifier, ()):
                    # What an opaque module binds may be read by somebody who is not followed.
                    new = _IMPORT_TIME if name == _IMPORT_TIME or path in opaque else _identifier(name)
                    if new not in reached:
                        reached.add(new)
                        pending.append(new)
        return reached

    def _met_at_import(self, difference: _Difference, modules: frozenset[str]) -> Iterator[str]:
        """Yield what notices at import that a name was added or removed."""
        for path in modules:
            source = self._sources.units(path)
            top, unit = source.top, source.units.get(MODULE_UNIT)
            if top is None or unit is None or not difference.added.isdisjoint(unit.reach.probes):
                yield _IMPORT_TIME
                return
            imported = {name for one in top.names.values() for _, name in one.imported}
            if not difference.removed.isdisjoint(imported):
                yield _IMPORT_TIME
                return
            if path == difference.path:  # what it got from the built-ins, it now gets from itself
                for identifier in difference.added:
                    yield from map(_identifier, self._readers_in(path).get(identifier, ()))

    def _readers_in(self, path: str) -> Mapping[str, Sequence[str]]:
        """Return, for each identifier that the top level of the module reads, what is made of it."""
        if path not in self._readers:
            readers: dict[str, list[str]] = {}
            top = self._sources.units(path).top or ModuleNames()
            for identifier in top.effect_reads:
                readers.setdefault(identifier, []).append(_IMPORT_TIME)
            for name, one in top.names.items():
                for identifier in one.reads:
                    readers.setdefault(identifier, []).append(name)
            self._readers[path] = readers
        return self._readers[path]

    # What changed

    def _difference(self, fact: Fact) -> _Difference:
        if fact not in self._differences:
            self._differences[fact] = self._find_difference(fact)
        return self._differences[fact]

    def _find_difference(self, fact: Fact) -> _Difference:
        path = fact.key
        before, now = self._sources.source_of_module(fact.value), self._sources.units(path)
        if before is None or before.top is None:
            return _Difference(path, doubt="its earlier parts are not known any more")
        if now.top is None:
            return _Difference(path, doubt="it is gone, or does not parse")
        old, new = before.top, now.top
        if old.effects != new.effects:
            return _Difference(path, doubt="what it does when it is imported changed")
        if _sight(before) != _sight(now):
            return _Difference(path, doubt="it reads names by computing them")
        altered = {name for name in old.names.keys() & new.names.keys() if old.names[name] != new.names[name]}
        altered = {name for name in altered if old.names[name].fingerprint != new.names[name].fingerprint}
        added, removed = new.names.keys() - old.names.keys(), old.names.keys() - new.names.keys()
        for name in sorted(altered | added):
            if fault := self._fault_of_imports(path, new.names[name], old.names.get(name)):
                return _Difference(path, doubt=fault)
        by_name = _identifier if fact.kind == kinds.NAMES else _class_of
        noticed = {name for name in added if "." in name or new.answers or self._is_submodule(path, name)}
        return _Difference(
            path,
            changed=frozenset(map(by_name, altered | removed | noticed)),
            added=frozenset(added - noticed),
            removed=frozenset(removed),
        )

    def _is_submodule(self, path: str, name: str) -> bool:
        return path.endswith("__init__.py") and bool(self._sources.candidates(f"{dotted_name(path)}.{name}"))

    def _fault_of_imports(self, path: str, new: Name, old: Name | None) -> str:
        """Return which new import is not known to succeed, and to do no more than to give a name."""
        for module, name in new.imported:
            if (old is None or (module, name) not in old.imported) and not self._is_harmless(path, module, name):
                return f"it imports {f'{name} from ' if name else ''}{module}"
        return ""

    def _is_harmless(self, path: str, module: str, name: str) -> bool:
        """Tell whether an import surely succeeds and runs nothing: another import of *module* stands there already."""
        if module.partition(".")[0] in sys.stdlib_module_names:
            return _is_in_standard_library(module, name)
        dotted = absolute_name(module, path)
        files = self._sources.candidates(dotted)
        if not name or len(files) != 1 or self._sources.candidates(f"{dotted}.{name}"):
            return False
        top = self._sources.units(files[0]).top
        return top is not None and name in top.names


_IMPORT_TIME = "<import>"
"""Stands, among identifiers, for what an effect reads."""


def _identifier(name: str) -> str:
    return name.rpartition(".")[2]


def _class_of(name: str) -> str:
    return name.partition(".")[0]


def _sight(source: SourceUnits) -> str:
    unit: Unit = source.units[MODULE_UNIT]
    return unit.reach.sight


def _is_in_standard_library(module: str, name: str) -> bool:
    """Tell whether the import succeeds; nothing is imported for that, since tests run in this process."""
    loaded = sys.modules.get(module)
    if loaded is not None:
        return not name or hasattr(loaded, name)
    return not name and "." not in module and importlib.util.find_spec(module) is not None
