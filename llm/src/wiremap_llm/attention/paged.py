"""Attention over the paged KV cache in plain torch: any device, no kernels, the oracle for other backends."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

from wiremap_llm.batch import Batch, Chunk
from wiremap_llm.config import EngineConfig


@dataclass(frozen=True)
class ReadGroup:
    """Chunks whose attention is computed in one call: several of one token each, or one of any length.

    Attributes:
        num_tokens: Tokens fed, of all chunks.
        slots: [requests, context], int64: where the keys and values to read stand in the flat cache.
            None where a prompt begins: all that it may see is what it feeds.
        mask: [requests, 1, queries, context], bool: which of them a query may see. None without slots.
    """

    num_tokens: int
    slots: Tensor | None = None
    mask: Tensor | None = None


@dataclass(frozen=True)
class AttentionMetadata:
    """Where one step writes and reads.

    Attributes:
        write_slots: [stored], int64: the slots in the flat cache that are written.
        stored_rows: [stored], int64: which of the tokens fed go there; None if all do, in order.
        groups: In the order of the tokens.
    """

    write_slots: Tensor
    stored_rows: Tensor | None
    groups: tuple[ReadGroup, ...]


class PagedAttention:
    """Scaled dot product attention that gathers keys and values by slot.

    A step calls one of the `prepare_metadata_…` cells, then `attn` once per layer.

    Slots are gathered exactly, and where a batch needs padding a request's own first slot pads, so no
    unwritten slot is ever read: a masked value still spoils the sum if it is not a number.
    """

    metadata: AttentionMetadata

    def __init__(self, config: EngineConfig, device: str = "cpu") -> None:
        self.block_size = config.kvcache_block_size
        self.device = device

    def prepare_metadata_for_attn_prefill(self, batch: Batch) -> None:
        """Make *batch* the current step: single tokens attend in one call, each longer chunk in its own."""
        singles, longer = batch.chunks[: batch.num_single], batch.chunks[batch.num_single :]
        decode_groups = [self._decode_group(singles)] if singles else []
        self.metadata = self._metadata(batch, *decode_groups, *map(self._prefill_group, longer))

    def prepare_metadata_for_attn_decode(self, batch: Batch) -> None:
        """Make *batch* the current step: one token per request, all in one call."""
        self.metadata = self._metadata(batch, self._decode_group(batch.chunks))

    def attn(self, q: Tensor, k: Tensor, v: Tensor, k_cache: Tensor, v_cache: Tensor) -> Tensor:
        """Store *k* and *v* at the slots of this step, then attend from *q*.

        Shapes:
            q: [tokens, heads, head_dim]
            k, v: [tokens, key-value heads, head_dim], dtype of q
            k_cache, v_cache: [blocks, block size, key-value heads, head_dim], dtype of q; written
            returns: as q
        """
        flat_k, flat_v = k_cache.flatten(0, 1), v_cache.flatten(0, 1)
        rows = self.metadata.stored_rows
        for flat, new in ((flat_k, k), (flat_v, v)):
            flat.index_copy_(0, self.metadata.write_slots, new if rows is None else new[rows])
        outputs, end = [], 0
        for group in self.metadata.groups:
            start, end = end, end + group.num_tokens
            if group.slots is None:
                outputs.append(_attend_within(q[start:end], k[start:end], v[start:end]))
            else:
                outputs.append(_attend(q[start:end], flat_k, flat_v, group.slots, group.mask))
        return outputs[0] if len(outputs) == 1 else torch.cat(outputs)

    def _metadata(self, batch: Batch, *groups: ReadGroup) -> AttentionMetadata:
        firsts = self._tensor([chunk.stored_from for chunk in batch.chunks])
        ends = self._tensor([chunk.end for chunk in batch.chunks])
        counts = ends - firsts
        owners = torch.repeat_interleave(counts)
        # How far each stored token is behind the first one of its chunk that is stored.
        behind = torch.arange(len(owners), device=self.device) - (counts.cumsum(0) - counts)[owners]
        positions = firsts[owners] + behind
        blocks = self._block_tables(batch.chunks)[owners, positions // self.block_size]
        write_slots = blocks * self.block_size + positions % self.block_size
        if len(owners) == batch.num_tokens:
            return AttentionMetadata(write_slots, None, groups)
        row_ends = self._tensor([chunk.num_tokens for chunk in batch.chunks]).cumsum(0)
        return AttentionMetadata(write_slots, (row_ends - ends)[owners] + positions, groups)

    def _prefill_group(self, chunk: Chunk) -> ReadGroup:
        if chunk.start == 0:
            return ReadGroup(chunk.num_tokens)
        slots, _ = self._read_slots([chunk])
        queries = torch.arange(chunk.start, chunk.end, device=self.device)
        keys = torch.arange(chunk.end, device=self.device)
        # torch's own causal mask counts from the first key, which is wrong when a chunk has a past.
        mask = keys[None, :] <= queries[:, None]
        return ReadGroup(chunk.num_tokens, slots, mask[None, None])

    def _decode_group(self, chunks: Sequence[Chunk]) -> ReadGroup:
        slots, is_there = self._read_slots(chunks)
        return ReadGroup(len(chunks), slots, is_there[:, None, None])

    def _read_slots(self, chunks: Sequence[Chunk]) -> tuple[Tensor, Tensor]:
        """Return the slots of each chunk's context, and which of them are no padding.

        Shapes:
            returns: two of [chunks, longest context], int64 and bool
        """
        lengths = self._tensor([chunk.end for chunk in chunks])
        indices = torch.arange(int(lengths.max()), device=self.device)
        is_there = indices < lengths[:, None]
        indices = indices * is_there
        blocks = self._block_tables(chunks).gather(1, indices // self.block_size)
        return blocks * self.block_size + indices % self.block_size, is_there

    def _block_tables(self, chunks: Sequence[Chunk]) -> Tensor:
        """Return the block tables [chunks, most blocks], int64, filled up with zeros."""
        tables = [chunk.request.block_table for chunk in chunks]
        longest = max(map(len, tables))
        return self._tensor([table + [0] * (longest - len(table)) for table in tables])

    def _tensor(self, values: list[int] | list[list[int]]) -> Tensor:
        return torch.tensor(values, dtype=torch.int64, device=self.device)


def _attend_within(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Attend causally within one prompt: q [tokens, heads, head_dim], k and v with their fewer heads; as q."""
    q, k, v = (part.transpose(0, 1)[None] for part in (q, k, v))
    mixed = functional.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
    return mixed[0].transpose(0, 1)


def _attend(q: Tensor, flat_k: Tensor, flat_v: Tensor, slots: Tensor, mask: Tensor | None) -> Tensor:
    """Attend from the rows *q* [requests * queries, heads, head_dim] of one group; same shape.

    The flat cache is [slots, key-value heads, head_dim].
    """
    k, v = _gather(flat_k, slots), _gather(flat_v, slots)
    num_requests, num_kv_heads, _, head_dim = k.shape
    if len(q) > num_requests:  # one chunk of several tokens
        queries = q.transpose(0, 1)[None]
        mixed = functional.scaled_dot_product_attention(queries, k, v, mask, enable_gqa=True)
        return mixed[0].transpose(0, 1)
    # The heads that share keys stand as rows of one product: faster than torch's enable_gqa.
    queries = q.view(num_requests, num_kv_heads, -1, head_dim)
    return functional.scaled_dot_product_attention(queries, k, v, mask).reshape(q.shape)


def _gather(flat: Tensor, slots: Tensor) -> Tensor:
    """Read *slots* [requests, context] of [slots, heads, head_dim]: [requests, heads, context, head_dim]."""
    # One index_select of whole rows is about 1.5 times as fast as indexing with the matrix.
    return flat.index_select(0, slots.flatten()).view(*slots.shape, *flat.shape[1:]).transpose(1, 2)
