"""`wiremap audit` as its user sees it. What nobody sees here is a file outside of the project."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.wiremap.projects import Finished, Project, clean_environment, new_project

TESTS = """
    from pathlib import Path
    import pytest

    OUTSIDE = Path({outside!r})

    class State:
        word = "fine"

    def told(name):
        file = OUTSIDE / name
        return file.read_text() if file.exists() else "fine"

    def test_alone():
        assert told("alone") == "fine"

    def test_leaves_something():
        State.word = told("company")

    def test_company():
        assert State.word == "fine"

    def test_chance():
        count = OUTSIDE / "chance"
        if count.exists():
            left = int(count.read_text())
            count.write_text(str(left - 1))
            assert left <= 0

    def test_skipping():
        if told("skipping") != "fine":
            pytest.skip("not now")

    def test_changed(): assert 1 + 1 == 2
    """


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    folder = tmp_path / "outside"
    folder.mkdir()
    return folder


@pytest.fixture
def project(tmp_path: Path, outside: Path) -> Project:
    """Six tests, recorded; one of them has changed since."""
    text = TESTS.format(outside=str(outside))
    made = new_project(tmp_path / "project", {"test_a.py": text})
    made.record()
    made.write({"test_a.py": text.replace("assert 1 + 1 == 2", "assert 0")})
    return made


def document(finished: Finished) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(finished.stdout)
    return found


def names(findings: list[dict[str, Any]]) -> list[str]:
    return [one["test"].removeprefix("test_a.py::") for one in findings]


def test_what_would_be_skipped_is_run_and_nothing_else(project: Project) -> None:
    finished = project.wiremap("audit")

    assert finished.exit_code == 0, finished.text
    assert finished.stdout == "5 of 5 tests that would be skipped were run: no misses.\n"
    assert "5 passed, 1 deselected" in finished.stderr


def test_a_miss_is_shown_with_its_record_and_what_changed_since(project: Project, outside: Path) -> None:
    (outside / "alone").write_text("broken")

    finished = project.wiremap("audit")

    assert finished.exit_code == 1
    assert finished.stdout.splitlines() == [
        "5 of 5 tests that would be skipped were run: 1 miss.",
        "",
        "misses: these would have been skipped, and fail",
        "  test_a.py::test_alone",
        "      AssertionError: assert 'broken' == 'fine'",
        "      recorded as passed less than a minute ago",
        "",
        "changed since the last recording",
        "  test_a.py:34 test_changed  local: function body changed",
        "",
        "A miss is a fault of wiremap: please report it, with the lines above.",
    ]


def test_who_fails_again_among_the_others_alone_is_a_miss_that_says_so(project: Project, outside: Path) -> None:
    (outside / "company").write_text("broken")

    finished = project.wiremap("audit", "--json")

    assert finished.exit_code == 1
    (miss,) = document(finished)["misses"]
    assert (miss["test"], miss["needs_company"]) == ("test_a.py::test_company", True)


def test_who_fails_once_and_passes_again_is_flaky_and_no_miss(project: Project, outside: Path) -> None:
    (outside / "chance").write_text("1")

    finished = project.wiremap("audit")

    assert finished.exit_code == 0
    assert "were run: no misses, 1 flaky." in finished.stdout
    assert "flaky: these failed once, and passed when they were run again in the same way" in finished.stdout
    assert "  test_a.py::test_chance\n" in finished.stdout


def test_who_is_skipped_now_is_told_and_no_miss(project: Project, outside: Path) -> None:
    (outside / "skipping").write_text("yes")

    finished = project.wiremap("audit")

    assert finished.exit_code == 0
    assert "  test_a.py::test_skipping: passed then, skipped now" in finished.stdout


def test_tests_that_a_run_did_not_reach_are_told(project: Project, outside: Path) -> None:
    (outside / "alone").write_text("broken")

    found = document(project.wiremap("audit", "--json", "--", "-x"))

    assert names(found["misses"]) == ["test_alone"]
    assert len(found["not_run"]) == 4


def test_a_test_that_ends_the_process_now_is_told(tmp_path: Path, outside: Path) -> None:
    text = f"""
        import os
        def test_fine(): pass
        def test_fatal():
            if os.path.exists({str(outside / "fatal")!r}): os._exit(1)
        """
    project = new_project(tmp_path / "project", {"test_a.py": text})
    project.record()
    (outside / "fatal").touch()

    finished = project.wiremap("audit")

    assert finished.exit_code == 1
    assert "were run: no misses.\n\ndid not come to their end\n  test_a.py::test_fatal\n" in finished.stdout


def stats_but_size(project: Project) -> str:
    """Return what the map holds; digests and parsed sources, which are remembered whoever reads them, aside."""
    return re.sub(r"[\d.]+ [kM]?B", "", project.wiremap("map", "stats").stdout)


def test_nothing_is_recorded(project: Project, outside: Path) -> None:
    before = stats_but_size(project)
    (outside / "alone").write_text("broken")

    project.wiremap("audit")

    assert stats_but_size(project) == before
    assert "test_a.py::test_alone" in project.affected().skip


def test_a_project_that_always_selects_is_audited_all_the_same(project: Project) -> None:
    project.write({"pytest.ini": "[pytest]\npythonpath = .\naddopts = --wiremap\n"})
    project.record(expected=1)

    finished = project.wiremap("audit")

    assert finished.stdout == "5 of 5 tests that would be skipped were run: no misses.\n", finished.text


@pytest.mark.parametrize(("sample", "number"), [("2", 2), ("0.4", 2), ("0.01", 1), ("100", 5)])
def test_a_sample_is_a_number_or_a_part(project: Project, sample: str, number: int) -> None:
    finished = project.wiremap("audit", "--sample", sample, "--json")

    assert document(finished)["num_run"] == number


@pytest.mark.parametrize("sample", ["0", "-1", "1.5", "x", "nan"])
def test_a_senseless_sample_is_wrong_usage(project: Project, sample: str) -> None:
    finished = project.wiremap("audit", "--sample", sample)

    assert finished.exit_code == 2
    assert f"'{sample}' is neither a number of tests, as 20, nor a part of them, as 0.1" in finished.stderr


def test_arguments_go_to_pytest(project: Project) -> None:
    finished = project.wiremap("audit", "--", "-k", "alone or chance")

    assert finished.stdout == "2 of 2 tests that would be skipped were run: no misses.\n"


def test_workers_run_the_tests_too(project: Project, outside: Path) -> None:
    pytest.importorskip("xdist")
    project.plugins = ("xdist.plugin",)
    project.record("-n", "2", expected=1)
    (outside / "alone").write_text("broken")

    found = document(project.wiremap("audit", "--json", "--", "-n", "2"))

    assert names(found["misses"]) == ["test_alone"]
    assert found["num_run"] == 5


def test_where_nothing_would_be_skipped_nothing_runs(tmp_path: Path) -> None:
    project = new_project(tmp_path, {"test_a.py": "def test_a(): pass\n"})

    finished = project.wiremap("audit")

    assert (finished.exit_code, finished.stderr) == (0, "")
    assert finished.stdout == "0 of 0 tests that would be skipped were run: no misses.\n"


def test_a_pytest_that_gives_up_is_wrong_usage(project: Project) -> None:
    assert project.wiremap("audit", "--", "--no-such-option").exit_code == 2


@pytest.mark.skipif(sys.platform == "win32", reason="a group of processes is interrupted as a terminal does it")
def test_an_interrupt_lets_pytest_end_its_fixtures(tmp_path: Path) -> None:
    flag, ended = tmp_path / "interrupt", tmp_path / "ended"
    waiting = f"""
        import os, pathlib, signal, time

        def test_a():
            if os.path.lexists({str(flag)!r}):
                os.killpg(0, signal.SIGINT)
                time.sleep(60)

        def teardown_module():
            time.sleep(1)  # longer than a parent waits that kills its child
            pathlib.Path({str(ended)!r}).touch()
    """
    project = new_project(tmp_path / "project", {"test_a.py": waiting})
    project.record()
    ended.unlink()
    flag.touch()

    interrupted = subprocess.run(
        [sys.executable, "-m", "wiremap", "audit"],
        cwd=project.root,
        env=clean_environment(),
        capture_output=True,
        text=True,
        check=False,
        start_new_session=True,
    )

    assert interrupted.returncode == 130
    assert interrupted.stderr.endswith("wiremap: interrupted\n")
    assert "KeyboardInterrupt" in interrupted.stderr
    assert ended.exists()
