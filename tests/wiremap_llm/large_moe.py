"""A recipe for a mixture of experts with 30 billion parameters, to be compiled where it could never run.

Sizes are those of the published configuration of Qwen3-30B-A3B. The modules have all parameters of such a
model and compute nothing; cells are handed over as an engine does it that exchanges tokens between experts.
"""

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from wiremap import RegistryOrchestrator, recipe


@dataclass(frozen=True)
class MoeConfig:
    """The sizes of the model."""

    vocab_size: int = 151_936
    hidden_size: int = 2048
    num_hidden_layers: int = 48
    num_attention_heads: int = 32
    num_key_value_heads: int = 4
    head_dim: int = 128
    num_experts: int = 128
    num_experts_per_tok: int = 8
    moe_intermediate_size: int = 768


QWEN3_30B_A3B = MoeConfig()
NUM_PARAMETERS = 30_532_122_624
BUFFERS = (
    "send_buf",
    "recv_buf",
    "original_indices",
    "local_counts",
    "topk_weights_buf",
    "topk_ids_buf",
    "hidden_recv",
)
REVERSE_BUFFERS = ("rev_send", "rev_recv")
PREPARATIONS = ("prepare_metadata_for_attn_prefill", "prepare_metadata_for_attn_decode")


class Attention:
    """Attends for every layer."""

    def attn(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor: ...  # type: ignore[empty-body] # never runs

    def prepare_metadata_for_attn_prefill(self) -> None: ...

    def prepare_metadata_for_attn_decode(self) -> None: ...


class MoeBackend:
    """Owns the buffers by which tokens reach their experts, and runs the experts."""

    send_buf: Tensor
    recv_buf: Tensor
    original_indices: Tensor
    local_counts: Tensor
    topk_weights_buf: Tensor
    topk_ids_buf: Tensor
    hidden_recv: Tensor
    rev_send: Tensor
    rev_recv: Tensor

    def __post_wire__(self) -> None:
        raise AssertionError("buffers were allocated in compile mode")

    def run_experts_ll(self, hidden: Tensor) -> Tensor: ...  # type: ignore[empty-body] # never runs

    def prepare_metadata_for_moe(self) -> None: ...


class RmsNorm(nn.Module):
    """A weight per channel."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(size))


class CachedAttention(nn.Module):
    """Where the cell ``attn`` goes."""

    attn: Any

    def __init__(self) -> None:
        super().__init__()
        self.k_cache = self.v_cache = torch.tensor([])

    def forward(self, q: Tensor, k: Tensor, v: Tensor) -> Any:
        return self.attn(q, k, v)


class SelfAttention(nn.Module):
    """Projections around the attention."""

    def __init__(self, config: MoeConfig) -> None:
        super().__init__()
        queries = config.num_attention_heads * config.head_dim
        keys = config.num_key_value_heads * config.head_dim
        self.q_proj = nn.Linear(config.hidden_size, queries, bias=False)
        self.k_proj = nn.Linear(config.hidden_size, keys, bias=False)
        self.v_proj = nn.Linear(config.hidden_size, keys, bias=False)
        self.o_proj = nn.Linear(queries, config.hidden_size, bias=False)
        self.q_norm = RmsNorm(config.head_dim)
        self.k_norm = RmsNorm(config.head_dim)
        self.attn = CachedAttention()


class Expert(nn.Module):
    """One gated feed-forward network."""

    def __init__(self, config: MoeConfig) -> None:
        super().__init__()
        self.gate_proj = nn.Linear(config.hidden_size, config.moe_intermediate_size, bias=False)
        self.up_proj = nn.Linear(config.hidden_size, config.moe_intermediate_size, bias=False)
        self.down_proj = nn.Linear(config.moe_intermediate_size, config.hidden_size, bias=False)


class Dispatch(nn.Module):
    """Sends tokens to their experts."""

    def forward(self) -> list[Tensor]:
        return [getattr(self, name) for name in BUFFERS]


class Experts(nn.ModuleList):
    """All experts of a layer."""

    run_experts_ll: Any

    def forward(self, hidden: Tensor) -> Any:
        return self.run_experts_ll(hidden)


class Combine(nn.Module):
    """Brings tokens back."""

    def forward(self) -> list[Tensor]:
        return [getattr(self, name) for name in REVERSE_BUFFERS]


class SparseMlp(nn.Module):
    """A router and its experts."""

    def __init__(self, config: MoeConfig) -> None:
        super().__init__()
        self.gate = nn.Linear(config.hidden_size, config.num_experts, bias=False)
        self.dispatch = Dispatch()
        self.experts = Experts(Expert(config) for _ in range(config.num_experts))
        self.combine = Combine()


class DecoderLayer(nn.Module):
    """Attention, then experts."""

    def __init__(self, config: MoeConfig) -> None:
        super().__init__()
        self.input_layernorm = RmsNorm(config.hidden_size)
        self.self_attn = SelfAttention(config)
        self.post_attention_layernorm = RmsNorm(config.hidden_size)
        self.mlp = SparseMlp(config)


class MoeForCausalLM(nn.Module):
    """The whole model."""

    def __init__(self, config: MoeConfig) -> None:
        super().__init__()
        self.embed_tokens = nn.Embedding(config.vocab_size, config.hidden_size)
        self.layers = nn.ModuleList(DecoderLayer(config) for _ in range(config.num_hidden_layers))
        self.norm = RmsNorm(config.hidden_size)
        self.lm_head = nn.Linear(config.hidden_size, config.vocab_size, bias=False)


class ModelRunner:
    """Wires its own inside."""

    prepare_metadata_for_attn_prefill: Any
    prepare_metadata_for_attn_decode: Any
    prepare_metadata_for_moe: Any

    def __init__(self, config: MoeConfig) -> None:
        orch = RegistryOrchestrator()
        self.model = wire_components(orch, self, config)
        orch.finalize()

    def run(self) -> Any:
        return [self.prepare_metadata_for_moe(), *(getattr(self, name)() for name in PREPARATIONS)]


class Engine:
    """Consumes what the runner gives."""

    run: Any
    model_runner: ModelRunner

    def step(self) -> Any:
        return self.run()


@recipe
def wire_components(orch: RegistryOrchestrator, runner: ModelRunner, config: MoeConfig) -> MoeForCausalLM:
    """Wire the inside of *runner* and return its model."""
    attention, backend = orch.add(Attention()), orch.add(MoeBackend())
    model = orch.add(MoeForCausalLM(config))
    for name in PREPARATIONS:
        orch.register(attention, name, runner)
    orch.register(backend, "prepare_metadata_for_moe", runner)
    for module in model.modules():
        if isinstance(module, CachedAttention):
            orch.register(attention, "attn", module)
        elif isinstance(module, Dispatch):
            for name in BUFFERS:
                orch.register(backend, name, module)
        elif isinstance(module, Experts):
            orch.register(backend, "run_experts_ll", module)
        elif isinstance(module, Combine):
            for name in REVERSE_BUFFERS:
                orch.register(backend, name, module)
    return model


@recipe(compile_kwargs={"config": QWEN3_30B_A3B})
def combine(config: MoeConfig) -> Engine:
    """Build an engine for a model of these sizes."""
    orch = RegistryOrchestrator()
    engine, runner = orch.add(Engine()), orch.add(ModelRunner(config))
    engine.model_runner = runner
    orch.register(runner, "run", engine)
    orch.finalize()
    return engine
