"""Writes a Llama of transformers as a GGUF file, as llama.cpp's converter would."""

from pathlib import Path
from typing import Any

import numpy as np
from gguf import GGUFWriter
from gguf.constants import GGMLQuantizationType, TokenType
from gguf.quants import quantize
from torch import Tensor

from tests.wiremap_llm import text_model
from tests.wiremap_llm.checkpoints import ReferenceModel

NAMES = {
    "input_layernorm": "attn_norm",
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "post_attention_layernorm": "ffn_norm",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
}
TOP_NAMES = {"model.embed_tokens": "token_embd", "model.norm": "output_norm", "lm_head": "output"}


def write_gguf(
    reference: ReferenceModel,
    path: Path,
    *,
    architecture: str = "llama",
    quantize_matrices: bool = False,
    **metadata: Any,
) -> Path:
    """Write *reference* to *path*; *metadata* replaces string values of the tokenizer."""
    config = reference.model.config
    writer = GGUFWriter(path, architecture)
    writer.add_block_count(config.num_hidden_layers)
    writer.add_context_length(config.max_position_embeddings)
    writer.add_embedding_length(config.hidden_size)
    writer.add_feed_forward_length(config.intermediate_size)
    writer.add_head_count(config.num_attention_heads)
    writer.add_head_count_kv(config.num_key_value_heads)
    writer.add_key_length(config.head_dim)
    writer.add_layer_norm_rms_eps(config.rms_norm_eps)
    writer.add_rope_freq_base(config.rope_parameters["rope_theta"])
    add_tokenizer(writer, config.vocab_size, **metadata)
    for name, tensor in reference.model.state_dict().items():
        add_tensor(writer, name, tensor, config, quantize_matrices=quantize_matrices)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def add_tokenizer(writer: GGUFWriter, vocab_size: int, *, model: str = "gpt2", pre: str = "smollm") -> None:
    tokens = text_model.vocabulary()
    unused = [f"<unused{i}>" for i in range(vocab_size - len(tokens))]
    writer.add_tokenizer_model(model)
    writer.add_tokenizer_pre(pre)
    writer.add_token_list([*tokens, *unused])
    kinds = [TokenType.CONTROL] * len(text_model.SPECIAL)
    writer.add_token_types([*kinds, *[TokenType.NORMAL] * (vocab_size - len(kinds))])
    writer.add_token_merges([" ".join(pair) for pair in text_model.MERGES])
    writer.add_bos_token_id(0)
    writer.add_eos_token_id(1)
    writer.add_chat_template(text_model.CHAT_TEMPLATE)


def add_tensor(writer: GGUFWriter, name: str, tensor: Tensor, config: Any, *, quantize_matrices: bool) -> None:
    stem = name.removesuffix(".weight")
    heads = {"q_proj": config.num_attention_heads, "k_proj": config.num_key_value_heads}
    values = tensor.float().numpy()
    if (kind := stem.rpartition(".")[2]) in heads:
        values = neighbouring_pairs(values, heads[kind])
    if stem in TOP_NAMES:
        stored = TOP_NAMES[stem]
    else:
        _, _, layer, inner = stem.split(".", 3)
        stored = f"blk.{layer}.{NAMES[inner]}"
    if quantize_matrices and values.ndim == 2:
        packed = quantize(values, GGMLQuantizationType.Q8_0)
        writer.add_tensor(f"{stored}.weight", packed, raw_dtype=GGMLQuantizationType.Q8_0)
    else:
        writer.add_tensor(f"{stored}.weight", np.ascontiguousarray(values))


def neighbouring_pairs(values: Any, num_heads: int) -> Any:
    """Move row i + half of every head next to its row i."""
    rows, columns = values.shape
    return values.reshape(num_heads, 2, rows // num_heads // 2, columns).swapaxes(1, 2).reshape(rows, columns)
