from wiremap.cli.node_ids import folded


def test_tests_that_differ_in_their_parameters_only_are_one_line() -> None:
    assert folded(["a.py::f[1]", "a.py::g", "a.py::f[2]"]) == ["a.py::f[…] (2 sets of parameters)", "a.py::g"]


def test_a_single_set_of_parameters_is_shown() -> None:
    assert folded(["a.py::f[x[0]]"]) == ["a.py::f[x[0]]"]
