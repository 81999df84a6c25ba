import subprocess
import sys
from pathlib import Path
from types import FunctionType

import pytest

from wiremap.tracing.outside_names import SUBCLASSES, outside_names
from wiremap.tracing.territory import Territory


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return tmp_path.resolve()


def function_of(file: Path, text: str) -> FunctionType:
    """Return the function `f` of a module as if it had been imported from *file*."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    namespace: dict[str, FunctionType] = {}
    exec(compile(text, str(file), "exec"), namespace)  # noqa: S102 - an import would stay
    return namespace["f"]


def test_names_that_the_standard_library_reads_are_known(project: Path) -> None:
    assert {"flush", "write", "code"} <= outside_names(Territory(project))


def test_names_that_only_the_project_reads_are_not(project: Path) -> None:
    kept = function_of(project / "app.py", "def f(x): return x.name_of_the_project\n")

    assert "name_of_the_project" not in outside_names(Territory(project))
    assert kept is not None


def test_a_library_knows_what_its_functions_read_and_what_their_literals_spell(project: Path) -> None:
    text = """
def f(x):
    def g(): return x.read_by_g, getattr(x, "spelt_by_g")
    return x.read_by_f in ("spelt_by_f",)
"""
    kept = function_of(project / ".venv" / "site-packages" / "library.py", text)

    assert {"read_by_f", "read_by_g", "spelt_by_f", "spelt_by_g"} <= outside_names(Territory(project))
    assert kept is not None


def test_a_library_knows_the_members_of_its_classes(project: Path) -> None:
    assert "setUpClass" in outside_names(Territory(project))
    assert "__init_subclass__" in outside_names(Territory(project))


def test_a_library_that_lists_subclasses_is_told(project: Path) -> None:
    kept = function_of(project / ".venv" / "site-packages" / "library.py", "def f(x): return x.__subclasses__()\n")

    assert SUBCLASSES in outside_names(Territory(project))
    assert kept is not None


def test_the_standard_library_does_not_count_as_one_that_lists_subclasses(project: Path) -> None:
    script = f"""
import functools, unittest.mock
from wiremap.tracing.outside_names import SUBCLASSES, outside_names
from wiremap.tracing.territory import Territory
print(SUBCLASSES in outside_names(Territory({str(project)!r})))
"""
    told = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)

    assert told.stdout.strip() == "False"
