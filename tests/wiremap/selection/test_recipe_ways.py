"""Which way tests took through recipes: from observations to facts, and back."""

from types import CodeType

import pytest

from wiremap.selection.facts import RECIPE, Fact
from wiremap.selection.recipe_ways import RecipeWays, executed_part, recipe_way
from wiremap.source.units import UnitKey
from wiremap.tracing.observation import Observation
from wiremap.tracing.recipe_branches import ToldRecipe

WIRE = UnitKey("recipes.py", "wire")
TEXT = "def wire(kind):\n    if kind:\n        return Moe(EXPERTS)\n    return Dense()"


def code(text: str = TEXT) -> CodeType:
    return next(one for one in compile(text, "recipes.py", "exec").co_consts if isinstance(one, CodeType))


TELLING = code()
RECIPES = {WIRE: ToldRecipe(TEXT, "print", {id(TELLING): TELLING})}


def facts(*seen: Observation, own: frozenset[UnitKey] = frozenset(), fingerprint: str = "print") -> set[Fact]:
    ways = RecipeWays(RECIPES, lambda _number, _code: WIRE)
    return ways.facts(seen, own, lambda _key: fingerprint)


def ran(*branches: tuple[int, bool]) -> Observation:
    return Observation(codes={id(TELLING): TELLING}, branches={(*WIRE, *one) for one in branches})


def test_the_ways_of_all_contexts_are_one() -> None:
    (fact,) = facts(ran((0, True)), ran((0, False)))

    way = recipe_way(fact)
    assert way is not None
    assert (fact.kind, fact.key, way.text, way.outcomes) == (RECIPE, str(WIRE), TEXT, {0: {True, False}})


def test_a_recipe_without_branches_has_a_way() -> None:
    (fact,) = facts(ran())

    way = recipe_way(fact)
    assert way is not None
    assert way.outcomes == {}


def test_one_that_did_not_run_has_none() -> None:
    assert facts(Observation()) == set()


def test_one_that_a_child_process_ran_too_has_none() -> None:
    assert facts(ran(), Observation(units={tuple(WIRE)})) == set()


def test_one_that_other_code_ran_too_has_none() -> None:
    other = code(TEXT + "\n")

    assert facts(ran(), Observation(codes={id(other): other})) == set()


def test_one_that_a_test_rests_on_as_it_is_written_has_none() -> None:
    assert facts(ran(), own=frozenset({WIRE})) == set()


def test_one_whose_file_is_another_by_now_has_none() -> None:
    assert facts(ran(), fingerprint="unstable") == set()


def test_a_test_reads_the_names_in_the_branches_that_it_took() -> None:
    (dense,), (moe,) = facts(ran((0, False))), facts(ran((0, True), (0, False)))

    assert [unit.names for unit in executed_part(dense)] == [{"kind", "Dense"}]
    assert [unit.names for unit in executed_part(moe)] == [{"kind", "Dense", "Moe", "EXPERTS"}]


DAMAGED = ["", "{}", "[]", '{"source": "", "branches": 1}', '{"source": "", "branches": [[1]]}', '{"branches": []}']


@pytest.mark.parametrize("value", DAMAGED)
def test_what_makes_no_sense_says_nothing(value: str) -> None:
    assert recipe_way(Fact(RECIPE, str(WIRE), value)) is None
    assert executed_part(Fact(RECIPE, str(WIRE), value)) == ()


def test_what_is_no_function_is_not_executed() -> None:
    assert executed_part(Fact(RECIPE, str(WIRE), '{"source": "x = 1", "branches": []}')) == ()
