from pathlib import Path

import pytest

from tests.wiremap.projects import new_project, work_in
from wiremap.use_cases.auditing import _chosen, audit

TESTS = [f"t{number:02}" for number in range(40)]


def test_a_sample_is_of_the_size_that_was_asked_for_and_in_order() -> None:
    assert _chosen(TESTS, None, seed=1) == TESTS
    assert len(_chosen(TESTS, 7, seed=1)) == 7
    assert len(_chosen(TESTS, 0.25, seed=1)) == 10
    assert len(_chosen(TESTS, 0.001, seed=1)) == 1
    assert _chosen(TESTS, 7, seed=1) == sorted(_chosen(TESTS, 7, seed=1))


def test_a_sample_is_the_same_for_one_seed_and_another_for_another() -> None:
    assert _chosen(TESTS, 7, seed=1) == _chosen(TESTS, 7, seed=1) != _chosen(TESTS, 7, seed=2)


def test_many_that_fail_are_run_again_in_one_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    word = tmp_path / "outside"
    word.write_text("fine")
    text = f"""
        import os, pytest
        from pathlib import Path
        @pytest.mark.parametrize("number", range(30))
        def test_word(number):
            with open({str(tmp_path / "processes")!r}, "a") as file: file.write(f"{{os.getpid()}}\\n")
            assert Path({str(word)!r}).read_text() == "fine"
        """
    project = new_project(tmp_path / "project", {"test_a.py": text})
    work_in(project.root, monkeypatch)
    project.record()
    word.write_text("broken")

    found = audit()

    assert (found.num_run, len(found.misses)) == (30, 30)
    assert len(set((tmp_path / "processes").read_text().split())) == 3
