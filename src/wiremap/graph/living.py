"""What a finalized graph knows of the components that it describes: enough to swap one of them."""

from collections.abc import Collection, Iterable, Mapping
from contextlib import AbstractContextManager
from typing import Protocol, Self, TypeVar

T = TypeVar("T")


class LivingSystem(Protocol):
    """The bound cells behind a graph; the registry has them, see ``wiremap.registry.overriding``."""

    def renamed(self, names: Mapping[str, str]) -> Self:
        """Return the same for a graph whose ids were changed as *names* says."""
        ...

    def id_of(self, component: object) -> str | None:
        """Return the id that *component* has in the graph, or None if no cell leads to it."""
        ...

    def override(
        self, component_id: str, stand_in: T, rivals: Iterable[Self], everywhere: Collection[Self]
    ) -> AbstractContextManager[T]:
        """Return what lets *stand_in* provide the cells of a component in this system and *everywhere*.

        In *rivals* a component is called the same; it must be the same one.
        """
        ...
