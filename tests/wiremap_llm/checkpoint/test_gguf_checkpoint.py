"""A GGUF file holds the same model as the folder that it was made from."""

from pathlib import Path
from typing import Any

import pytest
import torch

from tests.wiremap_llm import text_model
from tests.wiremap_llm.checkpoints import NUM_NEW_TOKENS, PROMPTS, ReferenceModel, llama
from tests.wiremap_llm.gguf_model import write_gguf
from wiremap_llm.checkpoint.folder import CheckpointFolder
from wiremap_llm.checkpoint.gguf_checkpoint import GgufCheckpoint
from wiremap_llm.config import ModelConfig
from wiremap_llm.errors import CheckpointError, UnsupportedModelError
from wiremap_llm.recipes.dense import combine
from wiremap_llm.request import SamplingParams


@pytest.fixture(scope="module")
def path(references: dict[str, ReferenceModel], tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_gguf(references["llama"], tmp_path_factory.mktemp("gguf") / "model.gguf")


def test_weights_and_shape_equal_those_of_the_folder(path: Path, references: dict[str, ReferenceModel]) -> None:
    gguf, folder = GgufCheckpoint(path), CheckpointFolder(references["llama"].folder)

    found, expected = dict(gguf.weights()), dict(folder.weights())

    assert found.keys() == expected.keys()
    assert all(torch.equal(found[name], expected[name]) for name in expected)
    assert same_shape(gguf.model_config(), folder.model_config())
    assert gguf.model_config().eos_token_ids == (1,)


def test_greedy_tokens_equal_those_of_transformers(path: Path, greedy_tokens: dict[str, list[list[int]]]) -> None:
    engine, _ = combine(model=path, kvcache_block_size=4)

    found = engine.generate(PROMPTS, SamplingParams(temperature=0.0, max_tokens=NUM_NEW_TOKENS, ignore_eos=True))

    assert [each["token_ids"] for each in found] == greedy_tokens["llama"]


def test_embeddings_are_tied_where_no_head_is_stored(tmp_path: Path) -> None:
    reference = llama(tmp_path, tied=True)
    reference.model.lm_head.weight = None
    tied = GgufCheckpoint(write_gguf(reference, tmp_path / "tied.gguf"))

    assert tied.model_config().tie_word_embeddings
    assert "lm_head.weight" not in dict(tied.weights())


def test_the_tokenizer_gives_the_ids_of_the_one_it_was_made_from(path: Path) -> None:
    tokenizer, original = GgufCheckpoint(path).tokenizer(), text_model.tokenizer()

    for text in ("hello world", "<|im_start|>user", "a1b22"):
        assert tokenizer.encode(text) == original.encode(text).ids
        assert tokenizer.decode(original.encode(text).ids) == original.decode(original.encode(text).ids)


def test_the_chat_template_comes_along(path: Path) -> None:
    tokenizer = GgufCheckpoint(path).tokenizer()

    prompt = tokenizer.encode_chat([{"role": "user", "content": "hello"}])

    assert prompt == tokenizer.encode("<|im_start|>user\nhello<|im_end|><|im_start|>assistant")
    assert tokenizer.special_tokens == {"bos_token": "<|im_start|>", "eos_token": "<|im_end|>"}


@pytest.mark.parametrize(
    ("metadata", "message"),
    [
        ({"model": "llama"}, "only byte-level BPE tokenizers"),
        ({"pre": "mystery"}, "the pre-tokenizer 'mystery' is not implemented"),
    ],
)
def test_a_tokenizer_of_another_kind_is_refused(
    metadata: dict[str, Any], message: str, references: dict[str, ReferenceModel], tmp_path: Path
) -> None:
    other = GgufCheckpoint(write_gguf(references["llama"], tmp_path / "other.gguf", **metadata))

    with pytest.raises(CheckpointError, match=message):
        other.tokenizer()


def test_another_architecture_is_refused(references: dict[str, ReferenceModel], tmp_path: Path) -> None:
    path = write_gguf(references["llama"], tmp_path / "other.gguf", architecture="mamba")

    with pytest.raises(UnsupportedModelError, match=r"GGUF reader .* cannot run model_type 'mamba'"):
        GgufCheckpoint(path)


def same_shape(found: ModelConfig, expected: ModelConfig) -> bool:
    """Compare all that the computation rests on; GGUF stores numbers in float32."""
    names = set(ModelConfig.__dataclass_fields__) - {"eos_token_ids", "rms_norm_eps"}
    same = all(getattr(found, name) == getattr(expected, name) for name in names)
    return same and found.rms_norm_eps == pytest.approx(expected.rms_norm_eps)
