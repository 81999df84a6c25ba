"""The scheduler's plan for one step, as plain data.

Tokens of all requests stand flat, one request after the other, without padding.
"""

from dataclasses import dataclass
from functools import cached_property

from wiremap_llm.request import Request


@dataclass(frozen=True)
class Chunk:
    """Feed the tokens [start, end) of one request in this step."""

    request: Request
    start: int
    end: int

    @property
    def num_tokens(self) -> int:
        """Tokens fed."""
        return self.end - self.start

    def slots(self, start: int, end: int, block_size: int) -> list[int]:
        """Return where the keys and values of the tokens [start, end) stand in the flat cache."""
        table = self.request.block_table
        return [table[i // block_size] * block_size + i % block_size for i in range(start, end)]


@dataclass(frozen=True)
class Batch:
    """What one step computes. A decode step (`is_prefill` false) feeds one token per request."""

    chunks: tuple[Chunk, ...]
    is_prefill: bool

    @property
    def num_tokens(self) -> int:
        """Tokens fed in this step."""
        return sum(chunk.num_tokens for chunk in self.chunks)

    @property
    def token_ids(self) -> list[int]:
        """The tokens fed, flat."""
        return [token for c in self.chunks for token in c.request.token_ids[c.start : c.end]]

    @property
    def positions(self) -> list[int]:
        """For each token fed, its index in its request."""
        return [position for c in self.chunks for position in range(c.start, c.end)]

    @cached_property
    def sampled(self) -> tuple[Request, ...]:
        """The requests that get a token from this step: those fed up to their last one.

        Kept once known: when the step's tokens have been appended, the question has another answer.
        """
        return tuple(c.request for c in self.chunks if c.end == c.request.num_tokens)

    @property
    def sampled_rows(self) -> list[int]:
        """For each request in `sampled`, the row of its last token among the tokens fed."""
        rows, end = [], 0
        for chunk in self.chunks:
            end += chunk.num_tokens
            if chunk.end == chunk.request.num_tokens:
                rows.append(end - 1)
        return rows
