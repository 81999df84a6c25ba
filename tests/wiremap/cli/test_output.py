import json
import os
import warnings
from pathlib import Path

import pytest

from tests.wiremap.projects import Project
from wiremap.cli.output import say, saying_wiring_warnings, write
from wiremap.errors import UnusedComponentWarning


def test_data_and_talk_go_apart(capsys: pytest.CaptureFixture[str]) -> None:
    write("data")
    say("talk")

    assert capsys.readouterr() == ("data\n", "talk\n")


@pytest.mark.filterwarnings("default")
def test_only_warnings_about_wirings_are_talk(
    recwarn: pytest.WarningsRecorder, capsys: pytest.CaptureFixture[str]
) -> None:
    with saying_wiring_warnings():
        warnings.warn_explicit(UnusedComponentWarning("Idle", is_class=False), UserWarning, "recipe.py", 7)
        warnings.warn_explicit("old", DeprecationWarning, "recipe.py", 8)

    assert capsys.readouterr().err.startswith("wiremap: recipe.py:7: Idle takes no part in the wiring.")
    assert [str(warning.message) for warning in recwarn] == ["old"]


@pytest.mark.parametrize("document", [{"path": "ü.txt"}, {"path": os.fsdecode(b"\xff.txt")}], ids=["text", "no text"])
def test_json_is_utf_8_whatever_a_file_is_called(tmp_path: Path, document: dict[str, str]) -> None:
    program = f"from wiremap.cli.output import write_json\nwrite_json({document!r})\n"

    finished = Project(tmp_path).run_python("-c", program)

    assert json.loads(finished.stdout) == document


def test_text_shows_a_name_that_is_no_text_as_its_bytes(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    write(os.fsdecode(b"\xff.txt"))

    assert capsysbinary.readouterr().out == b"\xff.txt\n"
