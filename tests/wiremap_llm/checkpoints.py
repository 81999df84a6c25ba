"""Small models with random weights, made by transformers: what the engine is compared with."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedModel, Qwen3Config, Qwen3ForCausalLM

# With the usual 0.02 greedy output repeats one token, and a position off by one changes nothing.
INITIALIZER_RANGE = 0.3

SHAPE: dict[str, Any] = {
    "vocab_size": 128,
    "hidden_size": 32,
    "intermediate_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 16,  # not hidden_size / heads
    "max_position_embeddings": 128,
    "rope_theta": 10_000.0,
    "initializer_range": INITIALIZER_RANGE,
    "bos_token_id": None,
    "eos_token_id": None,
    "pad_token_id": None,
}

# Lengths around the block sizes of the tests, one of them a single token.
PROMPTS: list[list[int]] = [[(7 * i + 3 * n) % 128 for i in range(n)] for n in (1, 4, 5, 11, 22)]
NUM_NEW_TOKENS = 16


@dataclass(frozen=True)
class ReferenceModel:
    """A checkpoint folder, and the transformers model that it was saved from."""

    folder: Path
    model: PreTrainedModel

    def greedy(self, prompt: Sequence[int], num_tokens: int) -> list[int]:
        """Return what transformers generates after *prompt*."""
        ids = torch.tensor([list(prompt)])
        generate: Any = self.model.generate  # transformers leaves it untyped
        out = generate(
            ids,
            attention_mask=torch.ones_like(ids),
            max_new_tokens=num_tokens,
            do_sample=False,
            pad_token_id=0,
        )
        tokens: list[int] = out[0, len(prompt) :].tolist()
        return tokens

    @torch.inference_mode()
    def logits(self, prompt: Sequence[int]) -> torch.Tensor:
        """Return the logits after each token of *prompt*: [tokens, vocab]."""
        out: torch.Tensor = self.model(torch.tensor([list(prompt)])).logits[0]
        return out


def qwen3(folder: Path, *, tied: bool, **overrides: Any) -> ReferenceModel:
    """Save a random Qwen3 into *folder*."""
    torch.manual_seed(1)
    config = Qwen3Config(**{**SHAPE, "tie_word_embeddings": tied, **overrides})
    return _saved(Qwen3ForCausalLM(config), folder)


def llama(folder: Path, *, tied: bool, **overrides: Any) -> ReferenceModel:
    """Save a random Llama into *folder*."""
    torch.manual_seed(2)
    config = LlamaConfig(**{**SHAPE, "tie_word_embeddings": tied, **overrides})
    return _saved(LlamaForCausalLM(config), folder)


def _saved(model: PreTrainedModel, folder: Path) -> ReferenceModel:
    model.train(mode=False)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if "norm" in name:  # all ones would hide a norm that is left out or misplaced
                parameter.uniform_(0.5, 1.5)
    model.save_pretrained(folder)
    return ReferenceModel(folder, model)
