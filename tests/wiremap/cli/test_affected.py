import json
from pathlib import Path

import pytest

from tests.wiremap.projects import Project, new_project

APP = "def f(): return 1\n"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A project of one test that a change reaches and one that it does not."""
    made = new_project(
        tmp_path, {"app.py": APP, "test_a.py": "import app\ndef test_f(): app.f()\ndef test_g(): pass\n"}
    )
    made.record()
    made.write({"app.py": "def f(): return 2\n"})
    return made


def test_json_is_one_document_and_nothing_else(project: Project) -> None:
    finished = project.wiremap("affected", "--json")

    assert json.loads(finished.stdout)["schema"] == "wiremap.verdict/1"
    assert finished.stderr == ""


def test_ids_are_the_tests_that_run_one_per_line(project: Project) -> None:
    finished = project.wiremap("affected", "--ids")

    assert finished.stdout == "test_a.py::test_f\n"


def test_text_tells_the_numbers_the_changes_and_the_reasons(project: Project) -> None:
    finished = project.wiremap("affected")

    assert finished.stdout.startswith(
        "1 of 2 tests to run (1 reached by a change), 1 proved unaffected. Change: local."
    )
    assert "app.py:1 f" in finished.stdout
    assert "local: function body changed" in finished.stdout
    assert "it rests on app.py::f, which changed" in finished.stdout
    assert "wiremap explain TEST" in finished.stderr


def test_text_without_a_change_says_so_with_the_number(project: Project) -> None:
    project.write({"app.py": APP})

    finished = project.wiremap("affected")

    assert finished.stdout == "Nothing changed: 0 of 2 tests to run, all proved unaffected.\n"


def test_text_with_a_change_that_reaches_nothing_says_so(project: Project) -> None:
    project.write({"app.py": APP, "new.py": ""})

    finished = project.wiremap("affected")

    assert finished.stdout.startswith("0 of 2 tests to run, all proved unaffected: none rests on what changed")


def test_long_lists_are_cut_unless_all_is_asked_for(project: Project) -> None:
    project.write({"test_b.py": "import pytest\n@pytest.mark.parametrize('x', range(30))\ndef test_h(x): pass\n"})

    short, long = project.wiremap("affected").stdout, project.wiremap("affected", "--all").stdout

    assert "  … and 11 more (--all shows them)" in short
    assert long.count("test_b.py::test_h[") == 30


def test_arguments_go_to_pytest(project: Project) -> None:
    finished = project.wiremap("affected", "--ids", "--", "-k", "test_g")

    assert (finished.exit_code, finished.stdout) == (0, "")


def test_a_pytest_that_gives_up_is_wrong_usage(project: Project) -> None:
    finished = project.wiremap("affected", "--json", "--", "--no-such-option")

    assert (finished.exit_code, finished.stdout) == (2, "")
    assert "[collection-failed]" in finished.stderr
