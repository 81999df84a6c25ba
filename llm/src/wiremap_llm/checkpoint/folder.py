"""A checkpoint folder in the Hugging Face layout: config.json, *.safetensors, tokenizer.json."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import tokenizers
from safetensors import SafetensorError, safe_open
from torch import Tensor

from wiremap_llm.config import ModelConfig
from wiremap_llm.errors import CheckpointError
from wiremap_llm.tokenizer import Tokenizer


class CheckpointFolder:
    """Reads one folder; each call reads the files anew."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def model_config(self) -> ModelConfig:
        """Return the shape of the model.

        generation_config.json, where it is, tells the end-of-sequence tokens: it lists more than
        config.json does for models that also end turns.
        """
        fields = self._json("config.json", required=True)
        ends = self._json("generation_config.json").get("eos_token_id")
        if ends is not None:
            fields["eos_token_id"] = ends
        return ModelConfig.from_json(fields, str(self.path / "config.json"))

    def tokenizer(self) -> Tokenizer | None:
        """Return the tokenizer, or None if the folder has none."""
        file = self.path / "tokenizer.json"
        if not file.exists():
            return None
        config = self._json("tokenizer_config.json")
        try:
            backend = tokenizers.Tokenizer.from_file(str(file))
        except Exception as error:  # the package raises nothing narrower
            raise CheckpointError(str(file), f"is no readable tokenizer ({error})") from error
        return Tokenizer(backend, self._chat_template(config), self._special_tokens(config))

    def weights(self) -> Iterator[tuple[str, Tensor]]:
        """Yield every stored tensor with its name, one at a time, in its stored dtype."""
        for file in self._weight_files():
            try:
                with safe_open(file, framework="pt") as tensors:
                    for name in tensors.keys():  # noqa: SIM118 - the handle is no mapping
                        yield name, tensors.get_tensor(name)
            except SafetensorError as error:
                raise CheckpointError(str(file), f"is no readable safetensors file ({error})") from error

    def _weight_files(self) -> list[Path]:
        shards = self._json("model.safetensors.index.json").get("weight_map", {}).values()
        files = [self.path / name for name in sorted(set(shards)) or ["model.safetensors"]]
        absent = [file.name for file in files if not file.exists()]
        if absent:
            raise CheckpointError(str(self.path), f"the weights {', '.join(absent)} are missing")
        return files

    def _special_tokens(self, tokenizer_config: dict[str, Any]) -> dict[str, str]:
        """Return the tokens that templates may name, such as bos_token; older folders have a file for them."""
        named = {**tokenizer_config, **self._json("special_tokens_map.json")}
        if "added_tokens_decoder" in tokenizer_config:  # transformers reads the file only where this is absent
            named = tokenizer_config
        texts = {name: _token_text(value) for name, value in named.items() if name.endswith("_token")}
        return {name: text for name, text in texts.items() if text is not None}

    def _chat_template(self, tokenizer_config: dict[str, Any]) -> str | None:
        file = self.path / "chat_template.jinja"
        if file.exists():
            return file.read_text(encoding="utf-8")
        template = tokenizer_config.get("chat_template")
        if isinstance(template, list):  # several, each with a name
            template = {entry["name"]: entry["template"] for entry in template}.get("default")
        return template

    def _json(self, name: str, *, required: bool = False) -> dict[str, Any]:
        file = self.path / name
        if not file.exists():
            if required:
                raise CheckpointError(str(self.path), f"a model folder needs a {name}, and there is none")
            return {}
        try:
            content = json.loads(file.read_text(encoding="utf-8"))
        except ValueError as error:
            raise CheckpointError(str(file), f"is no valid JSON ({error})") from error
        if not isinstance(content, dict):
            raise CheckpointError(str(file), "holds no JSON object")
        return content


def _token_text(token: Any) -> str | None:
    """Return the text of a special token, which tokenizer_config.json may wrap in an object; flags are none."""
    text = token.get("content") if isinstance(token, dict) else token
    return text if isinstance(text, str) else None
