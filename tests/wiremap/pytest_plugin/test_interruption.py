"""What is recorded of a session that does not come to its end."""

import json
import sys
from pathlib import Path

import pytest

from tests.wiremap.projects import Project, new_project

# Stands for a session of many minutes: it writes after each test.
AT_ONCE = {
    "pytest.ini": "[pytest]\npythonpath = .\naddopts = -p at_once\n",
    "at_once.py": "import wiremap.pytest_plugin.pace as pace\npace.INTERVAL_SECONDS = 0\npace._SHARE = 0\n",
}
KILL = "def test_killed(): os.kill(os.getpid(), signal.SIGKILL)\n"

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals")


def skipped(project: Project) -> set[str]:
    return {test.partition("::")[2] for test in project.affected().skip}


def num_traces(project: Project) -> int:
    return int(sum(json.loads(project.wiremap("map", "stats", "--json").stdout)["traces"].values()))


def test_a_killed_process_loses_the_test_that_ran(tmp_path: Path) -> None:
    project = new_project(
        tmp_path, {**AT_ONCE, "test_a.py": f"import os, signal\ndef test_one(): pass\ndef test_two(): pass\n{KILL}"}
    )

    finished = project.run_pytest()

    assert finished.exit_code == -9
    assert skipped(project) == {"test_one", "test_two"}


def test_a_test_waits_for_the_end_of_its_wider_fixtures(tmp_path: Path) -> None:
    """What their tear-down runs is not seen yet: a test that is recorded without it could be skipped wrongly."""
    text = """
        import os, signal, pytest

        @pytest.fixture(scope="session")
        def server():
            yield

        @pytest.fixture(scope="class")
        def short(): yield

        class TestShort:
            def test_short(self, short): pass

        def test_served(server): pass
        def test_alone(tmp_path): pass
        """
    project = new_project(tmp_path, {**AT_ONCE, "test_a.py": text, "test_b.py": f"import os, signal\n{KILL}"})

    project.run_pytest()

    assert skipped(project) == {"TestShort::test_short", "test_alone"}


def test_set_up_and_tear_down_of_modules_and_unittest_classes_are_waited_for(tmp_path: Path) -> None:
    text = """
        import unittest

        def teardown_module(): pass
        def test_in_module(): pass

        class TestCase(unittest.TestCase):
            @classmethod
            def tearDownClass(cls): pass
            def test_in_class(self): pass
        """
    killed_inside = new_project(tmp_path / "a", {**AT_ONCE, "test_a.py": f"import os, signal\n{text}\n        {KILL}"})
    killed_after = new_project(
        tmp_path / "b", {**AT_ONCE, "test_a.py": text, "test_b.py": f"import os, signal\ndef test_x(): pass\n{KILL}"}
    )

    for project in (killed_inside, killed_after):
        project.run_pytest()

    assert skipped(killed_inside) == set()
    assert skipped(killed_after) == {"test_in_module", "TestCase::test_in_class", "test_x"}


def test_a_session_that_ends_has_one_record_of_each_test(tmp_path: Path) -> None:
    """The record at the end, which knows more, replaces those that were written before."""
    text = "import late\nimport pytest\n@pytest.mark.parametrize('x', range(5))\ndef test_x(x): late.work(x)\n"
    project = new_project(
        tmp_path,
        {**AT_ONCE, "late.py": "def work(x): return more() if x == 3 else 0\ndef more(): pass\n", "test_a.py": text},
    )

    finished = project.run_pytest()

    assert "wiremap: recorded 5 tests" in finished.stdout
    assert num_traces(project) == 5
    assert len(skipped(project)) == 5


def test_a_thread_that_works_on_meanwhile_does_no_harm(tmp_path: Path) -> None:
    text = """
        import threading, pytest
        stop = threading.Event()
        def busy():
            while not stop.is_set():
                for number in range(50):
                    exec(f"def f{number}(): pass\\nf{number}()", {})
        def test_start(): threading.Thread(target=busy, daemon=True).start()
        @pytest.mark.parametrize("x", range(20))
        def test_x(x): pass
        def test_stop(): stop.set()
        """
    project = new_project(tmp_path, {**AT_ONCE, "test_a.py": text})

    finished = project.run_pytest()

    assert finished.exit_code == 0, finished.text
    assert "22 passed" in finished.stdout


# A process that is started in the background may ignore the signal, and its children do as it does.
_BY_SIGNAL = (
    "signal.signal(signal.SIGINT, signal.default_int_handler); os.kill(os.getpid(), signal.SIGINT); time.sleep(5)"
)


@pytest.mark.parametrize("way", ["raise KeyboardInterrupt", "pytest.exit('enough')", _BY_SIGNAL])
def test_a_session_that_is_interrupted_records_what_ended(tmp_path: Path, way: str) -> None:
    imports = "import os, pytest, signal, time\n"
    project = new_project(
        tmp_path, {"test_a.py": f"{imports}def test_one(): pass\ndef test_two(): {way}\ndef test_three(): pass\n"}
    )

    project.run_pytest()

    assert skipped(project) == {"test_one"}


@pytest.mark.parametrize("way", ["pass", _BY_SIGNAL], ids=["to its end", "interrupted"])
def test_a_session_leaves_nothing_in_the_temporary_folder(tmp_path: Path, way: str) -> None:
    start = "import os, signal, subprocess, sys, time\ndef test_one(): subprocess.run([sys.executable, '-c', ''])\n"
    look = "def test_two(): assert [one for one in os.listdir(os.environ['TMPDIR']) if one.startswith('wiremap-')]\n"
    project = new_project(tmp_path / "project", {"test_a.py": f"{start}{look}def test_three(): {way}\n"})
    temporary = tmp_path / "temporary"
    temporary.mkdir()

    finished = project.run_pytest(mode="--wiremap-record", env={"TMPDIR": str(temporary)})

    assert "2 passed" in finished.stdout or "3 passed" in finished.stdout
    assert list(temporary.iterdir()) == []


def test_a_worker_that_crashes_costs_its_last_test(tmp_path: Path) -> None:
    """The one in its place selects what the others did, though more is recorded by then."""
    pytest.importorskip("xdist")
    names = ["one", "two", "killed", "after"]
    lines = [f"def test_{name}(): {'os._exit(1)' if name == 'killed' else 'pass'}\n" for name in names]
    project = new_project(tmp_path, {**AT_ONCE, "test_a.py": "import os\n" + "".join(lines)})
    project.plugins = ("xdist.plugin",)

    project.run_pytest("-n", "1")

    assert skipped(project) == {"test_one", "test_two", "test_after"}
