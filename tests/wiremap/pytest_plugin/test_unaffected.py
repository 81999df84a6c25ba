"""A test file that has nothing to run is not imported, and its tests are told all the same."""

from pathlib import Path

import pytest

from tests.wiremap.projects import Answer, Project, new_project

# Each import of a test file leaves a line, where nobody listens.
NOTE = "import os\nos.write(os.open('../imports', os.O_WRONLY | os.O_APPEND | os.O_CREAT), __name__.encode() + b' ')\n"
FILES = {
    "app.py": "def f(): return 1\n",
    "conftest.py": "",
    "data.txt": "1 2",
    "test_a.py": NOTE + "import app\ndef test_f(): app.f()\n",
    "test_b.py": NOTE + "def test_g(): pass\nclass TestB:\n    def test_h(self): pass\n",
    "test_c.py": NOTE + "import pytest\n"
    "@pytest.mark.parametrize('x', open('data.txt').read().split())\ndef test_i(x): pass\n",
}
ALL = {
    "test_a.py::test_f",
    "test_b.py::test_g",
    "test_b.py::TestB::test_h",
    "test_c.py::test_i[1]",
    "test_c.py::test_i[2]",
}


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = new_project(tmp_path / "project", FILES)
    made.record()
    (tmp_path / "imports").write_text("")
    return made


def imported(project: Project) -> set[str]:
    """Return the test files that were imported since the last look."""
    log = project.root.parent / "imports"
    found = set(log.read_text().split())
    log.write_text("")
    return found


def everything(answer: Answer) -> set[str]:
    return answer.run | answer.skip


def test_without_a_change_no_test_file_is_imported(project: Project) -> None:
    asked = project.affected()
    run = project.run_pytest()

    assert imported(project) == set()
    assert (asked.run, asked.skip) == (set(), ALL)
    assert asked.document["gone"] == []
    assert run.exit_code == 0
    assert "wiremap: 0 of 5 tests selected, 5 proved unaffected" in run.stdout


def test_only_a_file_that_has_something_to_run_is_imported(project: Project) -> None:
    project.write({"app.py": "def f(): return 2\n"})

    answer = project.affected()

    assert imported(project) == {"test_a"}
    assert answer.run == {"test_a.py::test_f"}
    assert everything(answer) == ALL


@pytest.mark.parametrize(
    ("change", "file"),
    [
        ({"test_b.py": FILES["test_b.py"] + "def test_new(): pass\n"}, "test_b"),
        ({"data.txt": "1 2 3"}, "test_c"),
        ({"data.txt": "1"}, "test_c"),
    ],
    ids=["a new test", "a new parameter", "a parameter less"],
)
def test_a_file_whose_tests_may_be_others_is_imported(project: Project, change: dict[str, str], file: str) -> None:
    project.write(change)

    answer = project.affected()
    listed = project.run_pytest("--collect-only", "-q", mode="")

    assert file in imported(project)
    assert everything(answer) == {line for line in listed.stdout.splitlines() if "::" in line}


def test_a_new_conftest_or_another_one_imports_all_that_it_rules_over(project: Project) -> None:
    project.write({"conftest.py": "def pytest_generate_tests(metafunc): pass\n"})

    project.affected()

    assert imported(project) == {"test_a", "test_b", "test_c"}


def test_another_pattern_of_test_names_imports_every_file(project: Project) -> None:
    project.write({"test_a.py": FILES["test_a.py"] + "def check_more(): pass\n"})
    project.record()
    imported(project)
    project.write({"pytest.ini": "[pytest]\npythonpath = .\npython_functions = test_* check_*\n"})

    answer = project.affected()

    assert imported(project) == {"test_a", "test_b", "test_c"}
    assert answer.run == {"test_a.py::check_more"}


def test_workers_import_no_more_than_one_process_does(project: Project) -> None:
    pytest.importorskip("xdist")
    project.plugins = ["xdist.plugin"]
    recorded = project.run_pytest("-n", "2", mode="--wiremap-record")
    imported(project)

    nothing = project.run_pytest("-n", "2")
    of_nothing = imported(project)
    project.write({"app.py": "def f(): return 2\n"})
    something = project.run_pytest("-n", "2")

    assert (recorded.exit_code, nothing.exit_code, something.exit_code) == (0, 0, 0)
    assert of_nothing == set()
    assert imported(project) == {"test_a"}
    assert "wiremap: 1 of 5 tests selected, 4 proved unaffected" in something.stdout


def test_a_choice_by_expression_is_one_of_its_own(project: Project) -> None:
    first = project.run_pytest("-k", "test_g or test_f", "-v")
    imported(project)
    project.write({"app.py": "def f(): return 2\n"})
    project.run_pytest("-k", "test_g")

    answer = project.affected("-k", "test_g or test_f")

    assert first.exit_code == 0
    assert (answer.run, answer.skip) == ({"test_a.py::test_f"}, {"test_b.py::test_g"})


def test_a_single_test_that_is_asked_for_is_looked_up_in_its_file(project: Project) -> None:
    answer = project.affected("test_b.py::test_g")

    assert imported(project) == {"test_b"}
    assert answer.skip == {"test_b.py::test_g"}


def test_a_file_that_cannot_be_imported_is_told_and_not_remembered(project: Project) -> None:
    project.write({"test_b.py": "import gone_module\n" + FILES["test_b.py"]})
    project.run_pytest()

    answer = project.affected()

    assert answer.rules("test_b.py") == {"error"}
    assert answer.details("test_b.py").startswith("test_b.py:1: ModuleNotFoundError")


def test_two_tests_of_one_name_are_looked_at_each_time(project: Project) -> None:
    twice = ("--keep-duplicates", "test_b.py", "test_b.py")
    project.record(*twice)
    imported(project)

    answer = project.affected(*twice)

    assert answer.run == {"test_b.py::test_g", "test_b.py::TestB::test_h"}
    assert imported(project) == {"test_b"}


def test_doctests_are_collected_by_the_file_too(tmp_path: Path) -> None:
    doctest = '"""\n>>> 1 + 1\n2\n"""\ndef test_f(): pass\n'
    project = new_project(tmp_path, {"test_a.py": doctest})
    project.record("--doctest-modules")

    answer = project.affected("--doctest-modules")

    assert answer.skip == {"test_a.py::test_f", "test_a.py::test_a"}
