import gc
from collections.abc import Iterator

import pytest

from wiremap.registry.collector import paused_collector


@pytest.fixture(autouse=True)
def collector() -> Iterator[None]:
    yield
    gc.enable()


def test_the_collector_waits_and_goes_on_even_after_an_error() -> None:
    was_on = []

    @paused_collector()
    def fail() -> None:
        was_on.append(gc.isenabled())
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()

    assert (was_on, gc.isenabled()) == ([False], True)


def test_a_collector_that_is_off_stays_off() -> None:
    gc.disable()

    with paused_collector():
        pass

    assert not gc.isenabled()
