"""The one thread that touches the engine. All others leave it a command, and get outputs on their event loop.

Why a thread: a step takes long and can't be awaited. Why one: an engine is not made to be shared.
"""

import asyncio
import logging
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from queue import SimpleQueue
from threading import Thread

from wiremap_llm.engine_interface import Engine
from wiremap_llm.outputs import StepOutput
from wiremap_llm.request import SamplingParams
from wiremap_llm.server import api_error
from wiremap_llm.server.generation import Generation
from wiremap_llm.server.metrics import Metrics

_LOG = logging.getLogger(__name__)


@dataclass
class _Place:
    """Where the outputs of one of the engine's requests go, and how many of its samples go on."""

    generation: Generation
    prompt: int
    num_unfinished: int

    def choice(self, output: StepOutput) -> int:
        return self.prompt * self.generation.params.n + output.sample


class EngineThread:
    """Runs an engine for the coroutines of one event loop.

    At most *max_queue* completions wait beyond those that the engine can run at once.
    """

    def __init__(self, engine: Engine, metrics: Metrics, *, max_queue: int) -> None:
        self._engine = engine
        self._metrics = metrics
        self.most_choices = engine.config.max_num_seqs + max_queue
        self._commands: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._thread = Thread(target=self._run, name="wiremap-llm-engine", daemon=True)

        # Of the event loop:
        self._generations: set[Generation] = set()
        self._is_stopping = False

        # Of the thread:
        self._places: dict[int, _Place] = {}
        self._is_stopped = False
        self.is_broken = False  # read by all

    # What coroutines call.

    def start(self) -> None:
        """Start the thread."""
        self._note_blocks()
        self._thread.start()

    @property
    def num_running(self) -> int:
        """Completions that have a token and are not finished."""
        return sum(len(each.unfinished.intersection(each.last_output_at)) for each in self._generations)

    @property
    def num_live(self) -> int:
        """Completions that are not finished."""
        return sum(len(each.unfinished) for each in self._generations)

    async def generate(self, prompts: Sequence[Sequence[int]], params: SamplingParams) -> Generation:
        """Queue *prompts*, all or none, and return what comes of them.

        Raises:
            ApiError: There is no place in the queue, or the server stops, or the engine is broken.
            EngineError: A prompt can't run.
        """
        if self._is_stopping:
            raise api_error.stopping()
        if self.is_broken:
            raise api_error.failed("The engine failed and can't go on: restart the server.")
        if self.num_live + len(prompts) * params.n > self.most_choices:
            raise api_error.overloaded(self.num_live)
        generation = Generation(prompts, params, self._end)
        self._generations.add(generation)
        self._commands.put(lambda: self._add(generation))
        try:
            await generation.accepted
        except BaseException:
            generation.end()
            raise
        return generation

    def abort_all(self) -> None:
        """End all that runs or waits; whoever waits for it is told that the server stops."""
        self._is_stopping = True
        for generation in list(self._generations):
            generation.fail(api_error.stopping())

    async def stop(self) -> None:
        """End all that runs, and the thread."""
        self.abort_all()
        self._commands.put(self._stop)
        await asyncio.to_thread(self._thread.join)

    def _end(self, generation: Generation) -> None:
        self._generations.discard(generation)
        if generation.unfinished:
            self._commands.put(lambda: self._abort(generation))

    def _deliver(self, outputs: Sequence[tuple[Generation, int, StepOutput]]) -> None:
        for generation, choice, output in outputs:
            if not generation.is_over:
                self._metrics.note_output(generation, choice, output)
                generation.put(choice, output)

    # What the thread does.

    def _run(self) -> None:
        while not self._is_stopped:
            try:
                self._obey()
                if self._places:
                    self._step()
            except Exception as error:  # noqa: BLE001 - clients are told, and the thread must live
                _LOG.exception("the engine failed")
                self._fail_all(error)

    def _obey(self) -> None:
        """Do what was asked for. With nothing to compute, wait until something is."""
        if not self._places:
            self._commands.get()()
        while not self._commands.empty():
            self._commands.get()()

    def _add(self, generation: Generation) -> None:
        try:
            for index, prompt in enumerate(generation.prompts):
                request_id = self._engine.add_request(prompt, generation.params)
                self._places[request_id] = _Place(generation, index, generation.params.n)
        except Exception as error:  # noqa: BLE001 - the client is told, and no other client may suffer
            self._call(generation, generation.fail, error)
            self._abort(generation)
        else:
            self._call(generation, generation.accept)

    def _abort(self, generation: Generation) -> None:
        for request_id in [each for each, place in self._places.items() if place.generation is generation]:
            del self._places[request_id]
            self._engine.abort(request_id)
        self._note_blocks()

    def _step(self) -> None:
        outputs = self._engine.step()
        self._note_blocks()
        placed = [(self._places[output.request_id], output) for output in outputs if output.request_id in self._places]
        for place, output in placed:
            place.num_unfinished -= output.finish_reason is not None
            if not place.num_unfinished:
                del self._places[output.request_id]
        if placed:
            delivered = [(place.generation, place.choice(output), output) for place, output in placed]
            self._call(delivered[0][0], self._deliver, delivered)

    def _fail_all(self, error: Exception) -> None:
        """Give up what runs. If the engine can let go of it, it serves the next ones."""
        generations = {place.generation for place in self._places.values()}
        for generation in generations:
            self._call(generation, generation.fail, api_error.failed(f"The engine failed: {error}"))
        try:
            for generation in generations:
                self._abort(generation)
            self.is_broken = not self._engine.is_finished()
        except Exception:  # noqa: BLE001 - the same
            _LOG.exception("the engine can't go on")
            self._places.clear()
            self.is_broken = True

    def _stop(self) -> None:
        self._is_stopped = True

    def _note_blocks(self) -> None:
        blocks = self._engine.block_mngr
        self._metrics.note_blocks(used=blocks.num_blocks - blocks.num_free, total=blocks.num_blocks)

    def _call(self, generation: Generation, callback: Callable[..., None], *arguments: object) -> None:
        """Call back on the event loop, unless it is gone with all who wait there."""
        with suppress(RuntimeError):
            generation.loop.call_soon_threadsafe(callback, *arguments)
