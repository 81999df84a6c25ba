"""What the official client sees of a server, and what the engine says of the same prompts."""

import json
import urllib.request
from typing import Any

import openai
import pytest

from tests.wiremap_llm import text_model
from tests.wiremap_llm.checkpoints import ReferenceModel
from tests.wiremap_llm.server.running_server import MODEL, Running, running

HI: Any = [{"role": "user", "content": "hello"}]
GREEDY: dict[str, Any] = {"model": MODEL, "temperature": 0, "max_tokens": 6}


def expected(references: dict[str, ReferenceModel], text: str, number: int = 6) -> str:
    """What transformers continues *text* with."""
    tokenizer = text_model.tokenizer()
    tokens = references["qwen3-tied"].greedy(tokenizer.encode(text, add_special_tokens=False).ids, number)
    return tokenizer.decode(tokens)


def rendered(*contents: str) -> str:
    """The prompt that the template makes of what a user said."""
    return "".join(f"<|im_start|>user\n{content}<|im_end|>" for content in contents) + "<|im_start|>assistant"


def test_a_completion_is_what_transformers_generates(
    client: openai.OpenAI, references: dict[str, ReferenceModel]
) -> None:
    answer = client.completions.create(prompt="hello", **GREEDY)

    (choice,) = answer.choices
    assert choice.text == expected(references, "hello")
    assert choice.finish_reason == "length"
    assert answer.object == "text_completion"
    assert answer.model == MODEL
    assert answer.usage is not None
    assert (answer.usage.prompt_tokens, answer.usage.completion_tokens, answer.usage.total_tokens) == (1, 6, 7)


def test_a_chat_completion_is_what_transformers_generates(
    client: openai.OpenAI, references: dict[str, ReferenceModel]
) -> None:
    answer = client.chat.completions.create(messages=HI, **GREEDY)

    (choice,) = answer.choices
    assert choice.message.role == "assistant"
    assert choice.message.content == expected(references, rendered("hello"))
    assert choice.finish_reason == "length"
    assert answer.object == "chat.completion"


def test_a_chat_without_a_limit_goes_on_to_the_models_longest_text(client: openai.OpenAI) -> None:
    answer = client.chat.completions.create(model=MODEL, messages=HI, temperature=0, extra_body={"ignore_eos": True})

    assert answer.usage is not None
    assert answer.usage.total_tokens == 128
    assert answer.choices[0].finish_reason == "length"


def test_several_prompts_have_their_choices_in_order(
    client: openai.OpenAI, references: dict[str, ReferenceModel]
) -> None:
    ids = text_model.tokenizer().encode("ok").ids

    answers = [client.completions.create(prompt=prompt, n=2, **GREEDY) for prompt in (["hello", "world"], [ids])]

    texts = [[choice.text for choice in sorted(answer.choices, key=lambda each: each.index)] for answer in answers]
    hello, world, okay = (expected(references, text) for text in ("hello", "world", "ok"))
    assert texts == [[hello, hello, world, world], [okay, okay]]
    assert answers[0].usage is not None
    assert answers[0].usage.prompt_tokens == 1 + len(text_model.tokenizer().encode("world").ids)
    assert answers[0].usage.completion_tokens == 24


def test_a_stream_of_completions_adds_up_to_the_whole(client: openai.OpenAI) -> None:
    whole = client.completions.create(prompt=["hello", "world"], **GREEDY)

    texts, reasons = ["", ""], [None, None]
    for chunk in client.completions.create(prompt=["hello", "world"], stream=True, **GREEDY):
        for choice in chunk.choices:
            texts[choice.index] += choice.text
            reasons[choice.index] = choice.finish_reason or reasons[choice.index]

    assert texts == [choice.text for choice in whole.choices]
    assert reasons == ["length", "length"]


def test_a_chat_stream_begins_with_the_role_and_ends_with_a_reason(client: openai.OpenAI) -> None:
    whole = client.chat.completions.create(messages=HI, **GREEDY)

    chunks = list(client.chat.completions.create(messages=HI, stream=True, **GREEDY))

    deltas = [chunk.choices[0].delta for chunk in chunks]
    assert deltas[0].role == "assistant"
    assert "".join(delta.content or "" for delta in deltas) == whole.choices[0].message.content
    assert [chunk.choices[0].finish_reason for chunk in chunks] == [None] * (len(chunks) - 1) + ["length"]
    assert len({chunk.id for chunk in chunks}) == 1
    assert all(chunk.usage is None for chunk in chunks)


def test_a_stream_tells_its_usage_last_if_asked_to(client: openai.OpenAI) -> None:
    whole = client.chat.completions.create(messages=HI, **GREEDY)

    *others, last = client.chat.completions.create(
        messages=HI, stream=True, stream_options={"include_usage": True}, **GREEDY
    )

    assert last.choices == []
    assert whole.usage is not None
    assert last.usage is not None
    assert last.usage.total_tokens == whole.usage.total_tokens
    assert all(chunk.usage is None for chunk in others)


def test_a_stop_string_ends_a_completion_and_is_no_part_of_it(
    client: openai.OpenAI, references: dict[str, ReferenceModel]
) -> None:
    text = expected(references, "hello")
    stop = text[2:4]

    whole = client.completions.create(prompt="hello", stop=stop, **GREEDY)
    chunks = list(client.completions.create(prompt="hello", stop=[stop], stream=True, **GREEDY))

    assert whole.choices[0].text == text[: text.index(stop)] == "".join(each.choices[0].text for each in chunks)
    assert whole.choices[0].finish_reason == chunks[-1].choices[0].finish_reason == "stop"


def test_a_seed_repeats_a_sampled_answer(client: openai.OpenAI) -> None:
    found = [
        client.chat.completions.create(model=MODEL, messages=HI, temperature=1, max_tokens=8, seed=seed, n=2)
        for seed in (1, 1, 2)
    ]

    first, again, other = ([choice.message.content for choice in each.choices] for each in found)
    assert first == again != other
    assert first[0] != first[1]


def test_log_probabilities_of_a_chat_are_told_token_by_token(
    client: openai.OpenAI, references: dict[str, ReferenceModel]
) -> None:
    import torch  # noqa: PLC0415 - only needed here

    answer = client.chat.completions.create(messages=HI, logprobs=True, top_logprobs=2, **GREEDY)

    assert answer.choices[0].logprobs is not None
    content = answer.choices[0].logprobs.content
    assert content is not None
    assert "".join(each.token for each in content) == answer.choices[0].message.content
    assert all(bytes(each.bytes or []).decode() == each.token for each in content)
    assert all(each.top_logprobs[0].token == each.token for each in content)
    prompt = text_model.tokenizer().encode(rendered("hello")).ids
    logits = references["qwen3-tied"].logits(prompt)[-1]
    assert content[0].logprob == pytest.approx(float(torch.log_softmax(logits, -1).max()), abs=1e-4)
    assert len(content[0].top_logprobs) == 2


def test_log_probabilities_of_a_completion_are_told_token_by_token(client: openai.OpenAI) -> None:
    whole = client.completions.create(prompt="hello", logprobs=2, **GREEDY).choices[0]
    parts = [
        chunk.choices[0]
        for chunk in client.completions.create(prompt="hello", logprobs=2, stream=True, **GREEDY)
        if chunk.choices
    ]

    assert whole.logprobs is not None
    assert whole.logprobs.tokens is not None
    assert whole.logprobs.text_offset is not None
    assert "".join(whole.logprobs.tokens) == whole.text
    assert [whole.text[at] for at in whole.logprobs.text_offset] == [token[0] for token in whole.logprobs.tokens]
    for name in ("tokens", "token_logprobs", "text_offset", "top_logprobs"):
        streamed = [each for part in parts for each in getattr(part.logprobs, name)]
        assert streamed == getattr(whole.logprobs, name)


def test_the_templates_own_variables_may_have_any_name(client: openai.OpenAI) -> None:
    names = {"chat_template_kwargs": {"func": 1, "self": 2, "messages": 3, "enable_thinking": False}}

    with_names = client.chat.completions.create(messages=HI, extra_body=names, **GREEDY)

    assert with_names.choices == client.chat.completions.create(messages=HI, **GREEDY).choices


def test_models_are_listed(client: openai.OpenAI) -> None:
    (listed,) = client.models.list()

    assert listed.id == MODEL
    assert client.models.retrieve(MODEL) == listed


@pytest.mark.parametrize(
    ("body", "param", "code"),
    [
        ({"temperature": "hot"}, "temperature", "invalid_value"),
        ({"n": 1000}, "n", None),
        ({"n": 25}, "n", None),
        ({"logit_bias": {"1": 1}}, "logit_bias", "unsupported_parameter"),
        ({"no_such": 1}, "no_such", "unknown_parameter"),
        ({"messages": [{"role": "user", "content": "x" * 200}]}, "messages", "context_length_exceeded"),
        ({"messages": []}, "messages", "invalid_type"),
    ],
)
def test_a_bad_request_names_its_fault(
    body: dict[str, Any], param: str, code: str | None, client: openai.OpenAI
) -> None:
    with pytest.raises(openai.BadRequestError) as caught:
        client.chat.completions.create(**{"messages": HI, **GREEDY}, extra_body=body)

    assert (caught.value.param, caught.value.code, caught.value.type) == (param, code, "invalid_request_error")


def test_another_model_is_not_found(client: openai.OpenAI) -> None:
    with pytest.raises(openai.NotFoundError, match="There is no model 'gpt' here: ask 'tiny'") as caught:
        client.chat.completions.create(**{**GREEDY, "model": "gpt"}, messages=HI)

    assert (caught.value.param, caught.value.code) == ("model", "model_not_found")
    with pytest.raises(openai.NotFoundError):
        client.models.retrieve("gpt/4")


def test_more_prompts_than_there_are_places_are_refused(client: openai.OpenAI) -> None:
    with pytest.raises(openai.BadRequestError, match="25 completions are asked for at once, and at most 24") as caught:
        client.completions.create(prompt=["x"] * 25, **GREEDY)

    assert caught.value.param == "prompt"


def test_one_bad_prompt_of_several_refuses_all(client: openai.OpenAI, served: Running) -> None:
    with pytest.raises(openai.BadRequestError) as caught:
        client.completions.create(prompt=["hello", "x" * 200], **GREEDY)

    assert caught.value.param == "prompt"
    assert served.engine.is_finished()


@pytest.mark.parametrize(
    ("path", "body", "status", "message"),
    [
        ("/v1/completions", b"{", 400, "The body is no JSON"),
        ("/v1/completions", b"[]", 400, "no JSON object"),
        ("/v1/completions", b" " * (16 * 2**20 + 1), 413, "larger than"),
        ("/v1/nothing", b"{}", 404, "POST /v1/nothing: Not Found."),
        ("/v1/models", b"{}", 405, "POST /v1/models: Method Not Allowed."),
    ],
)
def test_what_the_client_would_never_send_is_told_in_the_same_form(
    path: str, body: bytes, status: int, message: str, served: Running
) -> None:
    with pytest.raises(urllib.error.HTTPError) as caught:
        urllib.request.urlopen(served.url + path, body)  # noqa: S310 - our own address

    with caught.value:
        assert caught.value.code == status
        told = json.loads(caught.value.read())["error"]
    assert message in told["message"]
    assert set(told) == {"message", "type", "param", "code"}


def test_a_checkpoint_without_a_tokenizer_completes_token_ids(qwen3_folder: str) -> None:
    with running(qwen3_folder) as server, server.client() as client:
        answer = client.completions.create(prompt=[1, 2], **GREEDY)
        with pytest.raises(openai.BadRequestError, match="has no tokenizer"):
            client.chat.completions.create(messages=HI, **GREEDY)

    assert answer.choices[0].text == ""
    assert answer.usage is not None
    assert answer.usage.completion_tokens == 6
