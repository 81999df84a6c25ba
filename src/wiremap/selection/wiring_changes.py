"""Whether a changed recipe still does for a test what it did: early cutoff.

A recipe is wiring: a test does not rest on its text but on what it does on the ways that the test took through it.
It is the same recipe for the test if every step on these ways is as it was, see `wiremap.source.interactions`. The
argument is in `docs/decisions/0019-recipes-by-what-they-do.md`.
"""

import ast
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import zip_longest
from typing import Literal, Protocol

from wiremap.selection import facts as kinds
from wiremap.selection.facts import Fact, Trace, matching
from wiremap.selection.recipe_ways import RecipeWay, recipe_way
from wiremap.selection.wiring_words import star_changes
from wiremap.source.branches import function_of
from wiremap.source.interactions import FRAME_READERS, CannotFollowError, Step, same_header, steps_along, ways
from wiremap.source.module_names import digest
from wiremap.source.tree import dump
from wiremap.source.units import MODULE_UNIT, SourceUnits, Unit

_LONGEST = 120  # characters of a statement that people are shown


class Sources(Protocol):
    """The sources as they are now."""

    def units(self, path: str) -> SourceUnits:
        """Return the units of a file."""

    def text(self, path: str) -> bytes | None:
        """Return the bytes of a file, or None when it is not there."""

    def is_own(self, path: str) -> bool:
        """Tell whether a file is one of wiremap itself."""


@dataclass(frozen=True, slots=True, order=True)
class Wiring:
    """What became of a recipe for a test.

    Attributes:
        result: `same`: it does what it did. `other`: it does something else. `unproved`: neither is proved.
        detail: What else, or why not; empty where it is the same.
    """

    result: Literal["same", "other", "unproved"]
    detail: str = ""


class WiringChanges:
    """Judges stale facts about recipes, for many tests."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources
        self._found: dict[tuple[Fact, Fact], Wiring] = {}
        self._evidence: dict[int, tuple[AbstractSet[Fact], Mapping[str, Fact]]] = {}
        self._watchers: dict[int, tuple[AbstractSet[Fact], str]] = {}
        self._watches: dict[str, frozenset[str]] = {}

    def judge(self, trace: Trace, stale: Iterable[Fact]) -> dict[Fact, Wiring]:
        """Return what became of the recipes among the *stale* facts of *trace* whose ways are known."""
        functions = [fact for fact in stale if fact.kind == kinds.FUNCTION and fact.value != kinds.UNSTABLE]
        evidence = self._evidence_in(trace.facts) if functions else {}
        found = {fact: self._wiring(fact, evidence[fact.key]) for fact in functions if fact.key in evidence}
        if any(one.result == "same" for one in found.values()) and (watcher := self._watcher_in(trace.facts)):
            doubt = Wiring("unproved", f"{watcher} may look at code or variables")
            found = {fact: doubt if one.result == "same" else one for fact, one in found.items()}
        return found

    def _evidence_in(self, facts: AbstractSet[Fact]) -> Mapping[str, Fact]:
        # By identity: tests share sets, and comparing those would take longer than all the rest.
        if id(facts) not in self._evidence:
            self._evidence[id(facts)] = facts, {fact.key: fact for fact in matching(facts, _is_wiring)}
        return self._evidence[id(facts)][1]

    def _wiring(self, fact: Fact, evidence: Fact) -> Wiring:
        if (fact, evidence) not in self._found:
            way = recipe_way(evidence)
            self._found[fact, evidence] = (
                Wiring("unproved", "its way is not readable") if way is None else self._compare(fact, way)
            )
        return self._found[fact, evidence]

    def _compare(self, fact: Fact, way: RecipeWay) -> Wiring:
        before, now = function_of(way.text), self._function_now(fact.key)
        if before is None or digest(dump(before)) != fact.value:
            return Wiring("unproved", "its earlier source is not known")
        if now is None:
            return Wiring("unproved", "it is no single function any more")
        if not same_header(before, now):
            return Wiring("unproved", "what can be seen of it without a call changed")
        try:
            differing = [_difference(one, steps_along(now, one)) for one in ways(before, way.outcomes)]
        except (CannotFollowError, RecursionError) as error:
            return Wiring("unproved", str(error))
        return next((one for one in differing if one.result != "same"), Wiring("same"))

    def _function_now(self, key: str) -> ast.FunctionDef | None:
        path, _, name = key.partition("::")
        unit, text = self._sources.units(path).units.get(name), self._sources.text(path)
        if unit is None or text is None:
            return None
        found = [one for one in ast.parse(text).body if isinstance(one, ast.FunctionDef) and one.name == name]
        # Another of that name, below an `if`, would be in the fingerprint.
        return found[0] if len(found) == 1 and digest(dump(found[0])) == unit.fingerprint else None

    # Who looks at functions other than by calling them

    def _watcher_in(self, facts: AbstractSet[Fact]) -> str:
        if id(facts) not in self._watchers:
            found = sorted(fact.unit or "" for fact in matching(facts, _is_source) if self._is_watcher(fact))
            self._watchers[id(facts)] = facts, next(iter(found), "")
        return self._watchers[id(facts)][1]

    def _is_watcher(self, fact: Fact) -> bool:
        path, _, name = str(fact.unit).partition("::")
        if path not in self._watches:
            units = {} if self._sources.is_own(path) else self._sources.units(path).units
            self._watches[path] = frozenset(unit.name for unit in units.values() if _looks_at_code(unit))
        return bool(self._watches[path]) if fact.kind == kinds.SOURCE else name in self._watches[path]


def _looks_at_code(unit: Unit) -> bool:
    # What is bound to another name at the top of a module, a recipe may call by that name.
    words = _LOOK_AT_CODE | FRAME_READERS if unit.name == MODULE_UNIT else _LOOK_AT_CODE
    return not words.isdisjoint(unit.names | unit.mentions)


def _is_wiring(fact: Fact) -> bool:
    return fact.kind == kinds.RECIPE


def _is_source(fact: Fact) -> bool:
    return fact.kind in (kinds.FUNCTION, kinds.SOURCE, *kinds.MODULES)


_LOOK_AT_CODE = frozenset(
    {
        "__code__", "f_code", "f_locals", "f_trace", "gi_code", "co_code", "co_consts", "co_names", "co_varnames",
        "capture_locals", "caplog", "code_context", "dis", "exc_info", "extract_stack", "extract_tb", "findsource",
        "format_exc", "format_exception", "format_stack", "format_tb", "getclosurevars", "getframeinfo",
        "getinnerframes", "getouterframes", "getrefcount", "getrepr", "getsource", "getsourcelines", "marshal",
        "monitoring", "print_exc", "print_exception", "print_stack", "print_tb", "setprofile", "settrace",
        "showlocals", "traceback",
    }
)  # fmt: skip


def _difference(before: Sequence[Step], now: Sequence[Step]) -> Wiring:
    for old, new in zip_longest(before, now):
        if old is None or new is None or not old.is_same(new):
            stars = star_changes(before, now)
            return Wiring("other", f"{stars}; first, {_told(old, new)}" if stars else _told(old, new))
    return Wiring("same")


def _told(old: Step | None, new: Step | None) -> str:
    was, becomes = ("" if one is None else one.text for one in (old, new))
    if was == becomes:
        return f"what leads to `{_short(was)}` changed"
    if not was or not becomes:
        return f"`{_short(was or becomes)}` is {'new' if becomes else 'gone'}"
    return f"`{_short(becomes)}` stands where `{_short(was)}` did"


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
