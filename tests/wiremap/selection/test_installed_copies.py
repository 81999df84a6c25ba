import pytest

from wiremap.selection import facts as kinds
from wiremap.selection.facts import Fact, Trace
from wiremap.selection.installed_copies import notes_of_copies

FILES = ["src/shop/__init__.py", "src/shop/money.py", "src/shop/tax.py", "tool.py", "tests/test_a.py"]
INSTALLED = Fact(kinds.DISTRIBUTION, "shop-dist", "1.0 x")


def notes(changed: list[str], *facts: Fact) -> list[str]:
    traces = [Trace("tests/test_a.py::test_a", frozenset(facts), "passed", 0.1)]
    return notes_of_copies(changed, traces, FILES, lambda name: ["shop-dist"] if name == "shop" else [])


def test_source_of_which_tests_import_an_installed_copy_is_told() -> None:
    assert notes(["src/shop/money.py"], INSTALLED) == [
        "no test was seen to import src/shop/money.py: tests import the installed shop, which is a copy"
    ]


def test_many_files_of_one_package_are_told_together() -> None:
    (note,) = notes(["src/shop/tax.py", "src/shop/money.py", "src/shop/__init__.py", "tool.py"], INSTALLED)

    assert note.startswith("no test was seen to import src/shop/__init__.py and 2 more changed files: ")


@pytest.mark.parametrize(
    ("changed", "facts"),
    [
        ("src/shop/money.py", [INSTALLED, Fact(kinds.FUNCTION, "src/shop/money.py::f", "x")]),
        ("src/shop/money.py", [INSTALLED, Fact(kinds.NAMES, "src/shop/money.py", "x")]),
        ("src/shop/money.py", [INSTALLED, Fact(kinds.FUNCTION, "src/shop/tax.py::f", "x")]),
        ("src/shop/money.py", []),
        ("src/shop/gone.py", [INSTALLED]),
        ("tool.py", [INSTALLED]),
        ("README.md", [INSTALLED]),
    ],
    ids=["executed", "imported", "another of the package", "not installed", "removed", "another module", "no source"],
)
def test_what_is_no_copy_of_what_tests_import_is_not_told(changed: str, facts: list[Fact]) -> None:
    assert notes([changed], *facts) == []
