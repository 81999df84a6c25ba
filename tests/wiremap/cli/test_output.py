import pytest

from wiremap.cli.output import say, write


def test_data_and_talk_go_apart(capsys: pytest.CaptureFixture[str]) -> None:
    write("data")
    say("talk")

    assert capsys.readouterr() == ("data\n", "talk\n")
