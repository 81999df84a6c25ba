import json
import shutil
from pathlib import Path
from typing import cast

import pytest

from tests.wiremap.projects import Project, new_project
from wiremap.store.sealing import unseal

FILES = {
    "pkg/__init__.py": "",
    "pkg/app.py": "def f(): return 1\n",
    "data/words.txt": "word\n",
    "tests/conftest.py": "import pytest\n@pytest.fixture(scope='session')\ndef one(): return 1\n",
    "tests/test_a.py": """
        import os, pathlib
        from pkg import app
        def test_f(one): assert app.f() == one
        def test_data(): assert (pathlib.Path(__file__).parents[1] / 'data' / 'words.txt').read_text() == 'word\\n'
        def test_listing(): assert os.listdir('data') == ['words.txt']
        def test_absence(tmp_path): assert not pathlib.Path('data/missing.txt').exists()
        """,
}


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = new_project(tmp_path / "ci", FILES)
    made.record()
    return made


def test_records_of_one_machine_serve_another(project: Project, tmp_path: Path) -> None:
    """The other has its copy in another place, with other times of its files."""
    project.wiremap("map", "push", str(tmp_path / "place"))
    laptop = new_project(tmp_path / "home" / "me" / "laptop", FILES)
    pulled = laptop.wiremap("map", "pull", str(tmp_path / "place"))

    assert (pulled.exit_code, pulled.stderr) == (0, "Pulled 1 part: records of 4 tests now.\n")
    answer = laptop.affected()
    assert (answer.run, len(answer.skip), answer.document["kind"]) == (set(), 4, "none")
    laptop.write({"pkg/app.py": "def f(): return 1 + 0\n"})
    assert laptop.affected().run == {"tests/test_a.py::test_f"}
    assert laptop.affected().document["kind"] == "local"


def test_pushing_counts_tests_and_not_the_files_that_hold_them(project: Project, tmp_path: Path) -> None:
    pushed = project.wiremap("map", "push", str(tmp_path / "place"))

    assert pushed.stderr == f"Pushed the records of 4 tests to {tmp_path / 'place'}.\n"


def test_a_place_where_nothing_was_pushed_is_told_from_one_with_nothing_new(project: Project, tmp_path: Path) -> None:
    place = str(tmp_path / "place")
    empty = project.wiremap("map", "pull", place)
    project.wiremap("map", "push", place)
    known = project.wiremap("map", "pull", place)

    assert empty.stderr == f"Nothing was pushed to {place} yet; the map here has records of 4 tests.\n"
    assert known.stderr == f"Nothing new at {place}: the map here has records of 4 tests.\n"


def test_nothing_in_an_export_tells_where_it_was_made(project: Project, tmp_path: Path) -> None:
    """The same project recorded at another place makes the same facts."""
    other = new_project(tmp_path / "elsewhere" / "much" / "deeper", FILES)
    other.record()
    files = [tmp_path / "one.map", tmp_path / "other.map"]
    for one, file in zip((project, other), files, strict=True):
        one.wiremap("map", "export", str(file))

    document, same = (cast("dict[str, object]", unseal(file.read_bytes())) for file in files)

    assert str(tmp_path) not in json.dumps([document, same])
    assert document["facts"] == same["facts"]
    assert document["sets"] == same["sets"]


def test_a_map_of_another_python_is_kept_apart(project: Project, tmp_path: Path) -> None:
    """The environment is part of every record, so that records of several may lie side by side."""
    other = new_project(tmp_path / "other", FILES)
    other.record(env={"PYTHONWARNINGS": "default"})  # stands for another interpreter: its options are another fact
    other.wiremap("map", "push", str(tmp_path / "place"))
    project.wiremap("map", "pull", str(tmp_path / "place"))

    assert json.loads(project.wiremap("map", "stats", "--json").stdout)["environments"] == 2
    assert project.affected().run == set()
    assert project.affected(env={"PYTHONWARNINGS": "default"}).run == set()
    assert len(project.affected(env={"PYTHONWARNINGS": "error"}).run) == 4


def test_shards_merge_to_the_whole(tmp_path: Path) -> None:
    for shard in ("test_f or test_data", "test_listing or test_absence"):
        project = new_project(tmp_path / shard[:6] / shard[-4:], FILES)
        project.record("-k", shard)
        project.wiremap("map", "export", str(tmp_path / f"{shard[-4:]}.map"))
    whole = new_project(tmp_path / "whole", FILES)

    finished = whole.wiremap("map", "merge", *map(str, sorted(tmp_path.glob("*.map"))))

    assert finished.stderr == "Merged 2 maps: records of 4 tests now.\n"
    assert whole.affected().run == set()


def test_stats_are_text_or_one_document(project: Project) -> None:
    text = project.wiremap("map", "stats")
    data = project.wiremap("map", "stats", "--json")

    assert text.stdout.startswith("tests         4\ntraces        4 (4 passed)\n")
    assert json.loads(data.stdout)["schema"] == "wiremap.map-stats/1"
    assert data.stderr == ""


def test_stats_before_anything_was_recorded_say_what_to_do(tmp_path: Path) -> None:
    finished = new_project(tmp_path, {}).wiremap("map", "stats")

    assert finished.exit_code == 2
    assert "[nothing-recorded]" in finished.stderr


def test_a_damaged_map_is_refused_with_an_exit_code_of_its_own(project: Project) -> None:
    (project.root / "bad.map").write_bytes(b"no map")

    finished = project.wiremap("map", "merge", "bad.map")

    assert (finished.exit_code, finished.stdout) == (3, "")
    assert finished.stderr == (
        "wiremap: The map bad.map is refused: it is no exported map, or one of another version of wiremap. Nothing "
        "was changed. Delete it there, or write it anew with `wiremap map export` or `push`. [untrusted-map]\n"
    )


def test_a_map_of_another_version_is_told_by_each_command(project: Project) -> None:
    folder = project.root / ".wiremap"
    shutil.move(folder / "map-5.sqlite", folder / "map-2.sqlite")

    for command in ("affected",), ("explain", "tests/test_a.py::test_f"), ("map", "stats"), ("flaky",):
        (folder / "map-5.sqlite").unlink(missing_ok=True)
        finished = project.wiremap(*command)
        assert "The map map-2.sqlite was written by another version of wiremap" in finished.stderr
    assert (folder / "map-2.sqlite").exists()


@pytest.mark.parametrize("arguments", [["--keep", "0"], ["--keep", "x"], ["--max-days", "-1"], ["--max-days", "nan"]])
def test_pruning_refuses_senseless_numbers(project: Project, arguments: list[str]) -> None:
    assert project.wiremap("map", "prune", *arguments).exit_code == 2


def test_pruning_says_what_it_gave_back(project: Project) -> None:
    finished = project.wiremap("map", "prune", "--max-days", "0")

    assert finished.exit_code == 0
    assert finished.stderr.startswith("The map takes ")
    assert len(project.affected().run) == 4
