"""Fixtures of the engine's tests. The reference models are made once per session."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.wiremap_llm import text_model
from tests.wiremap_llm.checkpoints import NUM_NEW_TOKENS, PROMPTS, ReferenceModel, llama, qwen3


@pytest.fixture(scope="session", autouse=True)
def _one_thread() -> Iterator[None]:
    """Neighbours on a shared machine make two threads slower than one."""
    import torch  # noqa: PLC0415 - the torch-free tests of this folder should not pay for it at collection

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="session")
def references(tmp_path_factory: pytest.TempPathFactory) -> dict[str, ReferenceModel]:
    """Random models of every kind that the dense recipe runs."""

    def folder(name: str) -> Path:
        return tmp_path_factory.mktemp(name)

    return {
        "qwen3-tied": qwen3(folder("qwen3-tied"), tied=True),
        "qwen3-untied": qwen3(folder("qwen3-untied"), tied=False),
        "llama": llama(folder("llama"), tied=False),
    }


@pytest.fixture(scope="session")
def greedy_tokens(references: dict[str, ReferenceModel]) -> dict[str, list[list[int]]]:
    """What transformers generates for each of PROMPTS, alone."""
    return {
        name: [reference.greedy(prompt, NUM_NEW_TOKENS) for prompt in PROMPTS] for name, reference in references.items()
    }


@pytest.fixture(scope="session")
def qwen3_folder(references: dict[str, ReferenceModel]) -> str:
    """A checkpoint folder without a tokenizer."""
    return str(references["qwen3-tied"].folder)


@pytest.fixture(scope="session")
def talking_folder(references: dict[str, ReferenceModel], tmp_path_factory: pytest.TempPathFactory) -> str:
    """A checkpoint folder that can talk: with a tokenizer and a chat template."""
    place = tmp_path_factory.mktemp("talking")
    references["qwen3-tied"].model.save_pretrained(place)
    text_model.save_tokenizer(place)
    return str(place)
