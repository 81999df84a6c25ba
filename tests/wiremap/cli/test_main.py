from pathlib import Path

import pytest

from tests.wiremap.projects import new_project
from wiremap import __version__
from wiremap.cli.main import main


def test_the_version_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="0"):
        main(["--version"])

    assert capsys.readouterr().out == f"wiremap {__version__}\n"


@pytest.mark.parametrize("arguments", [[], ["no-such-command"], ["affected", "--json", "--ids"], ["explain"]])
def test_wrong_usage_has_its_own_exit_code(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(arguments)

    assert capsys.readouterr().out == ""


def test_an_error_is_one_sentence_with_its_code(capsys: pytest.CaptureFixture[str]) -> None:
    exit_code = main(["graph", "no_such_module_anywhere"])

    output = capsys.readouterr()
    assert (exit_code, output.out) == (2, "")
    assert output.err.startswith("wiremap: ")
    assert "[module-not-importable]" in output.err


@pytest.mark.parametrize("inside", ["", "@recipe\ndef combine(): "])
def test_an_interrupt_is_one_line_whichever_command_runs(tmp_path: Path, inside: str) -> None:
    project = new_project(tmp_path, {"stopped.py": f"from wiremap import recipe\n{inside}raise KeyboardInterrupt\n"})

    finished = project.wiremap("graph", "stopped")

    assert (finished.exit_code, finished.stdout, finished.stderr) == (130, "", "wiremap: interrupted\n")
