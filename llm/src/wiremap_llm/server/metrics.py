"""Counts of what a server did, in the text format of Prometheus.

All methods but `note_blocks`, which sets two numbers, are called from one thread.

Source:
    The exposition format 0.0.4 of Prometheus.
"""

import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import accumulate

from wiremap_llm.outputs import StepOutput
from wiremap_llm.server.generation import Generation

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
OUTCOMES = ("completed", "failed", "aborted", "invalid", "rejected")

_FIRST_TOKEN_BOUNDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 25.0, 50.0)
_NEXT_TOKEN_BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.5, 1.0, 2.5)


class Histogram:
    """How many observed values are at most each of some bounds."""

    def __init__(self, bounds: Sequence[float]) -> None:
        self._bounds = bounds
        self._counts = [0] * (len(bounds) + 1)
        self._sum = 0.0

    def observe(self, value: float, times: int = 1) -> None:
        """Count a value, as if it had come so many times."""
        self._counts[bisect_left(self._bounds, value)] += times
        self._sum += value * times

    def lines(self, name: str) -> Iterator[str]:
        """Yield its samples."""
        totals = list(accumulate(self._counts))
        for bound, total in zip((*map(str, self._bounds), "+Inf"), totals, strict=True):
            yield f'{name}_bucket{{le="{bound}"}} {total}'
        yield f"{name}_sum {self._sum}"
        yield f"{name}_count {totals[-1]}"


class Metrics:
    """The counts of one server."""

    def __init__(self) -> None:
        self.outcomes: Counter[str] = Counter()
        self.num_prompt_tokens = 0
        self.num_cached_tokens = 0
        self.num_generated_tokens = 0
        self._first_token = Histogram(_FIRST_TOKEN_BOUNDS)
        self._next_token = Histogram(_NEXT_TOKEN_BOUNDS)
        self._blocks = (0, 0)

    def note_outcome(self, outcome: str) -> None:
        """Count how a request ended: one of OUTCOMES."""
        self.outcomes[outcome] += 1

    def note_blocks(self, used: int, total: int) -> None:
        """Remember how full the KV cache is."""
        self._blocks = (used, total)

    def note_output(self, generation: Generation, choice: int, output: StepOutput) -> None:
        """Count the tokens of a step, and the time that they took."""
        if not output.token_ids:
            return
        now = time.perf_counter()
        before = generation.last_output_at.get(choice)
        if before is None:
            self._first_token.observe(now - generation.arrived_at)
            if choice % generation.params.n == 0:  # samples of a prompt share it
                self.num_prompt_tokens += output.num_prompt_tokens
                self.num_cached_tokens += output.num_cached_tokens
        else:
            self._next_token.observe((now - before) / len(output.token_ids), times=len(output.token_ids))
        generation.last_output_at[choice] = now
        self.num_generated_tokens += len(output.token_ids)

    def text(self, *, num_running: int, num_waiting: int) -> str:
        """Return all of it, to be scraped."""
        return "".join(f"{line}\n" for line in self._lines(num_running, num_waiting))

    def _lines(self, num_running: int, num_waiting: int) -> Iterator[str]:
        used, total = self._blocks
        yield from _head("requests_total", "counter", "Requests to generate, by how they ended.")
        for outcome in OUTCOMES:
            yield f'wiremap_llm_requests_total{{outcome="{outcome}"}} {self.outcomes[outcome]}'
        for name, kind, about, value in (
            ("completions_running", "gauge", "Completions that have a token and are not finished.", num_running),
            ("completions_waiting", "gauge", "Completions that have no token yet.", num_waiting),
            ("prompt_tokens_total", "counter", "Tokens of prompts.", self.num_prompt_tokens),
            ("generated_tokens_total", "counter", "Tokens that were generated.", self.num_generated_tokens),
            (
                "prefix_cache_hit_tokens_total",
                "counter",
                "Tokens of prompts found in the cache.",
                self.num_cached_tokens,
            ),
            ("kv_blocks_used", "gauge", "Blocks of the KV cache that requests hold.", used),
            ("kv_blocks", "gauge", "Blocks of the KV cache.", total),
        ):
            yield from _head(name, kind, about)
            yield f"wiremap_llm_{name} {value}"
        yield from _head("time_to_first_token_seconds", "histogram", "From a request's arrival to its first token.")
        yield from self._first_token.lines("wiremap_llm_time_to_first_token_seconds")
        yield from _head("time_per_token_seconds", "histogram", "From one token of a completion to its next.")
        yield from self._next_token.lines("wiremap_llm_time_per_token_seconds")


def _head(name: str, kind: str, about: str) -> Iterator[str]:
    yield f"# HELP wiremap_llm_{name} {about}"
    yield f"# TYPE wiremap_llm_{name} {kind}"
