"""Small components for wiring tests; none derives from anything of ours."""

from collections.abc import Callable

from wiremap import Requires


class Blocks:
    """Provides a method and a state."""

    def __init__(self) -> None:
        self.num_free = 7

    def allocate(self, count: int) -> int:
        self.num_free -= count
        return self.num_free


class Scheduler:
    """Requires one cell, and provides another."""

    allocate: Requires[Callable[[int], int]]

    def schedule(self) -> int:
        return self.allocate(1)


class Engine:
    """Consumes, and requires nothing."""
