import pytest

from wiremap.selection import facts as kinds
from wiremap.selection.facts import Fact


@pytest.mark.parametrize(
    ("kind", "key", "path", "unit"),
    [
        (kinds.FUNCTION, "a/b.py::C.m", "a/b.py", "a/b.py::C.m"),
        (kinds.MODULE, "a/b.py", "a/b.py", "a/b.py::<module>"),
        (kinds.SOURCE, "a/b.py", "a/b.py", "a/b.py::<module>"),
        (kinds.FILE, "data.txt", "data.txt", None),
        (kinds.IMPORT, "a.b", None, None),
        (kinds.VARIABLE, "HOME", None, None),
        (kinds.ENVIRONMENT, "Python interpreter", None, None),
        (kinds.PROJECT, "*", None, None),
    ],
)
def test_a_fact_knows_its_file_and_unit(kind: str, key: str, path: str | None, unit: str | None) -> None:
    fact = Fact(kind, key, "value")

    assert (fact.path, fact.unit) == (path, unit)
