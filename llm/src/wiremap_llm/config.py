"""What model it is, and what the engine may use: frozen, checked on construction, all faults at once."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from wiremap_llm.errors import InvalidConfigError, UnknownKeywordError, UnsupportedModelError

MODEL_TYPES = ("llama", "qwen3")
DTYPES = ("float32", "bfloat16", "float16")

# Fields of config.json that change the computation: present with another value, a model would run wrongly.
_SUPPORTED_VALUES: dict[str, Any] = {
    "hidden_act": "silu",
    "attention_bias": False,
    "mlp_bias": False,
    "use_sliding_window": False,
    "rope_type": "default",
    "partial_rotary_factor": 1.0,
}


@dataclass(frozen=True, kw_only=True)
class ModelConfig:
    """The shape of a decoder, with the field names of Hugging Face's config.json.

    Source:
        transformers' configuration classes; `from_json` reads what versions 4 and 5 write.
    """

    model_type: str
    vocab_size: int
    hidden_size: int
    intermediate_size: int
    num_hidden_layers: int
    num_attention_heads: int
    num_key_value_heads: int
    head_dim: int
    max_position_embeddings: int
    rms_norm_eps: float = 1e-6
    rope_theta: float = 10_000.0
    tie_word_embeddings: bool = False
    eos_token_ids: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        sizes = [each.name for each in fields(self) if each.type is int]
        faults = [fault for name in sizes for fault in _positive(name, getattr(self, name))]
        if not faults and self.num_attention_heads % self.num_key_value_heads:
            faults.append(
                f"num_attention_heads ({self.num_attention_heads}) is no multiple of "
                f"num_key_value_heads ({self.num_key_value_heads})"
            )
        if not faults and self.head_dim % 2:
            faults.append(f"head_dim ({self.head_dim}) is odd, and rotary embedding turns pairs")
        if faults:
            raise InvalidConfigError("The model configuration", faults)

    @classmethod
    def from_json(cls, json: Mapping[str, Any], source: str) -> "ModelConfig":
        """Read the content of a config.json; *source* says in errors where it comes from.

        Raises:
            UnsupportedModelError: The model type is none of `MODEL_TYPES`.
            InvalidConfigError: Fields are absent or would change what the model computes.
        """
        model_type = str(json.get("model_type", ""))
        if model_type not in MODEL_TYPES:
            raise UnsupportedModelError(model_type, MODEL_TYPES, f"The engine ({source})")
        needed = [name for name in _JSON_SIZES if name not in json]
        faults = [f"{name} is missing" for name in needed] + list(_unsupported(json))
        if faults:
            raise InvalidConfigError(source, faults)
        num_heads = json["num_attention_heads"]
        return cls(
            model_type=model_type,
            **{name: json[name] for name in _JSON_SIZES},
            num_key_value_heads=json.get("num_key_value_heads") or num_heads,
            head_dim=json.get("head_dim") or json["hidden_size"] // num_heads,
            rms_norm_eps=float(json.get("rms_norm_eps", cls.rms_norm_eps)),
            rope_theta=float(_rope(json).get("rope_theta", cls.rope_theta)),
            tie_word_embeddings=bool(json.get("tie_word_embeddings", False)),
            eos_token_ids=eos_token_ids(json.get("eos_token_id")),
        )


_JSON_SIZES = (
    "vocab_size",
    "hidden_size",
    "intermediate_size",
    "num_hidden_layers",
    "num_attention_heads",
    "max_position_embeddings",
)


def eos_token_ids(value: int | list[int] | None) -> tuple[int, ...]:
    """Return the end-of-sequence ids of a JSON field that holds none, one or several."""
    if value is None:
        return ()
    return (value,) if isinstance(value, int) else tuple(value)


@dataclass(frozen=True, kw_only=True)
class EngineConfig:
    """What one engine runs and what it may use.

    Attributes:
        hf_config: The shape of the model.
        model: Its checkpoint: a folder in the Hugging Face layout, or a .gguf file. None wires only.
        num_kvcache_blocks: Blocks of the KV cache, all allocated at the start.
        kvcache_block_size: Tokens per block.
        max_num_seqs: Most requests that run at once.
        max_num_batched_tokens: Most tokens that one step feeds.
        max_model_len: Most tokens of one request, prompt and completion together. None: as many as
            the model has positions.
        prefix_caching: Share the blocks of equal prefixes, and keep those of ended requests until
            their memory is needed.
        dtype: Type of weights, activations and KV cache.
        seed: Where requests without a seed of their own take theirs from.
    """

    hf_config: ModelConfig
    # Where a checkpoint lies is not what it is: hf_config says that. So places don't take part in comparison.
    model: str | None = field(default=None, compare=False)
    num_kvcache_blocks: int = 256
    kvcache_block_size: int = 16
    max_num_seqs: int = 16
    max_num_batched_tokens: int = 512
    max_model_len: int | None = None
    prefix_caching: bool = True
    dtype: str = "float32"
    seed: int = 0

    def __post_init__(self) -> None:
        faults = list(self._faults())
        if faults:
            raise InvalidConfigError("The engine configuration", faults)

    @property
    def sequence_limit(self) -> int:
        """Most tokens of one request, prompt and completion together."""
        return self.max_model_len or self.hf_config.max_position_embeddings

    def _faults(self) -> Iterator[str]:
        resources = {
            name: getattr(self, name)
            for name in ("num_kvcache_blocks", "kvcache_block_size", "max_num_seqs", "max_num_batched_tokens")
        }
        bad = [fault for name, value in resources.items() for fault in _positive(name, value)]
        yield from bad
        if not bad and self.max_num_batched_tokens < self.max_num_seqs:
            yield (
                f"max_num_batched_tokens ({self.max_num_batched_tokens}) is below max_num_seqs "
                f"({self.max_num_seqs}), so a step could not feed one token to each request"
            )
        if self.max_model_len is not None:
            yield from self._length_faults(self.max_model_len)
        if self.dtype not in DTYPES:
            yield f"dtype is {self.dtype!r}, not one of {', '.join(DTYPES)}"
        yield from _flag("prefix_caching", self.prefix_caching)
        if type(self.seed) is not int:
            yield f"seed is {self.seed!r}, not a whole number"

    def _length_faults(self, max_model_len: int) -> Iterator[str]:
        bad = list(_positive("max_model_len", max_model_len))
        yield from bad
        positions = self.hf_config.max_position_embeddings
        if not bad and max_model_len > positions:
            yield f"max_model_len ({max_model_len}) is beyond the model's {positions} positions"


def refuse_unknown_keywords(keywords: Mapping[str, Any]) -> None:
    """Raise for keywords that `EngineConfig` does not have.

    Raises:
        UnknownKeywordError: Names all of them.
    """
    known = [each.name for each in fields(EngineConfig)]
    unknown = [name for name in keywords if name not in known]
    if unknown:
        raise UnknownKeywordError(unknown, known)


def _positive(name: str, value: object) -> Iterator[str]:
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        yield f"{name} is {value!r}, not a whole number from 1 up"


def _flag(name: str, value: object) -> Iterator[str]:
    if not isinstance(value, bool):
        yield f"{name} is {value!r}, not True or False"


def _rope(json: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the rotary fields: transformers 5 nests them, 4 has rope_theta on top."""
    scaling = json.get("rope_scaling") or {}
    return {**json, **scaling, **(json.get("rope_parameters") or {})}


def _unsupported(json: Mapping[str, Any]) -> Iterator[str]:
    rope = _rope(json)
    given = {**rope, "rope_type": rope.get("rope_type", rope.get("type", "default"))}
    for name, supported in _SUPPORTED_VALUES.items():
        value = given.get(name, supported)
        if value != supported:
            yield f"{name} is {value!r} and only {supported!r} is implemented"
    other_layers = set(json.get("layer_types") or ()) - {"full_attention"}
    if other_layers:
        yield f"layer_types has {', '.join(sorted(other_layers))} and only 'full_attention' is implemented"
