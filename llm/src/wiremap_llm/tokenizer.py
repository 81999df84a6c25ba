"""Text to token ids and back, and conversations to prompts."""

from collections.abc import Mapping, Sequence
from typing import Any

import tokenizers

from wiremap_llm.chat_template import ChatTemplate, Message
from wiremap_llm.errors import InvalidPromptError, NoChatTemplateError


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
        self.special_tokens = dict(special_tokens or {})
        self.chat_template = None if chat_template is None else ChatTemplate(chat_template, self.special_tokens)

    def encode(self, text: str) -> list[int]:
        """Return the ids of *text*, with the tokens that the model wants around a plain text."""
        return list(self.backend.encode(_whole_characters(text)).ids)

    def decode(self, token_ids: Sequence[int]) -> str:
        """Return the text of *token_ids* without special tokens."""
        return str(self.backend.decode(list(token_ids)))

    def encode_chat(self, messages: Sequence[Message], /, **variables: Any) -> list[int]:
        """Return the prompt that asks for the answer to *messages*, each with a role and content.

        *variables* are those of the model's template, such as enable_thinking.

        Raises:
            NoChatTemplateError: The checkpoint brought no chat template.
            ChatTemplateError: The template is broken, or refuses the messages.
            InvalidPromptError: The text holds half a surrogate pair.
        """
        if self.chat_template is None:
            raise NoChatTemplateError
        text = _whole_characters(self.chat_template.render(messages, **variables))
        # The template writes the special tokens itself.
        return list(self.backend.encode(text, add_special_tokens=False).ids)


def _whole_characters(text: str) -> str:
    """Refuse what Python makes of bytes that are no text, such as an argument in another encoding."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InvalidPromptError(f"holds {text[error.start]!a}, which is no character") from error
    return text
