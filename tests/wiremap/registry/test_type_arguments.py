"""A type variable stands for what a class that derives from a generic one gives for it."""

from collections.abc import Callable
from typing import Any, Generic, ParamSpec, TypeVar

import pytest

from wiremap.registry.type_arguments import arguments_in, with_arguments

T = TypeVar("T")
S = TypeVar("S")
P = ParamSpec("P")


class Box(Generic[T]): ...


class Pair(Box[tuple[T, S]], Generic[S, T]): ...


class Swapped(Pair[T, int]): ...


class Text(Swapped[str]): ...


class Plain(Text): ...


class Call(Generic[P, T]): ...


@pytest.mark.parametrize(
    ("base", "declared", "known"),
    [
        (Box, Box[int], {T: int}),
        (Box, Pair[str, bytes], {T: tuple[bytes, str]}),
        (Box, Plain, {T: tuple[int, str]}),
        (Pair, Text, {S: str, T: int}),
        (Box, Box, {}),
        (int, Plain, {}),
    ],
)
def test_arguments_are_followed_up_to_the_base(base: type, declared: Any, known: dict[Any, Any]) -> None:
    assert arguments_in(base, declared) == known


LISTED: Any = list[T]  # type: ignore[valid-type] # as an annotation in a generic class would be
PAIRED: Any = Pair[T, S]  # type: ignore[valid-type] # same


@pytest.mark.parametrize(
    ("annotation", "replaced"),
    [
        (T, int),
        (S, S),
        (str, str),
        (LISTED, list[int]),
        (PAIRED, Pair[int, S]),  # type: ignore[valid-type] # S stays
    ],
)
def test_what_is_known_takes_the_place_of_a_variable(annotation: Any, replaced: Any) -> None:
    assert with_arguments(annotation, {T: int}) == replaced


def test_what_is_called_in_some_way_is_replaced_as_a_whole() -> None:
    known = arguments_in(Call, Call[[int, str], bytes])

    assert with_arguments(Callable[P, T], known) == Callable[[int, str], bytes]
