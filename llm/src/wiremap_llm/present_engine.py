"""Gives an engine that only steps and finishes the interface that front ends use, until it has it itself."""

from collections.abc import Generator, Sequence
from typing import Any

from wiremap_llm.outputs import StepOutput
from wiremap_llm.request import Request, SamplingParams


class PresentEngine:
    """Wraps an LLMEngine: streams by comparing texts after each step."""

    def __init__(self, engine: Any) -> None:
        self._engine = engine
        self.config = engine.config
        self.tokenizer = engine.tokenizer
        self.block_mngr = engine.block_mngr
        self._live: dict[int, tuple[Request, str, int]] = {}

    def add_request(self, prompt: str | Sequence[int], sampling_params: SamplingParams) -> int:
        """Queue a request."""
        request = self._engine._request(len(self._live), prompt, sampling_params)  # noqa: SLF001 - temporary
        self._engine.add([request])
        self._live[request.id] = (request, "", 0)
        return int(request.id)

    def abort(self, request_id: int) -> None:
        """End a request."""
        if request_id not in self._live:
            return
        request, _, _ = self._live.pop(request_id)
        scheduler = self._engine.scheduler
        if request in scheduler._waiting:  # noqa: SLF001 - temporary
            scheduler._waiting.remove(request)  # noqa: SLF001 - temporary
        if request in scheduler._running:  # noqa: SLF001 - temporary
            scheduler._finish(request)  # noqa: SLF001 - temporary

    def step(self) -> list[StepOutput]:
        """Compute one step."""
        finished = {request.id for request in self._engine.step()}
        return [
            self._output(request, text, seen, finished)
            for request, text, seen in list(self._live.values())
            if request.num_completion_tokens > seen
        ]

    def is_finished(self) -> bool:
        """Tell whether no request is left."""
        return bool(self._engine.is_finished())

    def stream(self, prompt: str | Sequence[int], sampling_params: SamplingParams) -> Generator[StepOutput, None, None]:
        """Generate for one prompt."""
        request_id = self.add_request(prompt, sampling_params)
        try:
            while request_id in self._live:
                yield from (output for output in self.step() if output.request_id == request_id)
        finally:
            self.abort(request_id)

    def _output(self, request: Request, text: str, seen: int, finished: set[int]) -> StepOutput:
        is_done = request.id in finished
        whole = "" if self.tokenizer is None else self.tokenizer.decode(request.completion)
        if not is_done and whole.endswith("\N{REPLACEMENT CHARACTER}"):
            whole = text
        reason: Any = None
        if is_done:
            del self._live[request.id]
            reason = "stop" if request.completion[-1] in self.config.hf_config.eos_token_ids else "length"
        else:
            self._live[request.id] = (request, whole, request.num_completion_tokens)
        return StepOutput(
            request_id=request.id,
            text=whole[len(text) :],
            token_ids=tuple(request.completion[seen:]),
            finish_reason=reason,
            num_prompt_tokens=request.num_prompt_tokens,
        )
