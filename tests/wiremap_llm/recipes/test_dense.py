"""The recipe wires what it says, and keeps choices of implementation to itself."""

import re
from collections import Counter

import pytest

from tests.wiremap_llm.fakes import model_config
from wiremap import Graph, compile_mode, subscribe
from wiremap_llm.errors import ImplementationKeywordError, UnknownKeywordError, UnsupportedModelError
from wiremap_llm.llm_engine import LLMEngine
from wiremap_llm.recipes import dense
from wiremap_llm.request import SamplingParams


def compiled() -> tuple[Graph, Graph]:
    """Return the local and the outer graph of the recipe."""
    graphs: list[Graph] = []
    stop = subscribe(graphs.append)
    try:
        with compile_mode():
            dense.combine(hf_config=dense.TINY)
    finally:
        stop()
    local, outer = graphs
    return local, outer


def edges(graph: Graph) -> Counter[tuple[str, str]]:
    """Return how many cells each provider gives each consumer, layers counted together."""
    return Counter((b.provider, re.sub(r"layers\.\d+", "layers.*", b.consumer)) for b in graph.bindings)


def test_the_outer_graph_is_that_of_the_essay() -> None:
    _, outer = compiled()

    assert edges(outer) == {
        ("BlockManager", "Scheduler"): 6,
        ("Scheduler", "LLMEngine"): 5,
        ("ModelRunner", "LLMEngine"): 1,
    }


def test_the_local_graph_leads_from_attention_to_the_runner_and_to_every_layer() -> None:
    local, _ = compiled()

    assert edges(local) == {
        ("PagedAttention", "ModelRunner"): 2,
        ("PagedAttention", "Qwen3ForCausalLM.model.layers.*.self_attn.attn"): dense.TINY.num_hidden_layers,
    }


def test_the_outer_components_can_be_told_apart_by_their_parameters() -> None:
    _, outer = compiled()

    digests = {c.id: c.parameters for c in outer.components}

    assert all(digests[name] for name in ("BlockManager", "Scheduler", "LLMEngine"))


def test_combine_gives_an_engine_and_the_class_of_its_parameters(qwen3_folder: str) -> None:
    engine, params = dense.combine(model=qwen3_folder)

    assert isinstance(engine, LLMEngine)
    assert params is SamplingParams
    assert (engine.scheduler.config, engine.model_runner.config) == (engine.config, engine.config)
    assert engine.block_mngr.num_blocks == engine.config.num_kvcache_blocks


@pytest.mark.parametrize(
    ("keyword", "constant"),
    [("device", "DEVICE"), ("attention_backend", "ATTENTION"), ("use_cuda_graph", "ATTENTION")],
)
def test_a_keyword_that_chooses_an_implementation_names_the_constant_instead(keyword: str, constant: str) -> None:
    with pytest.raises(
        ImplementationKeywordError,
        match=rf"'{keyword}' is the constant wiremap_llm\.recipes\.dense\.{constant}",
    ):
        dense.combine(model="nowhere", **{keyword: "x"})


def test_a_keyword_that_means_nothing_is_refused() -> None:
    with pytest.raises(UnknownKeywordError, match=r"Unknown keyword 'blocks'\. Known: .*num_kvcache_blocks"):
        dense.combine(model="nowhere", blocks=3)


def test_a_model_type_that_the_recipe_does_not_wire_is_refused() -> None:
    with pytest.raises(UnsupportedModelError, match=r"recipe wiremap_llm\.recipes\.dense cannot run .*'other'"):
        dense.combine(hf_config=model_config(model_type="other"))
