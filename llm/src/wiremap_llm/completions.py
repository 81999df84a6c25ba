"""Puts the outputs of many steps together to one completion for each prompt."""

from wiremap_llm.errors import EngineError
from wiremap_llm.outputs import Completion, StepOutput
from wiremap_llm.request import SamplingParams


class CompletionBuilder:
    """Collects what the samples of one prompt get."""

    def __init__(self, params: SamplingParams) -> None:
        self.params = params
        self.error: EngineError | None = None  # the first of any sample
        self._samples = [_empty(params) for _ in range(params.n)]

    @property
    def is_complete(self) -> bool:
        """Tell whether every sample has ended."""
        return all(sample["finish_reason"] is not None for sample in self._samples)

    def refuse(self, error: EngineError) -> None:
        """Note that the prompt can't be run."""
        self.error = error
        for sample in self._samples:
            sample["finish_reason"], sample["error"] = "error", error

    def add(self, output: StepOutput) -> None:
        """Note what a step gave."""
        sample = self._samples[output.sample]
        sample["text"] += output.text
        sample["token_ids"] += output.token_ids
        if output.logprobs is not None:
            sample["logprobs"] += output.logprobs
        sample["finish_reason"] = output.finish_reason
        if output.error is not None:
            sample["error"] = output.error
            self.error = self.error or output.error

    def completion(self) -> Completion:
        """Return what was collected."""
        first = self._samples[0]
        return first if len(self._samples) == 1 else {**first, "samples": self._samples}


def _empty(params: SamplingParams) -> Completion:
    completion: Completion = {"text": "", "token_ids": [], "finish_reason": None}
    if params.logprobs is not None:
        completion["logprobs"] = []
    return completion
