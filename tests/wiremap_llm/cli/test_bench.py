"""What is measured is what was asked for; how long it took is not tested."""

import json

import pytest

from wiremap_llm.cli.main import main

Captured = pytest.CaptureFixture[str]
SMALL = ["--prompt-tokens", "20", "--new-tokens", "3", "--requests", "1", "4", "--rounds", "1"]


def test_it_measures_prefill_and_decode_and_counts_the_tokens_that_were_computed(
    qwen3_folder: str, capsys: Captured
) -> None:
    assert main(["bench", "--model", qwen3_folder, "--json", *SMALL]) == 0

    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(each["name"], each["num_requests"], each["num_tokens"]) for each in found] == [
        ("prefill", 1, 20),
        ("decode", 1, 3),
        ("decode", 4, 12),
    ]
    assert all(each["wall_seconds"] > 0 and each["cpu_seconds"] > 0 for each in found)


def test_the_table_has_a_line_each_and_says_what_it_is_worth_beside_it(qwen3_folder: str, capsys: Captured) -> None:
    main(["bench", "--model", qwen3_folder, *SMALL])

    out, err = capsys.readouterr()
    assert [line.split()[0] for line in out.splitlines()] == ["requests", "prefill", "decode", "decode"]
    assert "at this minute's load" in err
