"""Text to token ids and back, and conversations to prompts."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cached_property
from typing import Any

import jinja2
import tokenizers
from jinja2.sandbox import ImmutableSandboxedEnvironment

from wiremap_llm.errors import ChatTemplateError, NoTokenizerError


class Tokenizer:
    """A `tokenizers` backend with the chat template that came with it.

    *special_tokens* are the names that templates use, such as bos_token, with their text.
    """

    def __init__(
        self,
        backend: tokenizers.Tokenizer,
        chat_template: str | None = None,
        special_tokens: Mapping[str, str] | None = None,
    ) -> None:
        self.backend = backend
        self.chat_template = chat_template
        self.special_tokens = dict(special_tokens or {})

    def encode(self, text: str) -> list[int]:
        """Return the ids of *text*, with the tokens that the model wants around a plain text."""
        return list(self.backend.encode(text).ids)

    def decode(self, token_ids: Sequence[int]) -> str:
        """Return the text of *token_ids* without special tokens."""
        return str(self.backend.decode(list(token_ids)))

    def encode_chat(self, messages: Sequence[Mapping[str, str]]) -> list[int]:
        """Return the prompt that asks for the answer to *messages*, each with a role and content.

        Raises:
            NoTokenizerError: The checkpoint brought no chat template.
            ChatTemplateError: The template is broken, or refuses the messages.
        """
        try:
            text = self._template.render(messages=messages, add_generation_prompt=True, **self.special_tokens)
        except jinja2.TemplateError as error:
            raise ChatTemplateError(str(error)) from error
        # The template wrote the special tokens itself.
        return list(self.backend.encode(text, add_special_tokens=False).ids)

    @cached_property
    def _template(self) -> jinja2.Template:
        if self.chat_template is None:
            raise NoTokenizerError("chat template")
        # Sandboxed: a template is code that arrives with a download. The options are those that
        # transformers renders templates with, so their authors rely on them.
        environment = ImmutableSandboxedEnvironment(
            trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"]
        )
        environment.globals["raise_exception"] = _raise_exception
        environment.globals["strftime_now"] = _strftime_now
        return environment.from_string(self.chat_template)


def _raise_exception(message: str) -> Any:
    raise jinja2.TemplateError(message)


def _strftime_now(pattern: str) -> str:
    return datetime.now().astimezone().strftime(pattern)
