"""Configurations are checked as a whole, and config.json is read in both spellings."""

from typing import Any

import pytest

from tests.wiremap_llm.fakes import engine_config, model_config
from wiremap_llm.config import ModelConfig
from wiremap_llm.errors import InvalidConfigError, UnsupportedModelError

JSON: dict[str, Any] = {
    "model_type": "qwen3",
    "vocab_size": 128,
    "hidden_size": 32,
    "intermediate_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "max_position_embeddings": 128,
}


def read(**fields: Any) -> ModelConfig:
    return ModelConfig.from_json({**JSON, **fields}, "config.json")


@pytest.mark.parametrize(
    "spelling",
    [
        {"rope_theta": 5e5},
        {"rope_theta": 5e5, "rope_scaling": None},
        {"rope_parameters": {"rope_theta": 5e5, "rope_type": "default"}},
    ],
)
def test_the_rotary_base_is_read_as_transformers_4_and_5_write_it(spelling: dict[str, Any]) -> None:
    assert read(**spelling).rope_theta == 5e5


def test_absent_fields_take_the_values_that_they_stand_for() -> None:
    config = read()

    assert (config.num_key_value_heads, config.head_dim) == (4, 8)
    assert config.eos_token_ids == ()
    assert not config.tie_word_embeddings


@pytest.mark.parametrize(("stored", "expected"), [(None, ()), (7, (7,)), ([7, 9], (7, 9))])
def test_end_of_sequence_may_be_none_one_or_several(stored: Any, expected: tuple[int, ...]) -> None:
    assert read(eos_token_id=stored).eos_token_ids == expected


@pytest.mark.parametrize(
    "field",
    [
        {"hidden_act": "gelu"},
        {"attention_bias": True},
        {"mlp_bias": True},
        {"use_sliding_window": True},
        {"layer_types": ["full_attention", "sliding_attention"]},
        {"partial_rotary_factor": 0.5},
        {"rope_scaling": {"rope_type": "longrope", "factor": 2.0}},
        {"rope_scaling": {"type": "su"}},
        {
            "rope_parameters": {
                "rope_type": "yarn",
                "factor": 2.0,
                "original_max_position_embeddings": 32,
                "mscale": 1.0,
            }
        },
    ],
)
def test_a_field_that_would_change_the_computation_is_refused(field: dict[str, Any]) -> None:
    with pytest.raises(InvalidConfigError, match=r"(is|are|not) implemented"):
        read(**field)


@pytest.mark.parametrize(
    ("field", "absent"),
    [
        ({"rope_scaling": {"type": "linear"}}, "factor of the rope_type 'linear' is None"),
        (
            {"rope_scaling": {"rope_type": "yarn", "factor": 2}},
            "original_max_position_embeddings of the rope_type 'yarn'",
        ),
        ({"rope_parameters": {"rope_type": "llama3", "factor": -1}}, "factor of the rope_type 'llama3' is -1"),
    ],
)
def test_rope_scaling_without_its_numbers_is_refused(field: dict[str, Any], absent: str) -> None:
    with pytest.raises(InvalidConfigError, match=absent):
        read(**field)


def test_an_unknown_model_type_is_refused_before_anything_else() -> None:
    with pytest.raises(UnsupportedModelError, match=r"config.json.*'gpt2'.*use one of 'llama', 'qwen3'"):
        ModelConfig.from_json({"model_type": "gpt2"}, "config.json")


def test_all_missing_fields_are_told_at_once() -> None:
    with pytest.raises(InvalidConfigError) as refused:
        ModelConfig.from_json({"model_type": "llama"}, "config.json")

    assert len(refused.value.faults) == 6


def test_heads_must_share_keys_and_values_evenly() -> None:
    with pytest.raises(InvalidConfigError, match=r"num_attention_heads \(4\) is no multiple"):
        model_config(num_key_value_heads=3)


def test_rotary_embedding_needs_an_even_head() -> None:
    with pytest.raises(InvalidConfigError, match=r"head_dim \(15\) is odd"):
        model_config(head_dim=15)


def test_all_faults_of_the_engine_are_told_at_once() -> None:
    with pytest.raises(InvalidConfigError) as refused:
        engine_config(num_kvcache_blocks=0, dtype="int8", max_num_seqs=True, max_model_len=5000, seed=None)

    assert len(refused.value.faults) == 5


def test_a_step_must_be_able_to_feed_every_running_request() -> None:
    with pytest.raises(InvalidConfigError, match=r"max_num_batched_tokens \(4\) is below max_num_seqs \(8\)"):
        engine_config(max_num_batched_tokens=4, max_num_seqs=8)


@pytest.mark.parametrize(("stated", "expected"), [(None, 4096), (100, 100)])
def test_a_request_may_grow_as_far_as_the_model_goes_or_as_stated(stated: int | None, expected: int) -> None:
    assert engine_config(max_model_len=stated).sequence_limit == expected


def test_where_a_checkpoint_lies_makes_no_other_configuration() -> None:
    assert engine_config(model="here") == engine_config(model="there")
