import pytest

from wiremap.rules.rule import Command, Shell
from wiremap.rules.shell import Folders, NotUnderstood, PytestRun, pytest_runs

FOLDERS = Folders({"tests", "tests/core", "examples"})


def runs(*commands: str, folder: str | None = None, folders: Folders = FOLDERS) -> list[tuple[str, ...]]:
    """Return folder and arguments of each run; all must be understood."""
    found = list(pytest_runs(Shell(folder, tuple(Command(text, 1) for text in commands)), folders))
    assert [one for one in found if isinstance(one, NotUnderstood)] == []
    return [(one.folder, *one.arguments) for one in found if isinstance(one, PytestRun)]


def not_understood(*commands: str, folder: str | None = None) -> list[tuple[str, str]]:
    found = pytest_runs(Shell(folder, tuple(Command(text, 1) for text in commands)), FOLDERS)
    return [(one.command, one.reason) for one in found if isinstance(one, NotUnderstood)]


@pytest.mark.parametrize(
    "command",
    [
        "pytest -v core",
        "python -m pytest -v core",
        "python3.12 -X dev -m pytest -v core",
        "A=1 B='x y' pytest -v core",
        "env A=1 pytest -v core",
        "timeout -k 5 300 nice -n 5 pytest -v core",
        "uv run --with x pytest -v core",
        "poetry run pytest -v core",
        "coverage run --source x -m pytest -v core",
        "/usr/bin/pytest -v core",
        "bash -c 'pytest -v core'",
        "bash -lc 'set -e; pytest -v core'",
        "pytest -v core # as `they` don't say",
        "pytest -v core 2>&1 | tee log > /dev/null",
        "pytest -v core &> log",
        "pytest -v \\\n  core",
        "export A=$(nproc) && pytest -v core || echo no",
        "# a comment\nset -e\npip install 'x>=1' git+https://host/x#egg=x\npytest -v core\n",
        "apt-get update; pytest -v core &",
    ],
)
def test_a_run_is_found_whatever_stands_around_it(command: str) -> None:
    assert runs(command) == [("", "-v", "core")]


def test_a_folder_is_changed_for_all_that_follows_in_the_shell() -> None:
    commands = ["cd tests && pytest a", "pytest b", "pushd core; pytest c; popd", "pytest d", "cd ..", "pytest e"]

    assert runs(*commands) == [("tests", "a"), ("tests", "b"), ("tests/core", "c"), ("tests", "d"), ("", "e")]


@pytest.mark.parametrize(
    ("folder", "meant"),
    [("tests", "tests"), ("/any/place/tests", "tests"), ("/any/tests/core/", "tests/core"), ("./tests", "tests")],
)
def test_the_folder_of_a_step_is_one_of_the_project(folder: str, meant: str) -> None:
    assert runs("pytest a", folder=folder) == [(meant, "a")]


def test_a_workspace_says_which_absolute_path_is_the_root() -> None:
    folders = Folders({"tests"}, "/workspace/", default="tests")

    assert runs("pytest a", folder="/workspace", folders=folders) == [("", "a")]
    assert runs("pytest a", folders=folders) == [("tests", "a")]
    assert folders.begin("/workspace-2/tests") is None


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("python run_all.py", "it is not known whether it runs tests"),
        ("bash run.sh", "it is not known whether it runs tests"),
        ("source run.sh", "it is not known whether it runs tests"),
        ("torchrun --nproc-per-node=4 test_a.py", "it is not known whether it runs tests"),
        ("for f in *; do pytest $f; done", "it has a loop or a condition"),
        ("if true; then pytest a; fi", "it has a loop or a condition"),
        ("(cd tests; pytest a)", "it has a group, a subshell or a text of several lines"),
        ("cat <<EOF\npytest\nEOF", "it has a group, a subshell or a text of several lines"),
        ("echo $(pytest a)", "it has a substitution"),
        ("pytest 'a", "its words can't be told apart: no closing quotation"),
        ("export PYTEST_ADDOPTS=--lf", "it sets PYTEST_ADDOPTS"),
    ],
)
def test_what_is_not_understood_is_told_and_not_guessed(command: str, reason: str) -> None:
    assert [why for _, why in not_understood(command)] == [reason]


def test_a_run_in_a_folder_that_nobody_knows_is_not_understood() -> None:
    assert not_understood("cd $HOME", "pytest a") == [("pytest a", "`cd '$HOME'` leads to no folder of the project")]
    assert not_understood("pytest a", folder="/nowhere/at") == [
        ("pytest a", "its folder '/nowhere/at' is none of the project")
    ]


def test_the_value_that_github_puts_into_a_text_is_a_word_that_nobody_knows() -> None:
    assert runs("pytest --shard=${{ matrix.shard || 1 }} core") == [("", "--shard=$EXPRESSION", "core")]
