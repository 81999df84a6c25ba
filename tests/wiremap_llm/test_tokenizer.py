import pytest

from tests.wiremap_llm import text_model
from wiremap_llm.errors import InvalidPromptError, NoChatTemplateError
from wiremap_llm.tokenizer import Tokenizer

MARKS = {"bos_token": text_model.SPECIAL[0], "eos_token": text_model.SPECIAL[1]}
HELLO = [{"role": "user", "content": "hello"}]


def tokenizer(template: str | None = text_model.CHAT_TEMPLATE) -> Tokenizer:
    return Tokenizer(text_model.tokenizer(), template, MARKS)


def test_text_comes_back_without_special_tokens() -> None:
    encoded = tokenizer().encode("hello world<|im_end|>")

    assert encoded[0] == len(text_model.vocabulary()) - 1
    assert encoded[-1] == 1
    assert tokenizer().decode(encoded) == "hello world"


def test_a_conversation_is_rendered_with_the_special_tokens_and_a_place_for_the_answer() -> None:
    found = tokenizer().encode_chat(HELLO)

    assert found == tokenizer().encode("<|im_start|>user\nhello<|im_end|><|im_start|>assistant")


def test_without_a_template_a_conversation_is_refused() -> None:
    with pytest.raises(NoChatTemplateError, match="let it complete a plain text instead, or add"):
        tokenizer(None).encode_chat(HELLO)


def test_the_variables_of_a_template_are_passed_on() -> None:
    assert len(tokenizer("{{ year }}").encode_chat(HELLO, year="2024")) == 4


def test_what_is_no_character_is_refused() -> None:
    for encode in (tokenizer().encode, lambda text: tokenizer().encode_chat([{"role": "user", "content": text}])):
        with pytest.raises(InvalidPromptError, match=r"holds '\\udcff', which is no character"):
            encode("a\udcff")
