"""A conversation keeps its history; what goes wrong is told, and the conversation goes on."""

import io
import signal
from collections.abc import Iterator

import pytest

from wiremap_llm.cli import chat
from wiremap_llm.cli.chat import Chat
from wiremap_llm.cli.main import main
from wiremap_llm.cli.opening import combine_of
from wiremap_llm.engine_interface import Engine
from wiremap_llm.request import SamplingParams

Captured = pytest.CaptureFixture[str]
SHORT = SamplingParams(temperature=0.0, max_tokens=4)


@pytest.fixture
def engine(talking_folder: str) -> Engine:
    made: Engine
    made, _ = combine_of("wiremap_llm.recipes.dense")(model=talking_folder)
    return made


def roles(talk: Chat) -> list[str]:
    return [message["role"] for message in talk.messages]


def test_each_answer_is_printed_and_becomes_part_of_the_conversation(engine: Engine, capsys: Captured) -> None:
    talk = Chat(engine, SHORT)
    talk.take("hello")
    first = capsys.readouterr().out
    talk.take("ok")

    assert roles(talk) == ["user", "assistant", "user", "assistant"]
    assert first == talk.messages[1]["content"] + "\n"
    assert capsys.readouterr().out == talk.messages[3]["content"] + "\n"


def test_reset_forgets_all_but_the_system_message(engine: Engine) -> None:
    talk = Chat(engine, SHORT, system="be brief")
    talk.take("hello")
    talk.take(" /reset ")

    assert talk.messages == [{"role": "system", "content": "be brief"}]


def test_an_unknown_command_is_told_and_not_sent(engine: Engine, capsys: Captured) -> None:
    talk = Chat(engine, SHORT)
    talk.take("/rest")

    assert talk.messages == []
    assert "there is no command /rest; /reset forgets" in capsys.readouterr().err


def test_ctrl_c_ends_the_answer_and_keeps_what_was_said(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    printed: list[str] = []

    def interrupted(text: str) -> None:
        printed.append(text)
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(chat, "write", interrupted)
    talk = Chat(engine, SamplingParams(temperature=0.0, max_tokens=60))
    talk.take("hello")

    assert printed == [talk.messages[1]["content"], "\n"]
    assert engine.is_finished()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert capsys.readouterr().err == ""


def test_a_conversation_that_outgrows_the_model_is_told_and_can_be_forgotten(engine: Engine, capsys: Captured) -> None:
    talk = Chat(engine, SHORT)
    talk.take("hello")
    before = list(talk.messages)
    talk.take("x" * 130)

    assert "at most 127 fit" in capsys.readouterr().err
    assert talk.messages == before
    talk.take("ok")
    assert len(talk.messages) == 4


def test_an_answer_that_is_cut_off_is_told(engine: Engine, capsys: Captured) -> None:
    Chat(engine, SHORT).take("hello")

    assert "it reached --max-tokens" in capsys.readouterr().err


def test_the_program_ends_with_its_input(
    talking_folder: str, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("hello\n\n/reset\nok\n"))

    assert main(["chat", "--model", talking_folder, "--max-tokens", "4"]) == 0

    out, err = capsys.readouterr()
    assert out.count("\n") >= 2
    assert "the conversation is forgotten" in err


def test_ctrl_c_at_the_prompt_discards_the_line_only(
    talking_folder: str, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    events: Iterator[str | BaseException] = iter([KeyboardInterrupt(), "hello", EOFError()])

    def read(_prompt: str) -> str:
        event = next(events)
        if isinstance(event, str):
            return event
        raise event

    monkeypatch.setattr("builtins.input", read)

    assert main(["chat", "--model", talking_folder, "--max-tokens", "2"]) == 0
    assert "Ctrl-D ends the program" in capsys.readouterr().err


def test_a_model_that_cannot_read_a_conversation_is_refused_at_once(qwen3_folder: str, capsys: Captured) -> None:
    assert main(["chat", "--model", qwen3_folder]) == 2
    assert "has no tokenizer" in capsys.readouterr().err
