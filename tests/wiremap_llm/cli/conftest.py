"""A checkpoint that can talk: random weights, a tokenizer and a chat template."""

import pytest

from tests.wiremap_llm import text_model
from tests.wiremap_llm.checkpoints import ReferenceModel


@pytest.fixture(scope="session")
def talking_folder(references: dict[str, ReferenceModel], tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the folder of the checkpoint."""
    place = tmp_path_factory.mktemp("talking")
    references["qwen3-tied"].model.save_pretrained(place)
    text_model.save_tokenizer(place)
    return str(place)
