from wiremap.graph import Component, Graph
from wiremap.selection.executed_components import ExecutedComponents
from wiremap.selection.facts import Fact, Trace

POOL = Component("pool", "Pool", "app.pool", "app/pool.py", 3)


def trace(test: str, *units: str) -> Trace:
    return Trace(test, frozenset(Fact("function", unit, "0") for unit in units), "passed", 0.0)


def executing(component: Component, *traces: Trace) -> set[str]:
    return ExecutedComponents(traces, [Graph((component,))]).tests_of(component)


def test_a_test_that_executed_a_method_counts() -> None:
    assert executing(POOL, trace("test_a", "src/app/pool.py::Pool.take"), trace("test_b")) == {"test_a"}


def test_a_class_of_the_same_name_in_another_file_does_not() -> None:
    assert executing(POOL, trace("test_a", "src/app/other.py::Pool.take")) == set()


def test_a_class_inside_another_is_one_of_its_own() -> None:
    inner = Component("inner", "Pool.Inner", "app.pool", "app/pool.py", 9)

    assert executing(inner, trace("a", "app/pool.py::Pool.Inner.go"), trace("b", "app/pool.py::Pool.take")) == {"a"}


def test_a_function_that_is_a_component_counts_when_it_is_called() -> None:
    function = Component("hook", "hook", "app.pool", "app/pool.py", 20)

    assert executing(function, trace("test_a", "app/pool.py::hook")) == {"test_a"}


def test_a_component_without_source_has_no_tests() -> None:
    assert executing(Component("x", "Pool", "app"), trace("test_a", "app/pool.py::Pool.take")) == set()
