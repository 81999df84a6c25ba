"""A Llama model in one GGUF file: configuration, byte-level BPE tokenizer and weights.

GGUF has names of its own, and stores the rows of query and key projections in another order.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
from tokenizers import AddedToken, Regex, decoders, models, pre_tokenizers, processors
from tokenizers import Tokenizer as Backend
from torch import Tensor

from wiremap_llm.checkpoint.gguf_file import GgufFile
from wiremap_llm.config import ModelConfig
from wiremap_llm.errors import CheckpointError, UnsupportedModelError
from wiremap_llm.tokenizer import Tokenizer

_ARCHITECTURES = ("llama",)
_CONTROL_TOKEN = 3  # of tokenizer.ggml.token_type

# The tokens that chat templates may name; "seperator" is spelled so in the format.
_MARKS = {"bos": "bos", "eos": "eos", "unk": "unknown", "pad": "padding", "sep": "seperator", "mask": "mask"}

_NAMES = {
    "token_embd": "model.embed_tokens",
    "output_norm": "model.norm",
    "output": "lm_head",
    "attn_norm": "input_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_norm": "post_attention_layernorm",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}

_CONFIG_FIELDS = {
    "hidden_size": "embedding_length",
    "intermediate_size": "feed_forward_length",
    "num_hidden_layers": "block_count",
    "num_attention_heads": "attention.head_count",
    "num_key_value_heads": "attention.head_count_kv",
    "head_dim": "attention.key_length",
    "max_position_embeddings": "context_length",
    "rms_norm_eps": "attention.layer_norm_rms_epsilon",
    "rope_theta": "rope.freq_base",
    "rope_type": "rope.scaling.type",
}


class GgufCheckpoint:
    """Reads one file. Opening reads its header; weights stay on disk until asked for."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.file = GgufFile(path)
        architecture = self.file.metadata.get("general.architecture", "")
        if architecture not in _ARCHITECTURES:
            raise UnsupportedModelError(architecture, _ARCHITECTURES, f"The GGUF reader ({path})")
        self.architecture = architecture

    def model_config(self) -> ModelConfig:
        """Return the shape of the model."""
        metadata = self.file.metadata
        stored = {field: metadata.get(f"{self.architecture}.{key}") for field, key in _CONFIG_FIELDS.items()}
        json: dict[str, Any] = {field: value for field, value in stored.items() if value is not None}
        json["model_type"] = self.architecture
        json["vocab_size"] = len(metadata.get("tokenizer.ggml.tokens", ()))
        json["tie_word_embeddings"] = "output.weight" not in self.file.tensors
        ends = [metadata.get(f"tokenizer.ggml.{name}_token_id") for name in ("eos", "eot", "eom")]
        json["eos_token_id"] = [token for token in ends if token is not None]
        return ModelConfig.from_json(json, str(self.path))

    def tokenizer(self) -> Tokenizer:
        """Return the tokenizer that the file describes."""
        metadata = self.file.metadata
        if metadata.get("tokenizer.ggml.model") != "gpt2" or "tokenizer.ggml.merges" not in metadata:
            raise CheckpointError(str(self.path), "only byte-level BPE tokenizers ('gpt2', with merges) can be read")
        tokens, merges = metadata["tokenizer.ggml.tokens"], metadata["tokenizer.ggml.merges"]
        vocabulary = {token: index for index, token in enumerate(tokens)}
        backend = Backend(models.BPE(vocabulary, [_pair(merge) for merge in merges]))
        backend.pre_tokenizer = self._pre_tokenizer(metadata.get("tokenizer.ggml.pre", "default"))
        backend.decoder = decoders.ByteLevel()
        kinds = metadata.get("tokenizer.ggml.token_type", [])
        control = [token for token, kind in zip(tokens, kinds, strict=False) if kind == _CONTROL_TOKEN]
        backend.add_special_tokens([AddedToken(token, special=True, normalized=False) for token in control])
        special_tokens = {f"{name}_token": tokens[index] for name, index in self._marks().items()}
        if metadata.get("tokenizer.ggml.add_bos_token", False):
            bos = special_tokens["bos_token"]
            backend.post_processor = processors.TemplateProcessing(
                single=f"{bos} $A", special_tokens=[(bos, vocabulary[bos])]
            )
        return Tokenizer(backend, metadata.get("tokenizer.chat_template"), special_tokens)

    def weights(self) -> Iterator[tuple[str, Tensor]]:
        """Yield every tensor in float32 under its Hugging Face name."""
        config = self.model_config()
        heads = {"attn_q": config.num_attention_heads, "attn_k": config.num_key_value_heads}
        for stored_name in self.file.tensors:
            name, kind = _hugging_face_name(stored_name)
            values = np.require(self.file.read(stored_name), requirements="W")
            tensor = torch.from_numpy(values)
            yield name, _pair_halves(tensor, heads[kind]) if kind in heads else tensor

    def _marks(self) -> dict[str, int]:
        found = {name: self.file.metadata.get(f"tokenizer.ggml.{key}_token_id") for name, key in _MARKS.items()}
        return {name: index for name, index in found.items() if index is not None}

    def _pre_tokenizer(self, name: str) -> pre_tokenizers.PreTokenizer:
        byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False)
        if name in ("default", "gpt-2"):
            return byte_level
        if name == "smollm":  # every digit stands alone
            digits = pre_tokenizers.Split(Regex(r"\p{N}"), "isolated")
            return pre_tokenizers.Sequence([digits, byte_level])
        raise CheckpointError(str(self.path), f"the pre-tokenizer {name!r} is not implemented")


def _pair(merge: str) -> tuple[str, str]:
    left, _, right = merge.partition(" ")
    return left, right


def _hugging_face_name(stored: str) -> tuple[str, str]:
    """Return the Hugging Face name of a GGUF tensor, and which kind of tensor it is."""
    match = re.fullmatch(r"(?:blk\.(\d+)\.)?(\w+)\.weight", stored)
    if match is None or match[2] not in _NAMES:
        return stored, ""  # loading refuses the name as unexpected
    prefix = "" if match[1] is None else f"model.layers.{match[1]}."
    return f"{prefix}{_NAMES[match[2]]}.weight", match[2]


def _pair_halves(weight: Tensor, num_heads: int) -> Tensor:
    """Reorder rows [heads * head_dim, in] so that rotary pairs are (i, i + head_dim / 2) of a head.

    GGUF's llama stores the pairs as neighbours, (2 i, 2 i + 1).
    """
    return weight.view(num_heads, -1, 2, weight.shape[1]).transpose(1, 2).reshape(weight.shape)
