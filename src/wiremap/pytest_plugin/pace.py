"""When to write in the middle of a session, so that a killed process loses little and nobody waits for it."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

INTERVAL_SECONDS = 30.0
_SHARE = 20
"""One part in so many of the time may go into writing."""


class Pace:
    """Tells when to write, by the clock and by what writing cost before."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._written = clock()
        self._cost = 0.0

    def is_due(self) -> bool:
        """Tell whether it is time to write."""
        return self._clock() - self._written >= max(INTERVAL_SECONDS, _SHARE * self._cost)

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Note what writing costs, and that it was done."""
        begun = self._clock()
        try:
            yield
        finally:
            self._written = self._clock()
            self._cost = self._written - begun
