import json
import re
from pathlib import Path

import pytest

from tests.wiremap.projects import Project, new_project


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A project of which nothing is recorded."""
    return new_project(tmp_path, {f"test_{name}.py": "def test_1(): pass\ndef test_2(): pass\n" for name in "ab"})


def test_the_parts_are_listed_with_their_time(project: Project) -> None:
    project.record()
    project.write({"test_a.py": "def test_1(): assert 1\ndef test_2(): pass\ndef test_3(): pass\n"})

    finished = project.wiremap("shard", "--of", "2")

    assert finished.exit_code == 0
    assert re.fullmatch(r"(part \d +1 test +\d\.\d\d s\n){2}", finished.stdout)
    assert finished.stderr.splitlines() == ["2 of 5 tests to run, 1 of unknown time, taken as the mean."]


def test_no_time_is_told_where_none_is_known(project: Project) -> None:
    finished = project.wiremap("shard", "--of", "3")

    assert finished.stdout.splitlines() == ["part 1       2 tests", "part 2       2 tests", "part 3       0 tests"]
    told = "4 of 4 tests to run; no time of them was recorded, so parts are of equal number."
    assert finished.stderr.splitlines()[0] == told


def test_one_part_is_ids_that_pytest_takes_from_a_file(project: Project) -> None:
    finished = project.wiremap("shard", "--of", "2", "--part", "2")
    project.write({"part.txt": finished.stdout})

    assert finished.stdout.splitlines() == ["test_b.py::test_1", "test_b.py::test_2"]
    assert "2 passed" in project.run_pytest("@part.txt").stdout


def test_json_is_one_document(project: Project) -> None:
    project.record()

    finished = project.wiremap("shard", "--of", "2", "--json")

    assert json.loads(finished.stdout) == {
        "schema": "wiremap.shards/1",
        "parts": [{"tests": [], "seconds": None}] * 2,
        "unknown": 0,
        "skipped": 4,
        "notes": [],
    }


def test_arguments_of_pytest_are_taken(project: Project) -> None:
    finished = project.wiremap("shard", "--of", "1", "--part", "1", "--", "-k", "test_1")

    assert finished.stdout.splitlines() == ["test_a.py::test_1", "test_b.py::test_1"]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--of", "0"], "argument --of: invalid number from 1 on value: '0'"),
        (["--of", "two"], "argument --of: invalid number from 1 on value: 'two'"),
        (["--of", "2", "--part", "3"], "argument --part: there is no part 3 of 2"),
        ([], "the following arguments are required: --of"),
    ],
)
def test_a_wrong_number_is_told(project: Project, arguments: list[str], told: str) -> None:
    finished = project.wiremap("shard", *arguments)

    assert finished.exit_code == 2
    assert told in finished.stderr
