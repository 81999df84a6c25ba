"""The engine loop: prompts in, texts out, one step at a time. It computes and decides nothing itself."""

from collections.abc import Callable, Generator, Sequence
from os import fspath
from typing import Any, Literal

from wiremap_llm.batch import Batch
from wiremap_llm.block_manager import BlockManager
from wiremap_llm.checkpoint.opening import open_checkpoint
from wiremap_llm.completions import CompletionBuilder
from wiremap_llm.config import EngineConfig, refuse_unknown_keywords
from wiremap_llm.detokenizer import Detokenizer
from wiremap_llm.errors import (
    EngineError,
    InvalidPromptError,
    InvalidSamplingParamsError,
    NoModelError,
    NoTokenizerError,
    PromptsRefusedError,
    RequestsFailedError,
    SamplingParamsCountError,
    StepFailedError,
)
from wiremap_llm.model_runner import ModelRunner
from wiremap_llm.outputs import Completion, FinishReason, Outcome, Sampled, StepOutput
from wiremap_llm.progress import Progress
from wiremap_llm.request import Request, SamplingParams, Status
from wiremap_llm.scheduler import Scheduler
from wiremap_llm.tokenizer import Tokenizer

Prompt = str | Sequence[int]


class LLMEngine:
    """Generates completions. A recipe builds it, with the parts that it drives.

    Keywords are the fields of `EngineConfig`; `hf_config` is read from `model` unless given.
    It lives as long as its caller wants; engines share nothing, so one process may hold several.
    One thread drives an engine; `add_request` and `abort` may come between any two steps.
    """

    model_runner: ModelRunner
    block_mngr: BlockManager
    scheduler: Scheduler

    add: Callable[[Sequence[Request]], None]
    schedule: Callable[[], Batch]
    postprocess: Callable[[Batch, Sequence[Outcome]], list[Request]]
    finish: Callable[[Request, FinishReason], None]
    is_finished: Callable[[], bool]
    run: Callable[[Batch], Sequence[Outcome]]

    def __init__(self, **kwargs: Any) -> None:
        self.config = _engine_config(kwargs)
        self.tokenizer: Tokenizer | None = None
        self._num_requests = 0
        self._live: dict[int, dict[Request, Detokenizer | None]] = {}  # by request id, its unfinished samples
        self._outputs: list[StepOutput] = []  # for the caller of `step`
        self._mailboxes: dict[int, list[StepOutput]] = {}  # by request id, for `stream` and `generate`

    def __post_wire__(self) -> None:
        """Load the tokenizer, if the checkpoint has one."""
        if self.config.model is not None:
            self.tokenizer = open_checkpoint(self.config.model).tokenizer()

    def add_request(self, prompt: Prompt, sampling_params: SamplingParams) -> int:
        """Queue a prompt, text or token ids, and return the id that its outputs will have.

        Raises:
            InvalidPromptError: The prompt is empty or holds unknown tokens. As with every error
                here, nothing was queued.
            PromptTooLongError, RequestTooLargeError: The request could never finish.
            NoTokenizerError: There is text, the prompt or a stop string, and the checkpoint has no tokenizer.
        """
        samples = self._samples(prompt, sampling_params)
        self.add(samples)
        self._num_requests += 1
        request_id = samples[0].id
        self._live[request_id] = {sample: self._detokenizer(sample) for sample in samples}
        return request_id

    def abort(self, request_id: int) -> None:
        """End a request and take back what it holds; nothing happens to an unknown or finished one.

        Its samples end with one more output each, without tokens, whose finish reason is "abort".
        """
        for sample in list(self._live.get(request_id, ())):
            self.finish(sample, "abort")
            self._deliver(sample)

    def step(self) -> list[StepOutput]:
        """Compute the next step of all queued requests.

        Returns one entry for each sample that got a token or ended since the last call. What
        belongs to a `stream` or `generate` goes there instead.
        """
        self._advance()
        outputs, self._outputs = self._outputs, []
        return outputs

    def stream(self, prompt: Prompt, sampling_params: SamplingParams) -> Generator[StepOutput, None, None]:
        """Queue a prompt at once, and return its outputs as they come; closing the iterator aborts it.

        Other requests of the engine go on with every step that this one needs. Raises as `add_request`.
        """
        outputs = self._stream(prompt, sampling_params)
        next(outputs)  # queues it, so that errors come now and closing finds a generator that has begun
        return outputs

    def generate(
        self,
        prompts: Sequence[Prompt],
        sampling_params: SamplingParams | Sequence[SamplingParams],
        *,
        show_progress: bool | None = None,
        errors: Literal["raise", "return"] = "raise",
    ) -> list[Completion]:
        """Complete all *prompts*, texts or token ids, and return the completions in their order.

        *show_progress* None shows it on a terminal. With *errors* "return" a prompt that fails has
        a completion that says so, and nothing is raised for it.

        Raises:
            PromptsRefusedError: Prompts can't be run: all of them are told, and nothing was computed.
            RequestsFailedError: Requests failed while they ran; the error holds all completions.
            SamplingParamsCountError: Neither one for all nor one for each was given.
        """
        if isinstance(prompts, str):
            raise InvalidPromptError("is a bare text: give a list of prompts")
        if errors not in {"raise", "return"}:
            raise ValueError(f"errors is {errors!r}, not 'raise' or 'return'")
        params = _one_for_each(sampling_params, len(prompts))
        builders = [CompletionBuilder(each) for each in params]
        inbox: list[StepOutput] = []
        queued: dict[int, CompletionBuilder] = {}
        try:
            for prompt, builder in zip(prompts, builders, strict=True):
                self._queue(prompt, builder, queued, inbox)
            if errors == "raise" and (faults := _faults(builders)):
                raise PromptsRefusedError(faults)
            self._complete(queued, inbox, Progress(len(queued), is_shown=show_progress))
        finally:
            for request_id in queued:
                self._drop(request_id)
        completions = [builder.completion() for builder in builders]
        if errors == "raise" and (faults := _faults(builders)):
            raise RequestsFailedError(faults, completions)
        return completions

    def _samples(self, prompt: Prompt, params: SamplingParams) -> list[Request]:
        if not isinstance(params, SamplingParams):
            raise InvalidSamplingParamsError([f"they are {params!r}, not SamplingParams"])
        if params.stop_strings and self.tokenizer is None:
            raise NoTokenizerError("tokenizer to find stop strings with")
        token_ids = self._token_ids(prompt)
        request_id = self._num_requests
        # A seed of the engine's own is told from the same number given by a caller.
        seed = f"{self.config.seed}+{request_id}" if params.seed is None else str(params.seed)
        eos = self.config.hf_config.eos_token_ids
        return [
            Request(request_id, token_ids, params, seed=seed, sample=sample, eos_token_ids=eos)
            for sample in range(params.n)
        ]

    def _token_ids(self, prompt: Prompt) -> list[int]:
        token_ids = self._encode(prompt) if isinstance(prompt, str) else list(prompt)
        if not token_ids:
            raise InvalidPromptError("is empty: give at least one token")
        vocab_size = self.config.hf_config.vocab_size
        unknown = [token for token in token_ids if type(token) is not int or not 0 <= token < vocab_size]
        if unknown:
            raise InvalidPromptError(f"holds {unknown[0]!r}, not a token id below {vocab_size}")
        return token_ids

    def _encode(self, text: str) -> list[int]:
        if self.tokenizer is None:
            raise NoTokenizerError("tokenizer")
        return self.tokenizer.encode(text)

    def _detokenizer(self, sample: Request) -> Detokenizer | None:
        return None if self.tokenizer is None else Detokenizer(self.tokenizer.decode, sample.params.stop_strings)

    def _advance(self) -> None:
        """Compute a step and deliver what it gave. Whatever it raises ends the requests that were in it."""
        if self.is_finished():
            return
        batch = self.schedule()
        try:
            outcomes = self.run(batch)
        except Exception as error:  # noqa: BLE001 - a caller of some requests must not end those of others
            failure = StepFailedError(f"{type(error).__name__}: {error}")
            failure.__cause__ = error
            outcomes = [failure] * len(batch.chunks)
        self.postprocess(batch, outcomes)
        for chunk, outcome in zip(batch.chunks, outcomes, strict=True):
            was_given = isinstance(outcome, Sampled) or chunk.request.status is Status.FINISHED
            if was_given and chunk.request in self._live.get(chunk.request.id, ()):
                self._deliver(chunk.request, outcome)

    def _deliver(self, sample: Request, outcome: Outcome = None) -> None:
        """Make an output of what *sample* got, if anything, and of its end, if it has ended."""
        detokenizer = self._live[sample.id][sample]
        token = outcome if isinstance(outcome, Sampled) else None
        text = self._new_text(sample, token.token_id) if token else ""
        has_ended = sample.status is Status.FINISHED
        if has_ended:
            self._forget(sample)
            text += detokenizer.finish() if detokenizer else ""
        output = StepOutput(
            request_id=sample.id,
            sample=sample.sample,
            text=text,
            token_ids=(token.token_id,) if token else (),
            logprobs=(token.logprobs,) if token and token.logprobs else None,
            # The text may hold a stop string in the very token that reaches the limit.
            finish_reason="stop" if detokenizer and detokenizer.has_stopped else sample.finish_reason,
            error=sample.error,
            num_prompt_tokens=sample.num_prompt_tokens,
            num_cached_tokens=sample.num_reused or 0,
        )
        self._mailboxes.get(sample.id, self._outputs).append(output)

    def _new_text(self, sample: Request, token_id: int) -> str:
        """Return the text to show for one more token; a stop string in it ends the sample."""
        detokenizer = self._live[sample.id][sample]
        if detokenizer is None:
            return ""
        text = detokenizer.add(token_id, may_stop=sample.num_completion_tokens >= sample.params.min_tokens)
        if detokenizer.has_stopped:
            self.finish(sample, "stop")
        return text

    def _forget(self, sample: Request) -> None:
        del self._live[sample.id][sample]
        if not self._live[sample.id]:
            del self._live[sample.id]

    def _stream(self, prompt: Prompt, params: SamplingParams) -> Generator[StepOutput, None, None]:
        request_id = self.add_request(prompt, params)
        inbox = self._mailboxes[request_id] = []
        try:
            yield StepOutput(request_id=request_id)  # `stream` takes this one
            while request_id in self._live or inbox:
                if not inbox:
                    self._advance()
                while inbox:
                    yield inbox.pop(0)
        finally:
            self._drop(request_id)

    def _queue(
        self, prompt: Prompt, builder: CompletionBuilder, queued: dict[int, CompletionBuilder], inbox: list[StepOutput]
    ) -> None:
        """Queue one prompt of several, or note why it can't be."""
        try:
            request_id = self.add_request(prompt, builder.params)
        except EngineError as error:
            builder.refuse(error)
        else:
            queued[request_id] = builder
            self._mailboxes[request_id] = inbox

    def _complete(self, queued: dict[int, CompletionBuilder], inbox: list[StepOutput], progress: Progress) -> None:
        """Step until all of *queued* are complete."""
        num_open = len(queued)
        try:
            while num_open:
                self._advance()
                outputs = inbox.copy()
                inbox.clear()
                num_finished = 0
                for output in outputs:
                    queued[output.request_id].add(output)
                    num_finished += queued[output.request_id].is_complete
                num_open -= num_finished
                progress.advance(num_tokens=sum(len(o.token_ids) for o in outputs), num_finished=num_finished)
        finally:
            progress.close()

    def _drop(self, request_id: int) -> None:
        """Abort a request whose outputs nobody waits for any more."""
        self.abort(request_id)
        self._mailboxes.pop(request_id, None)


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


def _faults(builders: Sequence[CompletionBuilder]) -> dict[int, EngineError]:
    return {index: builder.error for index, builder in enumerate(builders) if builder.error is not None}
