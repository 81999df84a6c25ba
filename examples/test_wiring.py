"""A provider is overridden in a test: the other example of the README."""

from collections.abc import Iterator

import pytest
from wiring import Engine, build


class FullPool:
    num_free = 0

    def allocate(self, count: int) -> list[int]:
        raise AssertionError(f"asked for {count}, and none is free")


@pytest.fixture
def starved() -> Iterator[Engine]:
    engine, graph = build()
    with graph.override("BlockManager", FullPool()):  # for each consumer, until the test is over
        yield engine


def test_a_full_pool_is_not_asked(starved: Engine) -> None:
    assert starved.step() == []
