"""A byte-level tokenizer small enough for the models of the tests, and files to go with it."""

import json
from pathlib import Path

from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

SPECIAL = ["<|im_start|>", "<|im_end|>"]
MERGES = [("h", "e"), ("l", "l"), ("he", "ll"), ("hell", "o")]
CHAT_TEMPLATE = (
    "{% for message in messages %}{{ bos_token + message['role'] + '\\n' + message['content'] + eos_token }}"
    "{% endfor %}{% if add_generation_prompt %}{{ bos_token + 'assistant' }}{% endif %}"
)


def vocabulary() -> list[str]:
    """Return special tokens, letters as bytes spell them, and merged tokens: 2 + 94 + 4, in id order."""
    letters = [chr(code) for code in range(ord("!"), ord("~"))] + ["Ġ"]
    return [*SPECIAL, *letters, *("".join(pair) for pair in MERGES)]


def tokenizer() -> Tokenizer:
    """Return the backend."""
    backend = Tokenizer(models.BPE({token: i for i, token in enumerate(vocabulary())}, MERGES))
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    backend.decoder = decoders.ByteLevel()
    backend.add_special_tokens([AddedToken(token, special=True, normalized=False) for token in SPECIAL])
    return backend


def save_tokenizer(folder: Path) -> None:
    """Write the files that a checkpoint folder has for its tokenizer."""
    tokenizer().save(str(folder / "tokenizer.json"))
    config = {"bos_token": SPECIAL[0], "eos_token": {"content": SPECIAL[1]}, "chat_template": CHAT_TEMPLATE}
    (folder / "tokenizer_config.json").write_text(json.dumps(config), encoding="utf-8")
