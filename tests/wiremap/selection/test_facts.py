import pytest

from wiremap.selection import facts as kinds
from wiremap.selection.facts import Fact, Trace


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


@pytest.mark.parametrize(
    ("test", "function"),
    [
        ("test_a.py::test_f", "test_a.py::test_f"),
        ("test_a.py::T::test_f[a::b[c]]", "test_a.py::T::test_f"),
        ("a[b]/test_a.py::test_f[c]", "a[b]/test_a.py::test_f"),
        ("README.md", "README.md"),
    ],
)
def test_a_trace_knows_the_function_of_its_test(test: str, function: str) -> None:
    assert Trace(test, frozenset(), "passed", 0.0).function == function
