import json
import os
import subprocess
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


def test_what_was_recorded_since_is_no_change_though_tests_that_it_does_not_reach_did_not_run(tmp_path: Path) -> None:
    files = {"app.py": "RATE = 1\nSIZE = 1\n", "test_a.py": "import app\ndef test_a(): app.RATE\n"}
    project = new_project(tmp_path, {**files, "test_b.py": "import app\ndef test_b(): app.SIZE\n"})
    project.record()
    project.write({"app.py": "RATE = 22\nSIZE = 1\n"})
    project.run_pytest(mode="--wiremap")

    finished = project.wiremap("affected")

    assert finished.stdout == "Nothing changed: 0 of 2 tests to run, all proved unaffected.\n"


def test_text_with_a_change_that_reaches_nothing_says_so(project: Project) -> None:
    project.write({"app.py": APP, "new.py": ""})

    finished = project.wiremap("affected")

    assert finished.stdout.startswith("0 of 2 tests to run, all proved unaffected: none rests on what changed")


def test_what_a_change_reaches_is_told_before_what_was_never_recorded(project: Project) -> None:
    project.write({"test_0.py": "def test_new(): pass\n"})

    finished = project.wiremap("affected")

    assert finished.stdout.startswith("2 of 3 tests to run (1 reached by a change, 1 never recorded), 1 proved")
    assert finished.stdout.index("test_a.py::test_f") < finished.stdout.index("test_0.py::test_new")


def test_an_empty_folder_is_left_as_it_is(tmp_path: Path) -> None:
    project = new_project(tmp_path / "empty", {})

    finished = project.wiremap("affected")

    assert (finished.exit_code, finished.stdout) == (0, "pytest collects no tests here.\n")
    assert sorted(path.name for path in project.root.iterdir()) == [".git", "pytest.ini"]


def test_an_option_of_pytest_is_refused_with_how_to_pass_it(project: Project) -> None:
    finished = project.wiremap("affected", "-k", "test_g")

    assert finished.exit_code == 2
    assert "unrecognized arguments: -k; options for pytest go after `--`" in finished.stderr


def test_a_file_that_does_not_parse_is_told_with_its_line(project: Project) -> None:
    project.write({"test_a.py": "def test_f():\n    pass\n\ndef test_g(:\n"})

    (entry,) = json.loads(project.wiremap("affected", "--json").stdout)["run"]

    assert entry["test"] == "test_a.py"
    assert entry["reasons"][0]["detail"].startswith("test_a.py:4: SyntaxError: ")


def test_what_could_not_be_collected_is_told_once_and_counted_as_no_test(project: Project) -> None:
    project.write({"test_b.py": "def test_f(: pass\n"})

    finished = project.wiremap("affected")

    assert finished.stdout.startswith(
        "1 of 2 tests to run (1 reached by a change), 1 proved unaffected. 1 file could not"
    )
    assert (finished.stdout + finished.stderr).count("test_b.py:1: SyntaxError") == 1


def test_tests_that_differ_in_their_parameters_only_take_one_line_unless_all_are_asked_for(project: Project) -> None:
    tests = "import app, pytest\n@pytest.mark.parametrize('x', range(30))\ndef test_f(x): app.f()\n"
    project.write({"test_a.py": tests})

    folded, unfolded = project.wiremap("affected").stdout, project.wiremap("affected", "--all").stdout

    assert "      test_a.py::test_f[…] (30 sets of parameters)\n" in folded
    assert "      test_a.py::test_f[29]\n" in unfolded


# Since a revision.

GIT = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    **{f"GIT_{who}_{what}": "a@b.invalid" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
}


@pytest.fixture
def repository(tmp_path: Path) -> Project:
    """A project with a commit, recorded after a change that is not committed."""
    made = new_project(
        tmp_path,
        {"app.py": APP + "def g(): return 1\n", "old.txt": "", "test_a.py": "import app\ndef test_f(): app.f()\n"},
    )
    (tmp_path / ".git").rmdir()
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "base"]):
        subprocess.run(["git", *command], cwd=tmp_path, check=True, env={"PATH": os.environ["PATH"], **GIT})  # noqa: S607
    made.write({"app.py": APP + "def g(): return 2\n", "old.txt": None, "new.txt": "", "new.py": ""})
    made.record()
    return made


def test_changes_since_a_commit_are_told_and_verdicts_stay(repository: Project) -> None:
    plain = json.loads(repository.wiremap("affected", "--json").stdout)
    since = json.loads(repository.wiremap("affected", "--json", "--since", "HEAD").stdout)

    assert plain["changes"] == []
    assert (since["run"], since["skip"]) == (plain["run"], plain["skip"])
    assert [(change["file"], change["unit"], change["detail"]) for change in since["changes"]] == [
        ("app.py", "app.py::g", "function body changed"),
        ("new.py", None, "file added"),
        ("new.txt", None, "added"),
        ("old.txt", None, "removed"),
    ]
    assert since["kind"] == "data"
    assert "none rests on what changed since HEAD (data)" in repository.wiremap("affected", "--since=HEAD").stdout
    assert since["notes"] == ["the changes are those since HEAD; the verdicts come from what was recorded"]


def test_without_a_repository_there_is_no_commit(project: Project) -> None:
    (project.root / ".git").rmdir()

    finished = project.wiremap("affected", "--since=HEAD")

    assert finished.exit_code == 2
    assert finished.stderr == (
        "wiremap: No commit is called 'HEAD' here: this is no git repository. `wiremap affected` without "
        "--since needs none. [unknown-revision]\n"
    )


@pytest.mark.parametrize("revision", ["nothing", "--all", ""])
def test_an_unknown_commit_is_wrong_usage(repository: Project, revision: str) -> None:
    finished = repository.wiremap("affected", f"--since={revision}")

    assert (finished.exit_code, finished.stdout) == (2, "")
    assert "[unknown-revision]" in finished.stderr


def test_long_lists_are_cut_unless_all_is_asked_for(project: Project) -> None:
    project.write({"test_b.py": "".join(f"def test_h{number}(): pass\n" for number in range(30))})

    short, long = project.wiremap("affected").stdout, project.wiremap("affected", "--all").stdout

    assert "  … and 11 more tests (--all shows them)" in short
    assert long.count("test_b.py::test_h") == 30


def test_tests_that_are_left_out_are_counted_as_tests_not_as_lines(project: Project) -> None:
    parameters = "import pytest\n" + "".join(
        f"@pytest.mark.parametrize('x', [1, 2, 3])\ndef test_h{number}(x): pass\n" for number in range(30)
    )
    project.write({"test_b.py": parameters})

    assert "  … and 11 more lines, 33 tests (--all shows them)\n" in project.wiremap("affected").stdout


def test_changes_that_reach_a_test_come_first_and_many_that_are_alike_take_one_line(project: Project) -> None:
    project.write({f"a{number:02}.py": "" for number in range(30)} | {"zoo.py": "", "app.py": "def f(): return 22\n"})

    short, long = project.wiremap("affected").stdout, project.wiremap("affected", "--all").stdout

    assert short.splitlines()[2:5] == [
        "changes",
        "  app.py:1 f          local: function body changed",
        "  a00.py and 30 more  topology: file added",
    ]
    assert long.splitlines()[3].startswith("  app.py:1 f ")
    assert long.count("topology: file added") == 31


def test_arguments_go_to_pytest(project: Project) -> None:
    finished = project.wiremap("affected", "--ids", "--", "-k", "test_g")

    assert (finished.exit_code, finished.stdout) == (0, "")


@pytest.mark.parametrize("folder", [".", "tests"])
def test_a_conftest_that_fails_is_told_in_one_line_with_file_and_error(tmp_path: Path, folder: str) -> None:
    files = {"app.py": "def f(:\n", "tests/conftest.py": "import app\n", "tests/test_a.py": "def test_f(): pass\n"}
    project = new_project(tmp_path, files)
    project.folder = folder

    finished = project.wiremap("affected")

    assert (finished.exit_code, finished.stdout) == (2, "")
    assert finished.stderr == (
        "wiremap: pytest could not collect the tests (exit code 4): app.py:1: SyntaxError: invalid syntax. `pytest "
        "--collect-only` shows the whole error. [collection-failed]\n"
    )


def test_a_pytest_that_gives_up_is_wrong_usage(project: Project) -> None:
    finished = project.wiremap("affected", "--json", "--", "--no-such-option")

    assert (finished.exit_code, finished.stdout) == (2, "")
    assert "[collection-failed]" in finished.stderr
