from pathlib import Path

import pytest

from tests.wiremap.projects import new_project, work_in
from wiremap.use_cases.sharding import shard

SLEEPING = "import time\ndef test_long(): time.sleep(0.3)\ndef test_short(): pass\ndef test_other(): pass\n"


def test_what_would_run_is_divided_by_the_time_that_it_took(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = new_project(tmp_path, {"test_a.py": SLEEPING, "test_b.py": "def test_fine(): pass\n"})
    work_in(tmp_path, monkeypatch)
    project.record()
    project.write({"test_a.py": SLEEPING.replace("pass", "assert True").replace("0.3", "0.2")})

    found = shard(2)

    assert [one.tests for one in found.shards] == [
        ("test_a.py::test_long",),
        ("test_a.py::test_other", "test_a.py::test_short"),
    ]
    assert (found.num_unknown, found.num_skipped) == (0, 1)


def test_a_file_that_can_t_be_collected_is_in_a_shard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    new_project(tmp_path, {"test_a.py": "def test_f(): pass\n", "test_b.py": "import nothing_like_this\n"})
    work_in(tmp_path, monkeypatch)

    found = shard(1)

    assert found.shards[0].tests == ("test_a.py::test_f", "test_b.py")
    assert found.num_unknown == 2
