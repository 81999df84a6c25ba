import subprocess
import sys
from pathlib import Path

import pytest

from tests.wiremap.projects import clean_environment, new_project


def test_it_is_pytest_with_wiremap_and_all_arguments_are_pytests(tmp_path: Path) -> None:
    project = new_project(tmp_path, {"test_a.py": "def test_f(): pass\ndef test_g(): pass\n"})

    first, second = project.wiremap("run", "-k", "test_f", "-v"), project.wiremap("run", "-v")

    assert "test_a.py::test_f PASSED" in first.stdout
    assert "test_a.py::test_g PASSED" in second.stdout
    assert "test_a.py::test_f" not in second.stdout


def test_its_exit_code_is_pytests(tmp_path: Path) -> None:
    project = new_project(tmp_path, {"test_a.py": "def test_f(): assert 0\n"})

    assert project.wiremap("run").exit_code == 1


def test_its_help_comes_first_and_pytests_follows(tmp_path: Path) -> None:
    finished = new_project(tmp_path, {}).wiremap("run", "--help")

    assert finished.exit_code == 0
    assert finished.stdout.startswith("usage: wiremap run [PYTEST_ARGUMENT ...]\n")
    assert "--wiremap-order=file" in finished.stdout
    assert "usage: " in finished.stdout.partition("\n")[2]


def test_its_help_is_there_also_where_a_conftest_is_broken(tmp_path: Path) -> None:
    files = {"conftest.py": "def f(:\n", "pytest.ini": "[pytest]\nfilterwarnings = error\n"}

    finished = new_project(tmp_path, files).wiremap("run", "--help")

    assert finished.exit_code == 0
    assert finished.stdout.startswith("usage: wiremap run [PYTEST_ARGUMENT ...]\n")
    assert "--collect-only" in finished.stdout
    assert finished.stderr.startswith("note: without the options of conftest files: ")
    assert finished.stderr.count("\n") == 1


@pytest.mark.skipif(sys.platform == "win32", reason="a group of processes is interrupted as a terminal does it")
def test_an_interrupt_lets_pytest_end_and_keeps_what_it_recorded(tmp_path: Path) -> None:
    waiting = """
        import os, signal, time

        def test_a(): pass

        def test_b():
            os.killpg(0, signal.SIGINT)
            time.sleep(60)

        def teardown_module():
            time.sleep(1)  # longer than a parent waits that kills its child
    """
    project = new_project(tmp_path, {"test_a.py": waiting})
    interrupted = subprocess.run(
        [sys.executable, "-m", "wiremap", "run"],
        cwd=project.root,
        env=clean_environment(),
        capture_output=True,
        text=True,
        check=False,
        start_new_session=True,
    )

    assert (interrupted.returncode, interrupted.stderr) == (130, "wiremap: interrupted\n")
    assert "1 passed" in interrupted.stdout
