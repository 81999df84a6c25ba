"""Chooses what each step computes: continuous batching with chunked prefill and preemption.

Plain Python. It knows the block manager only through the cells that it declares.
"""

from collections.abc import Callable, Sequence

from wiremap_llm.batch import Batch, Chunk
from wiremap_llm.block_manager import blocks_needed
from wiremap_llm.config import EngineConfig
from wiremap_llm.errors import PromptTooLongError, RequestTooLargeError
from wiremap_llm.request import Request, Status


class Scheduler:
    """Holds every unfinished request of one engine.

    Invariant: running requests, then waiting ones, stand in order of arrival. Preemption takes the
    latest running request, so the earliest always proceeds, and as it fits the pool alone
    (`add` made sure) every request finishes.

    Prefill and decode steps take turns while there is work for both: arriving prompts delay a
    decode by one step at most, and a long prompt by one chunk of it.
    """

    can_allocate: Callable[[Request], bool]
    allocate: Callable[[Request], None]
    can_append: Callable[[Request], bool]
    may_append: Callable[[Request], None]
    deallocate: Callable[[Request], None]

    def __init__(self, config: EngineConfig) -> None:
        self.config = config
        self._waiting: list[Request] = []
        self._running: list[Request] = []
        self._decode_is_next = False

    def add(self, requests: Sequence[Request]) -> None:
        """Queue all of *requests*, or none if one of them could never finish.

        Raises:
            PromptTooLongError: A prompt fills `max_model_len` without a generated token.
            RequestTooLargeError: A request may grow beyond the whole block pool.
        """
        for request in requests:
            self._refuse_what_never_fits(request)
        self._waiting.extend(requests)

    def schedule(self) -> Batch:
        """Return the next step. It holds work unless `is_finished`."""
        if self._decode_is_next:
            batch = self._decode() or self._prefill()
        else:
            batch = self._prefill() or self._decode()
        self._decode_is_next = batch is not None and batch.is_prefill
        return batch or Batch((), is_prefill=False)

    def postprocess(self, batch: Batch, token_ids: Sequence[int]) -> list[Request]:
        """Give each request of `batch.sampled` its token; return those that are now finished."""
        for chunk in batch.chunks:
            chunk.request.num_cached = chunk.end
        for request, token in zip(batch.sampled, token_ids, strict=True):
            request.token_ids.append(token)
        finished = [request for request in batch.sampled if self._has_ended(request)]
        for request in finished:
            self._finish(request)
        return finished

    def is_finished(self) -> bool:
        """Tell whether no request is left."""
        return not self._waiting and not self._running

    def _refuse_what_never_fits(self, request: Request) -> None:
        limit = self.config.sequence_limit
        if request.num_prompt_tokens >= limit:
            raise PromptTooLongError(request.id, request.num_prompt_tokens, limit - 1)
        # The last token that is generated is never fed, so it needs no slot.
        most_tokens = min(request.num_prompt_tokens + request.params.max_tokens, limit) - 1
        most_blocks = blocks_needed(most_tokens, self.config.kvcache_block_size)
        if most_blocks > self.config.num_kvcache_blocks:
            raise RequestTooLargeError(request.id, most_blocks, self.config.num_kvcache_blocks)

    def _prefill(self) -> Batch | None:
        """Go on with prompts in progress, then admit waiting ones, within the token budget."""
        budget = self.config.max_num_batched_tokens
        in_progress = [request for request in self._running if request.num_pending > 1]
        chunks: list[Chunk] = []
        while budget and (in_progress or self._can_admit()):
            request = in_progress.pop(0) if in_progress else self._admit()
            start = request.num_cached
            chunk = Chunk(request, start, min(start + budget, request.num_tokens))
            chunks.append(chunk)
            budget -= chunk.num_tokens
        return Batch(tuple(chunks), is_prefill=True) if chunks else None

    def _can_admit(self) -> bool:
        has_seat = len(self._running) < self.config.max_num_seqs
        return bool(self._waiting) and has_seat and self.can_allocate(self._waiting[0])

    def _admit(self) -> Request:
        request = self._waiting.pop(0)
        self.allocate(request)
        request.status = Status.RUNNING
        self._running.append(request)
        return request

    def _decode(self) -> Batch | None:
        """Feed the one pending token of every request that has just one, earliest first."""
        chunks: list[Chunk] = []
        for request in [request for request in self._running if request.num_pending == 1]:
            self._make_room_for(request)
            if request.status is Status.RUNNING:
                self.may_append(request)
                chunks.append(Chunk(request, request.num_cached, request.num_tokens))
        return Batch(tuple(chunks), is_prefill=False) if chunks else None

    def _make_room_for(self, request: Request) -> None:
        """Preempt the latest requests, at last *request* itself, until its next token has a slot."""
        while request.status is Status.RUNNING and not self.can_append(request):
            self._preempt(self._running[-1])

    def _preempt(self, request: Request) -> None:
        """Send a request back to wait. It keeps its tokens; their keys and values are recomputed."""
        self._running.remove(request)
        self.deallocate(request)
        request.status = Status.WAITING
        self._waiting.insert(0, request)

    def _has_ended(self, request: Request) -> bool:
        is_eos = request.token_ids[-1] in self.config.hf_config.eos_token_ids
        return (
            (is_eos and not request.params.ignore_eos)
            or request.num_completion_tokens >= request.params.max_tokens
            or request.num_tokens >= self.config.sequence_limit
        )

    def _finish(self, request: Request) -> None:
        self._running.remove(request)
        self.deallocate(request)
        request.status = Status.FINISHED
