import subprocess
import sys
from pathlib import Path

import pytest

# The plugin, with nothing before it: an editable installation makes pytest itself import some of these.
_PYTEST = (
    "import sys; sys.path.insert(0, ''); import pytest; "
    "sys.exit(pytest.main([*sys.argv[1:], '-q', '-p', 'no:cacheprovider', '-p', 'wiremap.pytest_plugin']))"
)


def run(root: Path, *arguments: str) -> str:
    """Run pytest as `python -m pytest` does, with the project first in the path; return what it says."""
    done = subprocess.run(
        [sys.executable, "-c", _PYTEST, *arguments],
        cwd=root,
        env={"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout + done.stderr


@pytest.mark.parametrize("name", ["sqlite3", "tempfile", "fractions", "statistics", "uuid", "json", "zlib", "tomllib"])
@pytest.mark.parametrize("is_package", [False, True])
def test_a_project_file_may_have_the_name_of_a_standard_module(name: str, is_package: bool, tmp_path: Path) -> None:  # noqa: FBT001 - a parameter
    file = tmp_path / (f"{name}/__init__.py" if is_package else f"{name}.py")
    file.parent.mkdir(exist_ok=True)
    file.write_text("X = 1\n")
    (tmp_path / "test_a.py").write_text(f"import {name}\ndef test_a(): assert {name}.X == 1\n")
    plain = run(tmp_path)
    if "1 passed" not in plain:
        pytest.skip("pytest itself needs the module of the library")

    assert "1 passed" in run(tmp_path, "--wiremap")
    assert "0 of 1 tests selected" in run(tmp_path, "--wiremap")
    file.write_text("X = 20\n")  # of another length: byte code is told apart by the second
    changed = run(tmp_path, "--wiremap")
    assert "1 of 1 tests selected" in changed
    assert "1 failed" in changed
