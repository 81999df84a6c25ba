import pytest

from wiremap.selection.reach import Reach

REACH = Reach(
    [
        ("it rests on app.py::f, which changed", "app.py::f"),
        ("it rests on the import of base.py, which changed: LIMIT", "base.py::<module>"),
        ("it read data/prices.json, which changed", None),
        ("variable LANG changed", None),
        ("click 8.1.7 -> 8.1.8", None),
    ]
)


@pytest.mark.parametrize(
    ("change", "reaches"),
    [
        (("app.py", "app.py::f", "function body changed"), True),
        (("app.py", "app.py::g", "function body changed"), False),
        (("app.py", None, "file removed"), True),
        (("base.py", "base.py::LIMIT", "value changed"), True),
        (("new.py", "", "file added"), False),
        (("data/prices.json", "", "content changed"), True),
        (("prices.json", "", "content changed"), False),
        (("$LANG", "", "environment variable changed"), True),
        (("environment", "", "click 8.1.7 -> 8.1.8"), True),
        (("environment", "", "python 3.11.7 -> 3.12.1"), False),
    ],
)
def test_a_change_reaches_a_test_if_a_reason_names_it(change: tuple[str, str | None, str], *, reaches: bool) -> None:
    assert REACH.includes(*change) is reaches
