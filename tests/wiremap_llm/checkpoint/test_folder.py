"""A folder is read whole, in one file or in shards, and what is missing is named."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch

from tests.wiremap_llm import text_model
from tests.wiremap_llm.checkpoints import PROMPTS, ReferenceModel
from wiremap_llm.checkpoint.folder import CheckpointFolder
from wiremap_llm.errors import CheckpointError
from wiremap_llm.recipes.dense import combine
from wiremap_llm.request import SamplingParams


def test_sharded_weights_are_those_of_one_file(references: dict[str, ReferenceModel], tmp_path: Path) -> None:
    reference = references["qwen3-untied"]
    reference.model.save_pretrained(tmp_path, max_shard_size="20KB")

    whole, shards = (
        dict(CheckpointFolder(reference.folder).weights()),
        dict(CheckpointFolder(tmp_path).weights()),
    )

    assert len(list(tmp_path.glob("*.safetensors"))) > 1
    assert whole.keys() == shards.keys()
    assert all(torch.equal(whole[name], shards[name]) for name in whole)


def test_missing_shards_are_named(tmp_path: Path) -> None:
    write(
        tmp_path / "model.safetensors.index.json",
        {"weight_map": {"a": "one.safetensors", "b": "two.safetensors"}},
    )

    with pytest.raises(CheckpointError, match=r"the weights one\.safetensors, two\.safetensors are missing"):
        list(CheckpointFolder(tmp_path).weights())


def test_a_folder_without_weights_says_so(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match=r"the weights model\.safetensors are missing"):
        list(CheckpointFolder(tmp_path).weights())


def test_damaged_weights_are_refused(tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes(b"\xff" * 64)

    with pytest.raises(CheckpointError, match="is no readable safetensors file"):
        list(CheckpointFolder(tmp_path).weights())


def test_a_folder_without_a_configuration_says_so(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match=r"needs a config\.json, and there is none"):
        CheckpointFolder(tmp_path).model_config()


@pytest.mark.parametrize(("content", "message"), [("{", "is no valid JSON"), ("[]", "holds no JSON object")])
def test_a_damaged_configuration_is_refused(content: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(content, encoding="utf-8")

    with pytest.raises(CheckpointError, match=rf"config\.json: {message}"):
        CheckpointFolder(tmp_path).model_config()


def test_the_generation_configuration_tells_where_a_sequence_ends(qwen3_folder: str, tmp_path: Path) -> None:
    config = json.loads((Path(qwen3_folder) / "config.json").read_text(encoding="utf-8"))
    write(tmp_path / "config.json", {**config, "eos_token_id": 5})

    alone = CheckpointFolder(tmp_path).model_config()
    write(tmp_path / "generation_config.json", {"eos_token_id": [5, 6], "temperature": 0.6})

    assert alone.eos_token_ids == (5,)
    assert CheckpointFolder(tmp_path).model_config().eos_token_ids == (5, 6)

    write(tmp_path / "generation_config.json", {"eos_token_id": None})
    assert CheckpointFolder(tmp_path).model_config().eos_token_ids == (5,)


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({}, {"eos_token": "old"}),
        ({"eos_token": "config", "bos_token": {"content": "<s>"}}, {"eos_token": "old", "bos_token": "<s>"}),
        ({"eos_token": "config", "added_tokens_decoder": {}}, {"eos_token": "config"}),
        ({"add_bos_token": True, "image_token": "<image>"}, {"eos_token": "old", "image_token": "<image>"}),
    ],
)
def test_the_tokens_that_templates_name_are_found_in_both_files(
    config: dict[str, Any], expected: dict[str, str], tmp_path: Path
) -> None:
    """As transformers merges them."""
    text_model.tokenizer().save(str(tmp_path / "tokenizer.json"))
    write(tmp_path / "tokenizer_config.json", config)
    write(tmp_path / "special_tokens_map.json", {"eos_token": "old", "additional_special_tokens": ["x"]})

    tokenizer = CheckpointFolder(tmp_path).tokenizer()

    assert tokenizer is not None
    assert tokenizer.special_tokens == expected


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"tokenizer_config.json": {"chat_template": "plain"}}, "plain"),
        ({"tokenizer_config.json": {"chat_template": [{"name": "default", "template": "named"}]}}, "named"),
        (
            {"tokenizer_config.json": {"chat_template": "plain"}, "chat_template.jinja": "own file"},
            "own file",
        ),
        ({}, None),
    ],
)
def test_a_chat_template_is_found_wherever_it_is_kept(
    files: dict[str, Any], expected: str | None, tmp_path: Path
) -> None:
    text_model.tokenizer().save(str(tmp_path / "tokenizer.json"))
    for name, content in files.items():
        write(tmp_path / name, content)

    tokenizer = CheckpointFolder(tmp_path).tokenizer()

    assert tokenizer is not None
    assert (tokenizer.chat_template and tokenizer.chat_template.source) == expected


def test_a_damaged_tokenizer_is_refused(tmp_path: Path) -> None:
    write(tmp_path / "tokenizer.json", {})

    with pytest.raises(CheckpointError, match=r"tokenizer\.json: is no readable tokenizer"):
        CheckpointFolder(tmp_path).tokenizer()


def test_a_folder_without_a_tokenizer_serves_token_ids(qwen3_folder: str) -> None:
    assert CheckpointFolder(Path(qwen3_folder)).tokenizer() is None


def test_text_goes_in_and_comes_out(references: dict[str, ReferenceModel], tmp_path: Path) -> None:
    references["qwen3-tied"].model.save_pretrained(tmp_path)
    text_model.save_tokenizer(tmp_path)
    engine, _ = combine(model=tmp_path)

    (completion,) = engine.generate(["hello"], SamplingParams(temperature=0.0, max_tokens=8, ignore_eos=True))

    ids = text_model.tokenizer().encode("hello").ids
    assert completion["token_ids"] == references["qwen3-tied"].greedy(ids, 8)
    assert completion["text"] == text_model.tokenizer().decode(completion["token_ids"])


def test_a_list_of_texts_and_ids_keeps_its_order(references: dict[str, ReferenceModel], tmp_path: Path) -> None:
    references["qwen3-tied"].model.save_pretrained(tmp_path)
    text_model.save_tokenizer(tmp_path)
    engine, _ = combine(model=tmp_path)
    ids = text_model.tokenizer().encode("hello").ids

    first, second, third = engine.generate(
        [PROMPTS[2], "hello", ids], SamplingParams(temperature=0.0, max_tokens=4, ignore_eos=True)
    )

    assert second == third != first


def write(file: Path, content: Any) -> None:
    text = content if isinstance(content, str) else json.dumps(content)
    file.write_text(text, encoding="utf-8")
