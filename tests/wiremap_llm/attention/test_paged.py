"""Every attention backend equals attention written plainly in float64, wherever the blocks lie."""

import pytest
import torch
from torch import Tensor

from tests.wiremap_llm.fakes import engine_config, request
from wiremap_llm.attention.paged import PagedAttention
from wiremap_llm.batch import Batch, Chunk
from wiremap_llm.request import Request

BACKENDS = (PagedAttention,)

BLOCK_SIZE, NUM_BLOCKS, HEADS, KV_HEADS, HEAD_DIM = 4, 16, 4, 2, 8


def placed(num_tokens: int, table: list[int]) -> Request:
    new = request(num_tokens)
    new.block_table = table
    return new


@pytest.fixture(params=BACKENDS, ids=lambda each: each.__name__)
def backend(request: pytest.FixtureRequest) -> type[PagedAttention]:
    chosen: type[PagedAttention] = request.param
    return chosen


class Stage:
    """A backend with a cache of NaN, and the queries, keys and values of some requests."""

    def __init__(self, backend: type[PagedAttention], lengths: list[int]) -> None:
        torch.manual_seed(0)
        self.backend = backend(engine_config(kvcache_block_size=BLOCK_SIZE))
        shape = (NUM_BLOCKS, BLOCK_SIZE, KV_HEADS, HEAD_DIM)
        self.k_cache, self.v_cache = torch.full(shape, torch.nan), torch.full(shape, torch.nan)
        blocks = torch.randperm(NUM_BLOCKS).tolist()
        self.requests = [placed(n, [blocks.pop() for _ in range(-(-n // BLOCK_SIZE))]) for n in lengths]
        self.q = {r: torch.randn(r.num_tokens, HEADS, HEAD_DIM) for r in self.requests}
        self.k, self.v = ({r: torch.randn(r.num_tokens, KV_HEADS, HEAD_DIM) for r in self.requests} for _ in range(2))

    def prefill(self, *spans: tuple[int, int]) -> list[Tensor]:
        batch = self._batch(spans)
        self.backend.prepare_metadata_for_attn_prefill(batch)
        return self._attend(batch)

    def decode(self) -> list[Tensor]:
        batch = self._batch([(r.num_tokens - 1, r.num_tokens) for r in self.requests])
        self.backend.prepare_metadata_for_attn_decode(batch)
        return self._attend(batch)

    def expected(self, *spans: tuple[int, int]) -> list[Tensor]:
        return [
            plain_attention(self.q[r], self.k[r], self.v[r])[start:end]
            for r, (start, end) in zip(self.requests, spans, strict=True)
        ]

    def _batch(self, spans: "tuple[tuple[int, int], ...] | list[tuple[int, int]]") -> Batch:
        chunks = (Chunk(r, start, end) for r, (start, end) in zip(self.requests, spans, strict=True))
        return Batch(tuple(chunk for chunk in chunks if chunk.num_tokens))

    def _attend(self, batch: Batch) -> list[Tensor]:
        q, k, v = (
            torch.cat([source[c.request][c.start : c.end] for c in batch.chunks]) for source in (self.q, self.k, self.v)
        )
        mixed = self.backend.attn(q, k, v, self.k_cache, self.v_cache)
        assert mixed.shape == q.shape
        return list(torch.split(mixed, [c.num_tokens for c in batch.chunks]))


def plain_attention(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Attend causally from every token: the formula, one token and one head at a time, in float64."""
    out = torch.empty(q.shape, dtype=torch.float64)
    for token in range(len(q)):
        for head in range(q.shape[1]):
            shared = head * k.shape[1] // q.shape[1]
            past_k, past_v = k[: token + 1, shared].double(), v[: token + 1, shared].double()
            weights = (past_k @ q[token, head].double() / q.shape[2] ** 0.5).softmax(0)
            out[token, head] = weights @ past_v
    return out.float()


def test_prefill_of_several_requests_attends_within_each(backend: type[PagedAttention]) -> None:
    stage = Stage(backend, [1, 5, 9])
    spans = ((0, 1), (0, 5), (0, 9))

    torch.testing.assert_close(stage.prefill(*spans), stage.expected(*spans))


def test_single_tokens_and_longer_chunks_share_a_step(backend: type[PagedAttention]) -> None:
    stage = Stage(backend, [6, 3, 9, 4])
    stage.prefill((0, 5), (0, 2), (0, 4), (0, 0))
    spans = ((5, 6), (2, 3), (4, 9), (0, 4))

    torch.testing.assert_close(stage.prefill(*spans), stage.expected(*spans))


def test_a_token_whose_block_others_share_is_not_stored_and_still_attends(backend: type[PagedAttention]) -> None:
    stage = Stage(backend, [4, 6])
    stage.prefill((0, 4), (0, 0))
    stage.requests[0].num_cached = 4
    before = stage.k_cache.clone()

    found = stage.prefill((3, 4), (0, 6))

    torch.testing.assert_close(found, stage.expected((3, 4), (0, 6)))
    shared = stage.requests[0].block_table
    assert stage.k_cache[shared].equal(before[shared])


@pytest.mark.parametrize("cut", range(1, 10))
def test_a_prompt_cut_anywhere_attends_to_its_past(backend: type[PagedAttention], cut: int) -> None:
    stage = Stage(backend, [10])
    stage.prefill((0, cut))

    torch.testing.assert_close(stage.prefill((cut, 10)), stage.expected((cut, 10)))


def test_decode_of_different_lengths_attends_to_each_past(backend: type[PagedAttention]) -> None:
    stage = Stage(backend, [1, 4, 5, 11])
    for end in range(1, 11):  # feed all but the last token, in steps that requests leave as they end
        stage.prefill(*((min(end - 1, r.num_tokens - 1), min(end, r.num_tokens - 1)) for r in stage.requests))

    found = stage.decode()

    torch.testing.assert_close(found, stage.expected((0, 1), (3, 4), (4, 5), (10, 11)))


@pytest.mark.parametrize(
    ("past", "fed"),
    [
        pytest.param((3, 10, 0, 0), ((3, 4), (10, 11), (0, 9), (0, 6)), id="decodes, then prompts that begin"),
        pytest.param((3, 10, 4, 1), ((3, 4), (10, 11), (4, 9), (1, 5)), id="decodes, then prompts with a past"),
        pytest.param((3, 0, 0, 0), ((3, 4), (0, 3), (0, 1), (0, 6)), id="a prompt of one token among others"),
        pytest.param((0, 0, 0, 5), ((0, 4), (0, 0), (0, 0), (5, 6)), id="a prompt, then a decode"),
    ],
)
def test_a_mixed_step_attends_as_its_parts(
    backend: type[PagedAttention], past: tuple[int, ...], fed: tuple[tuple[int, int], ...]
) -> None:
    stage = Stage(backend, [4, 11, 9, 6])
    stage.prefill(*((0, end) for end in past))

    found = stage.prefill(*fed)

    expected = [each for each in stage.expected(*fed) if len(each)]
    torch.testing.assert_close(found, expected)


def test_other_requests_slots_are_left_alone(backend: type[PagedAttention]) -> None:
    stage = Stage(backend, [5, 7])
    stage.prefill((0, 5), (0, 0))
    own = [(r.block_table, i) for r in stage.requests[:1] for i in range(5)]
    slots = {table[i // BLOCK_SIZE] * BLOCK_SIZE + i % BLOCK_SIZE for table, i in own}

    written = (~stage.k_cache.isnan()).all(dim=(2, 3)).flatten().nonzero().flatten().tolist()

    assert set(written) == slots
