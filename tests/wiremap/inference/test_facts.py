import ast

from wiremap.inference.definitions import Module
from wiremap.inference.facts import Facts, Global, Unit
from wiremap.inference.values import NONE, OUTSIDE, UNKNOWN

MODULE = Module("app", "/p", "app.py", ast.Module([], []))
OTHER = Module("other", "/p", "other.py", ast.Module([], []))
ONE, TWO = Unit(MODULE), Unit(OTHER)
KEY = Global(MODULE, "pool")


def test_a_fact_is_what_any_unit_found() -> None:
    facts = Facts()

    facts.write(ONE, {KEY: NONE})
    facts.write(TWO, {KEY: OUTSIDE})

    assert facts.read(KEY, ONE) == NONE | OUTSIDE


def test_findings_replace_those_of_the_same_unit_and_tell_who_relied_on_them() -> None:
    facts = Facts()
    facts.write(ONE, {KEY: NONE})
    facts.read(KEY, TWO)

    assert facts.write(ONE, {KEY: NONE}) == set()
    assert facts.write(ONE, {KEY: OUTSIDE}) == {TWO}
    assert facts.write(ONE, {}) == {TWO}
    assert facts.read(KEY, TWO) == UNKNOWN


def test_a_fact_of_unknown_value_exists() -> None:
    facts = Facts()
    facts.exists(KEY, TWO)

    assert facts.write(ONE, {KEY: UNKNOWN}) == {TWO}
    assert facts.exists(KEY, TWO)
