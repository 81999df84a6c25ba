"""What add, register and connect refuse: at once, at the line of the call, and with nothing noted."""

import enum
import re
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from tests.wiremap.registry.parts import Blocks, Engine, Scheduler
from wiremap import RegistryOrchestrator, Requires
from wiremap.errors import (
    ClassNotInstanceError,
    InvalidCellNameError,
    InvalidLabelError,
    NotACellError,
    NotAComponentError,
    SelfBindingError,
    SelfContainmentError,
    WiremapError,
)

Act = Callable[[Any], object]


def _refused(act: Act, expected: type[WiremapError]) -> str:
    """Return what is said when *act* is refused; nothing must have been noted."""
    orch = RegistryOrchestrator()
    with pytest.raises(expected) as caught:
        act(orch)
    assert orch.compile().components == ()
    assert re.search(
        r"\n    tests.wiremap.registry.test_arguments\.py:\d+: (\w+\.\w+\.)?(add|register|connect)\(\)\n",
        str(caught.value),
    )
    return str(caught.value)


VALUES: list[object] = [None, True, 3, 2.5, 1j, "text", b"bytes", (1, 2), frozenset({1}), range(3), slice(3), ...]


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_a_plain_value_is_no_component(value: object) -> None:
    _refused(lambda orch: orch.add(value), NotAComponentError)
    _refused(lambda orch: orch.register(value, "allocate", Engine()), NotAComponentError)
    _refused(lambda orch: orch.register(Blocks(), "allocate", value), NotAComponentError)
    _refused(lambda orch: orch.connect(value, Engine()), NotAComponentError)
    _refused(lambda orch: orch.connect(Engine(), value), NotAComponentError)


def test_the_value_and_its_role_are_named() -> None:
    assert _refused(lambda orch: orch.add("x" * 99), NotAComponentError).startswith(
        f"add() was given '{'x' * 39}... as"
    )
    assert "given None as the consumer." in _refused(
        lambda orch: orch.register(Blocks(), "allocate", None), NotAComponentError
    )
    assert "given an object of class tuple as the child." in _refused(
        lambda orch: orch.connect((1,), Engine()), NotAComponentError
    )


class _Typed:
    allocate = Requires[Callable[[int], int]]()


def test_a_typed_wiring_line_is_judged_as_well() -> None:
    nobody: Any = None

    text = _refused(lambda orch: _Typed.allocate.register(orch, Blocks().allocate, nobody), NotAComponentError)

    assert text.startswith("register() was given None as the consumer.")


class _Size(NamedTuple):
    num_free: int = 3


class _Level(enum.IntEnum):
    HIGH = 1


@pytest.mark.parametrize("component", [_Size(), _Level.HIGH, [], {}, set(), object()], ids=lambda it: type(it).__name__)
def test_an_object_that_can_be_told_from_others_is_a_component(component: object) -> None:
    orch = RegistryOrchestrator()

    assert orch.add(component) is component
    assert len(orch.compile().components) == 1


@pytest.mark.parametrize(
    ("cell", "reason"),
    [
        ("", "it is empty"),
        ("can allocate", "it is no identifier"),
        ("blocks.allocate", "it is no identifier"),
        ("2nd", "it is no identifier"),
        ("class", "it is a keyword of Python"),
        ("__call__", "Python looks it up on the class, not on the object"),
        ("__secret", "inside a class, Python reads another name there"),
        (None, "given None as the cell: the name of a cell is a string"),
        (3, "given 3 as the cell: the name of a cell is a string"),
        (Blocks().allocate, "given the method Blocks.allocate as the cell: the name of a cell is a string"),
    ],
)
def test_what_no_consumer_could_read_is_no_name_of_a_cell(cell: object, reason: str) -> None:
    assert reason in _refused(lambda orch: orch.register(Blocks(), cell, Engine()), InvalidCellNameError)


class _Cells(enum.StrEnum):
    ALLOCATE = "allocate"


class _Private:
    def _allocate(self) -> None: ...


def test_a_private_name_and_a_member_of_a_string_enumeration_will_do() -> None:
    orch = RegistryOrchestrator()
    engine = Engine()

    orch.register(Blocks(), _Cells.ALLOCATE, engine)
    orch.register(_Private(), "_allocate", engine)
    graph = orch.finalize()

    cells = [edge.cell for edge in graph.bindings]
    assert cells == ["allocate", "_allocate"]
    assert {type(cell) for cell in cells} == {str}


def test_a_class_can_not_consume() -> None:
    text = _refused(lambda orch: orch.register(Blocks(), "allocate", Scheduler), ClassNotInstanceError)

    assert text.startswith("register() was given the class Scheduler as the consumer: its instances would get nothing.")
    assert re.search(r"parts\.py:\d+: class Scheduler\nPass an instance: Scheduler\(\.\.\.\)\.", text)


class _Factory:
    limit = 7
    __slots__ = ("size",)

    def plain(self) -> None: ...

    @property
    def computed(self) -> int:
        return 1

    @classmethod
    def of_class(cls) -> type:
        return cls

    @staticmethod
    def free() -> int:
        return 5


@pytest.mark.parametrize("cell", ["plain", "computed", "size"])
def test_a_class_can_not_provide_what_needs_an_instance(cell: str) -> None:
    text = _refused(lambda orch: orch.register(_Factory, cell, Engine()), ClassNotInstanceError)

    assert f"the class _Factory as the provider: {cell!r} needs an instance." in text


def test_a_class_can_provide_what_is_its_own() -> None:
    orch = RegistryOrchestrator()
    engine: Any = Engine()

    for cell in ("of_class", "free", "limit"):
        orch.register(_Factory, cell, engine)
    orch.finalize()

    assert (engine.of_class(), engine.free(), engine.limit) == (_Factory, 5, 7)


@pytest.mark.parametrize("label", ["", " ", " kv", "kv\n", "k\tv", "\ud800", 3, None, b"kv", ["kv"]], ids=repr)
def test_a_label_is_text_that_can_be_shown(label: Any) -> None:
    if label is not None:
        assert "in id=." in _refused(lambda orch: orch.add(Engine(), id=label), InvalidLabelError)
    assert "in extension=." in _refused(lambda orch: orch.add(Engine(), extension=label), InvalidLabelError)
    assert "in tags=." in _refused(lambda orch: orch.add(Engine(), tags=["fine", label]), InvalidLabelError)


@pytest.mark.parametrize("tags", [None, 3, b"kv"])
def test_tags_are_one_string_or_several(tags: Any) -> None:
    assert "in tags=." in _refused(lambda orch: orch.add(Engine(), tags=tags), InvalidLabelError)


def test_any_other_text_is_an_id() -> None:
    orch = RegistryOrchestrator()
    orch.add(Engine(), id="model.layers[0] “αβγ”", tags=(tag for tag in ("a", "b")))

    (component,) = orch.compile().components

    assert (component.id, component.tags) == ("model.layers[0] “αβγ”", ("a", "b"))


def test_a_component_hands_nothing_to_itself_and_contains_itself_never() -> None:
    blocks = Blocks()

    text = _refused(lambda orch: orch.register(blocks, "allocate", blocks), SelfBindingError)
    assert text.startswith("One component of class Blocks is both the provider and the consumer of 'allocate'.")
    text = _refused(lambda orch: orch.connect(blocks, blocks), SelfContainmentError)
    assert text.startswith("One component of class Blocks is both the child and the parent.")


class Requests:
    def priority(self) -> int:
        return 1

    @staticmethod
    def allocate(count: int) -> int:
        return count


class Sorting:
    allocate = Requires[Callable[..., int]]()
    key = Requires[Callable[..., int]]()


@pytest.mark.parametrize(
    "act",
    [
        lambda orch: Sorting.allocate.register(orch, Blocks.allocate, Sorting()),
        lambda orch: orch.register(Blocks.allocate, "__call__", Sorting(), name="allocate"),
        lambda orch: orch.register(Blocks.allocate, "allocate", Sorting()),
    ],
)
def test_a_method_of_no_object_can_not_provide_itself_under_its_name(
    act: Callable[[RegistryOrchestrator], None],
) -> None:
    said = _refused(act, NotAComponentError)

    assert "given Blocks.allocate, which needs an instance, as the provider" in said
    assert "By name write register(Blocks(...), 'allocate', consumer)" in said


def test_a_method_of_a_class_may_be_a_callable_of_another_name_and_a_static_method_of_its_own() -> None:
    orch, sorting = RegistryOrchestrator(), Sorting()
    Sorting.key.register(orch, Requests.priority, sorting)
    Sorting.allocate.register(orch, Requests.allocate, sorting)
    orch.finalize()

    assert (sorting.key(Requests()), sorting.allocate(3)) == (1, 3)


def test_what_others_made_is_shown_by_its_class() -> None:
    blocks: Any = Blocks()

    said = _refused(lambda orch: Sorting.allocate.register(orch, blocks, Sorting()), NotACellError)

    assert "Sorting.allocate was given an object of class Blocks, no method called 'allocate'" in said
