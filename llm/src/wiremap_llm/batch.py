"""The scheduler's plan for one step, as plain data.

Tokens of all requests stand flat, one request after the other, without padding.
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile

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

    @property
    def stored_from(self) -> int:
        """The first token whose keys and values are to be stored.

        Others share the block of the last token of a prompt found whole in the cache: it is fed for
        its logits only.
        """
        return min(max(self.start, self.request.num_cached), self.end)

    def slots(self, start: int, end: int, block_size: int) -> list[int]:
        """Return where the keys and values of the tokens [start, end) stand in the flat cache."""
        table = self.request.block_table
        return [table[i // block_size] * block_size + i % block_size for i in range(start, end)]


@dataclass(frozen=True)
class Batch:
    """What one step computes. Chunks of one token come first, then longer ones.

    What is asked about it is answered as of its planning, so ask before its tokens are appended.
    """

    chunks: tuple[Chunk, ...]

    @property
    def is_prefill(self) -> bool:
        """Tell whether any request is fed more than one token."""
        return any(chunk.num_tokens > 1 for chunk in self.chunks)

    @property
    def num_single(self) -> int:
        """How many chunks of one token come first."""
        return sum(1 for _ in takewhile(lambda chunk: chunk.num_tokens == 1, self.chunks))

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

    @property
    def last_rows(self) -> list[int]:
        """For each chunk, the row of its last token among the tokens fed."""
        rows, end = [], 0
        for chunk in self.chunks:
            end += chunk.num_tokens
            rows.append(end - 1)
        return rows

    @cached_property
    def sampled(self) -> tuple[int, ...]:
        """The indices of the chunks that give their request a token: those up to its last one."""
        return tuple(i for i, c in enumerate(self.chunks) if c.end == c.request.num_tokens)
