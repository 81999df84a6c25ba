"""A model of 30 billion parameters compiles to its graph without any storage."""

from collections import Counter

import pytest

from tests.wiremap_llm import large_moe
from wiremap import Graph, compile_mode
from wiremap.use_cases.graph_source import compile_source


@pytest.fixture(scope="module")
def graph() -> Graph:
    return compile_source(large_moe.__name__)


def test_no_parameter_has_storage_and_none_is_missing() -> None:
    with compile_mode():
        model = large_moe.combine(large_moe.QWEN3_30B_A3B).model_runner.model

    assert sum(parameter.numel() for parameter in model.parameters()) == large_moe.NUM_PARAMETERS
    assert all(parameter.is_meta for parameter in model.parameters())


def test_every_layer_gets_its_cells(graph: Graph) -> None:
    local = graph.nested["ModelRunner"]

    cells = Counter((binding.provider, binding.consumer.rsplit(".", 1)[-1]) for binding in local.bindings)

    assert graph.ids == ("Engine", "ModelRunner")
    assert cells == {
        ("Attention", "ModelRunner"): 2,
        ("Attention", "attn"): 48,
        ("MoeBackend", "ModelRunner"): 1,
        ("MoeBackend", "dispatch"): 48 * 7,
        ("MoeBackend", "experts"): 48,
        ("MoeBackend", "combine"): 48 * 2,
    }


def test_layers_are_contained_in_the_model_under_their_places(graph: Graph) -> None:
    local = graph.nested["ModelRunner"]

    assert "MoeForCausalLM.layers.47.mlp.experts" in local
    assert Counter(pair.parent for pair in local.containment) == {"MoeForCausalLM": 4 * 48, "ModelRunner": 1}
