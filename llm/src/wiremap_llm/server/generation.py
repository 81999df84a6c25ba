"""What was asked for in one HTTP request, as it runs: its outputs on the event loop, and the way to end it."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Sequence
from types import TracebackType
from typing import Self

from wiremap_llm.outputs import StepOutput
from wiremap_llm.request import SamplingParams


class Generation:
    """The completions of one or several prompts, `params.n` of each, in any order of arrival.

    Choices are numbered as OpenAI does: those of the first prompt, then those of the second. It belongs to
    one event loop. Leaving its `with` ends what still runs.
    """

    def __init__(
        self, prompts: Sequence[Sequence[int]], params: SamplingParams, on_end: Callable[["Generation"], None]
    ) -> None:
        self.prompts = prompts
        self.params = params
        self.num_choices = len(prompts) * params.n
        self.arrived_at = time.perf_counter()
        self.last_output_at: dict[int, float] = {}  # by choice that has a token
        self.unfinished = set(range(self.num_choices))
        self.loop = asyncio.get_running_loop()
        self.accepted: asyncio.Future[None] = self.loop.create_future()
        self._outputs: asyncio.Queue[tuple[int, StepOutput] | Exception] = asyncio.Queue()
        self._on_end: Callable[[Generation], None] | None = on_end

    @property
    def is_over(self) -> bool:
        """Whether nothing more will come of it."""
        return self._on_end is None

    def accept(self) -> None:
        """Tell that the engine has queued it."""
        if not self.accepted.done():
            self.accepted.set_result(None)

    def put(self, choice: int, output: StepOutput) -> None:
        """Take what a step gave to one choice."""
        self._outputs.put_nowait((choice, output))
        if output.finish_reason is not None:
            self.unfinished.discard(choice)
            if not self.unfinished:
                self.end()

    def fail(self, error: Exception) -> None:
        """End it with an error, which whoever waits for outputs gets."""
        if not self.accepted.done():
            self.accepted.set_exception(error)
        self._outputs.put_nowait(error)
        self.end()

    def end(self) -> None:
        """Tell, once, that it is over; what still runs is aborted."""
        if self._on_end is not None:
            on_end, self._on_end = self._on_end, None
            on_end(self)

    async def outputs(self) -> AsyncIterator[tuple[int, StepOutput]]:
        """Yield choice and output until every choice is finished.

        Raises:
            Exception: What ended it early.
        """
        remaining = self.num_choices
        while remaining:
            item = await self._outputs.get()
            if isinstance(item, Exception):
                raise item
            yield item
            remaining -= item[1].finish_reason is not None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.end()
