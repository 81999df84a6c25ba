import os
from pathlib import Path

import pytest

from wiremap.tracing.session_file import Session, read_session, write_session
from wiremap.tracing.territory import Territory
from wiremap.tracing.variables import Variables


def test_a_child_knows_what_its_session_knows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET", "value")
    told = Session(Territory(tmp_path / "a b"), Variables())

    write_session(str(tmp_path), told)
    monkeypatch.setenv("SECRET", "other")
    heard = read_session(str(tmp_path))

    assert heard.territory.root == told.territory.root
    assert heard.territory.interpreter_folders == told.territory.interpreter_folders
    assert heard.variables.digests == told.variables.digests
    assert b"value" not in (tmp_path / "session").read_bytes()


def test_a_session_that_is_not_whole_is_none(tmp_path: Path) -> None:
    write_session(str(tmp_path), Session(Territory(tmp_path), Variables()))
    text = (tmp_path / "session").read_bytes()
    (tmp_path / "session").write_bytes(text[: text.rindex(b"\n", 0, -1) + 1])

    with pytest.raises(ValueError, match="unpack"):
        read_session(str(tmp_path))


def test_without_a_session_there_is_none(tmp_path: Path) -> None:
    with pytest.raises(OSError, match=os.fspath(tmp_path)):
        read_session(str(tmp_path))
