"""The engine loop: prompts in, texts out, one step at a time. It computes and decides nothing itself."""

from collections.abc import Callable, Sequence
from os import fspath
from typing import Any, TypedDict

from wiremap_llm.batch import Batch
from wiremap_llm.block_manager import BlockManager
from wiremap_llm.checkpoint.opening import open_checkpoint
from wiremap_llm.config import EngineConfig, refuse_unknown_keywords
from wiremap_llm.errors import (
    InvalidPromptError,
    NoModelError,
    NoTokenizerError,
    SamplingParamsCountError,
)
from wiremap_llm.model_runner import ModelRunner
from wiremap_llm.request import Request, SamplingParams
from wiremap_llm.scheduler import Scheduler
from wiremap_llm.tokenizer import Tokenizer

Prompt = str | Sequence[int]


class Completion(TypedDict):
    """What was generated for one prompt. `text` is empty if the checkpoint has no tokenizer."""

    text: str
    token_ids: list[int]


class LLMEngine:
    """Generates completions. A recipe builds it, with the parts that it drives.

    Keywords are the fields of `EngineConfig`; `hf_config` is read from `model` unless given.
    It lives as long as its caller wants; engines share nothing, so one process may hold several.
    """

    model_runner: ModelRunner
    block_mngr: BlockManager
    scheduler: Scheduler

    add: Callable[[Sequence[Request]], None]
    schedule: Callable[[], Batch]
    postprocess: Callable[[Batch, Sequence[int]], list[Request]]
    is_finished: Callable[[], bool]
    run: Callable[[Batch], list[int]]

    def __init__(self, **kwargs: Any) -> None:
        self.config = _engine_config(kwargs)
        self.tokenizer: Tokenizer | None = None
        self._num_requests = 0

    def __post_wire__(self) -> None:
        """Load the tokenizer, if the checkpoint has one."""
        if self.config.model is not None:
            self.tokenizer = open_checkpoint(self.config.model).tokenizer()

    def generate(
        self,
        prompts: Sequence[Prompt],
        sampling_params: SamplingParams | Sequence[SamplingParams],
    ) -> list[Completion]:
        """Complete all *prompts*, texts or token ids, and return the completions in their order.

        Raises:
            InvalidPromptError: A prompt is empty or holds unknown tokens. As with every error that a
                prompt causes, none of the prompts was queued.
            PromptTooLongError, RequestTooLargeError: A request could never finish.
            NoTokenizerError: A prompt is text and the checkpoint has no tokenizer.
            SamplingParamsCountError: Neither one for all nor one for each was given.
        """
        if isinstance(prompts, str):
            raise InvalidPromptError(0, "is a bare text: give a list of prompts")
        params = _one_for_each(sampling_params, len(prompts))
        requests = [self._request(i, prompt, params[i]) for i, prompt in enumerate(prompts)]
        self.add(requests)
        while not self.is_finished():
            self.step()
        return [self._completion(request) for request in requests]

    def step(self) -> list[Request]:
        """Compute the next step of all queued requests; return those that it finished."""
        batch = self.schedule()
        return self.postprocess(batch, self.run(batch))

    def _request(self, index: int, prompt: Prompt, params: SamplingParams) -> Request:
        token_ids = self._encode(prompt) if isinstance(prompt, str) else list(prompt)
        if not token_ids:
            raise InvalidPromptError(index, "is empty: give at least one token")
        vocab_size = self.config.hf_config.vocab_size
        unknown = [token for token in token_ids if not isinstance(token, int) or not 0 <= token < vocab_size]
        if unknown:
            raise InvalidPromptError(index, f"holds {unknown[0]!r}, not a token id below {vocab_size}")
        request_id = self._num_requests
        self._num_requests += 1
        seed = self.config.seed + request_id if params.seed is None else params.seed
        return Request(request_id, token_ids, params, seed=seed)

    def _encode(self, text: str) -> list[int]:
        if self.tokenizer is None:
            raise NoTokenizerError("tokenizer")
        return self.tokenizer.encode(text)

    def _completion(self, request: Request) -> Completion:
        text = "" if self.tokenizer is None else self.tokenizer.decode(request.completion)
        return {"text": text, "token_ids": request.completion}


def _engine_config(keywords: dict[str, Any]) -> EngineConfig:
    refuse_unknown_keywords(keywords)
    given = dict(keywords)
    if given.get("model") is not None:
        given["model"] = fspath(given["model"])
        given.setdefault("hf_config", open_checkpoint(given["model"]).model_config())
    if given.get("hf_config") is None:
        raise NoModelError
    return EngineConfig(**given)


def _one_for_each(params: SamplingParams | Sequence[SamplingParams], num_prompts: int) -> Sequence[SamplingParams]:
    if isinstance(params, SamplingParams):
        return [params] * num_prompts
    if len(params) != num_prompts:
        raise SamplingParamsCountError(len(params), num_prompts)
    return params
