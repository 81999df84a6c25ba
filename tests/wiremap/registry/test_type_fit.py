from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Literal, NewType, Optional, Protocol, TypeVar

import pytest

from wiremap.registry.type_fit import fits

T = TypeVar("T")
UserId = NewType("UserId", int)


class Animal: ...


class Dog(Animal): ...


class Named(Protocol):
    name: str


@pytest.mark.parametrize(
    ("source", "target"),
    [
        (Dog, Animal),
        (bool, int),
        (int, float),
        (int, int | None),
        (None, Optional[int]),  # noqa: UP045 -- the older spelling is read too
        (Literal["a"], str),
        (Literal["a"], Literal["a", "b"]),
        (list[Dog], Sequence[Animal]),
        (dict[str, int], Mapping[str, int]),
        (tuple[int, ...], Sequence[int]),
        (Callable[[Animal], Dog], Callable[[Dog], Animal]),
        (UserId, int),
        (Annotated[int, "a note"], int),
    ],
)
def test_what_a_type_checker_accepts_fits(source: Any, target: Any) -> None:
    assert fits(source, target)


@pytest.mark.parametrize(
    ("source", "target"),
    [
        (Animal, Dog),
        (float, int),
        (str, bytes),
        (int | None, int),
        (str, Literal["a"]),
        (Literal["c"], Literal["a", "b"]),
        (list[str], Sequence[int]),
        (tuple[int, str], tuple[int]),
        (Callable[[Dog], Animal], Callable[[Animal], Animal]),
        (int, UserId),
        (type(None), Animal),
    ],
)
def test_what_a_type_checker_refuses_does_not_fit(source: Any, target: Any) -> None:
    assert not fits(source, target)


@pytest.mark.parametrize("unknown", [Any, T, "SomethingElsewhere", Named])
def test_what_can_not_be_told_fits(unknown: Any) -> None:
    assert fits(Animal, unknown)
