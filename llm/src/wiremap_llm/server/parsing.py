"""JSON bodies to what they ask for. Every parameter is known by name, or refused by name.

A parameter that would change nothing (null, or the value that switches it off) is taken whatever it is;
one that would change the answer and can't be honoured is an error, so that nobody believes it was.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

from wiremap_llm.errors import InvalidSamplingParamsError
from wiremap_llm.request import SamplingParams
from wiremap_llm.server.api_error import bad_request

Body = Mapping[str, Any]
Prompt = str | list[int]

_MOST_LOGPROBS = 20
_MOST_STOPS = 16
_ROLES = ("system", "developer", "user", "assistant", "tool")

# Parameters of OpenAI and, after the blank line, those that engines have beyond it.
_SAMPLING = (
    "temperature",
    "top_p",
    "n",
    "stop",
    "seed",
    "max_tokens",
    # beyond
    "top_k",
    "min_p",
    "repetition_penalty",
    "min_tokens",
    "stop_token_ids",
    "ignore_eos",
)
_COMMON = ("model", "stream", "stream_options", "user", *_SAMPLING)
_COMPLETION = ("prompt", "logprobs", *_COMMON)
_CHAT = ("messages", "logprobs", "top_logprobs", "max_completion_tokens", "chat_template_kwargs", *_COMMON)

# What isn't implemented, with the values that ask for nothing.
_NOTHING: dict[str, Sequence[Any]] = {
    "frequency_penalty": (0,),
    "presence_penalty": (0,),
    "logit_bias": ({},),
    "best_of": (1,),
    "echo": (False,),
    "suffix": ("",),
    "tools": ([],),
    "functions": ([],),
    "tool_choice": ("none",),
    "parallel_tool_calls": (),
    "response_format": ({"type": "text"},),
    "modalities": (["text"],),
    "store": (False,),
    "service_tier": ("auto", "default"),
}


@dataclass(frozen=True, kw_only=True)
class Call:
    """What both endpoints have in common.

    Attributes:
        model: The name of the model that is asked.
        sampling: Fields of `SamplingParams` that the body sets.
        aliases: For a field of `SamplingParams`, the body's name of it where that is another.
        is_stream: Send what is generated as it comes.
        includes_usage: End a stream with what it cost.
    """

    model: str
    sampling: Mapping[str, Any]
    aliases: Mapping[str, str] = field(default_factory=dict)
    is_stream: bool = False
    includes_usage: bool = False

    @property
    def wants_logprobs(self) -> bool:
        """Whether log probabilities were asked for."""
        return "logprobs" in self.sampling

    def params(self, default_max_tokens: int) -> SamplingParams:
        """Return the sampling parameters.

        Raises:
            ApiError: Values are out of range.
        """
        try:
            return SamplingParams(**{"max_tokens": default_max_tokens, **self.sampling})
        except InvalidSamplingParamsError as error:
            name = error.faults[0].split(" ", 1)[0]
            told = self.aliases.get(name, name)
            faults = "; ".join(fault.replace(name, told, 1) for fault in error.faults)
            raise bad_request(f"{faults}.", told, "invalid_value") from error


@dataclass(frozen=True, kw_only=True)
class CompletionCall(Call):
    """POST /v1/completions."""

    prompts: Sequence[Prompt]


@dataclass(frozen=True, kw_only=True)
class ChatCall(Call):
    """POST /v1/chat/completions. *variables* are those of the chat template."""

    messages: Sequence[Mapping[str, Any]]
    variables: Mapping[str, Any]


def parse_completion(text: bytes) -> CompletionCall:
    """Read the body of a completion.

    Raises:
        ApiError: Names what can't be used.
    """
    body = _object(text, _COMPLETION)
    sampling = {name: body[name] for name in _SAMPLING if name in body}
    if "logprobs" in body:
        sampling["logprobs"] = _whole(body, "logprobs", most=_MOST_LOGPROBS)
    return CompletionCall(prompts=_prompts(body), sampling=sampling, **_common(body))


def parse_chat(text: bytes) -> ChatCall:
    """Read the body of a chat completion.

    Raises:
        ApiError: Names what can't be used.
    """
    body = _object(text, _CHAT)
    sampling = {name: body[name] for name in _SAMPLING if name in body}
    if "max_completion_tokens" in body:
        if "max_tokens" in body:
            raise bad_request("max_tokens and max_completion_tokens are one limit: give one.", "max_tokens")
        sampling["max_tokens"] = body["max_completion_tokens"]
    if _flag(body, "logprobs"):
        sampling["logprobs"] = _whole(body, "top_logprobs", most=_MOST_LOGPROBS) if "top_logprobs" in body else 0
    elif "top_logprobs" in body:
        raise bad_request("top_logprobs needs logprobs to be true.", "top_logprobs")
    aliases = {"max_tokens": "max_completion_tokens"} if "max_completion_tokens" in body else {}
    return ChatCall(
        messages=_messages(body),
        variables=_typed(body, "chat_template_kwargs", dict, "an object") or {},
        sampling=sampling,
        aliases=aliases,
        **_common(body),
    )


def _object(text: bytes, known: Sequence[str]) -> Body:
    """Return the body without what it sets to null, which is to say nothing."""
    try:
        body = json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise bad_request(f"The body is no JSON ({error}).", None, "invalid_json") from error
    if not isinstance(body, dict):
        raise bad_request("The body is no JSON object.", None, "invalid_json")
    if b"\\u" in text and not _is_unicode(body):
        raise bad_request("The body holds half a surrogate pair, which is no character.", None, "invalid_json")
    said = {name: value for name, value in body.items() if value is not None and not _asks_for_nothing(name, value)}
    for name in said:
        if name in _NOTHING:
            raise bad_request(f"{name} is not supported.", name, "unsupported_parameter")
        if name not in known:
            near = get_close_matches(name, known, n=1)
            hint = f" Did you mean {near[0]}?" if near else ""
            raise bad_request(f"{name} is no parameter that is known here.{hint}", name, "unknown_parameter")
    if isinstance(said.get("stop"), list) and len(said["stop"]) > _MOST_STOPS:
        raise bad_request(f"stop has {len(said['stop'])} texts, and at most {_MOST_STOPS} are taken.", "stop")
    return said


def _is_unicode(body: Body) -> bool:
    try:
        json.dumps(body, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is no number")


def _asks_for_nothing(name: str, value: Any) -> bool:
    # `True == 1` in Python, and no penalty is no flag.
    return any(
        value == nothing and isinstance(value, bool) is isinstance(nothing, bool) for nothing in _NOTHING.get(name, ())
    )


def _common(body: Body) -> dict[str, Any]:
    model = _typed(body, "model", str, "a text")
    if model is None:
        raise bad_request("model is missing: name the model to ask; GET /v1/models lists it.", "model", "missing")
    _typed(body, "user", str, "a text")
    is_stream = _flag(body, "stream")
    options = _typed(body, "stream_options", dict, "an object") or {}
    if options and not is_stream:
        raise bad_request("stream_options needs stream to be true.", "stream_options")
    for name in options:
        # OpenAI's padding against eavesdroppers: switched off, it asks for nothing.
        if name != "include_usage" and not (name == "include_obfuscation" and options[name] is False):
            param = f"stream_options.{name}"
            raise bad_request(f"{param} is not supported.", param, "unsupported_parameter")
    return {
        "model": model,
        "is_stream": is_stream,
        "includes_usage": _flag(options, "include_usage", "stream_options.include_usage"),
    }


def _prompts(body: Body) -> list[Prompt]:
    prompt: Any = body.get("prompt")
    if isinstance(prompt, str) or _are_ids(prompt):
        return [prompt]
    if isinstance(prompt, list) and prompt and all(isinstance(each, str) or _are_ids(each) for each in prompt):
        return prompt
    wanted = "a text, a list of texts, a list of token ids, or a list of such lists; none of them empty"
    raise bad_request(f"prompt is {_shown(prompt)}, not {wanted}.", "prompt", "invalid_type")


def _are_ids(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(type(each) is int for each in value)


def _messages(body: Body) -> list[dict[str, Any]]:
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        raise bad_request(f"messages is {_shown(messages)}, not a list of messages.", "messages", "invalid_type")
    return [_message(message, f"messages[{index}]") for index, message in enumerate(messages)]


def _message(message: Any, place: str) -> dict[str, Any]:
    if not isinstance(message, dict):
        raise bad_request(f"{place} is {_shown(message)}, not an object.", place, "invalid_type")
    said = {name: value for name, value in message.items() if value not in (None, [])}
    for name in said:
        if name not in ("role", "content", "name"):
            raise bad_request(f"{place}.{name} is not supported.", f"{place}.{name}", "unsupported_parameter")
    if said.get("role") not in _ROLES:
        told = f"{place}.role is {_shown(said.get('role'))}, not one of {', '.join(_ROLES)}."
        raise bad_request(told, f"{place}.role", "invalid_value")
    # Models know the older name of it.
    role = "system" if said["role"] == "developer" else said["role"]
    return {**said, "role": role, "content": _content(message.get("content"), f"{place}.content")}


def _content(content: Any, place: str) -> str:
    """Return the text of a message, which may come in parts."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list) or not content:
        raise bad_request(f"{place} is {_shown(content)}, not a text or a list of parts.", place, "invalid_type")
    for index, part in enumerate(content):
        if not isinstance(part, dict) or part.get("type") != "text" or not isinstance(part.get("text"), str):
            where = f"{place}[{index}]"
            raise bad_request(f"{where} is no part of type text, and others are not supported.", where, "invalid_value")
    return "".join(part["text"] for part in content)


def _flag(body: Body, name: str, param: str | None = None) -> bool:
    return bool(_typed(body, name, bool, "true or false", param))


def _whole(body: Body, name: str, most: int) -> int:
    value = body[name]
    if type(value) is not int or not 0 <= value <= most:
        raise bad_request(f"{name} is {_shown(value)}, not a whole number from 0 to {most}.", name, "invalid_value")
    return value


def _typed(body: Body, name: str, kind: type, wanted: str, param: str | None = None) -> Any:
    value = body.get(name)
    if value is not None and not isinstance(value, kind):
        place = param or name
        raise bad_request(f"{place} is {_shown(value)}, not {wanted}.", place, "invalid_type")
    return value


def _shown(value: Any) -> str:
    """Return the JSON of a value, shortened: clients may send megabytes."""
    text = "absent" if value is None else json.dumps(value)
    return text if len(text) <= 60 else text[:60] + " …"  # noqa: PLR2004 - about a line
