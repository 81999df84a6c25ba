import sys
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from typing import Annotated, Any, Literal, NewType, Optional, Protocol, TypedDict, TypeVar

import pytest

from wiremap.registry.type_fit import fits, value_fits

T = TypeVar("T")
UserId = NewType("UserId", int)


class Animal: ...


class Dog(Animal): ...


class Mode(StrEnum):
    EAGER = "eager"
    GRAPH = "graph"


class Named(Protocol):
    name: str


class Bounded(Protocol):
    @property
    def start(self) -> object: ...


class Options(TypedDict):
    hard: bool


@pytest.mark.parametrize(
    ("source", "target"),
    [
        (Dog, Animal),
        (bool, int),
        (int, float),
        (bool, float),
        (Literal[True], complex),
        (int, int | None),
        (None, Optional[int]),  # noqa: UP045 -- the older spelling is read too
        (Literal["a"], str),
        (Literal["a"], Literal["a", "b"]),
        (list[Dog], Sequence[Animal]),
        (dict[str, int], Mapping[str, int]),
        (tuple[int, ...], Sequence[int]),
        (Callable[[Animal], Dog], Callable[[Dog], Animal]),
        (UserId, int),
        (str, Sequence[str]),
        (dict[str, int], Options),
        (Options, Mapping[str, object]),
        (Animal, Named),
        (slice, Bounded),
        (Annotated[int, "a note"], int),
        (bool, Literal[True, False]),
        (bool | None, Literal[True] | Literal[False] | None),  # noqa: PYI030 -- a union of them is read too
        (Mode, Literal[Mode.EAGER, Mode.GRAPH]),
        (Mode, Literal[1] | str),
        (Literal["a", None], str | None),  # noqa: PYI061 -- None among the values is read too
        (Literal["a", 1], str | int),
        (None, Literal["a", None]),  # noqa: PYI061 -- same
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
        (bool, Literal[True]),
        (Mode, Literal[Mode.EAGER]),
        (Literal["a", None], str),  # noqa: PYI061 -- same
        (None, Literal["a"]),
        (list[str], Sequence[int]),
        (tuple[int, str], tuple[int]),
        (Callable[[Dog], Animal], Callable[[Animal], Animal]),
        (int, UserId),
        (str, Sequence[int]),
        (Animal, Options),
        (int, Named),
        (object, Named),
        (type(None), Animal),
    ],
)
def test_what_a_type_checker_refuses_does_not_fit(source: Any, target: Any) -> None:
    assert not fits(source, target)


@pytest.mark.skipif(sys.version_info < (3, 12), reason="the type statement came with Python 3.12")
def test_a_type_alias_is_what_it_stands_for() -> None:
    names: dict[str, Any] = {}
    exec(  # noqa: S102 -- our own text, which older versions can't parse
        "type Number = int | float\n"
        "type Pair[T] = tuple[T, T]\n"
        "type Tree = list[Tree] | str\n"
        "type Bush = list[Bush] | str\n"
        "type Broken = list[nowhere]\n",
        names,
    )

    assert fits(int, names["Number"])
    assert not fits(str, names["Number"])
    assert not fits(names["Pair"][int], tuple[str, str])
    assert fits(names["Tree"], names["Bush"])
    assert fits(int, names["Broken"])


@pytest.mark.parametrize(
    ("value", "target", "is_fit"),
    [
        ("eager", Literal["eager", "graph"], True),
        ("slow", Literal["eager", "graph"], False),
        (1, Literal[True], False),
        (3, Literal["auto"] | int, True),
        (3, UserId, True),
        (3, UserId | None, True),
        ("3", UserId, False),
        (Dog(), Animal, True),
    ],
)
def test_a_value_of_no_declared_type_is_judged_by_itself(value: object, target: Any, is_fit: object) -> None:
    assert value_fits(value, target) is is_fit


@pytest.mark.parametrize("unknown", [Any, T, "SomethingElsewhere", Named])
def test_what_can_not_be_told_fits(unknown: Any) -> None:
    assert fits(Animal, unknown)
