"""One request: its sampling parameters, its tokens, and where its keys and values live.

Not for deciding anything: the scheduler moves requests through their states.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, auto

from wiremap_llm.errors import EngineError, InvalidSamplingParamsError
from wiremap_llm.outputs import FinishReason


@dataclass(frozen=True, kw_only=True)
class SamplingParams:
    """How one request is generated.

    Attributes:
        temperature: 0.0 takes the most likely token (greedy); above, logits are divided by it.
        top_k: Only the k most likely tokens are drawn from; 0 keeps all.
        top_p: Only the most likely tokens that together reach this probability; 1.0 keeps all.
        min_p: Only tokens at least this fraction as likely as the most likely one; 0.0 keeps all.
        repetition_penalty: Logits of tokens that were seen, prompt included, are divided by it if
            positive and multiplied if negative; 1.0 changes nothing.
        seed: Same seed, same prompt: same tokens. None draws one from the engine's seed.
        logprobs: Report each token's log probability, and those of this many best. None: no report.
        n: Samples that are generated for the prompt, which is computed once.
        max_tokens: Most tokens that are generated, end-of-sequence included.
        min_tokens: Nothing but `max_tokens` ends a sample before it has this many tokens.
        stop: Texts that end a sample; they are no part of its text. One text alone will do.
        stop_token_ids: Further tokens that end a sample as end-of-sequence does.
        ignore_eos: Go on past end-of-sequence tokens.

    Where several tokens are exactly as likely as the last one that `top_k` or `top_p` keeps, all of them stay.
    """

    temperature: float = 1.0
    top_k: int = 0
    top_p: float = 1.0
    min_p: float = 0.0
    repetition_penalty: float = 1.0
    seed: int | None = None
    logprobs: int | None = None
    n: int = 1
    max_tokens: int = 64
    min_tokens: int = 0
    stop: str | Sequence[str] = ()
    stop_token_ids: Sequence[int] = ()
    ignore_eos: bool = False

    def __post_init__(self) -> None:
        faults = list(self._faults())
        if faults:
            raise InvalidSamplingParamsError(faults)

    @property
    def stop_strings(self) -> tuple[str, ...]:
        """Every stop string."""
        return (self.stop,) if isinstance(self.stop, str) else tuple(self.stop)

    def _faults(self) -> Iterator[str]:
        infinity = float("inf")
        checks = {
            "temperature": (_is_number(self.temperature, 0.0, infinity), "a finite number from 0.0 up"),
            "top_k": (_is_whole(self.top_k, 0), "a whole number from 0 up"),
            "top_p": (_is_number(self.top_p, 0.0, 1.0) and self.top_p > 0.0, "a number above 0.0, up to 1.0"),
            "min_p": (_is_number(self.min_p, 0.0, 1.0), "a number from 0.0 to 1.0"),
            "repetition_penalty": (
                _is_number(self.repetition_penalty, 0.0, infinity) and self.repetition_penalty > 0.0,
                "a finite number above 0.0",
            ),
            "seed": (self.seed is None or _is_whole(self.seed), "a whole number or None"),
            "logprobs": (self.logprobs is None or _is_whole(self.logprobs, 0), "a whole number from 0 up or None"),
            "n": (_is_whole(self.n, 1), "a whole number from 1 up"),
            "max_tokens": (_is_whole(self.max_tokens, 1), "a whole number from 1 up"),
            "min_tokens": (_is_whole(self.min_tokens, 0), "a whole number from 0 up"),
            "stop": (_are_texts(self.stop), "a text or several, none of them empty"),
            "stop_token_ids": (_are_token_ids(self.stop_token_ids), "a list of token ids"),
            "ignore_eos": (isinstance(self.ignore_eos, bool), "True or False"),
        }
        for name, (is_good, wanted) in checks.items():
            if not is_good:
                yield f"{name} is {getattr(self, name)!r}, not {wanted}"
        if checks["min_tokens"][0] and checks["max_tokens"][0] and self.min_tokens > self.max_tokens:
            yield f"min_tokens is {self.min_tokens}, above max_tokens ({self.max_tokens})"


class Status(Enum):
    """Where a request stands. Exactly the RUNNING ones hold KV blocks."""

    WAITING = auto()
    RUNNING = auto()
    FINISHED = auto()


class Request:
    """A prompt and what was generated for it: one sample, if several were asked for.

    Invariants: `block_table[i]` is the block of the tokens [i * S, (i + 1) * S) for block size S;
    the keys and values of the first `num_cached` tokens are in the KV cache; a token gets its own
    only in the step that feeds it, so a request that decodes has exactly one token pending.
    """

    def __init__(  # noqa: PLR0913 - each is part of what a request is
        self,
        request_id: int,
        prompt: Sequence[int],
        params: SamplingParams,
        *,
        seed: int | str,
        sample: int = 0,
        eos_token_ids: Iterable[int] = (),
    ) -> None:
        self.id = request_id
        self.sample = sample
        self.token_ids = list(prompt)
        self.num_prompt_tokens = len(self.token_ids)
        self.params = params
        self.seed = seed
        # The tokens that end it.
        self.stop_token_ids = frozenset(params.stop_token_ids).union(() if params.ignore_eos else eos_token_ids)
        self.status = Status.WAITING
        self.block_table: list[int] = []
        self.num_cached = 0
        # How much of the prompt was in the cache at first; None until then.
        self.num_reused: int | None = None
        self.finish_reason: FinishReason | None = None
        self.error: EngineError | None = None

    @property
    def num_tokens(self) -> int:
        """Prompt and generated tokens together."""
        return len(self.token_ids)

    @property
    def num_pending(self) -> int:
        """Tokens that must be fed for the next one: those not in the cache, and at least the last."""
        return max(self.num_tokens - self.num_cached, 1)

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


def _is_number(value: object, least: float, most: float) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return least <= value <= most and value != float("inf")


def _is_whole(value: object, least: int | None = None) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and (least is None or value >= least)


def _are_texts(value: object) -> bool:
    texts = [value] if isinstance(value, str) else value
    return isinstance(texts, list | tuple) and all(isinstance(text, str) and text for text in texts)


def _are_token_ids(value: object) -> bool:
    return isinstance(value, list | tuple | set | frozenset) and all(_is_whole(token, 0) for token in value)
