"""Logits equal transformers', for every model and shape that the recipe runs."""

from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from tests.wiremap_llm import checkpoints
from tests.wiremap_llm.checkpoints import PROMPTS, ReferenceModel
from tests.wiremap_llm.fakes import request
from wiremap_llm.batch import Batch, Chunk
from wiremap_llm.model_runner import ModelRunner
from wiremap_llm.recipes.dense import combine


@pytest.mark.parametrize("kind", ["qwen3-tied", "qwen3-untied", "llama"])
def test_logits_equal_those_of_transformers(kind: str, references: dict[str, ReferenceModel]) -> None:
    reference = references[kind]

    found = logits(reference.folder, PROMPTS[-1])

    torch.testing.assert_close(found, reference.logits(PROMPTS[-1]), rtol=0, atol=1e-4)


@pytest.mark.parametrize(
    "shape",
    [
        {"num_key_value_heads": 1},
        {"num_key_value_heads": 4},
        {"head_dim": 8},
        {"rope_theta": 500.0},
        {"rms_norm_eps": 0.1},
    ],
    ids=str,
)
@pytest.mark.parametrize("make", [checkpoints.qwen3, checkpoints.llama])
def test_logits_equal_in_other_shapes(shape: dict[str, Any], make: Any, tmp_path: Path) -> None:
    reference = make(tmp_path, tied=True, **shape)

    found = logits(tmp_path, PROMPTS[-1])

    torch.testing.assert_close(found, reference.logits(PROMPTS[-1]), rtol=0, atol=1e-4)


def logits(folder: Path, prompt: list[int]) -> Tensor:
    """Return the engine's logits after every token of *prompt*, fed at once: [tokens, vocab]."""
    engine, _ = combine(model=folder, kvcache_block_size=4)
    return prompt_logits(engine.model_runner, prompt)


@torch.inference_mode()
def prompt_logits(runner: ModelRunner, prompt: list[int]) -> Tensor:
    fed = request(prompt)
    fed.block_table = list(range(3, 3 + len(prompt)))
    batch = Batch((Chunk(fed, 0, len(prompt)),))
    runner.prepare_metadata_for_attn_prefill(batch)
    hidden = runner.model(torch.tensor(batch.token_ids), torch.tensor(batch.positions))
    return runner.model.compute_logits(hidden)
