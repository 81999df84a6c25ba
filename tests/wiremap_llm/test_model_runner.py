"""Wiring is cheap, the heavy work waits for the hook, and a step returns what the scheduler expects."""

import pytest
import torch

from tests.wiremap_llm.fakes import engine_config, model_config, request
from wiremap import compile_mode
from wiremap_llm import model_runner
from wiremap_llm.batch import Batch, Chunk
from wiremap_llm.errors import NoModelError
from wiremap_llm.model_runner import ModelRunner
from wiremap_llm.recipes.dense import combine, wire_components


def test_a_wired_runner_holds_no_weights_and_no_cache() -> None:
    runner = ModelRunner(engine_config(), wire_components)

    assert all(parameter.is_meta for parameter in runner.model.parameters())
    assert not hasattr(runner, "kv_cache")


def test_a_huge_model_is_wired_without_its_memory() -> None:
    huge = model_config(hidden_size=65_536, intermediate_size=262_144, vocab_size=1_000_000, head_dim=16_384)

    runner = ModelRunner(engine_config(hf_config=huge), wire_components)

    assert sum(parameter.numel() for parameter in runner.model.parameters()) > 1e11


def test_finalizing_without_a_model_says_what_to_pass() -> None:
    with pytest.raises(NoModelError, match="pass model="):
        combine(hf_config=model_config())


def test_compiling_needs_no_model() -> None:
    with compile_mode():
        engine, _ = combine(hf_config=model_config())

    assert all(parameter.is_meta for parameter in engine.model_runner.model.parameters())


def test_weights_are_loaded_once_when_all_is_wired(qwen3_folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The runner stands in two graphs, its own and the engine's, and both finalize it."""
    loads: list[object] = []
    monkeypatch.setattr(model_runner, "load_weights", lambda model, _: loads.append(model))

    ModelRunner(engine_config(model=qwen3_folder), wire_components)
    assert loads == []

    engine, _ = combine(model=qwen3_folder)
    assert loads == [engine.model_runner.model]


def test_every_layer_sees_its_own_part_of_one_zeroed_cache(qwen3_folder: str) -> None:
    engine, _ = combine(model=qwen3_folder, num_kvcache_blocks=5, kvcache_block_size=4)
    runner = engine.model_runner

    caches = [m for m in runner.model.modules() if hasattr(m, "k_cache")]
    for number, layer in enumerate(caches):
        layer.k_cache[0, 0, 0, 0] = 1.0 + number  # type: ignore[operator] # nn.Module hides its type

    assert runner.kv_cache.shape == (2, 2, 5, 4, 2, 16)
    assert runner.kv_cache.sum() == 3.0
    assert runner.kv_cache[0, :, 0, 0, 0, 0].tolist() == [1.0, 2.0]


def test_a_step_without_a_finished_prompt_computes_no_token(qwen3_folder: str) -> None:
    engine, _ = combine(model=qwen3_folder, kvcache_block_size=4)
    halfway = request(8)
    halfway.block_table = [1, 2]

    assert engine.model_runner.run(Batch((Chunk(halfway, 0, 4),))) == [None]


def test_the_weights_have_the_dtype_that_was_asked_for(qwen3_folder: str) -> None:
    engine, _ = combine(model=qwen3_folder, dtype="bfloat16")
    runner = engine.model_runner

    assert {p.dtype for p in runner.model.parameters()} == {runner.kv_cache.dtype} == {torch.bfloat16}
