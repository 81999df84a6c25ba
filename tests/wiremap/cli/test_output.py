import warnings

import pytest

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
