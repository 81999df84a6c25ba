"""Whether a change of module-level code concerns a test: by the names that it may read.

A fact about a module holds no longer as soon as anything changed that runs when the module is imported. That
alone is no reason to run a test of which it is known which names it may read. It is unconcerned if the effects
of the module are as they were, what is new can't fail, and no name that changed is one that the test may read:
in a function that it executed, in an effect of a module that it imports, or by way of other names that are
bound to something made of it.

Names are compared as identifiers, wherever they stand: `timeout` stands for every `timeout`, a variable's too.
That widens, and never narrows, and it needs no types. A name that is added counts as one that changed: until
now something else may have answered to it, a built-in, a base class, an error that was expected.

A member of a class is read by whoever reads its name, if the test reads besides what gives the class: its name,
or one that is bound to something made of it. Who has an object of a class was handed it by code that names the class.
"""

import re
import sys
import sysconfig
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from wiremap.selection import facts as kinds
from wiremap.selection.facts import Fact, Trace, matching
from wiremap.selection.recipe_ways import executed_part
from wiremap.source.module_names import ModuleNames, Name
from wiremap.source.modules import absolute_name
from wiremap.source.plain_classes import ANNOTATIONS
from wiremap.source.scope import Kind
from wiremap.source.units import MODULE_UNIT, SourceUnits, Unit
from wiremap.tracing.outside_names import SUBCLASSES


class Sources(Protocol):
    """The sources as they are now, and as far as they are remembered."""

    def units(self, path: str) -> SourceUnits:
        """Return the units of a file now."""

    def candidates(self, module: str) -> tuple[str, ...]:
        """Return the files that the name *module* may mean."""

    def source_of_module(self, fingerprint: str) -> SourceUnits | None:
        """Return an earlier source whose top level had that fingerprint, or None when it was forgotten."""

    def words(self, path: str) -> frozenset[str] | None:
        """Return what may be identifiers in a file of data, or None if that can't be told."""

    def is_known_outside(self, name: str) -> bool:
        """Tell whether a library may read *name* of what it is handed."""


@dataclass(frozen=True, slots=True)
class _Difference:
    """What changed at the top level of one module.

    Attributes:
        changed: Identifiers that may mean something else now.
        names: Those among them that the module itself binds, itself or in a class.
        rebound: Those among these that may name no class any more.
        derived: Those of classes that may not be derived from as before, beside others.
        removed: Names that are bound no longer.
        doubt: What may concern everybody who imports it, if anything does.
    """

    changed: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    rebound: frozenset[str] = frozenset()
    derived: frozenset[str] = frozenset()
    removed: frozenset[str] = frozenset()
    doubt: str = ""


@dataclass(frozen=True, slots=True)
class _Rests:
    """What matters here of all that a test rests on.

    Attributes:
        facts: All of it, kept for the sake of its identity.
        modules: Files that are imported.
        opaque: Those of them of which any name may be read.
        readers: Facts about what may read names.
    """

    facts: AbstractSet[Fact]
    modules: frozenset[str]
    opaque: frozenset[str]
    readers: Sequence[Fact]


class _Rested(NamedTuple):
    """What the import of a module rests on.

    Attributes:
        types: Identifiers that must stay types.
        bases: Those of them that are derived from beside others, so that it matters how they are made.
        hashed: Those that may be no types, but keys of tables.
    """

    types: frozenset[str]
    bases: frozenset[str]
    hashed: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Reached:
    """Identifiers that may mean something else.

    Attributes:
        names: Those that concern whoever reads them.
        members: Those that concern who reads them and besides one that gives their class; each with that class.
        givers: For each of these classes, which identifiers give it.
    """

    names: frozenset[str]
    members: frozenset[tuple[str, str]]
    givers: Mapping[str, frozenset[str]]

    @property
    def words(self) -> frozenset[str]:
        """All identifiers of which it matters whether a test reads them."""
        return self.names.union((last for _, last in self.members), *self.givers.values()) - {_IMPORT_TIME}

    def read_by(self, words: AbstractSet[str]) -> set[str]:
        """Return what concerns somebody who reads *words*."""
        given = {owner for owner, givers in self.givers.items() if not givers.isdisjoint(words)}
        return {*(self.names & words), *(last for owner, last in self.members if last in words and owner in given)}


class NameChanges:
    """Judges stale facts about modules, for many tests."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources
        # By identity: tests share sets, and comparing those would take longer than all the rest.
        self._rests_by_set: dict[int, _Rests] = {}
        self._differences: dict[Fact, _Difference] = {}
        self._readers: dict[str, dict[str, list[str]]] = {}
        self._rests: dict[str, _Rested] = {}
        self._kinds: dict[tuple[str, str], Kind] = {}
        self._reached: dict[tuple[Fact, frozenset[str], frozenset[str]], _Reached] = {}
        self._givers_of: dict[tuple[str, frozenset[str], frozenset[str]], frozenset[str]] = {}
        self._read: dict[tuple[Fact, frozenset[str]], frozenset[str]] = {}

    def concern(self, trace: Trace, stale: Iterable[Fact]) -> dict[Fact, str]:
        """Return those of the *stale* facts about modules that concern the test of *trace*, each with what it is.

        Facts of `kinds.MODULE` are not judged: they concern whoever has them.
        """
        judged = [fact for fact in stale if fact.kind in (kinds.CLASSES, kinds.NAMES)]
        found = {fact: self._what_concerns(fact, trace) for fact in judged}
        return {fact: what for fact, what in found.items() if what}

    def _what_concerns(self, fact: Fact, trace: Trace) -> str:
        difference = self._difference(fact)
        if difference.doubt:
            return difference.doubt
        rests = self._rests_of(trace)
        reached = self._reached_by(fact, difference, rests.modules, rests.opaque)
        # pytest looks a test up by the names in its id.
        read = reached.words & set(_WORD.findall(trace.function.partition("::")[2]))
        read |= {name for one in rests.readers for name in self._read_by(one, reached.words)}
        found = reached.read_by(read | {_IMPORT_TIME})
        if _IMPORT_TIME in found:
            return "the import of a module reads what changed"
        return f"it may read {min(found)}" if found else ""

    def _rests_of(self, trace: Trace) -> "_Rests":
        if id(trace.facts) not in self._rests_by_set:
            self._rests_by_set[id(trace.facts)] = _rests(trace.facts)
        return self._rests_by_set[id(trace.facts)]

    # What a test reads

    def _read_by(self, fact: Fact, reached: frozenset[str]) -> frozenset[str]:
        if (fact, reached) not in self._read:
            self._read[fact, reached] = frozenset(self._find_read(fact, reached))
        return self._read[fact, reached]

    def _find_read(self, fact: Fact, reached: frozenset[str]) -> Iterator[str]:
        """Yield the identifiers among *reached* by which the function or file that *fact* is about may read."""
        if fact.kind == kinds.FILE and fact.value.startswith("file:"):
            words = self._sources.words(fact.key)
            yield from reached if words is None else reached & words
        if fact.kind not in (kinds.FUNCTION, kinds.SOURCE, kinds.RECIPE):
            return
        for unit in self._units_of(fact):
            # A method is reached through its class, whatever name the object has where it is called.
            yield from (reached & unit.names) | (reached & unit.mentions) | (reached & set(unit.name.split(".")[:-1]))
            if unit.reach.made:
                yield from (name for name in reached if name.startswith(tuple(unit.reach.made)))

    def _units_of(self, fact: Fact) -> Collection[Unit]:
        if fact.kind == kinds.RECIPE:
            return executed_part(fact)
        path, _, name = fact.key.partition("::")
        units = self._sources.units(path).units
        return [units[name]] if name in units else units.values()

    # What import-time code makes of it

    def _reached_by(
        self, fact: Fact, difference: _Difference, modules: frozenset[str], opaque: frozenset[str]
    ) -> "_Reached":
        key = (fact, modules, opaque)
        if key not in self._reached:
            found = self._spread(difference.changed, modules, opaque, are_whole=fact.kind == kinds.CLASSES)
            if self._may_fail(fact.key, difference, modules) or self._may_bring_others(fact.key, difference, modules):
                found.add(_IMPORT_TIME)
            members = _split(one for one in found if _is_member(one))
            givers = {owner: self._givers(owner, modules, opaque) for owner in {owner for owner, _ in members}}
            self._reached[key] = _Reached(frozenset(one for one in found if _MEMBERS not in one), members, givers)
        return self._reached[key]

    def _spread(
        self, changed: frozenset[str], modules: frozenset[str], opaque: frozenset[str], *, are_whole: bool
    ) -> set[str]:
        """Return the identifiers that may mean something else, in one way or another, when *modules* are imported."""
        reached = set(changed)
        pending = list(reached)
        while pending:
            identifier = pending.pop()
            owner, _, last = identifier.rpartition(_MEMBERS)
            is_of_members = not last
            for path in modules:
                for name in self._readers_in(path).get(last or owner, ()):
                    if is_of_members and name == _IMPORT_TIME and not self._hands(path, identifier):
                        continue
                    # What an opaque module binds may be read by somebody who is not followed.
                    if name == _IMPORT_TIME or path in opaque:
                        if is_of_members or not owner:
                            return {*reached, _IMPORT_TIME}
                        reached.add(f"{owner}{_MEMBERS}{_IMPORT_TIME}")
                        continue
                    found = _holders(name) if is_of_members else self._meanings(path, name, are_whole=are_whole)
                    new = set(found) - reached
                    reached |= new
                    pending.extend(new)
        return reached

    def _givers(self, owner: str, modules: frozenset[str], opaque: frozenset[str]) -> frozenset[str]:
        """Return the identifiers of which one is read by whoever comes by the class *owner*, or an object of it.

        Where an import may keep one, nobody needs to.
        """
        key = (owner, modules, opaque)
        if key not in self._givers_of:
            self._givers_of[key] = frozenset(self._find_givers(*key))
        return self._givers_of[key]

    def _find_givers(self, owner: str, modules: frozenset[str], opaque: frozenset[str]) -> set[str]:
        reached = {owner}
        pending = [owner]
        while pending:
            identifier = pending.pop()
            for path in modules:
                names = self._readers_in(path).get(identifier, ())
                if _IMPORT_TIME in names or (names and path in opaque):
                    return {*reached, _IMPORT_TIME}
                new = {part for name in names for part in name.split(_MEMBERS)}
                if self._sources.is_known_outside(SUBCLASSES):
                    new.update(self._bases_in(path, identifier))
                pending.extend(new - reached)
                reached |= new
        return reached

    def _bases_in(self, path: str, name: str) -> list[str]:
        """Return what a class of that name derives from, if the module has one: who lists subclasses gets it so."""
        top = self._sources.units(path).top or ModuleNames()
        return _WORD.findall(top.names[name].header) if name in top.names else []

    def _hands(self, path: str, members: str) -> bool:
        """Tell whether the import of the module hands on the class of these *members*."""
        top = self._sources.units(path).top or ModuleNames()
        name = members.removesuffix(_MEMBERS)
        return name in top.effect_hands or any(
            name in one.reads and self._is_made_otherwise(path, reader) for reader, one in top.names.items()
        )

    def _meanings(self, path: str, name: str, *, are_whole: bool) -> Iterator[str]:
        """Yield the identifiers by which what is bound to *name*, perhaps a member, may be reached."""
        owner, _, last = name.rpartition(_MEMBERS)
        yield name
        if owner:
            yield f"{owner}{_MEMBERS}"
        if owner and (are_whole or self._sources.is_known_outside(last) or self._kind(path, owner) != "plain"):
            yield owner

    def _may_fail(self, path: str, difference: _Difference, modules: frozenset[str]) -> bool:
        """Tell whether one of the *modules* may fail to be imported: a name is gone, or an annotation no type."""
        for importer in modules if difference.removed else ():
            top = self._sources.units(importer).top or ModuleNames()
            imported = {pair for one in top.names.values() for pair in one.imported if pair[1] in difference.removed}
            if any(self._may_lack(path, absolute_name(module, importer), name) for module, name in imported):
                return True
        types, bases = self._made_of(difference.rebound, modules), self._made_of(difference.derived, modules)
        # A class can be hashed whatever it is made of; of all else that may have changed.
        hashed = self._made_of(difference.names, modules) - (difference.names - difference.rebound)
        rests = [self._rests_on(one) for one in modules]
        return any(
            not (types.isdisjoint(one.types) and bases.isdisjoint(one.bases) and hashed.isdisjoint(one.hashed))
            for one in rests
        )

    def _may_lack(self, path: str, module: str, name: str) -> bool:
        """Tell whether *module* may have lost *name*, which *path* has lost: not what binds one of its own."""
        files = self._sources.candidates(module)
        tops = [self._sources.units(file).top or ModuleNames() for file in files if file != path]
        binds = len(tops) == len(files) and all(name in top.names and name not in top.unsure for top in tops)
        return not (binds if files else _is_standard(module))

    def _made_of(self, names: frozenset[str], modules: frozenset[str]) -> set[str]:
        """Return *names*, and those that are no classes and made of these."""
        found = set(names)
        pending = list(found)
        while pending:
            identifier = pending.pop()
            for path in modules:
                top = self._sources.units(path).top or ModuleNames()
                for name in self._readers_in(path).get(identifier, ()):
                    if name in top.names and not top.names[name].kind and name not in found:
                        found.add(name)
                        pending.append(_last(name))
        return found

    def _may_bring_others(self, path: str, difference: _Difference, modules: frozenset[str]) -> bool:
        """Tell whether `from … import *` may give other names than it did, or fail to find one that is listed.

        Which names it gives is told by `__all__`, which no identifier reads there. Names that it gives without one are
        the public ones, under which they are compared wherever they are read.
        """
        tops = {one: self._sources.units(one).top or ModuleNames() for one in modules}
        starred = {
            file
            for one, top in tops.items()
            for name in top.stars
            for file in self._sources.candidates(absolute_name(name, one))
        }
        if path in starred and "__all__" in difference.changed:
            return True
        # What is gone may have come to the list by way of another module.
        lists = (tops[one].names["__all__"] for one in starred & tops.keys() if "__all__" in tops[one].names)
        return any(not difference.removed.isdisjoint(one.reads) for one in lists)

    def _readers_in(self, path: str) -> Mapping[str, Sequence[str]]:
        """Return, for each identifier that the top level of the module reads, what is made of it."""
        if path not in self._readers:
            readers: dict[str, list[str]] = {}
            top = self._sources.units(path).top or ModuleNames()
            for identifier in top.effect_reads:
                readers.setdefault(identifier, []).append(_IMPORT_TIME)
            for name, identifiers in top.held.items():
                for identifier in identifiers:
                    readers.setdefault(identifier, []).append(name)
            for name, one in top.names.items():
                made = _IMPORT_TIME if self._is_made_otherwise(path, name) else name
                for identifier in one.reads:
                    readers.setdefault(identifier, []).append(made)
            self._readers[path] = readers
        return self._readers[path]

    def _rests_on(self, path: str) -> "_Rested":
        """Return the identifiers that must stay what they are if the module is not to fail."""
        if path not in self._rests:
            top = self._sources.units(path).top or ModuleNames()
            texts = {text for one in top.names.values() for text in one.rests_on}
            bases = {text for text in texts if text.startswith("class(")}
            keys = {text for text in texts if text.startswith("{")}
            self._rests[path] = _Rested(*(frozenset(_WORD.findall(" ".join(some))) for some in (texts, bases, keys)))
        return self._rests[path]

    # How classes are made

    def _is_made_otherwise(self, path: str, name: str) -> bool:
        """Tell whether *name* is of a class that derives from one of which it is not known how it makes others."""
        top = self._sources.units(path).top or ModuleNames()
        owner = name.partition(".")[0]
        return owner in top.names and top.names[owner].kind == "derived" and not self._kind(path, owner)

    def _kind(self, path: str, name: str) -> Kind:
        """Return how the class *name* of the module is made: plain, abstract, or nothing where that is not known."""
        if (path, name) not in self._kinds:
            self._kinds[path, name] = ""  # what it is while it is looked for: a circle is not known
            self._kinds[path, name] = self._find_kind(path, name)
        return self._kinds[path, name]

    def _find_kind(self, path: str, name: str) -> Kind:
        top = self._sources.units(path).top or ModuleNames()
        first, _, rest = name.partition(".")
        found = top.names.get(first)
        if found is None or first in top.unsure:
            return ""
        if found.imported:
            return self._kind_elsewhere(absolute_name(".".join(filter(None, [top.aliases[first], rest])), path))
        if rest or found.kind != "derived":
            return found.kind if not rest and found.kind != "sealed" else ""
        kinds_of_bases = {self._kind(path, base) for base in found.bases}
        return "" if "" in kinds_of_bases else "abstract" if "abstract" in kinds_of_bases else "plain"

    def _kind_elsewhere(self, dotted: str) -> Kind:
        module, _, name = dotted.rpartition(".")
        files = self._sources.candidates(module)
        return self._kind(files[0], name) if len(files) == 1 and not self._sources.candidates(dotted) else ""

    # What changed

    def _difference(self, fact: Fact) -> _Difference:
        if fact not in self._differences:
            self._differences[fact] = self._find_difference(fact)
        return self._differences[fact]

    def _find_difference(self, fact: Fact) -> _Difference:
        path = fact.key
        before, now = self._sources.source_of_module(fact.value), self._sources.units(path)
        if before is None or before.top is None:
            return _Difference(doubt="its earlier parts are not known any more")
        if now.top is None:
            return _Difference(doubt="it is gone, or does not parse")
        old, new = before.top, now.top
        if doubt := self._doubt(before, now) or self._doubt_of_imports(path, old.names, new.names):
            return _Difference(doubt=doubt)
        if added := _fixtures(now) - _fixtures(before):
            return _Difference(doubt=f"the fixture {min(added)} may come in the place of another")
        differing = [
            name
            for name in old.names.keys() | new.names.keys()
            if _fingerprint(old.names.get(name)) != _fingerprint(new.names.get(name))
        ]
        are_whole = fact.kind == kinds.CLASSES
        if strange := next((name for name in sorted(differing) if self._is_made_otherwise(path, name)), None):
            return _Difference(doubt=f"{strange} is of a class that may look at its members when it is made")
        meanings = {name: set(self._meanings(path, name, are_whole=are_whole)) for name in differing}
        kept = _loaded(old) & _loaded(new)
        for name in differing:
            meanings[name] |= {part for one in (old, new) for part in _submodules(one.names.get(name), kept)}
        pairs = [(_last(name), (old.names.get(name), new.names.get(name))) for name in differing]
        return _Difference(
            changed=frozenset(part for parts in meanings.values() for part in parts),
            names=frozenset(name for name, _ in pairs),
            rebound=frozenset(name for name, pair in pairs if not _are_alike(*pair)),
            derived=frozenset(name for name, pair in pairs if not _are_derived_from_alike(*pair)),
            removed=frozenset(old.names.keys() - new.names.keys()),
        )

    def _doubt(self, before: SourceUnits, now: SourceUnits) -> str:
        """Return what of the change can't be told by names, or nothing."""
        old, new = before.top or ModuleNames(), now.top or ModuleNames()
        if old.effects != new.effects:
            return "what it does when it is imported changed"
        if before.units[MODULE_UNIT].reach.sight != now.units[MODULE_UNIT].reach.sight:
            return "it reads names by computing them"
        kept = old.names.keys() & new.names.keys()
        if any(_differs_in_place(old.names[name], new.names[name]) for name in kept - {ANNOTATIONS}):
            return "the order of what it does when it is imported changed"
        if any(old.names[name].kind != new.names[name].kind for name in kept):
            return "a class is made in another way"
        succeeded = {text for one in old.names.values() for text in one.rests_on}
        for name, one in sorted(new.names.items()):
            if _fingerprint(one) != _fingerprint(old.names.get(name)) and not one.rests_on <= succeeded:
                return f"{min(one.rests_on - succeeded)} is new"
        return ""

    # Imports

    def _doubt_of_imports(self, path: str, old: Mapping[str, Name], new: Mapping[str, Name]) -> str:
        """Return which import is not known to do no more than to give a name, of those that came or went."""
        before = {one for name in old.values() for one in name.imported}
        now = {one for name in new.values() for one in name.imported}
        for module, name in sorted(before - now):
            if self._may_have_done_more(path, module, name):
                return f"it no longer imports {f'{name} from ' if name else ''}{module}"
        # One that another name has already can be had under a new name too, but for where it is tried.
        for key in sorted(new):
            known = old[key].imported if key in old else ()
            for module, name in new[key].imported:
                if (module, name) not in known and not self._is_harmless(path, module, name):
                    return f"it imports {f'{name} from ' if name else ''}{module}"
        return ""

    def _may_have_done_more(self, path: str, module: str, name: str) -> bool:
        """Tell whether an import may have done something that nobody does without it: warn, or load a submodule."""
        if _is_standard(module):
            return not _is_loaded_from_library(module, name) and module not in _QUIET
        if not name:
            return False
        dotted = absolute_name(module, path)
        if self._sources.candidates(f"{dotted}.{name}"):
            return True
        is_foreign = not self._sources.candidates(dotted)
        return is_foreign and (module not in sys.modules or f"{module}.{name}" in sys.modules)

    def _is_harmless(self, path: str, module: str, name: str) -> bool:
        """Tell whether an import surely succeeds and runs nothing that is not run already."""
        dotted = absolute_name(module, path)
        if _is_standard(module):
            return _is_loaded_from_library(module, name) or (
                not name and module in _QUIET and not self._sources.candidates(module)
            )
        files = self._sources.candidates(dotted)
        if not name or len(files) != 1 or self._sources.candidates(f"{dotted}.{name}"):
            return False
        source = self._sources.units(files[0])
        top = source.top
        if top is None or name not in top.names or name in top.unsure or name in _fixtures(source):
            return False
        return not self._leads_to(files[0], path)

    def _leads_to(self, start: str, path: str) -> bool:
        """Tell whether importing *start* may import *path*, which then meets it half-way."""
        pending, seen = [start], set[str]()
        while pending:
            one = pending.pop()
            if one == path:
                return True
            if one not in seen:
                seen.add(one)
                unit = self._sources.units(one).units.get(MODULE_UNIT)
                names = unit.imports if unit is not None else ()
                pending.extend(file for name in names for file in self._candidates_with_parents(name, one))
        return False

    def _candidates_with_parents(self, name: str, importer: str) -> Iterator[str]:
        dotted = absolute_name(name, importer)
        while dotted:
            yield from self._sources.candidates(dotted)
            dotted = dotted.rpartition(".")[0]


def _rests(facts: AbstractSet[Fact]) -> _Rests:
    imported, readers = matching(facts, _is_import), matching(facts, _may_read)
    # Of a recipe whose way is known, no more than that is read: it runs, or does the same as it did then.
    wired = {fact.key for fact in readers if fact.kind == kinds.RECIPE and executed_part(fact)}
    readers = [fact for fact in readers if (fact.kind == kinds.RECIPE) == (fact.key in wired)]
    opaque = frozenset(one.key for one in imported if one.kind in (kinds.MODULE, kinds.SOURCE))
    return _Rests(facts, frozenset(one.key for one in imported), opaque, list(readers))


def _is_import(fact: Fact) -> bool:
    return fact.kind in (*kinds.MODULES, kinds.SOURCE)


def _may_read(fact: Fact) -> bool:
    return fact.kind in (kinds.FUNCTION, kinds.SOURCE, kinds.FILE, kinds.RECIPE)


_IMPORT_TIME = "<import>"
"""Stands, among identifiers, for what an effect reads."""

_MEMBERS = "."
"""Joins a class and its member, and makes of a class alone what stands for all of its members."""

_WORD = re.compile(r"[^\W\d]\w*")

# Written in Python, with nothing that may be missing, and silent when they are imported.
_QUIET = frozenset(
    {
        "argparse", "base64", "bisect", "calendar", "collections.abc", "colorsys", "configparser", "copy",
        "csv", "dataclasses", "datetime", "decimal", "difflib", "filecmp", "fnmatch", "fractions", "ftplib",
        "getpass", "gettext", "glob", "graphlib", "gzip", "hashlib", "heapq", "html", "json", "keyword", "math",
        "numbers", "operator", "pathlib", "pprint", "queue", "random", "secrets", "shlex", "shutil",
        "statistics", "string", "stringprep", "struct", "tempfile", "textwrap", "threading", "timeit",
        "tokenize", "typing", "urllib.parse", "uuid", "weakref", "zipfile",
    }
)  # fmt: skip


def _fingerprint(name: Name | None) -> str:
    return "" if name is None else name.fingerprint


def _are_alike(old: Name | None, new: Name | None) -> bool:
    """Tell whether both are classes that are made in one way."""
    return old is not None and new is not None and bool(old.kind) and old.kind == new.kind


def _are_derived_from_alike(old: Name | None, new: Name | None) -> bool:
    return old is not None and new is not None and _are_alike(old, new) and old.header == new.header


def _differs_in_place(old: Name, new: Name) -> bool:
    """Tell whether a name is bound before or after other effects than it was."""
    return set(old.places) != set(new.places)


def _last(name: str) -> str:
    return name.rpartition(".")[2]


def _fixtures(source: SourceUnits) -> set[str]:
    return {name for name, unit in source.units.items() if unit.is_fixture}


def _is_member(name: str) -> bool:
    return _MEMBERS in name and not name.endswith(_MEMBERS)


def _split(members: Iterable[str]) -> frozenset[tuple[str, str]]:
    return frozenset((owner, last) for owner, _, last in (one.rpartition(_MEMBERS) for one in members))


def _holders(name: str) -> Iterator[str]:
    """Yield what stands for the members of a class that *name* has been made of."""
    yield from (f"{part}{_MEMBERS}" for part in name.rpartition(".")[::2] if part)


def _submodules(name: Name | None, kept: AbstractSet[str]) -> Iterator[str]:
    """Yield submodules that importing the name gives their package as attributes, but for those that are *kept*."""
    for module, imported in name.imported if name is not None else ():
        if module not in kept:
            yield from module.split(".")[1:]
        if imported and f"{module}.{imported}" not in kept:
            yield imported


def _loaded(top: ModuleNames) -> set[str]:
    """Return the names of modules, as written, that the plain imports of a module may load."""
    pairs = {pair for one in top.names.values() for pair in one.imported}
    return {module for module, _ in pairs} | {f"{module}.{name}" for module, name in pairs if name}


def _is_standard(module: str) -> bool:
    return module.partition(".")[0] in sys.stdlib_module_names


def _is_loaded_from_library(module: str, name: str) -> bool:
    """Tell whether the import gives what the interpreter has loaded already. Nothing is imported to find out."""
    loaded = sys.modules.get(module)
    spec = getattr(loaded, "__spec__", None)
    origin = getattr(spec, "origin", None)
    if loaded is None or not isinstance(origin, str):
        return False
    is_library = origin in ("built-in", "frozen") or origin.startswith(sysconfig.get_path("stdlib"))
    return is_library and (not name or name in vars(loaded))
