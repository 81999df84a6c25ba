"""Exactly the weights of the model are taken, and every fault is named."""

from collections.abc import Iterator

import pytest
import torch
from torch import Tensor

from tests.wiremap_llm.fakes import model_config
from wiremap_llm.errors import NotFiniteWeightsError, WeightsMismatchError
from wiremap_llm.models.qwen3 import Qwen3ForCausalLM
from wiremap_llm.weights import load_weights

PREFIX = "model.layers.0"


def stored() -> dict[str, Tensor]:
    """Return a checkpoint of the model, each tensor filled with a number of its own."""
    sizes = {
        "model.embed_tokens.weight": (128, 32),
        "model.norm.weight": (32,),
        f"{PREFIX}.input_layernorm.weight": (32,),
        f"{PREFIX}.post_attention_layernorm.weight": (32,),
        f"{PREFIX}.self_attn.q_proj.weight": (64, 32),
        f"{PREFIX}.self_attn.k_proj.weight": (32, 32),
        f"{PREFIX}.self_attn.v_proj.weight": (32, 32),
        f"{PREFIX}.self_attn.o_proj.weight": (32, 64),
        f"{PREFIX}.self_attn.q_norm.weight": (16,),
        f"{PREFIX}.self_attn.k_norm.weight": (16,),
        f"{PREFIX}.mlp.gate_proj.weight": (64, 32),
        f"{PREFIX}.mlp.up_proj.weight": (64, 32),
        f"{PREFIX}.mlp.down_proj.weight": (32, 64),
    }
    return {name: torch.full(size, float(i)) for i, (name, size) in enumerate(sizes.items())}


def model() -> Qwen3ForCausalLM:
    return Qwen3ForCausalLM(model_config(num_hidden_layers=1, tie_word_embeddings=True))


def test_parts_of_a_merged_weight_stand_in_their_order() -> None:
    loaded = model()
    load_weights(loaded, stored().items())

    qkv = loaded.model.layers[0].get_submodule("self_attn.qkv_proj").get_parameter("weight")

    assert [row[0].item() for row in qkv[[0, 63, 64, 95, 96, 127]]] == [4, 4, 5, 5, 6, 6]


def test_all_faults_are_named_at_once() -> None:
    tensors = stored()
    del tensors["model.norm.weight"], tensors[f"{PREFIX}.self_attn.k_proj.weight"]
    tensors["model.layers.1.mlp.up_proj.weight"] = torch.zeros(1)
    tensors[f"{PREFIX}.mlp.up_proj.weight"] = torch.zeros(64, 31)

    with pytest.raises(WeightsMismatchError) as refused:
        load_weights(model(), tensors.items())

    assert refused.value.missing == ["model.layers.0.self_attn.k_proj.weight", "model.norm.weight"]
    assert refused.value.unexpected == ["model.layers.1.mlp.up_proj.weight"]
    assert refused.value.misshapen == ["model.layers.0.mlp.up_proj.weight is [64, 31], not [64, 32]"]
    assert "missing: model.layers.0.self_attn.k_proj.weight, model.norm.weight; unexpected:" in str(refused.value)


def test_a_shape_that_would_broadcast_is_refused() -> None:
    tensors = stored()
    tensors["model.norm.weight"] = torch.ones(1)

    with pytest.raises(WeightsMismatchError, match=r"model\.norm\.weight is \[1\], not \[32\]"):
        load_weights(model(), tensors.items())


def test_a_stored_copy_of_a_tied_head_and_rotary_frequencies_are_no_weights() -> None:
    tensors = stored()
    tensors["lm_head.weight"] = torch.full((128, 32), 99.0)
    tensors[f"{PREFIX}.self_attn.rotary_emb.inv_freq"] = torch.ones(8)
    loaded = model()

    load_weights(loaded, tensors.items())

    assert not any((parameter == 99).any() for parameter in parameters(loaded))


@pytest.mark.parametrize("value", [torch.nan, torch.inf])
def test_weights_that_are_no_numbers_are_named(value: float) -> None:
    tensors = stored()
    tensors["model.norm.weight"][3] = value

    with pytest.raises(NotFiniteWeightsError, match=r"NaN or infinity in model\.norm\.weight:"):
        load_weights(model(), tensors.items())


def test_an_untied_head_is_a_weight() -> None:
    untied = Qwen3ForCausalLM(model_config(num_hidden_layers=1))

    with pytest.raises(WeightsMismatchError, match=r"missing: lm_head\.weight\)"):
        load_weights(untied, stored().items())


def parameters(loaded: Qwen3ForCausalLM) -> Iterator[Tensor]:
    return iter(loaded.parameters())
