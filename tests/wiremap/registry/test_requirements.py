from __future__ import annotations  # every annotation below is a string: the harder case

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import wiremap
from wiremap import Requires
from wiremap.registry.requirements import annotated_names, required_cells

if TYPE_CHECKING:
    from somewhere import Unknown  # type: ignore[import-not-found] # exists for type checkers only

Allocate = Requires[Callable[[int], int]]


class Base:
    plain: int
    allocate: Requires[Callable[[int], int]]
    dotted: wiremap.Requires[int]
    unresolvable: Requires[Callable[[Unknown], None]]
    by_alias: Allocate
    other: Annotated[int, "a note"]


class Derived(Base):
    allocate: Callable[[int], int]
    more: Requires[int]

    def by_alias(self, count: int) -> int:
        return count


def test_declared_cells_are_found_whatever_the_rest_of_the_annotation() -> None:
    assert required_cells(Base) == {"allocate", "dotted", "unresolvable", "by_alias"}


def test_a_derived_class_may_add_requirements_and_take_them_back() -> None:
    assert required_cells(Derived) == {"dotted", "unresolvable", "more"}


def test_annotations_that_are_no_strings_are_read_too() -> None:
    made = type("Made", (), {"__annotations__": {"cell": Requires[int], "plain": int}})

    assert required_cells(made) == {"cell"}


def test_an_import_inside_a_function_is_recognised_by_its_name() -> None:
    made = type("Made", (), {"__annotations__": {"cell": "w.Requires[int]"}, "__module__": "nowhere"})

    assert required_cells(made) == {"cell"}


def test_classes_without_annotations_require_nothing() -> None:
    assert required_cells(int) == frozenset()
    assert annotated_names(Derived) >= {"plain", "more"}
