"""Llama and what has its shape, SmolLM2 among them: the shared decoder as it is.

Source:
    Touvron et al., "LLaMA: Open and Efficient Foundation Language Models", 2023; parameter names of
    transformers' LlamaForCausalLM.
"""

from wiremap_llm.config import ModelConfig
from wiremap_llm.models.decoder import DecoderForCausalLM, DecoderLayer, GatedMLP, SelfAttention


class LlamaForCausalLM(DecoderForCausalLM):
    """Llama with a language model head."""

    def __init__(self, config: ModelConfig) -> None:
        def make_layer(_: int) -> DecoderLayer:
            return DecoderLayer(config, SelfAttention(config, normalise_heads=False), GatedMLP(config))

        super().__init__(config, make_layer)
