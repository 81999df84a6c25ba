"""Runs the model: a batch plan to tensors, the forward pass, the next tokens."""

from collections.abc import Callable

import torch
from torch import Tensor, nn

from wiremap import RegistryOrchestrator, Requires
from wiremap_llm.batch import Batch, Chunk
from wiremap_llm.checkpoint.opening import open_checkpoint
from wiremap_llm.config import EngineConfig
from wiremap_llm.errors import NoModelError, NotFiniteError
from wiremap_llm.layers.attention import CachedAttention
from wiremap_llm.models.decoder import DecoderForCausalLM
from wiremap_llm.outputs import Outcome
from wiremap_llm.sampler import sample
from wiremap_llm.weights import load_weights

WireComponents = Callable[[RegistryOrchestrator, "ModelRunner", EngineConfig], DecoderForCausalLM]


class ModelRunner:
    """Owns the model and the KV cache.

    Construction wires: the model's parameters are on the meta device and hold nothing. Weights and
    cache come with `__post_wire__`, which finalizing calls and compiling does not.
    """

    prepare_metadata_for_attn_prefill: Requires[Callable[[Batch], None]]
    prepare_metadata_for_attn_decode: Requires[Callable[[Batch], None]]

    def __init__(self, config: EngineConfig, wire_components: WireComponents, device: str = "cpu") -> None:
        self.config = config
        self.device = device
        orch = RegistryOrchestrator()
        with torch.device("meta"):
            self.model = wire_components(orch, self, config)
        orch.finalize()

    def __post_wire__(self) -> None:
        """Load the weights and allocate the KV cache.

        Raises:
            NoModelError: The engine was made to be compiled only.
            WeightsMismatchError: The checkpoint does not hold exactly the model's weights.
        """
        if self.config.model is None:
            raise NoModelError
        dtype: torch.dtype = getattr(torch, self.config.dtype)
        self.model.to(dtype).to_empty(device=self.device)
        load_weights(self.model, open_checkpoint(self.config.model).weights())
        self.model.pack()
        self._allocate_kv_cache(dtype)

    @torch.inference_mode()
    def run(self, batch: Batch) -> list[Outcome]:
        """Compute one step; return for each chunk its request's next token, None, or what failed.

        None stands for a chunk that more of the prompt follows. Chunks don't disturb one another:
        only those fail whose own numbers are not finite.
        """
        if batch.is_prefill:
            self.prepare_metadata_for_attn_prefill(batch)
        else:
            self.prepare_metadata_for_attn_decode(batch)
        hidden = self.model(self._tensor(batch.token_ids), self._tensor(batch.positions))
        # The last row of a chunk attends to all that was stored for its request, so it shows any fault there.
        last = hidden[self._tensor(batch.last_rows)]
        outcomes: list[Outcome] = [
            None if is_finite else NotFiniteError() for is_finite in last.isfinite().all(dim=-1).tolist()
        ]
        sampled = [index for index in batch.sampled if outcomes[index] is None]
        if sampled:
            logits = self.model.compute_logits(last[self._tensor(sampled)])
            for index, outcome in zip(
                sampled, sample(logits, [batch.chunks[index].request for index in sampled]), strict=True
            ):
                outcomes[index] = outcome
        for chunk, outcome in zip(batch.chunks, outcomes, strict=True):
            if isinstance(outcome, NotFiniteError):
                self._erase(chunk)
        return outcomes

    def _erase(self, chunk: Chunk) -> None:
        """Write zeros where *chunk* was stored: a backend may read, and mask, slots that were written before."""
        stored = self._tensor(chunk.slots(chunk.stored_from, chunk.end, self.config.kvcache_block_size))
        self.kv_cache.flatten(2, 3)[:, :, stored] = 0

    def _allocate_kv_cache(self, dtype: torch.dtype) -> None:
        """Give each attention layer its views of one tensor [2, layers, blocks, block size, heads, size]."""
        layers = _attention_layers(self.model)
        hf = self.config.hf_config
        blocks = (self.config.num_kvcache_blocks, self.config.kvcache_block_size)
        shape = (2, len(layers), *blocks, hf.num_key_value_heads, hf.head_dim)
        # Zeros, not whatever memory holds: what is not a number there would spoil even masked sums.
        self.kv_cache = torch.zeros(shape, dtype=dtype, device=self.device)
        for layer, k_cache, v_cache in zip(layers, *self.kv_cache, strict=True):
            layer.k_cache, layer.v_cache = k_cache, v_cache

    def _tensor(self, values: list[int]) -> Tensor:
        return torch.tensor(values, dtype=torch.int64, device=self.device)


def _attention_layers(model: nn.Module) -> list[CachedAttention]:
    return [module for module in model.modules() if isinstance(module, CachedAttention)]
