import pytest
from hypothesis import given

from tests.wiremap.source.programs import programs
from wiremap.selection import facts as kinds
from wiremap.selection.facts import Fact
from wiremap.selection.touched import TouchedFacts, value_of
from wiremap.source.units import SourceUnits, parse_units

BEFORE = "X = 1\ndef f(): return 1\ndef g(): return 1\n"


def touched(before: dict[str, str], now: dict[str, str], unknown: tuple[str, ...] = ()) -> TouchedFacts:
    return TouchedFacts(_units(before), _units(now), unknown)


def _units(texts: dict[str, str]) -> dict[str, SourceUnits | None]:
    return {path: parse_units(text.encode()) if path.endswith(".py") else None for path, text in texts.items()}


@pytest.mark.parametrize(
    ("kind", "key", "expected"),
    [
        (kinds.FUNCTION, "m.py::f", True),
        (kinds.FUNCTION, "m.py::g", False),
        (kinds.FUNCTION, "other.py::f", False),
        (kinds.MODULE, "m.py", False),
        (kinds.NAMES, "m.py", False),
        (kinds.SOURCE, "m.py", True),
        (kinds.FILE, "m.py", True),
        (kinds.FILE, ".", False),
        (kinds.IMPORT, "m", False),
        (kinds.DATA, "*.py", True),
        (kinds.DATA, "*.txt", False),
        (kinds.PROJECT, "*", True),
        (kinds.ENVIRONMENT, "python", False),
        (kinds.VARIABLE, "HOME", False),
    ],
)
def test_another_body_touches_its_function_and_the_file(kind: str, key: str, expected: bool) -> None:  # noqa: FBT001
    found = touched({"m.py": BEFORE}, {"m.py": BEFORE.replace("f(): return 1", "f(): return 2")})

    assert found(Fact(kind, key, "")) is expected


@pytest.mark.parametrize(
    ("kind", "key"),
    [
        (kinds.FUNCTION, "p/m.py::f"),
        (kinds.MODULE, "p/m.py"),
        (kinds.CLASSES, "p/m.py"),
        (kinds.PRESENCE, "p/m.py"),
        (kinds.FILE, "p"),
        (kinds.PRESENCE, "p"),
        (kinds.FILE, "."),
        (kinds.IMPORT, "m"),
        (kinds.IMPORT, "p.m"),
    ],
)
def test_a_file_that_comes_or_goes_touches_whoever_may_find_it(kind: str, key: str) -> None:
    fact = Fact(kind, key, "")

    assert touched({"p/m.py": BEFORE}, {})(fact)
    assert touched({}, {"p/m.py": BEFORE})(fact)


def test_what_runs_at_the_import_is_touched_by_name_and_as_a_whole() -> None:
    found = touched({"m.py": BEFORE}, {"m.py": BEFORE.replace("X = 1", "X = 2")})

    assert [found(Fact(kind, "m.py", "")) for kind in kinds.MODULES] == [True, True, True]


def test_data_touches_who_reads_it() -> None:
    found = touched({"d.txt": ""}, {"d.txt": ""})

    assert found(Fact(kinds.FILE, "d.txt", ""))
    assert not found(Fact(kinds.FILE, "e.txt", ""))


def test_of_a_file_in_conflict_everything_is_touched() -> None:
    found = touched({}, {}, unknown=("m.py",))

    assert found(Fact(kinds.FUNCTION, "m.py::f", ""))
    assert found(Fact(kinds.NAMES, "m.py", ""))


@given(programs(), programs())
def test_a_fact_is_touched_exactly_when_its_value_is_another(before: str, now: str) -> None:
    found = touched({"m.py": before}, {"m.py": now})
    old, new = parse_units(before.encode()), parse_units(now.encode())

    for name in old.units.keys() | new.units.keys():
        fact = Fact(kinds.FUNCTION, f"m.py::{name}", "")
        assert name == "<module>" or found(fact) is (value_of(old, fact) != value_of(new, fact))
    for kind in kinds.MODULES:
        fact = Fact(kind, "m.py", "")
        assert found(fact) is (value_of(old, fact) != value_of(new, fact))
