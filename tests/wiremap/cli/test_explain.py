import json
from pathlib import Path

import pytest

from tests.wiremap.projects import Project, new_project


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A project whose one test runs and whose other does not."""
    made = new_project(
        tmp_path,
        {"app.py": "def f(): return 1\n", "test_a.py": "import app\ndef test_f(): app.f()\ndef test_g(): pass\n"},
    )
    made.record()
    made.write({"app.py": "\ndef f(): return 2\n"})
    return made


def test_the_chain_from_the_test_to_the_change_is_shown(project: Project) -> None:
    finished = project.wiremap("explain", "test_a.py::test_f")

    assert finished.stdout.splitlines() == [
        "test_a.py::test_f runs.",
        "",
        "  reason     it rests on app.py::f, which changed",
        "  changed    app.py:2 f",
        "  path       test_a.py::test_f",
        "             calls app.py::f",
    ]


def test_the_proof_of_a_test_that_does_not_run_is_shown(project: Project) -> None:
    finished = project.wiremap("explain", "test_a.py::test_g")

    assert finished.stdout.startswith("test_a.py::test_g does not run: it is proved unaffected.\n")
    assert "Its last recorded run passed in" in finished.stdout
    assert "facts of the environment" in finished.stdout


def test_json_holds_the_whole_explanation(project: Project) -> None:
    document = json.loads(project.wiremap("explain", "--json", "test_a.py::test_f").stdout)

    assert document["schema"] == "wiremap.explanation/1"
    assert document["runs"] is True
    assert document["causes"][0]["chain"] == ["test_a.py::test_f", "app.py::f"]


def test_an_unknown_test_is_told_in_one_sentence(project: Project) -> None:
    finished = project.wiremap("explain", "test_a.py::test_ff")

    assert (finished.exit_code, finished.stdout) == (2, "")
    assert finished.stderr.startswith("wiremap: No test is called 'test_a.py::test_ff'. Did you mean")
    assert "Traceback" not in finished.stderr


def test_a_test_in_a_file_that_does_not_parse_is_told_apart_from_a_misspelt_one(tmp_path: Path) -> None:
    project = new_project(tmp_path, {"test_a.py": "def test_f(): pass\n"})
    project.record()
    project.write({"test_a.py": "def test_f(: pass\n"})

    finished = project.wiremap("explain", "test_a.py::test_f")

    assert finished.exit_code == 2
    assert "test_a.py could not be collected" in finished.stderr


def test_a_file_is_told_with_numbers_and_tests_by_their_causes(project: Project) -> None:
    finished = project.wiremap("explain", "test_a.py")
    document = json.loads(project.wiremap("explain", "--json", "test_a.py").stdout)

    assert finished.stdout.splitlines() == [
        "1 of 2 tests run, 1 proved unaffected.",
        "",
        "test_a.py::test_f runs.",
        "",
        "  reason     it rests on app.py::f, which changed",
        "  changed    app.py:2 f",
        "  path       test_a.py::test_f",
        "             calls app.py::f",
    ]
    assert document["schema"] == "wiremap.explanations/1"
    assert [one["runs"] for one in document["explanations"]] == [True, False]


def test_a_proof_by_an_earlier_recording_does_not_claim_to_be_by_the_last(project: Project) -> None:
    project.record()
    project.write({"app.py": "def f(): return 1\n"})

    finished = project.wiremap("explain", "test_a.py::test_f")

    assert "The last of its 2 recorded runs passed in" in finished.stdout
    assert "Everything that one of them rested on is as it was then" in finished.stdout


_UNRECORDED = "(its caller was not recorded; pytest's and libraries' own calls never are)"


@pytest.mark.parametrize(
    ("files", "path"),
    [
        (
            {"test_a.py": "import app, pytest\n@pytest.fixture\ndef made(): return app.f()\ndef test_f(made): pass\n"},
            [f"test_a.py::made {_UNRECORDED}", "calls app.py::f"],
        ),
        (
            {"test_a.py": "import lib\ndef test_f(): pass\n", "lib.py": "import app\napp.f()\n"},
            ["import of test_a.py", "imports lib.py", "calls app.py::f"],
        ),
        (
            {"test_a.py": "import app\ndef test_f(): list(map(app.f, '1'))\n", "app.py": "def f(_=0): return 1\n"},
            ["test_a.py::test_f", "calls app.py::f"],
        ),
    ],
    ids=["a fixture", "an import", "by way of a builtin"],
)
def test_a_path_begins_where_the_calls_do(tmp_path: Path, files: dict[str, str], path: list[str]) -> None:
    project = new_project(tmp_path, {"app.py": "def f(): return 1\nf()\n", **files})
    project.record()
    project.write({"app.py": (tmp_path / "app.py").read_text().replace("return 1", "return 22")})

    finished = project.wiremap("explain", "test_a.py::test_f")

    assert [line[13:] for line in finished.stdout.splitlines() if line[:13].strip() in ("path", "") and line] == path
