"""One request: its sampling parameters, its tokens, and where its keys and values live.

Not for deciding anything: the scheduler moves requests through their states.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto

from wiremap_llm.errors import InvalidSamplingParamsError


@dataclass(frozen=True, kw_only=True)
class SamplingParams:
    """How one request is generated.

    Attributes:
        temperature: 0.0 takes the most likely token (greedy); above, logits are divided by it.
        max_tokens: Most tokens that are generated, end-of-sequence included.
        ignore_eos: Go on past end-of-sequence tokens.
        seed: Same seed, same prompt: same tokens. None draws one from the engine's seed.
    """

    temperature: float = 1.0
    max_tokens: int = 64
    ignore_eos: bool = False
    seed: int | None = None

    def __post_init__(self) -> None:
        faults = list(self._faults())
        if faults:
            raise InvalidSamplingParamsError(faults)

    def _faults(self) -> Sequence[str]:
        faults = []
        if not _is_number(self.temperature) or not 0.0 <= self.temperature < float("inf"):
            faults.append(f"temperature is {self.temperature!r}, not a finite number from 0.0 up")
        if not _is_whole(self.max_tokens) or self.max_tokens < 1:
            faults.append(f"max_tokens is {self.max_tokens!r}, not a whole number from 1 up")
        if not _is_flag(self.ignore_eos):
            faults.append(f"ignore_eos is {self.ignore_eos!r}, not True or False")
        if self.seed is not None and not _is_whole(self.seed):
            faults.append(f"seed is {self.seed!r}, not a whole number or None")
        return faults


class Status(Enum):
    """Where a request stands. Exactly the RUNNING ones hold KV blocks."""

    WAITING = auto()
    RUNNING = auto()
    FINISHED = auto()


class Request:
    """A prompt and what was generated for it.

    Invariants: `block_table[i]` is the block of the tokens [i * S, (i + 1) * S) for block size S;
    the keys and values of the first `num_cached` tokens are in the KV cache; a token gets its own
    only in the step that feeds it, so a request that decodes has exactly one token pending.
    """

    def __init__(self, request_id: int, prompt: Sequence[int], params: SamplingParams, *, seed: int) -> None:
        self.id = request_id
        self.token_ids = list(prompt)
        self.num_prompt_tokens = len(self.token_ids)
        self.params = params
        self.seed = seed
        self.status = Status.WAITING
        self.block_table: list[int] = []
        self.num_cached = 0

    @property
    def num_tokens(self) -> int:
        """Prompt and generated tokens together."""
        return len(self.token_ids)

    @property
    def num_pending(self) -> int:
        """Tokens whose keys and values are not in the cache yet."""
        return self.num_tokens - self.num_cached

    @property
    def completion(self) -> list[int]:
        """The generated tokens."""
        return self.token_ids[self.num_prompt_tokens :]

    @property
    def num_completion_tokens(self) -> int:
        """How many tokens were generated so far."""
        return self.num_tokens - self.num_prompt_tokens

    def __repr__(self) -> str:
        return f"Request({self.id}, {self.status.name}, {self.num_cached}/{self.num_tokens} tokens cached)"


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_flag(value: object) -> bool:
    return isinstance(value, bool)


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
