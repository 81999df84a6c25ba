"""Prompts in, texts out: on standard output nothing else."""

import io
import json
from pathlib import Path
from typing import Any

import pytest

from tests.wiremap_llm import text_model
from tests.wiremap_llm.checkpoints import ReferenceModel
from wiremap_llm.batch import Batch
from wiremap_llm.cli.main import main
from wiremap_llm.errors import StepFailedError
from wiremap_llm.model_runner import ModelRunner
from wiremap_llm.outputs import Outcome

Captured = pytest.CaptureFixture[str]


def generate(folder: str, *arguments: str) -> int:
    return main(["generate", "--model", folder, "--max-tokens", "4", *arguments])


def answers(folder: str, capsys: Captured, *arguments: str) -> list[dict[str, object]]:
    assert generate(folder, "--json", *arguments) == 0
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_a_raw_prompt_is_continued_without_the_chat_template(
    talking_folder: str, references: dict[str, ReferenceModel], capsys: Captured
) -> None:
    generate(talking_folder, "--raw", "hello")

    tokenizer = text_model.tokenizer()
    expected = tokenizer.decode(references["qwen3-tied"].greedy(tokenizer.encode("hello").ids, 4))
    assert capsys.readouterr().out == f"{expected}\n"


def test_texts_come_in_the_order_of_the_prompts(talking_folder: str, capsys: Captured) -> None:
    prompts = ["hello", "a much longer prompt", "x"]
    alone = []
    for prompt in prompts:
        generate(talking_folder, prompt)
        alone.append(capsys.readouterr().out)

    generate(talking_folder, *prompts, "--max-num-batched-tokens", "16")

    out, err = capsys.readouterr()
    assert out == "".join(alone)
    assert err == ""


def test_json_has_one_object_per_completion(talking_folder: str, capsys: Captured) -> None:
    first, second = answers(talking_folder, capsys, "hello", "world")

    generate(talking_folder, "world")
    assert second["text"] == capsys.readouterr().out.removesuffix("\n")
    assert [first["prompt"], second["prompt"]] == [0, 1]
    assert first["finish_reason"] == "length"
    assert isinstance(first["token_ids"], list)
    assert len(first["token_ids"]) == 4


def test_json_has_log_probabilities_if_asked_for(talking_folder: str, capsys: Captured) -> None:
    (found,) = answers(talking_folder, capsys, "--logprobs", "1", "hello")

    logprobs: Any = found["logprobs"]
    assert [each["token_id"] for each in logprobs] == found["token_ids"]
    assert all(each["best"] == [[each["token_id"], each["logprob"]]] for each in logprobs)


def test_samples_of_a_prompt_come_one_after_the_other(talking_folder: str, capsys: Captured) -> None:
    found = answers(talking_folder, capsys, "--n", "2", "--temperature", "1", "hello", "world")

    assert [(each["prompt"], each["sample"]) for each in found] == [(0, 0), (0, 1), (1, 0), (1, 1)]


def test_a_request_that_fails_while_it_runs_is_told_and_the_others_are_printed(
    talking_folder: str, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    failure = StepFailedError("out of luck")
    original = ModelRunner.run

    def failing(runner: ModelRunner, batch: Batch) -> list[Outcome]:
        outcomes = list(original(runner, batch))
        return [
            failure if chunk.request.id == 0 else found for chunk, found in zip(batch.chunks, outcomes, strict=True)
        ]

    generate(talking_folder, "world")
    expected = capsys.readouterr().out
    monkeypatch.setattr(ModelRunner, "run", failing)

    assert generate(talking_folder, "hello", "world") == 1

    out, err = capsys.readouterr()
    assert out == "\n" + expected
    assert err == f"wiremap_llm: {failure}\n"


def test_an_argument_that_is_no_text_is_refused(talking_folder: str, capsys: Captured) -> None:
    assert generate(talking_folder, "a\udcff") == 2
    assert "which is no character" in capsys.readouterr().err


def test_a_seed_repeats_a_sampled_text(talking_folder: str, capsys: Captured) -> None:
    found = [answers(talking_folder, capsys, "--temperature", "1", "--seed", seed, "hello") for seed in "112"]

    assert found[0] == found[1] != found[2]


def test_prompts_come_from_files_and_standard_input(
    talking_folder: str, capsys: Captured, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "whole.txt").write_text("hello\nworld\n", encoding="utf-8")
    (tmp_path / "lines.txt").write_text("hello\n\nworld\n", encoding="utf-8")
    expected = {text: answers(talking_folder, capsys, text)[0]["text"] for text in ("hello", "world", "hello\nworld")}

    def texts(*arguments: str) -> list[object]:
        return [each["text"] for each in answers(talking_folder, capsys, *arguments)]

    assert texts("--file", str(tmp_path / "whole.txt")) == [expected["hello\nworld"]]
    assert texts("--lines", str(tmp_path / "lines.txt"), "world") == [
        expected["world"],
        expected["hello"],
        expected["world"],
    ]
    monkeypatch.setattr("sys.stdin", io.StringIO("hello\nworld\n"))
    assert texts() == [expected["hello\nworld"]]
    monkeypatch.setattr("sys.stdin", io.StringIO("hello\nworld\n"))
    assert texts("--lines", "-") == [expected["hello"], expected["world"]]


def test_without_any_prompt_it_says_how_to_give_one(
    talking_folder: str, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr("sys.stdin", Terminal())

    assert generate(talking_folder) == 2
    assert "There is no prompt: give some as arguments" in capsys.readouterr().err


def test_a_file_that_is_no_text_is_refused(talking_folder: str, capsys: Captured, tmp_path: Path) -> None:
    (tmp_path / "image").write_bytes(b"\xff\xfe\x00")

    assert generate(talking_folder, "--file", str(tmp_path / "image")) == 2
    assert "image is no text in UTF-8" in capsys.readouterr().err


def test_one_prompt_that_cannot_run_stops_all_before_anything_is_computed(
    talking_folder: str, capsys: Captured
) -> None:
    assert generate(talking_folder, "--raw", "hello", "x" * 200) == 2

    out, err = capsys.readouterr()
    assert out == ""
    assert "at most 127 fit" in err


def test_text_needs_a_tokenizer(qwen3_folder: str, capsys: Captured) -> None:
    assert generate(qwen3_folder, "x") == 2
    assert "has no tokenizer" in capsys.readouterr().err


def test_a_conversation_needs_a_template_and_plain_text_does_not(
    references: dict[str, ReferenceModel], capsys: Captured, tmp_path: Path
) -> None:
    references["qwen3-tied"].model.save_pretrained(tmp_path)
    text_model.tokenizer().save(str(tmp_path / "tokenizer.json"))

    assert generate(str(tmp_path), "x") == 2
    assert "has no chat template" in capsys.readouterr().err
    assert generate(str(tmp_path), "--raw", "x") == 0
