"""What the engine gives back, as plain data."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, kw_only=True)
class StepOutput:
    """What one step gave to one sample of a request; with `finish_reason` it is the last of it."""

    request_id: int
    sample: int = 0
    text: str = ""
    token_ids: tuple[int, ...] = ()
    logprobs: Any = None
    finish_reason: str | None = None
    error: Exception | None = None
    num_prompt_tokens: int = 0
    num_cached_tokens: int = 0
