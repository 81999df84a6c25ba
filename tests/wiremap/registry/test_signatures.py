"""How something is called is read from signatures and from types."""

from collections.abc import Callable
from enum import Enum
from typing import Any, Generic, Literal, ParamSpec, Protocol, TypedDict, TypeVar, Unpack, overload

import pytest

from wiremap.registry.call_fit import misfits_of_call
from wiremap.registry.signatures import Shape, shape_of_function, shape_of_method, shape_of_type, type_name
from wiremap.registry.type_fit import fits


class Colour(Enum):
    RED = 1


class Callback(Protocol):
    def __call__(self, count: int, *, hard: bool = False) -> str: ...


class Options(TypedDict, total=False):
    hard: bool
    deep: int


class TakesOptions(Protocol):
    def __call__(self, **options: Unpack[Options]) -> None: ...


def test_unpacked_options_are_the_keywords_that_they_list() -> None:
    def provided(*, hard: bool = False, deep: str = "") -> None: ...

    shape = shape_of_function(provided)

    assert shape is not None
    assert misfits_of_call(shape, shape_of_type(TakesOptions), fits) == ("its 'deep' takes str, and int is passed",)


Rest = ParamSpec("Rest")


class Forwards(Protocol, Generic[Rest]):
    def __call__(self, *args: Rest.args, **kwargs: Rest.kwargs) -> str: ...


class TakesPairs(Protocol):
    def __call__(self, *pair: *tuple[int, int]) -> str: ...


@pytest.mark.parametrize("wanted", [Forwards[[int, int]], TakesPairs])
def test_parameters_that_stand_for_others_are_let_pass_and_the_result_is_compared(wanted: Any) -> None:
    def provided(width: int, height: int) -> int:
        return width * height

    shape = shape_of_function(provided)

    assert shape is not None
    assert misfits_of_call(shape, shape_of_type(wanted), fits) == ("it returns int, and str is expected",)


class Doubles(Protocol):
    @overload
    def __call__(self, value: int) -> int: ...

    @overload
    def __call__(self, value: str, *, times: int = 2) -> str: ...


class Doubling:
    @overload
    def double(self, value: int) -> int: ...

    @overload
    def double(self, value: str, *, times: int = 2) -> str: ...

    def double(self, value: int | str, *, times: int = 2) -> int | str:
        return value * times

    @overload
    @staticmethod
    def half(value: int) -> int: ...

    @overload
    @staticmethod
    def half(value: float) -> float: ...

    @staticmethod
    def half(value: float) -> float:
        return value / 2


def doubles_numbers(value: int) -> int:
    return 2 * value


NUMBERS_ONLY = (
    "its 'value' takes int, and str is passed",
    "it takes no 'times'",
    "it returns int, and str is expected",
)


@pytest.mark.parametrize(
    ("function", "wanted", "misfits"),
    [
        (Doubling().double, Doubles, ()),
        (Doubling().double, Callable[[int], int], ()),
        (Doubling().double, Callable[[bytes], int], ("its 'value' takes int, and bytes is passed",)),
        (Doubling().half, Callable[[int], int], ()),
        (doubles_numbers, Doubles, NUMBERS_ONLY),
    ],
)
def test_each_overload_is_a_way_to_call_and_each_that_is_wanted_needs_one(
    function: Any, wanted: Any, misfits: tuple[str, ...]
) -> None:
    shape = shape_of_function(function)

    assert shape is not None
    assert misfits_of_call(shape, shape_of_type(wanted), fits) == misfits


Key = TypeVar("Key", contravariant=True)  # noqa: PLC0105 -- shorter
Value = TypeVar("Value", covariant=True)  # noqa: PLC0105 -- same


class Reads(Protocol[Key, Value]):
    def read(self, key: Key) -> Value: ...


class ReadsText(Reads[Key, str], Protocol[Key]): ...


class ReadsTextByNumber(ReadsText[int], Protocol): ...


@pytest.mark.parametrize(
    ("declared", "key", "value"),
    [(Reads[int, bytes], int, bytes), (ReadsText[bool], bool, str), (ReadsTextByNumber, int, str), (Reads, Any, Any)],
)
def test_a_method_of_a_generic_class_has_the_types_that_it_is_derived_with(declared: Any, key: Any, value: Any) -> None:
    shape = shape_of_method(declared, "read")

    assert shape is not None
    assert shape.parameters is not None
    assert (shape.parameters[0].annotation, shape.result) == (key, value)


def test_what_python_tells_no_signature_of_is_left_alone() -> None:
    assert shape_of_function(type.__call__) is None or shape_of_function(print) is not None


def test_a_class_that_tells_no_arguments_still_gives_its_objects() -> None:
    assert shape_of_function(range) == Shape(None, range)


@pytest.mark.parametrize(
    ("declared", "text"),
    [
        (int, "int"),
        (None, "None"),
        (Callback, "Callback"),
        (Callable[[Callback], None], "Callable[[Callback], None]"),
        (list[Callback] | None, "list[Callback] | None"),
        (Callable[[Literal[Colour.RED, "a.b"]], None], "Callable[[Literal[Colour.RED, 'a.b']], None]"),
    ],
)
def test_types_are_shown_without_their_modules(declared: Any, text: str) -> None:
    assert type_name(declared) == text
