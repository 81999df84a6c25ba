"""The decoder that Llama and Qwen3 share. Parameter names are those of the Hugging Face layout.

Tokens of all requests stand flat along the first dimension; only attention tells them apart.
"""

from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn import functional

from wiremap_llm.config import ModelConfig
from wiremap_llm.layers.attention import CachedAttention
from wiremap_llm.layers.linear import Linear, MergedLinear, PackedWeight
from wiremap_llm.layers.rms_norm import RMSNorm
from wiremap_llm.layers.rotary import rotary_angles, rotary_frequencies, rotate


class DecoderForCausalLM(nn.Module):
    """Token ids to logits. *make_layer* builds the decoder layer of an index.

    With tied embeddings `lm_head` is None and the embedding serves as its weight.
    """

    packed_embedding: PackedWeight | None = None

    def __init__(self, config: ModelConfig, make_layer: Callable[[int], nn.Module]) -> None:
        super().__init__()
        self.model = Decoder(config, make_layer)
        self.lm_head = None if config.tie_word_embeddings else Linear(config.hidden_size, config.vocab_size)

    def forward(self, input_ids: Tensor, positions: Tensor) -> Tensor:
        """Run the layers over *input_ids* and *positions*, both [tokens], int64: [tokens, hidden]."""
        hidden: Tensor = self.model(input_ids, positions)
        return hidden

    def compute_logits(self, hidden: Tensor) -> Tensor:
        """Score the vocabulary for rows of hidden states [rows, hidden]: [rows, vocab]."""
        if self.lm_head is not None:
            logits: Tensor = self.lm_head(hidden)
            return logits
        if self.packed_embedding is not None:
            return self.packed_embedding.product(hidden)
        return functional.linear(hidden, self.model.embed_tokens.weight)

    def pack(self) -> None:
        """Bring loaded weights into the order that products read fastest.

        An embedding that is also the head is then kept twice.
        """
        for module in self.modules():
            if isinstance(module, Linear):
                module.pack()
        if self.lm_head is None and PackedWeight.fits(self.model.embed_tokens.weight):
            self.packed_embedding = PackedWeight(self.model.embed_tokens.weight)


class Decoder(nn.Module):
    """Embedding, layers and final norm."""

    def __init__(self, config: ModelConfig, make_layer: Callable[[int], nn.Module]) -> None:
        super().__init__()
        self.embed_tokens = nn.Embedding(config.vocab_size, config.hidden_size)
        self.layers = nn.ModuleList(make_layer(index) for index in range(config.num_hidden_layers))
        self.norm = RMSNorm(config.hidden_size, config.rms_norm_eps)
        self.rotary = rotary_frequencies(config.head_dim, config.rope_theta, config.rope_scaling)

    def forward(self, input_ids: Tensor, positions: Tensor) -> Tensor:
        """Return the normalised hidden states [tokens, hidden] of *input_ids* [tokens]."""
        hidden: Tensor = self.embed_tokens(input_ids)
        cos, sin = (part.to(hidden.dtype) for part in rotary_angles(positions, *self.rotary))
        for layer in self.layers:
            hidden = layer(hidden, cos, sin)
        normalised: Tensor = self.norm(hidden)
        return normalised


class DecoderLayer(nn.Module):
    """Attention and a feed-forward block, each behind a norm and added to its input."""

    def __init__(self, config: ModelConfig, self_attn: nn.Module, mlp: nn.Module) -> None:
        super().__init__()
        self.input_layernorm = RMSNorm(config.hidden_size, config.rms_norm_eps)
        self.self_attn = self_attn
        self.post_attention_layernorm = RMSNorm(config.hidden_size, config.rms_norm_eps)
        self.mlp = mlp

    def forward(self, hidden: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        """Return the hidden states [tokens, hidden] after this layer."""
        hidden = hidden + self.self_attn(self.input_layernorm(hidden), cos, sin)
        added: Tensor = hidden + self.mlp(self.post_attention_layernorm(hidden))
        return added


class SelfAttention(nn.Module):
    """Grouped-query attention with rotary positions; Qwen3 also normalises each query and key head.

    Source:
        Ainslie et al., "GQA: Training Generalized Multi-Query Transformer Models", 2023.
    """

    def __init__(self, config: ModelConfig, *, normalise_heads: bool) -> None:
        super().__init__()
        self.head_dim = config.head_dim
        q_size = config.num_attention_heads * config.head_dim
        kv_size = config.num_key_value_heads * config.head_dim
        self.qkv_proj = MergedLinear(config.hidden_size, {"q_proj": q_size, "k_proj": kv_size, "v_proj": kv_size})
        self.o_proj = Linear(q_size, config.hidden_size)
        self.q_norm, self.k_norm = (
            RMSNorm(config.head_dim, config.rms_norm_eps) if normalise_heads else nn.Identity() for _ in range(2)
        )
        self.attn = CachedAttention()

    def forward(self, hidden: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        """Mix *hidden* [tokens, hidden] over the earlier tokens of each request; same shape."""
        projected = self.qkv_proj.split(self.qkv_proj(hidden))
        q, k, v = (part.reshape(len(hidden), -1, self.head_dim) for part in projected)
        turned = rotate(torch.cat((self.q_norm(q), self.k_norm(k)), dim=1), cos, sin)
        q, k = turned[:, : q.shape[1]], turned[:, q.shape[1] :]
        mixed: Tensor = self.o_proj(self.attn(q, k, v).flatten(1))
        return mixed


class GatedMLP(nn.Module):
    """The feed-forward block: down(silu(gate(x)) * up(x)).

    Source:
        Shazeer, "GLU Variants Improve Transformer", 2020 (SwiGLU).
    """

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        size = config.intermediate_size
        self.gate_up_proj = MergedLinear(config.hidden_size, {"gate_proj": size, "up_proj": size})
        self.down_proj = Linear(size, config.hidden_size)

    def forward(self, hidden: Tensor) -> Tensor:
        """Transform each row of *hidden* [tokens, hidden] on its own; same shape."""
        gate, up = self.gate_up_proj.split(self.gate_up_proj(hidden))
        transformed: Tensor = self.down_proj(functional.silu(gate) * up)
        return transformed
