import os
import re
import stat
import sys
from pathlib import Path

import pytest

from tests.wiremap.checks.engines import FILES, new_engine
from tests.wiremap.projects import Project
from tests.wiremap.render.golden import assert_golden


@pytest.fixture
def engine(tmp_path: Path) -> Project:
    return new_engine(tmp_path / "engine-project")


def lock_of(project: Project) -> str:
    return (project.root / "wiremap.lock").read_text(encoding="utf-8")


def test_the_lock_is_written(engine: Project) -> None:
    finished = engine.wiremap("lock")

    assert (finished.exit_code, finished.stdout) == (0, "")
    assert finished.stderr == "wrote wiremap.lock (1 recipe, 7 components)\n"
    assert_golden("wiremap.lock", lock_of(engine))


def test_a_lock_that_is_right_is_not_touched(engine: Project) -> None:
    engine.wiremap("lock")
    before = (engine.root / "wiremap.lock").stat().st_mtime_ns

    finished = engine.wiremap("lock")

    assert finished.stderr == "wiremap.lock is right as it is (1 recipe, 7 components)\n"
    assert (engine.root / "wiremap.lock").stat().st_mtime_ns == before


def test_the_lock_is_the_same_wherever_the_project_lies(engine: Project, tmp_path: Path) -> None:
    other = new_engine(tmp_path / "elsewhere")
    engine.wiremap("lock", env={"PYTHONHASHSEED": "1"})
    other.wiremap("lock", env={"PYTHONHASHSEED": "2"})

    assert lock_of(engine) == lock_of(other)


def test_a_lambda_that_does_something_else_is_not_in_the_lock(engine: Project) -> None:
    engine.wiremap("lock")
    before = lock_of(engine)

    text = str(FILES["engine/recipes.py"])
    engine.write({"engine/recipes.py": text.replace("lambda: 0", "lambda: 12345")})
    engine.wiremap("lock")

    assert "clock=<function>\n" in before
    assert lock_of(engine) == before


def test_it_is_written_beside_the_configuration_from_any_folder(engine: Project) -> None:
    engine.folder = "engine"

    finished = engine.wiremap("lock")

    assert finished.stderr.startswith(f"wrote {Path('..', 'wiremap.lock')} ")
    assert lock_of(engine).startswith("# The wiring")


def test_what_recipes_print_is_talk(engine: Project) -> None:
    norm = "print('hello')\nclass Norm:\n    def __init__(self, clock): ...\n    def norm(self, hidden): ...\n"
    engine.write({"engine/norm.py": norm})

    finished = engine.wiremap("lock")

    assert (finished.exit_code, finished.stdout) == (0, "")
    assert finished.stderr.startswith("hello\nwrote")


def test_no_recipes_are_told_with_what_to_write(engine: Project) -> None:
    engine.write({"pyproject.toml": "[tool.wiremap]\n"})

    for command in ("lock", "check"):
        finished = engine.wiremap(command)

        assert finished.exit_code == 2
        assert "pyproject.toml names no recipes." in finished.stderr
        assert 'recipes = ["package.recipes.dense"' in finished.stderr
        assert finished.stderr.endswith("[no-recipes-configured]\n")


def test_all_recipes_that_fail_are_told_and_the_lock_stays(engine: Project) -> None:
    engine.wiremap("lock")
    before = lock_of(engine)
    engine.write(
        {"pyproject.toml": '[tool.wiremap]\nrecipes = ["engine.recipe", "engine.recipes:nothing", "engine.recipes"]\n'}
    )

    for command in ("lock", "check"):
        finished = engine.wiremap(command)

        assert finished.exit_code == 2
        assert "2 recipes of [tool.wiremap] can't be compiled" in finished.stderr
        assert "Did you mean 'engine.recipes'" in finished.stderr
        assert "nothing called 'nothing'" in finished.stderr
        assert "Traceback" not in finished.stderr
    assert lock_of(engine) == before


def test_a_recipe_that_ends_the_process_is_told(engine: Project) -> None:
    engine.write({"engine/norm.py": "import os\nos._exit(7)\n"})

    finished = engine.wiremap("lock")

    assert finished.exit_code == 2
    assert "its process ended with exit code 7" in finished.stderr


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="permissions bind no administrator")
def test_a_folder_that_can_not_be_written_is_told(engine: Project) -> None:
    engine.root.chmod(stat.S_IRUSR | stat.S_IXUSR)
    try:
        finished = engine.wiremap("lock")
    finally:
        engine.root.chmod(stat.S_IRWXU)

    assert finished.exit_code == 2
    assert "[unwritable-lock]" in finished.stderr


def test_a_folder_in_the_place_of_the_lock_is_told_and_nothing_is_left_behind(engine: Project) -> None:
    (engine.root / "wiremap.lock").mkdir()

    finished = engine.wiremap("lock")

    assert finished.exit_code == 2
    assert re.search(r"The lock can't be written to 'wiremap\.lock': .*\[unwritable-lock\]", finished.stderr)
    assert [path.name for path in engine.root.iterdir() if path.name.endswith(".tmp")] == []


def test_the_mode_and_a_link_are_kept(engine: Project) -> None:
    target = engine.root / "locks.txt"
    target.write_text("old")
    target.chmod(0o640)
    (engine.root / "wiremap.lock").symlink_to("locks.txt")

    engine.wiremap("lock")

    assert (engine.root / "wiremap.lock").is_symlink()
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    assert target.read_text(encoding="utf-8") == lock_of(engine) != "old"
