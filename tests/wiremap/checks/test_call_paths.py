import pytest

from tests.wiremap.checks.test_source_classes import code
from wiremap.checks.call_paths import calls_without_cell
from wiremap.checks.source_classes import ClassName
from wiremap.checks.wiring import Wiring
from wiremap.graph import Binding, Component, Containment, Graph

SOURCE = {
    "pool": """\
        class Pool:
            def __init__(self): ...
            def take(self): ...
            def __call__(self): ...
            @staticmethod
            def default(): ...
        """,
    "user": """\
        class User:
            def run(self, pool):
                pool.take()
                pool.default()
            def call(self, pool):
                pool()
        """,
}
PARTS = (Component("Pool", "Pool", "pool"), Component("User", "User", "user"), Component("Shelf", "Shelf", "shelf"))


def found(caller: str, callee: str, *bindings: Binding, held: bool = False) -> list[str]:
    graph = Graph(PARTS, bindings, (Containment("Pool", "User"),) if held else ())
    findings = calls_without_cell({callee: {caller}}, code(**SOURCE), Wiring([graph], {}))
    return [f"{one.file}:{one.line}: {one.message}" for one in findings]


def test_a_call_between_components_that_nothing_joins_is_found() -> None:
    assert found("user.py::User.run", "pool.py::Pool.take") == [
        "user.py:2: User.run was seen to call Pool.take (pool.py:3), and no cell joins User and Pool."
    ]


def test_a_component_that_is_called_itself_is_found() -> None:
    assert len(found("user.py::User.call", "pool.py::Pool.__call__")) == 1


def test_a_cell_or_containment_joins_them() -> None:
    assert found("user.py::User.run", "pool.py::Pool.take", Binding("Pool", "take", "User")) == []
    assert found("user.py::User.run", "pool.py::Pool.take", Binding("User", "run", "Pool")) == []
    assert found("user.py::User.run", "pool.py::Pool.take", held=True) == []


@pytest.mark.parametrize("callee", ["Pool.__init__", "Pool.default", "Pool.gone", "helper"])
def test_what_reaches_nothing_or_is_not_there_is_not_found(callee: str) -> None:
    assert found("user.py::User.run", f"pool.py::{callee}") == []


def test_a_record_that_the_caller_does_not_bear_out_any_more_does_not_count() -> None:
    assert found("user.py::User.call", "pool.py::Pool.take") == []


def test_a_cell_of_that_name_from_another_provider_explains_an_old_record() -> None:
    assert found("user.py::User.run", "pool.py::Pool.take", Binding("Shelf", "take", "User")) == []


def test_a_base_of_several_components_is_in_order_if_one_of_them_is() -> None:
    source = {"pool": SOURCE["pool"], "user": "class Base:\n    def run(self, pool): pool.take()\n"}
    kin = {ClassName("user", name): [ClassName("user", "Base")] for name in ("A", "B")}
    parts = (Component("Pool", "Pool", "pool"), Component("A", "A", "user"), Component("B", "B", "user"))
    calls = {"pool.py::Pool.take": {"user.py::Base.run"}}

    joined = Graph(parts, (Binding("Pool", "take", "A"),))

    assert list(calls_without_cell(calls, code(**source), Wiring([joined], kin))) == []
    assert len(list(calls_without_cell(calls, code(**source), Wiring([Graph(parts)], kin)))) == 1
