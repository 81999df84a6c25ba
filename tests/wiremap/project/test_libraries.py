import os
import sys
from pathlib import Path

import pytest

from wiremap.project.libraries import library_state, loaded_libraries
from wiremap.selection.facts import ABSENT

linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the system doesn't tell what is mapped")


@linux
def test_the_libraries_of_the_system_are_told_and_those_of_the_interpreter_are_not(tmp_path: Path) -> None:
    found = loaded_libraries(str(tmp_path))

    assert any(Path(name).name.startswith(("libc.", "libc-", "ld-")) for name in found)
    assert not [name for name in found if "-packages/" in name or "lib-dynload" in name]
    assert all(library_state(name) != ABSENT for name in found)


@linux
def test_a_library_of_the_project_is_a_file_of_it() -> None:
    assert loaded_libraries("/") == frozenset()


def test_a_library_changes_with_its_size_or_time(tmp_path: Path) -> None:
    library = tmp_path / "libthing.so.1"
    library.write_bytes(b"1")
    before = library_state(str(library))

    os.utime(library, (1, 1))

    assert library_state(str(library)) != before
    assert library_state(str(tmp_path / "libgone.so")) == ABSENT
