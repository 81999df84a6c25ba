"""The recipe's graph, as wiremap draws it."""

import pytest

from tests.wiremap_llm.checkpoints import ReferenceModel
from wiremap_llm.cli.main import main

Captured = pytest.CaptureFixture[str]


def test_it_is_the_graph_that_wiremap_shows(capsys: Captured) -> None:
    assert main(["graph", "--outer"]) == 0

    assert "BlockManager  wiremap_llm/block_manager.py" in capsys.readouterr().out


def test_with_a_checkpoint_it_is_the_graph_of_its_model(
    references: dict[str, ReferenceModel], capsys: Captured
) -> None:
    assert main(["graph", "--model", str(references["llama"].folder), "--format", "json"]) == 0

    assert "LlamaForCausalLM" in capsys.readouterr().out


def test_an_option_that_wiremap_does_not_know_is_wrong_usage(capsys: Captured) -> None:
    with pytest.raises(SystemExit) as ending:
        main(["graph", "--no-such-option"])

    assert ending.value.code == 2
    assert "unrecognized arguments: --no-such-option" in capsys.readouterr().err
