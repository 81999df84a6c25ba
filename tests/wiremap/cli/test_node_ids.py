import pytest

from wiremap.cli.node_ids import Line, folded, rest_of


def test_tests_that_differ_in_their_parameters_only_are_one_line() -> None:
    assert folded(["a.py::f[1]", "a.py::g", "a.py::f[2]"]) == ["a.py::f[…] (2 sets of parameters)", "a.py::g"]


def test_a_single_set_of_parameters_is_shown() -> None:
    assert folded(["a.py::f[x[0]]"]) == ["a.py::f[x[0]]"]


@pytest.mark.parametrize(
    ("hidden", "told"),
    [
        ([Line("a.py::f", 1)], "1 more test "),
        ([Line("a.py::f", 1), Line("a.py::g", 1)], "2 more tests "),
        ([Line("a.py::f[…] (30 sets of parameters)", 30), Line("a.py::g", 1)], "2 more lines, 31 tests "),
    ],
)
def test_what_is_left_out_is_counted_in_tests(hidden: list[Line], told: str) -> None:
    assert rest_of(hidden) == f"  … and {told}(--all shows them)"
