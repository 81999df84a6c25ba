"""Wiring lines as type checkers see them: checked, never run.

Every line that must be refused says so to mypy and to pyright, and both report a refusal that is not needed
any more, so an example can fail in both directions.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, assert_type

from wiremap import Component, Graph, RegistryOrchestrator, Requirement, Requires


class Request: ...


class BlockPool(Protocol):
    """An interface: its members become cells, read below the name of the requirement."""

    @property
    def num_free(self) -> int: ...

    def can_allocate(self, request: Request) -> bool: ...

    def allocate(self, request: Request) -> None: ...


class Tokenize(Protocol):
    """A callback: one cell, with names and defaults that a ``Callable`` can't say."""

    def __call__(self, text: str, *, special: bool = True) -> list[int]: ...


class BlockManager:
    """Fits everything that is required below."""

    num_free: int = 8

    def can_allocate(self, request: Request) -> bool:
        return bool(request)

    def allocate(self, request: Request) -> None: ...

    def tokenize(self, text: str, *, special: bool = True) -> list[int]:
        return [len(text), special]


def tokenize_words(text: str, *, special: bool = True) -> list[int]:
    """A function that hands itself over."""
    return [len(text), special]


class ByteTokenizer:
    """An object that hands itself over, since it can be called."""

    def __call__(self, text: str, *, special: bool = True) -> list[int]:
        return [len(text), special]


def split_words(text: str) -> list[str]:
    """A function that does not fit."""
    return text.split()


class OtherManager:
    """Has the names and not the types."""

    num_free: str = "eight"

    def can_allocate(self, count: int) -> bool:
        return bool(count)

    def allocate(self, count: int) -> None: ...

    def tokenize(self, text: str) -> list[str]:
        return [text]


class Scheduler:
    """Declares what it needs as values: its wiring lines are checked."""

    allocate = Requires[Callable[[Request], None]]()
    tokenize = Requires[Tokenize]()
    blocks = Requires[BlockPool]()

    def schedule(self, request: Request) -> int:
        """Reads the cells as what they are declared."""
        assert_type(self.tokenize("text"), list[int])
        self.allocate(request)
        self.allocate(3)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
        self.blocks.num_free = 3  # type: ignore[misc]  # pyright: ignore[reportAttributeAccessIssue]
        return self.blocks.num_free


class Annotating:
    """Declares by an annotation: reads are checked, the wiring line is the untyped one."""

    allocate: Requires[Callable[[Request], None]]

    def schedule(self, request: Request) -> None:
        """Reads the cell as what it is declared."""
        self.allocate(request)
        self.allocate(3)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


@dataclass(frozen=True)
class Settings:
    """In a dataclass a requirement declared by a value is no field."""

    size: int
    allocate = Requires[Callable[[Request], None]]()


def good_lines(orch: RegistryOrchestrator, blocks: BlockManager, scheduler: Scheduler) -> Graph:
    assert_type(Scheduler.allocate, Requirement[Scheduler, Callable[[Request], None]])
    Scheduler.allocate.register(orch, blocks.allocate, scheduler)
    Scheduler.tokenize.register(orch, blocks.tokenize, scheduler)
    Scheduler.tokenize.register(orch, tokenize_words, scheduler)
    Scheduler.tokenize.register(orch, ByteTokenizer(), scheduler)
    orch.register(tokenize_words, "__call__", scheduler, name="tokenize")
    Scheduler.blocks.register(orch, blocks, scheduler)
    Settings.allocate.register(orch, blocks.allocate, Settings(size=3))
    orch.register(blocks, "allocate", Annotating())
    assert_type(orch.add(blocks, id="blocks", tags=["memory"]), BlockManager)
    assert_type(orch.finalize().component("blocks"), Component)
    return orch.finalize()


def bad_lines(orch: RegistryOrchestrator, other: OtherManager, scheduler: Scheduler) -> None:
    # Another signature.
    Scheduler.allocate.register(orch, other.allocate, scheduler)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    # A keyword that the callback promises is missing, and the result is another.
    Scheduler.tokenize.register(orch, other.tokenize, scheduler)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    # A function that lacks it, a class instead of its instance, and an object that can't be called.
    Scheduler.tokenize.register(orch, split_words, scheduler)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    Scheduler.tokenize.register(orch, ByteTokenizer, scheduler)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    Scheduler.tokenize.register(orch, other, scheduler)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    # A name that is no string.
    orch.register(tokenize_words, "__call__", scheduler, name=split_words)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    # A provider that lacks the interface.
    Scheduler.blocks.register(orch, other, scheduler)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    # Provider and consumer the wrong way round.
    Scheduler.blocks.register(orch, scheduler, other)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    # A consumer that does not declare it.
    Scheduler.allocate.register(orch, BlockManager().allocate, Annotating())  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    # No such requirement.
    Scheduler.allocat.register(orch, other.allocate, scheduler)  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue]
    # A name where an object belongs.
    Scheduler.blocks.register(orch, "blocks", scheduler)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    # An id that is no string.
    orch.add(other, id=3)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
