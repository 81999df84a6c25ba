"""One line on the terminal that says how far a run is."""

import sys
from time import monotonic
from typing import TextIO

_SECONDS_BETWEEN_LINES = 0.1


class Progress:
    """Counts prompts and tokens, and shows both on *stream* (standard error) if *is_shown*.

    *is_shown* None shows them on a terminal only.
    """

    def __init__(self, num_prompts: int, *, is_shown: bool | None = None, stream: TextIO | None = None) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._is_shown = self._stream.isatty() if is_shown is None else is_shown
        self._num_prompts = num_prompts
        self._num_finished = self._num_tokens = 0
        self._start = monotonic()
        self._last_line = float("-inf")

    def advance(self, *, num_tokens: int, num_finished: int) -> None:
        """Count what a step gave."""
        self._num_tokens += num_tokens
        self._num_finished += num_finished
        if self._is_shown and monotonic() - self._last_line >= _SECONDS_BETWEEN_LINES:
            self._write("")

    def close(self) -> None:
        """End the line."""
        if self._is_shown:
            self._write("\n")

    def _write(self, end: str) -> None:
        self._last_line = monotonic()
        rate = self._num_tokens / max(self._last_line - self._start, 1e-9)
        line = f"{self._num_finished}/{self._num_prompts} prompts, {self._num_tokens} tokens, {rate:.1f} tokens/s"
        self._stream.write(f"\r{line:<60}{end}")
        self._stream.flush()
