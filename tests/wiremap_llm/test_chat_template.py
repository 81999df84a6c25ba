"""A template gives what transformers' apply_chat_template gives, or one clear error."""

from pathlib import Path
from typing import Any

import pytest

from tests.wiremap_llm import text_model
from wiremap_llm.chat_template import ChatTemplate
from wiremap_llm.checkpoint.folder import CheckpointFolder
from wiremap_llm.errors import ChatTemplateError

MARKS = {"bos_token": text_model.SPECIAL[0], "eos_token": text_model.SPECIAL[1]}
HELLO = [{"role": "user", "content": "hello"}]
TALK: list[dict[str, Any]] = [
    {"role": "system", "content": "be <brief> & kind"},
    {"role": "user", "content": "  hello \n"},
    {"role": "assistant", "content": "<think>so</think>hell", "name": None},
    {"role": "user", "content": "ok"},
]

# One use each of what the templates of known models do.
TEMPLATES = {
    "special tokens": "{{ bos_token }}{% for m in messages %}{{ m.content + eos_token }}{% endfor %}",
    "trimmed blocks": """
{% for m in messages %}
    {% if m.role == 'user' %}
U:{{ m.content | trim }}
    {% else %}
A:{{ m['content'] }}
    {% endif %}
{% endfor %}
""",
    "no blanks": "{%- for m in messages -%}\n  {{- m.role }}\n{%- endfor -%}\n",
    "place for the answer": "{% if add_generation_prompt %}{{ bos_token ~ 'assistant' }}{% endif %}",
    "loop controls": (
        "{% for m in messages %}{% if m.role == 'system' %}{% continue %}{% endif %}{{ m.content }}"
        "{% if loop.index == 3 %}{% break %}{% endif %}{% endfor %}"
    ),
    "json": "{{ messages | tojson }} {{ messages[0] | tojson(indent=2) }} {{ messages | tojson(sort_keys=true) }}",
    "namespace": (
        "{% set ns = namespace(last=0) %}{% for m in messages[::-1] %}{% if m.role == 'user' and not ns.last %}"
        "{% set ns.last = loop.revindex0 %}{% endif %}{% endfor %}{{ ns.last }}"
    ),
    "methods": "{{ messages[2].content.split('</think>')[-1].lstrip('\\n').upper() }}",
    "macro": "{% macro turn(m) %}[{{ m.role }}]{% endmacro %}{% for m in messages %}{{ turn(m) }}{% endfor %}",
    "absent tools": "{{ tools is none }} {{ documents is defined }} {% if tools %}tools{% endif %}",
    "absent keys": "{% for m in messages %}{{ m.name is defined }}{{ m.tool_calls }}{% endfor %}",
    "marked answers": "{% for m in messages %}{% generation %}{{ m.content }}{% endgeneration %}{% endfor %}",
    "variables": "{{ enable_thinking is defined }}",
    "date": "{{ strftime_now('%Y-%m-%d') }}",
}


def template(source: str) -> ChatTemplate:
    return ChatTemplate(source, MARKS)


@pytest.mark.parametrize("name", TEMPLATES)
def test_it_renders_what_transformers_renders(name: str, tmp_path: Path) -> None:
    from transformers import PreTrainedTokenizerFast  # noqa: PLC0415 - slow, and only needed here

    make: Any = PreTrainedTokenizerFast  # transformers leaves it untyped
    reference = make(
        tokenizer_object=text_model.tokenizer(), chat_template=TEMPLATES[name], **{**MARKS, "unk_token": "!"}
    )
    reference.save_pretrained(tmp_path)
    ours = CheckpointFolder(tmp_path).tokenizer()
    assert ours is not None
    assert ours.chat_template is not None

    text = reference.apply_chat_template(TALK, tokenize=False, add_generation_prompt=True)
    ids = reference.apply_chat_template(TALK, add_generation_prompt=True, return_dict=False)

    assert ours.chat_template.render(TALK) == text
    assert ours.special_tokens == reference.special_tokens_map
    assert ours.encode_chat(TALK) == ids


def test_the_templates_own_variables_are_passed_on() -> None:
    assert template("{{ enable_thinking }}").render(HELLO, enable_thinking=False) == "False"


def test_a_template_may_refuse_a_conversation() -> None:
    with pytest.raises(ChatTemplateError, match="conversation: roles must alternate"):
        template("{{ raise_exception('roles must alternate') }}").render(HELLO)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("{{ messages.__class__.__mro__ }}", "unsafe"),
        ("{{ messages.append(1) }}", "unsafe"),
        ("{% for %}", "cannot render"),
        ("{{ 1 + messages[0].content }}", "TypeError"),
        ("{{ absent.content }}", "undefined"),
        ("{{ 1 / 0 }}", "ZeroDivisionError"),
        ("{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}", "RecursionError"),
    ],
)
def test_what_a_template_does_wrong_is_one_error(source: str, message: str) -> None:
    with pytest.raises(ChatTemplateError, match=message):
        template(source).render(HELLO)


def test_a_conversation_without_messages_is_refused() -> None:
    with pytest.raises(ChatTemplateError, match="it has no messages"):
        template("hello").render([])


def test_variables_may_have_any_name() -> None:
    found = template("{{ self_ }}{{ source }}{{ messages[0].content }}").render(
        HELLO, self_=1, source=2, messages=3, self=4
    )

    assert found == "12hello"
