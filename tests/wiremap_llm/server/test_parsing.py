"""Every parameter is known, or refused by its name."""

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wiremap_llm.server.api_error import ApiError
from wiremap_llm.server.parsing import parse_chat, parse_completion

HI = [{"role": "user", "content": "hi"}]


def completion(**body: Any) -> Any:
    return parse_completion(json.dumps({"model": "m", "prompt": "hi", **body}).encode())


def chat(**body: Any) -> Any:
    return parse_chat(json.dumps({"model": "m", "messages": HI, **body}).encode())


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        ("hi", ["hi"]),
        (["a", "b"], ["a", "b"]),
        ([1, 2], [[1, 2]]),
        ([[1, 2], [3]], [[1, 2], [3]]),
        (["a", [1]], ["a", [1]]),
    ],
)
def test_a_prompt_is_text_or_token_ids_or_several_of_them(prompt: Any, expected: Any) -> None:
    assert completion(prompt=prompt).prompts == expected


@pytest.mark.parametrize("prompt", [None, 3, [], [[]], [1, "a"], [1.5], [True], {"a": 1}])
def test_any_other_prompt_is_refused(prompt: Any) -> None:
    with pytest.raises(ApiError, match="not a text, a list of texts") as caught:
        completion(prompt=prompt)

    assert caught.value.param == "prompt"


def test_sampling_parameters_reach_the_engine() -> None:
    wanted = {
        "temperature": 0.5,
        "top_p": 0.9,
        "top_k": 3,
        "min_p": 0.1,
        "repetition_penalty": 1.1,
        "n": 2,
        "seed": 7,
        "max_tokens": 9,
        "min_tokens": 2,
        "stop": ["x"],
        "stop_token_ids": [4],
        "ignore_eos": True,
    }

    params = completion(**wanted, logprobs=2).params(16)

    assert {name: getattr(params, name) for name in wanted} == wanted
    assert params.logprobs == 2


def test_parameters_that_are_null_say_nothing() -> None:
    call = chat(temperature=None, logprobs=None, stop=None, tools=None, nonsense=None)

    assert call.sampling == {}


def test_parameters_that_switch_off_what_is_not_there_are_taken() -> None:
    off = {"frequency_penalty": 0, "presence_penalty": 0.0, "logit_bias": {}, "tools": [], "tool_choice": "none"}

    assert chat(**off, response_format={"type": "text"}, store=False).sampling == {}


@pytest.mark.parametrize(
    ("body", "param"),
    [
        ({"frequency_penalty": 0.5}, "frequency_penalty"),
        ({"presence_penalty": False}, "presence_penalty"),
        ({"logit_bias": {"1": 5}}, "logit_bias"),
        ({"best_of": 2}, "best_of"),
        ({"echo": True}, "echo"),
        ({"suffix": "x"}, "suffix"),
    ],
)
def test_what_is_not_supported_is_refused_by_name(body: dict[str, Any], param: str) -> None:
    with pytest.raises(ApiError, match=f"{param} is not supported") as caught:
        completion(**body)

    assert (caught.value.status, caught.value.param, caught.value.code) == (400, param, "unsupported_parameter")


@pytest.mark.parametrize(
    ("body", "param", "message"),
    [
        ({"tools": [{"type": "function"}]}, "tools", "not supported"),
        ({"response_format": {"type": "json_object"}}, "response_format", "not supported"),
        ({"temprature": 1}, "temprature", "no parameter that is known here. Did you mean temperature?"),
        ({"prompt": "hi"}, "prompt", "no parameter"),
        ({"model": None}, "model", "model is missing"),
        ({"model": 3}, "model", "model is 3, not a text"),
        ({"user": 3}, "user", "user is 3, not a text"),
        ({"stream": "yes"}, "stream", 'stream is "yes", not true or false'),
        ({"stream_options": {"include_usage": True}}, "stream_options", "needs stream to be true"),
        ({"stream": True, "stream_options": {"x": 1}}, "stream_options.x", "not supported"),
        ({"stream": True, "stream_options": {"include_usage": 1}}, "stream_options.include_usage", "is 1, not true"),
        ({"logprobs": 3}, "logprobs", "logprobs is 3, not true or false"),
        ({"top_logprobs": 3}, "top_logprobs", "needs logprobs to be true"),
        ({"logprobs": True, "top_logprobs": 21}, "top_logprobs", "not a whole number from 0 to 20"),
        ({"logprobs": True, "top_logprobs": True}, "top_logprobs", "top_logprobs is true"),
        ({"max_tokens": 3, "max_completion_tokens": 3}, "max_tokens", "are one limit: give one"),
        ({"stop": ["x"] * 17}, "stop", "at most 16"),
        ({"chat_template_kwargs": 3}, "chat_template_kwargs", "not an object"),
        ({"messages": []}, "messages", "not a list of messages"),
        ({"messages": "hi"}, "messages", "not a list of messages"),
        ({"messages": ["hi"]}, "messages[0]", "not an object"),
        ({"messages": [*HI, {"content": "x"}]}, "messages[1].role", "role is absent, not one of system"),
        ({"messages": [{"role": "king", "content": "x"}]}, "messages[0].role", "not one of"),
        ({"messages": [{"role": "user"}]}, "messages[0].content", "content is absent"),
        ({"messages": [{"role": "user", "content": 3}]}, "messages[0].content", "content is 3"),
        (
            {"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {}}]}]},
            "messages[0].content[0]",
            "no part of type text",
        ),
        (
            {"messages": [{"role": "assistant", "content": "x", "tool_calls": [{}]}]},
            "messages[0].tool_calls",
            "not supported",
        ),
    ],
)
def test_what_is_wrong_in_a_chat_is_named(body: dict[str, Any], param: str, message: str) -> None:
    with pytest.raises(ApiError) as caught:
        chat(**body)

    assert message in str(caught.value)
    assert caught.value.param == param


@pytest.mark.parametrize(
    ("body", "param"),
    [
        ({"temperature": "hot"}, "temperature"),
        ({"temperature": -1}, "temperature"),
        ({"top_p": 0}, "top_p"),
        ({"n": 0}, "n"),
        ({"n": 1.5}, "n"),
        ({"seed": "x"}, "seed"),
        ({"stop": [""]}, "stop"),
        ({"stop": {"a": 1}}, "stop"),
        ({"stop_token_ids": "x"}, "stop_token_ids"),
        ({"max_tokens": 0}, "max_tokens"),
        ({"max_completion_tokens": 0}, "max_completion_tokens"),
        ({"min_tokens": 9, "max_tokens": 3}, "min_tokens"),
        ({"ignore_eos": 1}, "ignore_eos"),
    ],
)
def test_values_out_of_range_are_named_as_the_client_named_them(body: dict[str, Any], param: str) -> None:
    with pytest.raises(ApiError, match=rf"^{param} is ") as caught:
        chat(**body).params(16)

    assert (caught.value.status, caught.value.param) == (400, param)


@pytest.mark.parametrize("text", [b"", b"{", b"[1]", b"\xff", b'{"temperature": NaN}', b"[" * 100_000])
def test_what_is_no_json_object_is_refused(text: bytes) -> None:
    with pytest.raises(ApiError, match="The body is no JSON") as caught:
        parse_chat(text)

    assert caught.value.code == "invalid_json"


@pytest.mark.parametrize("text", [r'{"prompt": "\ud800"}', r'{"model": "\udfff"}', r'{"\ud800": 1}'])
def test_half_a_surrogate_pair_is_no_text(text: str) -> None:
    with pytest.raises(ApiError, match="half a surrogate pair"):
        parse_completion(text.encode())


def test_a_developer_is_what_models_know_as_the_system() -> None:
    assert chat(messages=[{"role": "developer", "content": "x"}]).messages[0]["role"] == "system"


def test_the_parts_of_a_message_are_joined() -> None:
    parts = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]

    assert chat(messages=[{"role": "user", "content": parts}]).messages == [{"role": "user", "content": "ab"}]


def test_an_answer_of_this_server_may_be_sent_back() -> None:
    answer: Any = {"role": "assistant", "content": "x", "refusal": None, "tool_calls": None, "annotations": []}

    assert chat(messages=[*HI, answer]).messages[1] == {"role": "assistant", "content": "x"}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
NAMES = ("prompt", "messages", "n", "stop", "seed", "stream", "stream_options", "logprobs", "top_logprobs", "tools")


@given(st.dictionaries(st.sampled_from(NAMES) | st.text(max_size=5), JSON, max_size=4))
def test_whatever_is_sent_is_understood_or_refused(body: dict[str, Any]) -> None:
    for parse in (parse_completion, parse_chat):
        with suppress(ApiError):
            parse(json.dumps({"model": "m", **body}).encode()).params(16)
