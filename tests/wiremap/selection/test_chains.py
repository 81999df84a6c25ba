from wiremap.selection.chains import chain, units_of
from wiremap.selection.facts import FILE, FUNCTION, NAMES, Fact

CALLERS = {
    "app.py::f": {"test_a.py::test_f", "test_a.py::made"},
    "app.py::g": {"app.py::f", "app.py::g"},
    "app.py::<module>": {"lib.py::<module>"},
    "lib.py::<module>": {"test_a.py::<module>"},
}
WITHIN = {"app.py::f", "app.py::g", "app.py::<module>", "lib.py::<module>", "test_a.py::<module>"}
TEST = "test_a.py::test_f"


def test_a_chain_begins_at_the_test_where_it_calls() -> None:
    assert chain("app.py::g", TEST, {*WITHIN, TEST, "test_a.py::made"}, CALLERS) == (TEST, "app.py::f", "app.py::g")


def test_a_chain_begins_where_the_calls_do_if_the_test_itself_calls_nothing_of_it() -> None:
    assert chain("app.py::f", TEST, {*WITHIN, "test_a.py::made"}, CALLERS) == ("test_a.py::made", "app.py::f")


def test_a_name_of_a_module_is_reached_by_the_imports_of_the_module() -> None:
    assert chain("app.py::RATE", TEST, {*WITHIN, TEST}, CALLERS) == (
        "test_a.py::<module>",
        "lib.py::<module>",
        "app.py::<module>",
    )


def test_callers_that_the_test_does_not_rest_on_are_no_part_of_a_chain() -> None:
    assert chain("app.py::f", TEST, WITHIN, CALLERS) == ("app.py::f",)


def test_functions_that_call_each_other_and_are_called_by_nobody_end_the_search() -> None:
    assert chain("a.py::f", TEST, {"a.py::f", "a.py::g"}, {"a.py::f": {"a.py::g"}, "a.py::g": {"a.py::f"}}) == (
        "a.py::f",
    )


def test_code_runs_in_functions_and_in_modules() -> None:
    facts = [Fact(FUNCTION, "a.py::f", ""), Fact(NAMES, "a.py", ""), Fact(FILE, "data.txt", "")]

    assert units_of(facts) == {"a.py::f", "a.py::<module>"}
