from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.wiremap.source.programs import programs
from wiremap.selection import facts as kinds
from wiremap.selection.changes import Change, Kind, data_changes, fact_changes, source_changes, widest
from wiremap.selection.facts import ABSENT, Fact
from wiremap.source.units import SourceUnits, parse_units

BASE = "import a\nLIMIT = 1\ndef f(x): return x\n"


def between(before: dict[str, str], now: dict[str, str], *, forgotten: bool = False) -> list[Change]:
    """Return the changes between two versions of a project; a text is its own digest."""

    def units_before(digest: str) -> SourceUnits | None:
        return None if forgotten else parse_units(digest.encode())

    return source_changes(before, now, units_before, lambda path: parse_units(now[path].encode()))


def of_text(before: str, now: str) -> list[tuple[str, str, str]]:
    return [(one.unit, one.kind, one.detail) for one in between({"m.py": before}, {"m.py": now})]


def test_equal_sources_have_no_change() -> None:
    assert between({"m.py": BASE}, {"m.py": BASE}) == []


def test_files_come_and_go_as_topology() -> None:
    changes = between({"old.py": BASE}, {"new.py": "import b\n"})

    assert [(one.file, one.kind, one.detail) for one in changes] == [
        ("new.py", "topology", "file added"),
        ("old.py", "topology", "file removed"),
    ]


def test_a_renamed_file_is_told_as_such_from_both_ends() -> None:
    changes = between({"a/old.py": BASE}, {"new.py": BASE})

    assert [(one.file, one.kind, one.detail) for one in changes] == [
        ("a/old.py", "topology", "renamed to new.py"),
        ("new.py", "topology", "renamed from a/old.py"),
    ]


def test_what_was_edited_in_a_renamed_file_is_told_too() -> None:
    now = BASE.replace("return x", "return -x") + "def g(): ...\ndef h(): ...\n"

    changes = between({"old.py": BASE + "def g(): ...\ndef h(): ...\n"}, {"new.py": now})

    assert [(one.file, one.unit, one.detail) for one in changes] == [
        ("new.py", "", "renamed from old.py"),
        ("new.py", "new.py::f", "function body changed"),
        ("old.py", "", "renamed to new.py"),
    ]


def test_data_comes_and_goes_and_is_renamed_and_what_configures_is_environment() -> None:
    changes = data_changes({"a.txt": "1", "b.txt": "2", "c.txt": "3"}, {"d.txt": "1", "b.txt": "4", "uv.lock": "5"})

    assert [(one.file, one.kind, one.detail) for one in changes] == [
        ("a.txt", "data", "renamed to d.txt"),
        ("b.txt", "data", "content changed"),
        ("c.txt", "data", "removed"),
        ("d.txt", "data", "renamed from a.txt"),
        ("uv.lock", "environment", "added"),
    ]


@pytest.mark.parametrize(
    ("now", "expected"),
    [
        (BASE + "# why\n", ("", "cosmetic", "comments, layout or type checking only")),
        (BASE.replace("return x", "return -x"), ("m.py::f", "local", "function body changed")),
        (BASE.replace("f(x)", "f(x, y=1)"), ("m.py::f", "interface", "signature changed")),
        (BASE.replace("LIMIT = 1", "LIMIT = 2"), ("m.py::LIMIT", "local", "definition changed")),
        (BASE.replace("import a", "import b"), ("m.py::<module>", "topology", "imports changed")),
        (BASE.replace("import a", "import a\na.run()"), ("m.py::<module>", "local", "module-level code changed")),
        (BASE.replace("LIMIT = 1\n", ""), ("m.py::LIMIT", "interface", "name removed")),
        (BASE.replace("import a", "import a, os"), ("m.py::os", "local", "name added")),
        (BASE + "def g(): ...\n", ("m.py::g", "local", "function added")),
        ("import a\nLIMIT = 1\n", ("m.py::f", "interface", "function removed")),
    ],
)
def test_a_change_of_source_is_classified(now: str, expected: tuple[str, str, str]) -> None:
    assert expected in of_text(BASE, now)


def test_a_change_of_two_functions_is_two_changes() -> None:
    before, now = "def f(): return 1\ndef g(): return 1\n", "def f(): return 2\ndef g(): return 2\n"

    assert [unit for unit, _, _ in of_text(before, now)] == ["m.py::f", "m.py::g"]


def test_a_change_tells_the_line_of_the_unit_now() -> None:
    (change,) = between({"m.py": BASE}, {"m.py": "# why\n" + BASE.replace("return x", "return -x")})

    assert change.line == 4


def test_source_that_does_not_parse_is_unknown_with_its_fault() -> None:
    ((unit, kind, detail),) = of_text(BASE, "def f(:\n")

    assert (unit, kind) == ("m.py::<module>", "unknown")
    assert detail.startswith("does not parse: ")


def test_source_that_parses_again_is_unknown() -> None:
    assert [kind for _, kind, _ in of_text("def f(:\n", BASE)] == ["unknown"]


def test_units_that_were_forgotten_make_the_change_unknown() -> None:
    (change,) = between({"m.py": BASE}, {"m.py": BASE + "\n"}, forgotten=True)

    assert (change.kind, change.detail) == ("unknown", "its earlier units are not known")


@given(programs(), programs())
def test_there_is_a_change_exactly_when_the_text_differs(before: str, now: str) -> None:
    changes = between({"m.py": before}, {"m.py": now})

    assert bool(changes) is (before != now)
    assert changes == sorted(changes) or len({change.kind for change in changes}) > 1


@given(st.lists(st.sampled_from(get_args(Kind))))
def test_the_widest_kind_is_the_last_of_the_order(found: list[Kind]) -> None:
    order = list(get_args(Kind))

    kind = widest(Change("m.py", "", one, "") for one in found)

    assert order.index(kind) == max((order.index(one) for one in found), default=0)


@pytest.mark.parametrize(
    ("stale", "now", "expected"),
    [
        (Fact(kinds.FILE, "a.txt", "file:1"), "file:2", Change("a.txt", "", "data", "content changed")),
        (Fact(kinds.FILE, "a.txt", "file:1"), ABSENT, Change("a.txt", "", "data", "removed")),
        (Fact(kinds.FILE, "a.txt", ABSENT), "file:1", Change("a.txt", "", "data", "added")),
        (Fact(kinds.FILE, "a", "folder:1"), "folder:2", Change("a", "", "data", "listing changed")),
        (Fact(kinds.VARIABLE, "A", "1"), "2", Change("$A", "", "environment", "environment variable changed")),
        (
            Fact(kinds.ENVIRONMENT, "python", "CPython 3.11.7"),
            "CPython 3.11.9",
            Change("environment", "", "environment", "python 3.11.7 -> 3.11.9"),
        ),
        (Fact(kinds.DATA, "*.json", "1"), "2", Change("*.json", "", "data", "content changed")),
    ],
)
def test_a_stale_fact_that_is_not_about_source_is_a_change(stale: Fact, now: str, expected: Change) -> None:
    assert fact_changes([stale], lambda _fact: now) == [expected]


def test_stale_facts_about_source_are_told_by_the_sources() -> None:
    stale = [Fact(kind, "m.py", "1") for kind in (kinds.FUNCTION, kinds.MODULE, kinds.SOURCE, kinds.IMPORT)]

    assert fact_changes(stale, lambda _fact: "2") == []


def test_a_fact_that_many_tests_share_is_one_change() -> None:
    stale = [Fact(kinds.FILE, "a.txt", "file:1"), Fact(kinds.FILE, "a.txt", "file:0")]

    assert len(fact_changes(stale, lambda _fact: "file:2")) == 1
