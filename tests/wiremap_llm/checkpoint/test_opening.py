from pathlib import Path

import pytest

from wiremap_llm.checkpoint.folder import CheckpointFolder
from wiremap_llm.checkpoint.opening import open_checkpoint
from wiremap_llm.errors import CheckpointError


def test_a_folder_is_read_in_the_hugging_face_layout(tmp_path: Path) -> None:
    assert isinstance(open_checkpoint(str(tmp_path)), CheckpointFolder)


def test_a_path_to_nothing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match=r"absent: no such file or folder"):
        open_checkpoint(str(tmp_path / "absent"))


def test_another_kind_of_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "model.bin").touch()

    with pytest.raises(CheckpointError, match=r"model\.bin: neither a folder"):
        open_checkpoint(str(tmp_path / "model.bin"))
