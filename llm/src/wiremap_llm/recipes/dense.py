"""The dense engine: paged attention in plain torch, one process, one device.

Outer graph: BlockManager → Scheduler → LLMEngine, and ModelRunner → LLMEngine. Local graph, inside
ModelRunner: PagedAttention → ModelRunner and every attention layer of a Qwen3 or Llama model.

The two CUDA-graph cells of an attention backend are left out: plain torch on CPU has no graph to
capture, and a cell that does nothing would claim that it had.
"""

from collections.abc import Callable, Mapping
from typing import Any

from wiremap import RegistryOrchestrator, recipe
from wiremap_llm.attention.paged import PagedAttention
from wiremap_llm.block_manager import BlockManager
from wiremap_llm.config import EngineConfig, ModelConfig
from wiremap_llm.errors import ImplementationKeywordError, UnsupportedModelError
from wiremap_llm.llm_engine import LLMEngine
from wiremap_llm.model_runner import ModelRunner
from wiremap_llm.models.decoder import DecoderForCausalLM
from wiremap_llm.models.llama import LlamaForCausalLM
from wiremap_llm.models.qwen3 import Qwen3ForCausalLM
from wiremap_llm.request import SamplingParams
from wiremap_llm.scheduler import Scheduler

DEVICE = "cpu"
ATTENTION = PagedAttention
MODELS: Mapping[str, Callable[[ModelConfig], DecoderForCausalLM]] = {
    "llama": LlamaForCausalLM,
    "qwen3": Qwen3ForCausalLM,
}

# Keywords that other engines take for what is a choice of implementation here.
_IMPLEMENTATION_KEYWORDS = {
    "device": "DEVICE",
    "attention": "ATTENTION",
    "attention_backend": "ATTENTION",
    "attn_implementation": "ATTENTION",
    "use_cuda_graph": "ATTENTION",
    "enforce_eager": "ATTENTION",
    "model_class": "MODELS",
}

# A model small enough to read its graph, for compiling the recipe without any checkpoint.
TINY = ModelConfig(
    model_type="qwen3",
    vocab_size=64,
    hidden_size=32,
    intermediate_size=64,
    num_hidden_layers=2,
    num_attention_heads=4,
    num_key_value_heads=2,
    head_dim=16,
    max_position_embeddings=128,
)


@recipe
def wire_components(orch: RegistryOrchestrator, runner: ModelRunner, config: EngineConfig) -> DecoderForCausalLM:
    """Wire the inside of *runner* and return its model."""
    attention = orch.add(ATTENTION(config, DEVICE))
    model = orch.add(model_class(config.hf_config)(config.hf_config))

    orch.register(attention, "prepare_metadata_for_attn_decode", runner)
    orch.register(attention, "prepare_metadata_for_attn_prefill", runner)

    for module in model.modules():
        if hasattr(module, "k_cache") and hasattr(module, "v_cache"):
            orch.register(attention, "attn", module)
    return model


@recipe(compile_kwargs={"hf_config": TINY})
def combine(**kwargs: Any) -> tuple[LLMEngine, type[SamplingParams]]:
    """Build an engine for `model`; further keywords are the other fields of `EngineConfig`.

    Raises:
        ImplementationKeywordError: A keyword would choose an implementation.
        UnknownKeywordError: A keyword means nothing here.
        NoModelError, CheckpointError, UnsupportedModelError, WeightsMismatchError: The model cannot be run.
        InvalidConfigError: Values do not fit one another or the model.
    """
    reject_implementation_kwargs(kwargs)
    orch = RegistryOrchestrator()

    engine = orch.add(LLMEngine(**kwargs))
    config = engine.config
    model_runner = orch.add(ModelRunner(config, wire_components=wire_components, device=DEVICE))
    block_manager = orch.add(
        BlockManager(config.num_kvcache_blocks, config.kvcache_block_size, prefix_caching=config.prefix_caching)
    )
    scheduler = orch.add(Scheduler(config))

    engine.model_runner = model_runner
    engine.block_mngr = block_manager
    engine.scheduler = scheduler

    for name in ("can_allocate", "allocate", "can_append", "may_append", "mark_cached", "deallocate"):
        orch.register(block_manager, name, scheduler)
    for name in ("add", "schedule", "postprocess", "finish", "is_finished"):
        orch.register(scheduler, name, engine)
    orch.register(model_runner, "run", engine)
    orch.finalize()

    return engine, SamplingParams


def model_class(hf_config: ModelConfig) -> Callable[[ModelConfig], DecoderForCausalLM]:
    """Return the class that runs *hf_config*."""
    if hf_config.model_type not in MODELS:
        raise UnsupportedModelError(hf_config.model_type, MODELS, f"The recipe {__name__}")
    return MODELS[hf_config.model_type]


def reject_implementation_kwargs(kwargs: Mapping[str, Any]) -> None:
    """Raise for keywords that would choose what this recipe's constants choose."""
    choices = {
        name: f"{__name__}.{_IMPLEMENTATION_KEYWORDS[name]}" for name in kwargs if name in _IMPLEMENTATION_KEYWORDS
    }
    if choices:
        raise ImplementationKeywordError(choices, __name__)
