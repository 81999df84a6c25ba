import os
from pathlib import Path

import pytest

from wiremap.registry.location import Location, caller_location


def test_the_caller_is_found_at_any_depth() -> None:
    def inner() -> tuple[Location, Location]:
        return caller_location(0), caller_location(1)

    here, above = inner()

    assert here.file == above.file == __file__
    assert here.line < above.line


def test_paths_are_relative_below_the_current_directory_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    assert str(Location(str(tmp_path / "sub" / "a.py"), 3)) == f"sub{os.sep}a.py:3"
    assert str(Location("/elsewhere/a.py", 3)) == "/elsewhere/a.py:3"
    assert str(Location("<stdin>", 1)) == "<stdin>:1"
