"""Conversations to the text of a prompt, as the model's authors wrote down: a Jinja template."""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cached_property
from typing import Any

import jinja2
import jinja2.ext
from jinja2.nodes import Node
from jinja2.parser import Parser
from jinja2.sandbox import ImmutableSandboxedEnvironment

from wiremap_llm.errors import ChatTemplateError

Message = Mapping[str, Any]


class ChatTemplate:
    """The template of one model. It gives what transformers' `apply_chat_template` gives.

    *special_tokens* are the names that templates use, such as bos_token, with their text.
    """

    def __init__(self, source: str, special_tokens: Mapping[str, str]) -> None:
        self.source = source
        self.special_tokens = dict(special_tokens)

    def render(self, messages: Sequence[Message], /, **variables: Any) -> str:
        """Return the prompt that asks for the answer to *messages*; *variables* are the template's own.

        Raises:
            ChatTemplateError: There are no messages, the template is broken, or it refuses them.
        """
        if not messages:
            raise ChatTemplateError("it has no messages")
        given = {"tools": None, "documents": None, "add_generation_prompt": True, **self.special_tokens, **variables}
        given["messages"] = [_without_none(message) for message in messages]
        try:
            return self._compiled.render(given)
        except jinja2.TemplateError as error:
            raise ChatTemplateError(str(error)) from error
        except Exception as error:  # a download's code may raise what it likes
            raise ChatTemplateError(f"{type(error).__name__}: {error}") from error

    @cached_property
    def _compiled(self) -> jinja2.Template:
        # Sandboxed: a template is code that arrives with a download. Options and helpers are those that
        # transformers renders templates with, so their authors rely on them.
        environment = ImmutableSandboxedEnvironment(
            trim_blocks=True, lstrip_blocks=True, extensions=[_GenerationBlocks, "jinja2.ext.loopcontrols"]
        )
        environment.filters["tojson"] = _tojson
        environment.globals["raise_exception"] = _raise_exception
        environment.globals["strftime_now"] = _strftime_now
        return environment.from_string(self.source)


class _GenerationBlocks(jinja2.ext.Extension):
    """`{% generation %}` marks answers for training; for a prompt its content is all that counts."""

    tags = {"generation"}  # noqa: RUF012 - jinja's own way to say it

    def parse(self, parser: Parser) -> list[Node]:
        next(parser.stream)
        return parser.parse_statements(("name:endgeneration",), drop_needle=True)


def _without_none(message: Message) -> dict[str, Any]:
    """Leave out what is None: templates ask whether a key is defined."""
    return {key: value for key, value in message.items() if value is not None}


def _tojson(
    value: Any,
    ensure_ascii: bool = False,  # noqa: FBT001, FBT002 - templates may pass it by place
    indent: int | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,  # noqa: FBT001, FBT002 - the same
) -> str:
    """Write JSON as it is: jinja's own filter writes it for HTML."""
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


def _raise_exception(message: str) -> Any:
    raise jinja2.TemplateError(message)


def _strftime_now(pattern: str) -> str:
    return datetime.now().astimezone().strftime(pattern)
