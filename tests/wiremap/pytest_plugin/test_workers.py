"""Under pytest-xdist the tests run in workers, and are recorded and selected as in one process."""

from pathlib import Path

import pytest

from tests.wiremap.projects import Project, new_project

pytest.importorskip("xdist")

APP = """
    def f(): return 1
    def g(): return 1
"""
TESTS = """
    import app
    def test_f(): assert app.f()
    def test_g(): assert app.g()
"""
CHANGED = APP.replace("def f(): return 1", "def f(): return 2")


def workers_project(root: Path, **files: str) -> Project:
    given = {f"{name}.py": text for name, text in files.items()}
    project = new_project(root, {"app.py": APP, "test_a.py": TESTS, **given})
    project.plugins = ["xdist.plugin"]
    return project


@pytest.mark.parametrize("distribution", ["load", "loadscope", "loadfile", "loadgroup", "worksteal"])
def test_workers_record_and_select_as_one_process_does(tmp_path: Path, distribution: str) -> None:
    project = workers_project(tmp_path, test_b="import app\ndef test_g(): assert app.g()\n")
    arguments = ("-n", "2", "--dist", distribution)
    recorded = project.run_pytest(*arguments)

    project.write({"app.py": CHANGED})
    verdicts, finished = project.affected(), project.run_pytest(*arguments)
    again = project.run_pytest(*arguments)

    assert "wiremap: 3 of 3 tests selected" in recorded.stdout
    assert verdicts.run == {"test_a.py::test_f"}
    assert "wiremap: 1 of 3 tests selected, 2 proved unaffected" in finished.stdout
    assert again.exit_code == 0, again.text


def test_the_controller_says_what_changed_and_what_all_workers_recorded(tmp_path: Path) -> None:
    project = workers_project(tmp_path)
    recorded = project.run_pytest("-n", "2")

    project.write({"app.py": CHANGED})
    finished = project.run_pytest("-n", "2")

    assert "wiremap: recorded 2 tests" in recorded.stdout
    assert "wiremap: changed: app.py::f" in finished.stdout
    assert "wiremap: recorded 1 test\n" in finished.stdout


def test_verdicts_with_workers_asked_for_come_from_one_process(tmp_path: Path) -> None:
    project = workers_project(tmp_path)
    project.write({"pytest.ini": "[pytest]\npythonpath = .\naddopts = -n 2\n"})

    answer = project.affected("--dist", "loadfile")

    assert answer.run == {"test_a.py::test_f", "test_a.py::test_g"}


def test_a_child_of_a_worker_counts(tmp_path: Path) -> None:
    text = """
        import subprocess, sys
        def test_h(): subprocess.run([sys.executable, "-c", "import app; app.f()"], check=True)
        def test_i(): subprocess.run([sys.executable, "-c", "import app; app.g()"], check=True)
        """
    project = workers_project(tmp_path, test_b=text)
    assert project.run_pytest("-n", "2").exit_code == 0

    project.write({"app.py": CHANGED})

    assert project.affected().run == {"test_a.py::test_f", "test_b.py::test_h"}


CRASHING = """
    import app, os
    def test_f(): app.f()
    def test_c():
        if os.path.exists("/CRASH"): os.kill(os.getpid(), 9)
    def test_g(): app.g()
"""


@pytest.mark.parametrize("restarts", ["0", "4"])
def test_a_test_that_takes_its_worker_along_has_failed_and_no_other_is_forgotten(tmp_path: Path, restarts: str) -> None:
    text = CRASHING.replace("/CRASH", str(tmp_path.parent / f"{tmp_path.name}.crash"))
    project = workers_project(tmp_path, test_a=text)
    assert project.run_pytest("-n", "2").exit_code == 0
    Path(f"{tmp_path}.crash").touch()

    crashed = project.run_pytest("-n", "2", "--max-worker-restart", restarts, mode="--wiremap-record")
    answer = project.affected()

    assert crashed.exit_code == 1, crashed.text
    assert answer.run == {"test_a.py::test_c"}
    assert answer.rules("test_a.py::test_c") == {"failed"}


def test_a_grouped_test_that_takes_its_worker_along_has_failed(tmp_path: Path) -> None:
    mark = "import os, pytest\n@pytest.mark.xdist_group('one')\n"
    text = mark + f"def test_c():\n    if os.path.exists({f'{tmp_path}.crash'!r}): os.kill(os.getpid(), 9)\n"
    project = workers_project(tmp_path, test_b=text)
    grouped = ("-n", "2", "--dist", "loadgroup", "--max-worker-restart", "0")
    assert project.run_pytest(*grouped).exit_code == 0
    Path(f"{tmp_path}.crash").touch()

    project.run_pytest(*grouped, mode="--wiremap-record")

    assert project.affected().rules("test_b.py::test_c") == {"failed"}


def test_a_new_test_that_takes_its_worker_along_runs_again(tmp_path: Path) -> None:
    project = workers_project(tmp_path, test_b="import os\ndef test_c(): os.kill(os.getpid(), 9)\n")
    project.run_pytest("-n", "2")

    assert "test_b.py::test_c" in project.affected().run


def test_workers_agree_though_the_project_changes_while_they_collect(tmp_path: Path) -> None:
    project = workers_project(
        tmp_path,
        conftest="""
            from pathlib import Path
            import pytest
            @pytest.hookimpl(tryfirst=True)
            def pytest_collection_modifyitems(config):
                worker = getattr(config, "workerinput", {}).get("workerid")
                if worker == "gw1" and Path("slow").exists():
                    Path("app.py").write_text("def f(): return 3\\ndef g(): return 3\\n")
            """,
    )
    assert project.run_pytest("-n", "2").exit_code == 0
    project.write({"slow": "", "app.py": CHANGED})

    finished = project.run_pytest("-n", "2")

    assert "Different tests were collected" not in finished.text
    assert finished.exit_code == 0, finished.text
    assert list((tmp_path / ".wiremap").glob("choice-*")) == []
