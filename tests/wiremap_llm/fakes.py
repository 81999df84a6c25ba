"""Stand-ins that need no torch: a model runner that hashes, and the loop around it."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any
from zlib import crc32

from wiremap_llm.batch import Batch, Chunk
from wiremap_llm.block_manager import BlockManager
from wiremap_llm.config import EngineConfig, ModelConfig
from wiremap_llm.outputs import Outcome, Sampled
from wiremap_llm.request import Request, SamplingParams, Status
from wiremap_llm.scheduler import Scheduler


def model_config(**overrides: Any) -> ModelConfig:
    """Return a small model's shape."""
    shape: dict[str, Any] = {
        "model_type": "qwen3",
        "vocab_size": 128,
        "hidden_size": 32,
        "intermediate_size": 64,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "head_dim": 16,
        "max_position_embeddings": 4096,
    }
    return ModelConfig(**{**shape, **overrides})


def engine_config(**overrides: Any) -> EngineConfig:
    """Return a configuration with blocks of four tokens."""
    resources: dict[str, Any] = {
        "hf_config": model_config(),
        "num_kvcache_blocks": 64,
        "kvcache_block_size": 4,
    }
    return EngineConfig(**{**resources, **overrides})


def request(
    prompt: Sequence[int] | int, request_id: int = 0, *, eos_token_ids: Sequence[int] = (), **params: Any
) -> Request:
    """Return a greedy request; a number stands for a prompt of that many tokens."""
    token_ids = list(range(prompt)) if isinstance(prompt, int) else prompt
    params = {"temperature": 0.0, "max_tokens": 4, "ignore_eos": True, **params}
    return Request(request_id, token_ids, SamplingParams(**params), seed=0, eos_token_ids=eos_token_ids)


VOCAB_SIZE = 100  # as many as the tokenizer of the tests knows


class HashingRunner:
    """Its keys and values are the token ids themselves, and the next token is a hash of all it reads.

    So a token written to the wrong slot, lost, or read from another request's block changes the output.
    """

    def __init__(self, block_size: int) -> None:
        self.block_size = block_size
        self.cache: dict[int, int] = {}

    def run(self, batch: Batch) -> list[Outcome]:
        """Write all chunks, then read every sampled request's past."""
        for chunk in batch.chunks:
            slots = chunk.slots(chunk.stored_from, chunk.end, self.block_size)
            tokens = chunk.request.token_ids[chunk.stored_from : chunk.end]
            self.cache.update(zip(slots, tokens, strict=True))
        return [self._next(chunk) if i in batch.sampled else None for i, chunk in enumerate(batch.chunks)]

    def _next(self, chunk: Chunk) -> Outcome:
        read = [self.cache[slot] for slot in chunk.slots(0, chunk.end, self.block_size)]
        return Sampled(crc32(repr((read, chunk.request.sample)).encode()) % VOCAB_SIZE)


class Loop:
    """Block manager, scheduler and hashing runner, wired by hand."""

    def __init__(self, config: EngineConfig) -> None:
        self.config = config
        self.blocks = BlockManager(
            config.num_kvcache_blocks, config.kvcache_block_size, prefix_caching=config.prefix_caching
        )
        self.scheduler = Scheduler(config)
        for cell in ("can_allocate", "allocate", "can_append", "may_append", "mark_cached", "deallocate"):
            setattr(self.scheduler, cell, getattr(self.blocks, cell))
        self.runner = HashingRunner(config.kvcache_block_size)

    def step(self) -> Batch:
        """Compute one step and return its plan."""
        batch = self.scheduler.schedule()
        self.scheduler.postprocess(batch, self.runner.run(batch))
        return batch

    def steps(self, most: int = 10_000) -> Iterator[Batch]:
        """Step until all requests are finished."""
        for _ in range(most):
            if self.scheduler.is_finished():
                return
            yield self.step()
        raise AssertionError(f"not finished after {most} steps")


def assert_blocks_are_accounted_for(blocks: BlockManager, requests: Sequence[Request]) -> None:
    """Every block is free or in one table, running requests cover their cached tokens, others hold none."""
    held = [block for each in requests for block in each.block_table]
    assert sorted([*set(held), *blocks._free]) == list(range(blocks.num_blocks))
    assert Counter(held) == Counter({block: count for block, count in enumerate(blocks._ref_counts) if count})
    for each in requests:
        if each.status is not Status.RUNNING:
            assert not each.block_table
        assert each.num_cached <= len(each.block_table) * blocks.block_size
