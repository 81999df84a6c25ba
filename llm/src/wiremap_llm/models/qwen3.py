"""Qwen3, dense: the shared decoder with a norm on every query and key head.

Source:
    Qwen team, "Qwen3 Technical Report", 2025; parameter names of transformers' Qwen3ForCausalLM.
"""

from wiremap_llm.config import ModelConfig
from wiremap_llm.models.decoder import DecoderForCausalLM, DecoderLayer, GatedMLP, SelfAttention


class Qwen3ForCausalLM(DecoderForCausalLM):
    """Dense Qwen3 with a language model head."""

    def __init__(self, config: ModelConfig) -> None:
        def make_layer(_: int) -> DecoderLayer:
            return DecoderLayer(config, SelfAttention(config, normalise_heads=True), GatedMLP(config))

        super().__init__(config, make_layer)
