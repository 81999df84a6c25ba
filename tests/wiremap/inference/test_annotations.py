import pytest

from tests.wiremap.inference.code_bases import cells, graph_of

HEAD = """
from __future__ import annotations
import typing as t
from collections import deque
from collections.abc import Awaitable, Callable, Iterator, Mapping
from typing import Annotated, Any, ClassVar, Dict, Final, Generic, List, Optional, Tuple, TypeAlias, TypeVar, Union

T = TypeVar("T")

class Pool:
    def take(self): ...

class Box(Generic[T]):
    def take(self): ...

class Keeper:
    def __init__(self):
        self.pool = Pool()
    def run(self):
        self.pool.take()

Pools: TypeAlias = "list[Pool]"
Maybe = Pool | None
"""
OBJECTS = [
    "Pool",
    "'Pool'",
    "Optional[Pool]",
    "t.Optional['Pool']",
    "Union[int, Pool]",
    "Pool | None",
    "'Pool | None'",
    "Annotated[Pool, 3]",
    "Final[Pool]",
    "Maybe",
]


@pytest.mark.parametrize("annotation", OBJECTS)
def test_an_object_is_declared(annotation: str) -> None:
    assert uses(annotation, "self.x.take()") == {"Pool.take() > App"}


CONTAINERS = {
    "list[Pool]": "self.x[0]",
    "List['Pool']": "self.x.pop()",
    "deque[Pool]": "self.x.popleft()",
    "Pools": "self.x[0]",
    "tuple[Pool, ...]": "self.x[1]",
    "Tuple[int, Pool]": "self.x[-1]",
    "dict[str, Pool]": "self.x['a']",
    "Dict[str, Optional[Pool]]": "self.x.get('a')",
    "Mapping[str, list[Pool]]": "self.x['a'][0]",
    "Iterator[Pool]": "next(self.x)",
    "Callable[[int], Pool]": "self.x(3)",
    "type[Pool]": "self.x()",
    "Callable[[], Awaitable[Pool]]": "(await self.x())",
}


@pytest.mark.parametrize("annotation", CONTAINERS)
def test_what_is_in_a_container_is_declared(annotation: str) -> None:
    assert uses(annotation, f"{CONTAINERS[annotation]}.take()") == {"Pool.take() > App"}


@pytest.mark.parametrize(
    ("annotation", "statement"),
    [
        ("tuple[int, Pool]", "self.x[0].take()"),
        ("dict[str, Pool]", "[key.take() for key in self.x]"),
        ("list[Pool]", "self.x.take()"),
        ("Any", "self.x.take()"),
        ("T", "self.x.take()"),
        ("Absent", "self.x.take()"),
        ("'not an ( annotation'", "self.x.take()"),
        ("'Literal[3]'", "self.x.take()"),
    ],
)
def test_what_is_not_declared_is_not_known(annotation: str, statement: str) -> None:
    assert uses(annotation, statement) == set()


def test_a_generic_class_of_the_code_base_is_one() -> None:
    assert uses("Box[int]", "self.x.take()") == {"Box.take() > App"}


def uses(annotation: str, statement: str) -> set[str]:
    program = f"""
class App:
    def __init__(self, x: {annotation}):
        self.x = x
    async def run(self):
        {statement}
"""
    return {cell for cell in cells(graph_of(HEAD + program)) if cell.endswith("> App")}
