"""What front ends use of an engine. They take any that a recipe builds, and load no torch to know its type."""

from collections.abc import Generator, Sequence
from typing import Protocol

from wiremap_llm.block_manager import BlockManager
from wiremap_llm.config import EngineConfig
from wiremap_llm.outputs import StepOutput
from wiremap_llm.request import SamplingParams
from wiremap_llm.tokenizer import Tokenizer


class Engine(Protocol):
    """Takes requests at any moment, and computes one step of all of them when asked to."""

    config: EngineConfig
    tokenizer: Tokenizer | None
    block_mngr: BlockManager

    def add_request(self, prompt: str | Sequence[int], sampling_params: SamplingParams) -> int:
        """Queue a request and return its id; raise an EngineError, and queue nothing, for what can't run."""

    def abort(self, request_id: int) -> None:
        """End a request and free what it holds; nothing happens to an unknown or finished one."""

    def step(self) -> list[StepOutput]:
        """Compute one step; return one entry per sample that got tokens or ended."""

    def is_finished(self) -> bool:
        """Tell whether no request is left."""

    def stream(self, prompt: str | Sequence[int], sampling_params: SamplingParams) -> Generator[StepOutput, None, None]:
        """Generate for one prompt; closing the iterator aborts."""
