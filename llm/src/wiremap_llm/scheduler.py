"""Chooses what each step computes: continuous batching with chunked prefill and preemption.

Plain Python. It knows the block manager only through the cells that it declares.
"""

from collections import OrderedDict, deque
from collections.abc import Callable, Sequence

from wiremap_llm.batch import Batch, Chunk
from wiremap_llm.block_manager import blocks_needed
from wiremap_llm.config import EngineConfig
from wiremap_llm.errors import EngineError, PromptTooLongError, RequestTooLargeError
from wiremap_llm.outputs import FinishReason, Outcome
from wiremap_llm.request import Request, Status


class Scheduler:
    """Holds every unfinished request of one engine.

    Every step feeds the last token of all requests that decode, then as much of the prompts as the
    token budget leaves: reading the weights costs the same for one row or many, so a step for
    either alone would waste it. A running request gets a token in every step but those in which it
    is preempted.

    Invariant: running requests, then waiting ones, stand in order of arrival. Preemption takes the
    latest running request, so the earliest always proceeds, and as it fits the pool alone
    (`add` made sure) every request finishes.
    """

    can_allocate: Callable[[Request, int], bool]
    allocate: Callable[[Request], None]
    can_append: Callable[[Request], bool]
    may_append: Callable[[Request], None]
    mark_cached: Callable[[Request, int], None]
    deallocate: Callable[[Request], None]

    def __init__(self, config: EngineConfig) -> None:
        self.config = config
        self._waiting: OrderedDict[Request, None] = OrderedDict()  # for removal from the middle
        self._running: list[Request] = []

    @property
    def num_waiting(self) -> int:
        """Requests that hold no blocks."""
        return len(self._waiting)

    @property
    def num_running(self) -> int:
        """Requests that have a seat."""
        return len(self._running)

    def add(self, requests: Sequence[Request]) -> None:
        """Queue all of *requests*, or none if one of them could never finish.

        Raises:
            PromptTooLongError: A prompt fills `max_model_len` without a generated token.
            RequestTooLargeError: A request may grow beyond the whole block pool.
        """
        for request in requests:
            self._refuse_what_never_fits(request)
        self._waiting.update(dict.fromkeys(requests))

    def schedule(self) -> Batch:
        """Return the next step. It holds work unless `is_finished`."""
        decodes = self._decodes()
        prompts = self._prompts(self.config.max_num_batched_tokens - len(decodes))
        # A prompt's chunk may have one token, too: then it is computed as a decode.
        chunks = sorted([*decodes, *prompts], key=lambda chunk: chunk.num_tokens > 1)
        assert chunks or self.is_finished(), "no request can go on"  # noqa: S101 - ours to keep
        return Batch(tuple(chunks))

    def postprocess(self, batch: Batch, outcomes: Sequence[Outcome]) -> list[Request]:
        """Give each request what the step found for its chunk; return those that are now finished."""
        finished = []
        for chunk, outcome in zip(batch.chunks, outcomes, strict=True):
            was_running = chunk.request.status is Status.RUNNING  # and not aborted meanwhile
            if was_running and self._advance(chunk, outcome):
                finished.append(chunk.request)
        return finished

    def finish(self, request: Request, reason: FinishReason, error: EngineError | None = None) -> None:
        """End a request at any moment and take back what it holds; a finished one stays as it is."""
        if request.status is Status.FINISHED:
            return
        if request.status is Status.RUNNING:
            self._running.remove(request)
            self.deallocate(request)
        else:
            del self._waiting[request]
        request.status = Status.FINISHED
        request.finish_reason, request.error = reason, error

    def is_finished(self) -> bool:
        """Tell whether no request is left."""
        return not self._waiting and not self._running

    def _refuse_what_never_fits(self, request: Request) -> None:
        limit = self.config.sequence_limit
        if request.num_prompt_tokens >= limit:
            raise PromptTooLongError(request.num_prompt_tokens, limit - 1)
        # The last token that is generated is never fed, so it needs no slot.
        most_tokens = min(request.num_prompt_tokens + request.params.max_tokens, limit) - 1
        most_blocks = blocks_needed(most_tokens, self.config.kvcache_block_size)
        if most_blocks > self.config.num_kvcache_blocks:
            raise RequestTooLargeError(most_blocks, self.config.num_kvcache_blocks)

    def _decodes(self) -> list[Chunk]:
        """Feed the one pending token of every request that has just one, earliest first."""
        chunks: list[Chunk] = []
        for request in [request for request in self._running if request.num_pending == 1]:
            self._make_room_for(request)
            if request.status is Status.RUNNING:
                self.may_append(request)
                chunks.append(Chunk(request, request.num_tokens - 1, request.num_tokens))
        return chunks

    def _make_room_for(self, request: Request) -> None:
        """Preempt the latest requests, at last *request* itself, until its next token has a slot."""
        while request.status is Status.RUNNING and not self.can_append(request):
            self._preempt(self._running[-1])

    def _preempt(self, request: Request) -> None:
        """Send a request back to wait. It keeps its tokens; their keys and values are recomputed."""
        self._running.remove(request)
        self.deallocate(request)
        request.status = Status.WAITING
        self._waiting[request] = None
        self._waiting.move_to_end(request, last=False)

    def _prompts(self, budget: int) -> list[Chunk]:
        """Go on with prompts in progress, then admit waiting ones, within the token budget."""
        in_progress = deque(request for request in self._running if request.num_pending > 1)
        chunks: list[Chunk] = []
        while budget and (in_progress or self._can_admit()):
            request = in_progress.popleft() if in_progress else self._admit()
            start = request.num_tokens - request.num_pending
            chunk = Chunk(request, start, min(start + budget, request.num_tokens))
            chunks.append(chunk)
            budget -= chunk.num_tokens
        return chunks

    def _can_admit(self) -> bool:
        """Tell whether the next waiting request gets in.

        Each running one keeps a block to grow into: in simulated traffic that saves three of four
        preemptions, and the seats that stay empty for it cost less than those.
        """
        has_seat = len(self._running) < self.config.max_num_seqs
        return bool(self._waiting) and has_seat and self.can_allocate(next(iter(self._waiting)), self.num_running)

    def _admit(self) -> Request:
        request, _ = self._waiting.popitem(last=False)
        self.allocate(request)
        if request.num_reused is None:
            request.num_reused = request.num_tokens - request.num_pending
        request.status = Status.RUNNING
        self._running.append(request)
        return request

    def _advance(self, chunk: Chunk, outcome: Outcome) -> bool:
        """Note what a step computed for a request; tell whether it has ended with that."""
        request = chunk.request
        if isinstance(outcome, EngineError):
            self.finish(request, "error", outcome)
        else:
            self.mark_cached(request, chunk.end)
            if outcome is not None:
                request.token_ids.append(outcome.token_id)
                self._finish_if_it_has_ended(request)
        return request.status is Status.FINISHED

    def _finish_if_it_has_ended(self, request: Request) -> None:
        # Before `min_tokens` no stop token is drawn; that a sampler fails to hold to it must end nothing.
        if (
            request.token_ids[-1] in request.stop_token_ids
            and request.num_completion_tokens >= request.params.min_tokens
        ):
            self.finish(request, "stop")
        elif (
            request.num_completion_tokens >= request.params.max_tokens
            or request.num_tokens >= self.config.sequence_limit
        ):
            self.finish(request, "length")
