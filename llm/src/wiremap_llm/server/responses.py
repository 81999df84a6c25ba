"""What was generated, as the JSON objects of OpenAI's API: whole, or in chunks as it comes."""

import time
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from wiremap_llm.outputs import StepOutput, TokenLogprobs
from wiremap_llm.tokenizer import Tokenizer

Json = dict[str, Any]


@dataclass
class Choice:
    """One completion, put together from what each step gave."""

    text: str = ""
    num_tokens: int = 0
    logprobs: list[TokenLogprobs] = field(default_factory=list)
    finish_reason: str | None = None

    def take(self, output: StepOutput) -> None:
        """Add what a step gave."""
        self.text += output.text
        self.num_tokens += len(output.token_ids)
        self.logprobs += output.logprobs or ()
        self.finish_reason = output.finish_reason


class Usage:
    """How many tokens a request cost, counted output by output."""

    def __init__(self, num_samples: int) -> None:
        self._num_samples = num_samples
        self._prompts: dict[int, tuple[int, int]] = {}
        self._num_generated = 0

    def take(self, choice: int, output: StepOutput) -> None:
        """Count an output. The samples of a prompt share it, so it is counted once."""
        self._prompts[choice // self._num_samples] = (output.num_prompt_tokens, output.num_cached_tokens)
        self._num_generated += len(output.token_ids)

    def json(self) -> Json:
        """Return the object of the API."""
        num_prompt, num_cached = (sum(counts) for counts in zip(*self._prompts.values(), strict=True))
        return {
            "prompt_tokens": num_prompt,
            "completion_tokens": self._num_generated,
            "total_tokens": num_prompt + self._num_generated,
            "prompt_tokens_details": {"cached_tokens": num_cached},
        }


class CompletionFormat:
    """The objects of /v1/completions."""

    prefix, whole, chunk = "cmpl", "text_completion", "text_completion"

    def __init__(self, tokenizer: Tokenizer | None) -> None:
        self._tokenizer = tokenizer

    def openings(self, index: int) -> list[Json]:
        """Return what a stream says of a choice before its text: nothing."""
        del index
        return []

    def choice(self, index: int, choice: Choice, *, offset: int = 0, wants_logprobs: bool) -> Json:
        """Return a whole choice, or the part of it that begins at the character *offset*."""
        logprobs = self._logprobs(choice.logprobs, offset) if wants_logprobs else None
        return {"index": index, "text": choice.text, "logprobs": logprobs, "finish_reason": choice.finish_reason}

    part = choice

    def _logprobs(self, logprobs: Sequence[TokenLogprobs], offset: int) -> Json:
        tokens = [token_text(self._tokenizer, each.token_id) for each in logprobs]
        offsets = [offset + sum(map(len, tokens[:index])) for index in range(len(tokens))]
        return {
            "tokens": tokens,
            "token_logprobs": [finite(each.logprob) for each in logprobs],
            "top_logprobs": [
                {token_text(self._tokenizer, token): finite(logprob) for token, logprob in each.best}
                for each in logprobs
            ],
            "text_offset": offsets,
        }


class ChatFormat:
    """The objects of /v1/chat/completions."""

    prefix, whole, chunk = "chatcmpl", "chat.completion", "chat.completion.chunk"

    def __init__(self, tokenizer: Tokenizer | None) -> None:
        self._tokenizer = tokenizer

    def openings(self, index: int) -> list[Json]:
        """Return what a stream says of a choice before its text."""
        delta = {"role": "assistant", "content": ""}
        return [{"index": index, "delta": delta, "logprobs": None, "finish_reason": None}]

    def choice(self, index: int, choice: Choice, *, wants_logprobs: bool) -> Json:
        """Return a whole choice."""
        message = {"role": "assistant", "content": choice.text, "refusal": None}
        return {"index": index, "message": message, **self._end(choice, wants_logprobs=wants_logprobs)}

    def part(self, index: int, choice: Choice, *, offset: int = 0, wants_logprobs: bool) -> Json:
        """Return a part of a choice."""
        del offset
        delta = {"content": choice.text} if choice.text else {}
        return {"index": index, "delta": delta, **self._end(choice, wants_logprobs=wants_logprobs)}

    def _end(self, choice: Choice, *, wants_logprobs: bool) -> Json:
        logprobs = [self._token(each) for each in choice.logprobs]
        told = {"content": logprobs, "refusal": None} if wants_logprobs else None
        return {"logprobs": told, "finish_reason": choice.finish_reason}

    def _token(self, logprobs: TokenLogprobs) -> Json:
        best = [self._entry(token, logprob) for token, logprob in logprobs.best]
        return {**self._entry(logprobs.token_id, logprobs.logprob), "top_logprobs": best}

    def _entry(self, token_id: int, logprob: float) -> Json:
        text = token_text(self._tokenizer, token_id)
        return {"token": text, "logprob": finite(logprob), "bytes": token_bytes(text)}


Format = CompletionFormat | ChatFormat


class Envelope:
    """What all objects of one answer have in common."""

    def __init__(self, form: Format, model: str) -> None:
        self._form = form
        self._head = {"id": f"{form.prefix}-{uuid.uuid4().hex}", "created": int(time.time()), "model": model}

    def whole(self, choices: Sequence[Json], usage: Json) -> Json:
        """Return the answer that is not streamed."""
        return {**self._head, "object": self._form.whole, "choices": list(choices), "usage": usage}

    def chunk(self, choices: Sequence[Json], extra: Mapping[str, Any]) -> Json:
        """Return an object of a stream."""
        return {**self._head, "object": self._form.chunk, "choices": list(choices), **extra}


def token_text(tokenizer: Tokenizer | None, token_id: int) -> str:
    """Return the text of one token alone. A part of a character is shown as U+FFFD."""
    if tokenizer is None:
        return f"token_id:{token_id}"
    return str(tokenizer.backend.decode([token_id], skip_special_tokens=False))


def finite(logprob: float) -> float:
    """Return a number that JSON can write: OpenAI writes minus infinity so."""
    return max(logprob, -9999.0)


def token_bytes(text: str) -> list[int] | None:
    """Return the bytes of a token's text, or None where the text does not tell them."""
    return None if "\N{REPLACEMENT CHARACTER}" in text else list(text.encode())
