import pytest

from tests.wiremap.checks.test_source_classes import code
from wiremap.checks.registration import unregistered_components
from wiremap.checks.source_classes import ClassName
from wiremap.checks.wiring import Wiring
from wiremap.graph import Component, Graph


def found(text: str, *registered: str, declared: str = "", kin: dict[str, list[str]] | None = None) -> list[str]:
    source = code(
        parts=f"from wiremap import Requires\nimport wiremap as w\nfrom abc import ABC, abstractmethod\n{text}"
    )
    graph = Graph(tuple(Component(name, name, "parts") for name in registered))
    above = {
        ClassName("parts", name): [ClassName("parts", one) for one in names] for name, names in (kin or {}).items()
    }
    findings = unregistered_components(source, Wiring([graph], above), lambda unit: unit == declared)
    return [f"{one.line}: {one.message}" for one in findings]


@pytest.mark.parametrize(
    ("body", "sign"),
    [
        ("allocate: Requires[int]", "requires the cell 'allocate'"),
        ("allocate: 'Requires[int]'", "requires the cell 'allocate'"),
        ("allocate: w.Requires[int]", "requires the cell 'allocate'"),
        ("allocate = Requires[int]()", "requires the cell 'allocate'"),
        ("def __post_wire__(self): ...", "has the hook __post_wire__"),
        ("def __pre_close__(self): ...", "has the hook __pre_close__"),
    ],
)
def test_a_class_that_is_written_as_a_component_is_found(body: str, sign: str) -> None:
    assert found(f"class A:\n    {body}") == [f"4: A {sign}, and no recipe registers it."]


@pytest.mark.parametrize("body", ["allocate: int", "def run(self): ...", "allocate: list[int] = []", "Requires = 3"])
def test_any_other_class_is_not(body: str) -> None:
    assert found(f"class A:\n    {body}") == []


def test_a_requires_of_somebody_else_is_none() -> None:
    assert found("from other import Requires as R\nclass A:\n    allocate: R[int]") == []


def test_a_registered_class_is_fine() -> None:
    assert found("class A:\n    x: Requires[int]", "A") == []


def test_what_a_registered_class_derives_from_is_fine() -> None:
    text = "class Base:\n    x: Requires[int]\nclass A(Base): ..."

    assert found(text, "A", kin={"A": ["A", "Base"]}) == []


def test_a_class_that_derives_from_a_component_and_is_not_registered_is_found() -> None:
    text = "class Base:\n    x: Requires[int]\nclass A(Base): ...\nclass B(Base): ..."

    assert found(text, "A", kin={"A": ["A", "Base"]}) == [
        "7: B derives from Base, which requires the cell 'x', and no recipe registers it."
    ]


@pytest.mark.parametrize(
    "text",
    [
        "class A(ABC):\n    x: Requires[int]",
        "class A:\n    x: Requires[int]\n    @abstractmethod\n    def run(self): ...",
        "from typing import Protocol\nclass A(Protocol):\n    x: Requires[int]",
        "from abc import ABCMeta\nclass A(metaclass=ABCMeta):\n    x: Requires[int]",
    ],
)
def test_an_abstract_class_is_never_registered(text: str) -> None:
    assert found(text) == []


def test_what_the_configuration_declares_is_fine() -> None:
    text = "class A:\n    x: Requires[int]"

    assert found(text, declared="parts.py::A") == []
    assert found(text, declared="parts.py::B") != []
