"""Which way tests took through the recipes that they executed, as facts and back."""

import functools
import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from types import CodeType

from wiremap.selection import facts as kinds
from wiremap.selection.facts import Fact
from wiremap.source.branches import Outcomes, function_of, only_taken
from wiremap.source.units import Unit, UnitKey, parse_units
from wiremap.tracing.observation import Observation
from wiremap.tracing.recipe_branches import ToldRecipe


@dataclass(frozen=True, slots=True)
class RecipeWay:
    """What a fact about the wiring of a recipe says.

    Attributes:
        text: The source of the recipe, as it was.
        outcomes: How its tests came out.
    """

    text: str
    outcomes: Outcomes


class RecipeWays:
    """From observations to facts, for the recipes of one session that told all branches that they took."""

    def __init__(
        self, recipes: Mapping[UnitKey, ToldRecipe], unit_key: Callable[[int, CodeType], UnitKey | None]
    ) -> None:
        """Prepare for a session; *unit_key* returns the unit of a code object, by its id and itself."""
        self._recipes = recipes
        self._unit_key = unit_key
        self._names = frozenset(key.unit for key in recipes)
        self._telling = {number: key for key, told in recipes.items() for number in told.codes}
        self._seen: dict[Observation, _Ran] = {}

    def facts(
        self,
        observations: Iterable[Observation],
        own_units: AbstractSet[UnitKey],
        fingerprint: Callable[[UnitKey], str],
    ) -> set[Fact]:
        """Return the facts of who rests on what was seen, for recipes that it rests on in no other way.

        Args:
            observations: All that it rests on.
            own_units: Units that it rests on as they are written.
            fingerprint: Returns what is recorded of a unit.
        """
        if not self._recipes:
            return set()
        told, silent = set[UnitKey](), set(own_units)
        branches: dict[UnitKey, set[tuple[int, bool]]] = defaultdict(set)
        for seen in observations:
            ran = self._ran(seen)
            told |= ran.told
            silent |= ran.silent
            for path, unit, number, outcome in seen.branches:
                branches[UnitKey(path, unit)].add((number, outcome))
        known = {key for key in told - silent if fingerprint(key) == self._recipes[key].fingerprint}
        return {self._fact(key, branches[key]) for key in known}

    def _ran(self, seen: Observation) -> "_Ran":
        if seen not in self._seen:
            self._seen[seen] = self._find(seen)
        return self._seen[seen]

    def _find(self, seen: Observation) -> "_Ran":
        found = _Ran(silent={UnitKey(*unit) for unit in seen.units})
        for number, code in seen.codes.items():
            if code.co_qualname.partition(".")[0] not in self._names:
                continue
            if number in self._telling:
                found.told.add(self._telling[number])
            elif key := self._unit_key(number, code):
                found.silent.add(key)
        return found

    def _fact(self, key: UnitKey, branches: Iterable[tuple[int, bool]]) -> Fact:
        document = {"source": self._recipes[key].text, "branches": sorted(branches)}
        return Fact(kinds.RECIPE, str(key), json.dumps(document, sort_keys=True))


@dataclass(frozen=True, slots=True)
class _Ran:
    """The recipes, and maybe other units, that ran in one context: by code that tells its branches, and by other."""

    told: set[UnitKey] = field(default_factory=set)
    silent: set[UnitKey] = field(default_factory=set)


def recipe_way(fact: Fact) -> RecipeWay | None:
    """Return what *fact*, which may come from anywhere, says; None if that makes no sense."""
    try:
        document = json.loads(fact.value)
        outcomes: dict[int, set[bool]] = defaultdict(set)
        for number, outcome in document["branches"]:
            outcomes[int(number)].add(bool(outcome))
        return RecipeWay(str(document["source"]), outcomes)
    except (ValueError, TypeError, KeyError):
        return None


@functools.lru_cache(maxsize=1024)
def executed_part(fact: Fact) -> tuple[Unit, ...]:
    """Return the recipe without the branches that were not taken, as a unit; nothing if *fact* makes no sense."""
    way = recipe_way(fact)
    function = None if way is None else function_of(way.text)
    if way is None or function is None:
        return ()
    unit = parse_units(only_taken(function, way.outcomes).encode()).units.get(function.name)
    return () if unit is None else (unit,)
