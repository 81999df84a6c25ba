"""What the engine gives back, as plain data: step by step, or one completion for each prompt."""

from dataclasses import dataclass
from typing import Literal, NamedTuple, NotRequired, TypedDict

from wiremap_llm.errors import EngineError

FinishReason = Literal["stop", "length", "abort", "error"]


class TokenLogprobs(NamedTuple):
    """How likely a generated token was to the model, before temperature and all that narrows the choice.

    Attributes:
        token_id: The token.
        logprob: Natural logarithm of its probability.
        best: The most likely tokens, as many as were asked for, each with its own; best first.
    """

    token_id: int
    logprob: float
    best: tuple[tuple[int, float], ...]


class Sampled(NamedTuple):
    """The next token of a request, and how likely it was if the request asked for that."""

    token_id: int
    logprobs: TokenLogprobs | None = None


# What a step found for one chunk: a token, nothing as there is more of the prompt to come, or a failure.
Outcome = Sampled | EngineError | None


@dataclass(frozen=True, kw_only=True)
class StepOutput:
    """What one step gave to one sample of a request; with `finish_reason` it is the last of it.

    Attributes:
        request_id: What `add_request` returned.
        sample: Which of the request's `n` samples, from 0.
        text: New text that is safe to show: whole characters, and nothing that may belong to a stop string.
        token_ids: New tokens. Their text may come later than they do, never sooner.
        logprobs: One for each new token, or None if the request did not ask.
        finish_reason: "stop" (end of sequence, stop token or stop string), "length", "abort" or "error".
        error: Why, if that is "error".
        num_prompt_tokens: Tokens of the prompt.
        num_cached_tokens: How many of them the prefix cache spared computing.
    """

    request_id: int
    sample: int = 0
    text: str = ""
    token_ids: tuple[int, ...] = ()
    logprobs: tuple[TokenLogprobs, ...] | None = None
    finish_reason: FinishReason | None = None
    error: EngineError | None = None
    num_prompt_tokens: int = 0
    num_cached_tokens: int = 0


class Completion(TypedDict):
    """What was generated for one prompt. `text` is empty if the checkpoint has no tokenizer.

    `logprobs` is there if asked for; `samples`, all of them in order, if `n` is above 1, and the
    other fields are then those of the first; `error` if it failed, as its `finish_reason` says.
    """

    text: str
    token_ids: list[int]
    finish_reason: FinishReason | None
    logprobs: NotRequired[list[TokenLogprobs]]
    samples: NotRequired[list["Completion"]]
    error: NotRequired[EngineError]
