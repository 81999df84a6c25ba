"""A cell that does not fit what its consumer declares is a fault of compile, as it is one for type checkers."""

from collections.abc import Awaitable, Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import cached_property, wraps
from typing import Any, Generic, Literal, Protocol, TypeVar, overload
from unittest.mock import Mock, create_autospec

import pytest

from wiremap import RegistryOrchestrator, Requires, WiringError
from wiremap.errors import CellTypeError


class Request: ...


class Wanted(Protocol):
    num_free: int

    @property
    def name(self) -> str: ...

    def allocate(self, request: Request) -> bool: ...


class Scheduler:
    allocate = Requires[Callable[[Request], bool]]()


class Annotating:
    allocate: Requires[Callable[[Request], bool]]


class Reader:
    num_free: Requires[int]


class Whole:
    blocks = Requires[Wanted]()


class Good:
    num_free: int = 0
    name: str = "pool"

    def allocate(self, request: Request) -> bool:
        return bool(request)


class Bad:
    num_free = "many"

    @property
    def name(self) -> bytes:
        return b""

    def allocate(self, request: int) -> bool:
        return bool(request)


def faults_of(orch: RegistryOrchestrator) -> list[str]:
    with pytest.raises(WiringError) as caught:
        orch.compile()
    assert all(isinstance(fault, CellTypeError) for fault in caught.value.faults)
    return [str(fault) for fault in caught.value.faults]


@pytest.mark.parametrize("consumer", [Scheduler, Annotating])
def test_a_method_with_another_signature_is_a_fault(consumer: type) -> None:
    orch = RegistryOrchestrator()
    orch.register(Bad(), "allocate", consumer())

    (fault,) = faults_of(orch)

    assert f"{consumer.__name__} requires 'allocate' as Callable[[Request], bool]" in fault
    assert "its 'request' takes int, and Request is passed" in fault


@pytest.mark.parametrize("consumer", [Scheduler, Annotating])
def test_a_method_that_fits_is_none(consumer: type) -> None:
    orch = RegistryOrchestrator()
    orch.register(Good(), "allocate", consumer())

    assert orch.compile().bindings


def test_the_fault_names_all_three_lines() -> None:
    orch = RegistryOrchestrator()
    orch.register(Bad(), "allocate", Scheduler())

    (fault,) = faults_of(orch)

    assert fault.count("test_cell_types.py:") == 3  # the declaration, the registration, the method


def test_a_state_of_another_type_is_a_fault() -> None:
    orch = RegistryOrchestrator()
    orch.register(Bad(), "num_free", Reader())

    (fault,) = faults_of(orch)

    assert "requires 'num_free' as int" in fault
    assert "its type is str" in fault


def test_a_state_that_is_set_later_is_none() -> None:
    class Later:
        num_free: Any = None

    orch = RegistryOrchestrator()
    orch.register(Later(), "num_free", Reader())

    assert orch.compile().bindings


def test_a_method_where_state_is_required_is_a_fault() -> None:
    class Wrong:
        def num_free(self) -> int:
            return 0

    orch = RegistryOrchestrator()
    orch.register(Wrong(), "num_free", Reader())

    (fault,) = faults_of(orch)

    assert "it is a method" in fault


def test_a_value_where_a_method_is_required_is_a_fault() -> None:
    class Wrong:
        allocate = 3

    orch = RegistryOrchestrator()
    orch.register(Wrong(), "allocate", Scheduler())

    (fault,) = faults_of(orch)

    assert "it is a value of type int" in fault


def test_every_member_of_an_interface_is_checked() -> None:
    orch, bad, whole = RegistryOrchestrator(), Bad(), Whole()
    Whole.blocks.register(orch, bad, whole)  # type: ignore[arg-type] # the fault that is shown

    faults = faults_of(orch)

    assert [fault.split("'")[1] for fault in faults] == ["blocks.allocate", "blocks.name", "blocks.num_free"]


def test_a_provider_of_a_whole_interface_is_none() -> None:
    orch, whole = RegistryOrchestrator(), Whole()
    Whole.blocks.register(orch, Good(), whole)

    assert len(orch.compile().bindings) == 3


def test_a_cell_that_is_handed_on_is_judged_by_where_it_comes_from() -> None:
    class Between:
        pass

    orch, between = RegistryOrchestrator(), Between()
    orch.register(Bad(), "allocate", between)
    orch.register(between, "allocate", Scheduler())

    (fault,) = faults_of(orch)

    assert "its 'request' takes int" in fault


def test_a_mock_fits_everything() -> None:
    orch = RegistryOrchestrator()
    orch.register(Mock(), "allocate", Scheduler())

    assert orch.compile().bindings


def test_providers_of_one_class_are_judged_each_by_what_it_gives() -> None:
    class Delegate:
        def __init__(self, inner: Any) -> None:
            self.inner = inner

        def __getattr__(self, name: str) -> Any:
            return getattr(self.inner, name)

    class Replaced(Good):
        pass

    replaced = Replaced()
    vars(replaced)["allocate"] = Bad().allocate
    orch = RegistryOrchestrator()
    for number, provider in enumerate([Delegate(Good()), Delegate(Bad()), Replaced(), replaced]):
        orch.register(orch.add(provider, id=f"provider {number}"), "allocate", Scheduler())

    first, second = faults_of(orch)

    assert "provider 1" in first
    assert "provider 3" in second


def test_a_mock_with_the_signature_of_a_method_is_not_taken_for_async() -> None:
    orch = RegistryOrchestrator()
    orch.register(create_autospec(Good, instance=True), "allocate", Scheduler())

    assert orch.compile().bindings


def test_an_interface_is_not_fulfilled_by_a_method_of_its_name() -> None:
    class Shallow:
        def blocks(self) -> None: ...

    orch = RegistryOrchestrator()
    orch.register(Shallow(), "blocks", Whole())

    (fault,) = faults_of(orch)

    assert "it is a method" in fault
    assert "Whole.blocks.register(" in fault


@pytest.mark.parametrize(("value", "num_faults"), [(Good(), 0), (7, 1), (None, 0)])
def test_an_interface_may_be_fulfilled_by_the_value_of_a_state(value: object, num_faults: int) -> None:
    class Holder:
        def __init__(self) -> None:
            self.blocks = value

    orch = RegistryOrchestrator()
    orch.register(Holder(), "blocks", Whole())

    assert len(faults_of(orch) if num_faults else []) == num_faults
    assert num_faults or orch.compile().bindings


def _misfits(provider: object, cell: str, wanted: Any) -> list[str]:
    consumer = type("Consumer", (), {cell: Requires[wanted]()})
    orch = RegistryOrchestrator()
    orch.register(provider, cell, consumer())
    return faults_of(orch)


def _fits(provider: object, cell: str, wanted: Any) -> bool:
    consumer = type("Consumer", (), {cell: Requires[wanted]()})
    orch = RegistryOrchestrator()
    orch.register(provider, cell, consumer())
    return bool(orch.compile().bindings)


def logged(function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def wrapper(self: object, *rest: Any) -> Any:
        return function(self, 0, *rest)

    return wrapper


class Decorated:
    @contextmanager
    def session(self) -> Iterator[int]:
        yield 1

    @logged
    async def asked(self, level: int, text: str) -> str:
        return text * level


def test_what_a_decorator_made_of_a_method_is_not_judged_by_what_it_decorates() -> None:
    assert _fits(Decorated(), "session", Callable[[], AbstractContextManager[int]])
    assert _fits(Decorated(), "asked", Callable[[str], Awaitable[str]])


def test_an_object_with_an_async_call_is_async() -> None:
    class Ask:
        async def __call__(self, text: str) -> str:
            return text

    class Holder:
        ask = Ask()

    assert _fits(Holder(), "ask", Callable[[str], Awaitable[str]])
    assert "it is async" in _misfits(Holder(), "ask", Callable[[str], str])[0]


def test_what_awaiting_gives_is_compared() -> None:
    class Answering:
        async def ask(self, text: str) -> str:
            return text

    assert (
        "it gives, when awaited, str, and int is expected"
        in (_misfits(Answering(), "ask", Callable[[str], Awaitable[int]])[0])
    )


def test_a_mock_with_a_specification_is_not_async() -> None:
    assert _fits(create_autospec(Good, instance=True), "allocate", Callable[[Request], bool])


def test_a_function_kept_in_the_instance_is_judged() -> None:
    class Holder:
        def __init__(self) -> None:
            self.ask = lambda one, two: (one, two)

    assert "it also needs 'two'" in _misfits(Holder(), "ask", Callable[[int], Any])[0]


def test_what_is_computed_is_judged_by_its_declared_type() -> None:
    class Computing:
        @property
        def ask(self) -> Callable[[int, int], str]:
            raise NotImplementedError

        @cached_property
        def size(self) -> int:
            raise NotImplementedError

    assert "its type is Callable[[int, int], str]" in _misfits(Computing(), "ask", Callable[[int], str])[0]
    assert "its type is int" in _misfits(Computing(), "size", str)[0]


Item = TypeVar("Item")


class Shelf(Protocol[Item]):
    def put(self, item: Item, others: list[Item]) -> None: ...

    @classmethod
    def of(cls, item: Item) -> object: ...

    @staticmethod
    def limit(size: int) -> int: ...


def test_a_generic_interface_is_judged_with_its_arguments() -> None:
    class OfInts:
        def put(self, item: int, others: list[int]) -> None: ...

        @classmethod
        def of(cls, item: int) -> object:
            return item

        @staticmethod
        def limit(size: int) -> int:
            return size

    class TakesInts:
        shelf = Requires[Shelf[int]]()

    class TakesTexts:
        shelf = Requires[Shelf[str]]()

    orch, consumer = RegistryOrchestrator(), TakesInts()
    TakesInts.shelf.register(orch, OfInts(), consumer)
    assert len(orch.compile().bindings) == 3

    other, wrong = RegistryOrchestrator(), TakesTexts()
    TakesTexts.shelf.register(other, OfInts(), wrong)  # type: ignore[arg-type] # the fault that is shown
    assert [fault.split("'")[1] for fault in faults_of(other)] == ["shelf.of", "shelf.put"]


def test_overloads_are_left_to_type_checkers() -> None:
    class Asks(Protocol):
        @overload
        def ask(self, text: str) -> str: ...

        @overload
        def ask(self, text: int) -> int: ...

    class Answers:
        def ask(self, text: Any) -> Any:
            return text

    class Consumer:
        it = Requires[Asks]()

    orch = RegistryOrchestrator()
    Consumer.it.register(orch, Answers(), Consumer())

    assert orch.compile().bindings


def test_each_value_is_judged_where_the_type_lists_those_that_are_allowed() -> None:
    class Mode:
        def __init__(self, mode: Any) -> None:
            self.mode = mode

    class Runner:
        mode = Requires[Literal["eager", "graph"]]()

    orch = RegistryOrchestrator()
    for mode in ("eager", "graph", "slow"):
        orch.register(Mode(mode), "mode", Runner())

    with pytest.raises(WiringError) as caught:
        orch.compile()
    assert [fault.code for fault in caught.value.faults] == ["cell-type"]
    assert "-[mode]-> Runner#3" in str(caught.value)


T = TypeVar("T")


class Store(Generic[T]):
    last: T

    def put(self, value: T) -> None:
        self.last = value


class TextStore(Store[str]): ...


class Keeper(Generic[T]):
    put = Requires[Callable[[T], None]]()
    last = Requires[T]()


class NumberKeeper(Keeper[int]): ...


class TextKeeper(Keeper[str]): ...


def test_type_variables_stand_for_what_the_classes_of_both_sides_give() -> None:
    orch, store = RegistryOrchestrator(), TextStore()
    for keeper in (NumberKeeper(), TextKeeper()):
        orch.register(store, "put", keeper)
        orch.register(store, "last", keeper)

    with pytest.raises(WiringError) as told:
        orch.compile()

    assert [(fault.consumer, fault.cell) for fault in told.value.faults if isinstance(fault, CellTypeError)] == [
        ("NumberKeeper", "put"),
        ("NumberKeeper", "last"),
    ]
