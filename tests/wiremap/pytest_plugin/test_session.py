"""A pytest session under wiremap, as its user sees it. What a test rests on is in `tests/wiremap/test_safety.py`."""

import re
import sys
from pathlib import Path

import pytest

from tests.wiremap.projects import Finished, Project, new_project

APP = "def f(): return 1\ndef g(): return 1\n"
TESTS = "import app\ndef test_f(): assert app.f()\ndef test_g(): assert app.g()\n"
CHANGED = APP.replace("f(): return 1", "f(): return 2")


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A project of two tests, recorded."""
    made = new_project(tmp_path, {"app.py": APP, "test_a.py": TESTS})
    made.record()
    return made


def ran(finished: Finished) -> list[str]:
    """Return the ids of the tests that ran, in order; the run was asked for with `-v`."""
    return re.findall(r"^(\S+::\S+) (?:PASSED|FAILED|SKIPPED|XFAIL|ERROR)", finished.stdout, re.MULTILINE)


# Selecting.


def test_the_first_run_runs_everything(tmp_path: Path) -> None:
    project = new_project(tmp_path, {"app.py": APP, "test_a.py": TESTS})

    finished = project.run_pytest("-v")

    assert ran(finished) == ["test_a.py::test_f", "test_a.py::test_g"]
    assert "wiremap: 2 of 2 tests selected, 0 proved unaffected" in finished.stdout
    assert "wiremap: recorded 2 tests" in finished.stdout


def test_a_run_after_a_change_runs_what_it_reaches_and_says_why(project: Project) -> None:
    project.write({"app.py": CHANGED})

    finished = project.run_pytest("-v")

    assert ran(finished) == ["test_a.py::test_f"]
    assert "1 deselected" in finished.stdout
    assert "wiremap: 1 of 2 tests selected, 1 proved unaffected" in finished.stdout
    assert "wiremap: changed: app.py::f (function body changed)" in finished.stdout


def test_a_run_records_so_that_the_next_one_has_nothing_to_do(project: Project) -> None:
    project.write({"app.py": CHANGED})
    project.run_pytest()

    finished = project.run_pytest("-v")

    assert ran(finished) == []


def test_recording_selects_nothing(project: Project) -> None:
    finished = project.run_pytest("-v", mode="--wiremap-record")

    assert ran(finished) == ["test_a.py::test_f", "test_a.py::test_g"]
    assert "selected" not in finished.stdout


def test_selected_tests_keep_the_order_of_the_collection(tmp_path: Path) -> None:
    names = ["d", "a", "c", "b"]
    project = new_project(tmp_path, {"test_a.py": "".join(f"def test_{name}(): pass\n" for name in names)})

    finished = project.run_pytest("-v")

    assert ran(finished) == [f"test_a.py::test_{name}" for name in names]


ORDERED = {
    "app.py": APP,
    "test_a.py": "import app\ndef test_1(): assert app.f()\ndef test_2(): assert app.g()\n",
    "test_b.py": "import app\ndef test_3(): assert app.f() < 3\n",
    "test_c.py": "import app\ndef test_4(): assert app.f() < 2\n",
}


def order_after_a_failure(tmp_path: Path, *arguments: str, **more: str) -> list[str]:
    """Return the order of the tests that a change reaches, one of which failed when it last ran."""
    project = new_project(tmp_path, {**ORDERED, **more})
    project.record()
    project.write({"app.py": CHANGED})
    project.run_pytest()
    project.write({"app.py": APP.replace("f(): return 1", "f(): return 2 - 1")})
    return [test.partition("::")[2] for test in ran(project.run_pytest("-v", *arguments))]


def test_the_file_with_what_failed_comes_first(tmp_path: Path) -> None:
    assert order_after_a_failure(tmp_path)[0] == "test_4"


def test_the_projects_own_order_is_kept_when_it_is_asked_for(tmp_path: Path) -> None:
    assert order_after_a_failure(tmp_path, "--wiremap-order=file") == ["test_1", "test_3", "test_4"]


def test_an_order_that_somebody_else_made_stands(tmp_path: Path) -> None:
    conftest = "def pytest_collection_modifyitems(items): items.sort(key=lambda item: item.name, reverse=False)\n"
    reverse = conftest.replace("False", "True")

    assert order_after_a_failure(tmp_path / "same", **{"conftest.py": conftest})[0] == "test_4"
    assert order_after_a_failure(tmp_path / "other", **{"conftest.py": reverse}) == ["test_4", "test_3", "test_1"]


def test_an_order_that_shares_a_costly_fixture_between_files_stands(tmp_path: Path) -> None:
    conftest = """
        import pytest
        @pytest.fixture(scope="session", params=[1, 2], autouse=True)
        def database(request): return request.param
        """
    names = order_after_a_failure(tmp_path, **{"conftest.py": conftest})

    assert names == [f"{name}[{number}]" for number in (1, 2) for name in ("test_1", "test_3", "test_4")]


# Exit codes.


def test_nothing_left_to_run_is_a_success(project: Project) -> None:
    assert project.run_pytest().exit_code == 0


def test_nothing_that_matches_is_what_pytest_says_it_is(project: Project) -> None:
    assert project.run_pytest("-k", "nothing").exit_code == 5


def test_a_wrong_path_is_what_pytest_says_it_is(project: Project) -> None:
    assert project.run_pytest("missing.py").exit_code == 4


def test_a_failure_is_a_failure(project: Project) -> None:
    project.write({"app.py": APP.replace("f(): return 1", "f(): return 0")})

    assert project.run_pytest().exit_code == 1


# What is remembered.


def test_a_failed_test_runs_until_it_passes(project: Project) -> None:
    project.write({"app.py": APP.replace("f(): return 1", "f(): return 0")})
    project.run_pytest()

    again = project.affected()
    project.write({"app.py": CHANGED})
    project.run_pytest()

    assert again.run == {"test_a.py::test_f"}
    assert again.rules("test_a.py::test_f") == {"failed"}
    assert project.affected().run == set()


@pytest.mark.parametrize(
    ("text", "runs_again"),
    [
        ("def test_x(): assert 0\n", True),
        ("import pytest\n@pytest.fixture\ndef bad(): assert 0\ndef test_x(bad): pass\n", True),
        ("import pytest\n@pytest.fixture\ndef bad():\n    yield\n    assert 0\ndef test_x(bad): pass\n", True),
        ("import pytest\n@pytest.mark.xfail(strict=True)\ndef test_x(): pass\n", True),
        ("import pytest\n@pytest.mark.skip\ndef test_x(): pass\n", False),
        ("import pytest\n@pytest.mark.xfail\ndef test_x(): assert 0\n", False),
        ("import pytest\n@pytest.mark.xfail\ndef test_x(): pass\n", False),
        ("import pytest\ndef test_x(): pytest.skip('no')\n", False),
    ],
    ids=[
        "fails", "set-up fails", "tear-down fails", "strict xfail passes",
        "skipped", "xfails", "xpasses", "skips itself",
    ],
)  # fmt: skip
def test_whether_a_test_runs_again_is_told_by_how_it_ended(tmp_path: Path, text: str, *, runs_again: bool) -> None:
    project = new_project(tmp_path, {"test_x.py": text})
    project.run_pytest()

    assert (project.affected().run == {"test_x.py::test_x"}) is runs_again


def test_a_run_that_stops_early_owes_what_it_did_not_reach(tmp_path: Path) -> None:
    project = new_project(tmp_path, {"test_a.py": "def test_f(): assert 0\ndef test_g(): pass\n"})
    project.run_pytest("-x")

    answer = project.affected()

    assert answer.rules("test_a.py::test_g") == {"new"}


def test_a_run_that_is_interrupted_keeps_what_it_finished(tmp_path: Path) -> None:
    text = "def test_f(): pass\ndef test_g(): raise KeyboardInterrupt\n"
    project = new_project(tmp_path, {"test_a.py": text})
    interrupted = project.run_pytest()

    answer = project.affected()

    assert interrupted.exit_code == 2
    assert (answer.skip, answer.run) == ({"test_a.py::test_f"}, {"test_a.py::test_g"})


def test_a_test_that_ends_the_process_is_not_remembered(tmp_path: Path) -> None:
    project = new_project(tmp_path, {"test_a.py": "import os\ndef test_f(): pass\ndef test_g(): os._exit(3)\n"})
    project.run_pytest()

    assert project.affected().run == {"test_a.py::test_f", "test_a.py::test_g"}


def test_a_failure_in_a_part_is_remembered_and_the_rest_is_not_forgotten(project: Project) -> None:
    """Whatever part of the tests a run is held to, it records what ran and forgets nothing else."""
    project.write({"test_b.py": "import pytest\n@pytest.mark.slow\ndef test_h(): pass\ndef test_i(): assert 0\n"})
    parts: list[tuple[tuple[str, ...], set[str]]] = [
        (("-m", "slow"), {"test_b.py::test_i"}),
        (("--deselect", "test_b.py::test_i"), {"test_b.py::test_i"}),
        (("--ignore", "test_b.py"), {"test_b.py::test_i"}),
        (("test_a.py::test_f",), {"test_b.py::test_i"}),
    ]
    project.run_pytest("-m", "slow")
    for arguments, owed in parts:
        project.run_pytest(*arguments)
        assert project.affected().run == owed, arguments
    project.run_pytest()

    assert project.affected().rules("test_b.py::test_i") == {"failed"}


def test_last_failed_runs_and_forgets_nothing_else(project: Project) -> None:
    cache = {"PYTEST_ADDOPTS": "-p wiremap.pytest_plugin"}
    project.write({"test_a.py": TESTS.replace("assert app.f()", "assert 0")})
    first = project.run_pytest(env=cache)
    project.write({"test_a.py": TESTS.replace("assert app.f()", "assert app.f() == 1")})

    second = project.run_pytest("--lf", "-v", env=cache)

    assert (first.exit_code, ran(second)) == (1, ["test_a.py::test_f"])
    assert project.affected(env=cache).run == set()


def test_a_change_that_a_partial_run_left_unanswered_is_still_told(project: Project) -> None:
    project.write({"app.py": CHANGED})
    project.run_pytest("-k", "test_g")

    document = project.affected().document

    assert [entry["test"] for entry in document["run"]] == ["test_a.py::test_f"]
    assert [(change["unit"], change["kind"]) for change in document["changes"]] == [("app.py::f", "local")]


# Whole collections.


def test_verdicts_hold_exactly_what_pytest_collects(project: Project) -> None:
    project.write(
        {"app.py": CHANGED, "test_b.py": "import pytest\n@pytest.mark.parametrize('x', 'ab')\ndef test_h(x): pass\n"}
    )
    listed = project.run_pytest("--collect-only", "-q", mode="")

    answer = project.affected()

    assert answer.run | answer.skip == {line for line in listed.stdout.splitlines() if "::" in line}
    assert answer.rules("test_b.py::test_h[a]") == {"new"}


def test_a_test_that_is_gone_is_told(project: Project) -> None:
    project.write({"test_a.py": TESTS.replace("test_g", "test_h")})

    document = project.affected().document

    assert document["gone"] == ["test_a.py::test_g"]


def test_what_was_not_asked_for_is_not_gone(project: Project) -> None:
    project.write({"test_b.py": "def test_h(): pass\n"})

    assert project.affected("test_b.py").document["gone"] == []


def test_a_file_that_cannot_be_collected_runs_with_its_error_and_its_tests_are_not_gone(project: Project) -> None:
    project.write({"test_a.py": "import missing_module\n" + TESTS, "test_b.py": "def test_h(): pass\n"})

    answer = project.affected()

    assert answer.rules("test_a.py") == {"error"}
    assert "missing_module" in answer.details("test_a.py")
    assert answer.document["gone"] == []
    assert "test_b.py::test_h" in answer.run


def test_asking_runs_nothing_and_records_nothing(tmp_path: Path) -> None:
    text = "from pathlib import Path\ndef test_f(): Path('ran').touch()\n"
    project = new_project(tmp_path, {"test_a.py": text})

    first, second = project.affected(), project.affected()

    assert not (tmp_path / "ran").exists()
    assert first.document == second.document
    assert first.rules("test_a.py::test_f") == {"new"}


def test_asking_leaves_no_folder_behind(tmp_path: Path) -> None:
    new_project(tmp_path, {"test_a.py": "def test_f(): pass\n"}).affected()

    assert not (tmp_path / ".wiremap").exists()


def test_a_project_without_tests_has_no_verdicts(tmp_path: Path) -> None:
    answer = new_project(tmp_path, {}).affected()

    assert (answer.run, answer.skip, answer.document["kind"]) == (set(), set(), "none")


# What rules over every test.


def test_an_option_that_may_change_outcomes_runs_everything(tmp_path: Path) -> None:
    conftest = "def pytest_addoption(parser): parser.addoption('--fast', action='store_true')\n"
    project = new_project(tmp_path, {"conftest.py": conftest, "test_a.py": "def test_f(): pass\n"})
    project.record()

    answer = project.affected("--fast")

    assert answer.details("test_a.py::test_f") == "pytest option --fast changed"


def test_options_that_shape_the_report_or_the_choice_run_nothing(project: Project) -> None:
    shape = ["-v", "-x", "--tb=short", "--durations=1", "-rA", "--color=no", "-s", "-k", "test"]

    assert project.affected(*shape).run == set()


def test_pytests_own_configuration_runs_everything(project: Project) -> None:
    project.write({"pytest.ini": "[pytest]\npythonpath = .\nxfail_strict = true\n"})

    answer = project.affected()

    assert answer.skip == set()
    assert answer.document["kind"] == "environment"


def test_the_configuration_of_another_tool_runs_nothing(project: Project) -> None:
    project.write({"pytest.ini": "# why\n[pytest]\npythonpath = .\n[flake8]\nx = 1\n", "ruff.toml": ""})

    assert project.affected().run == set()


def test_a_declared_variable_runs_everything_when_it_changes(tmp_path: Path) -> None:
    project = new_project(
        tmp_path,
        {"pyproject.toml": "[tool.wiremap]\nvariables = ['MODE']\n", "test_a.py": "def test_f(): pass\n"},
    )
    project.record(env={"MODE": "1"})

    assert project.affected(env={"MODE": "1"}).run == set()
    assert project.affected(env={"MODE": "2"}).run == {"test_a.py::test_f"}


# Faults.


def test_wrong_settings_are_a_usage_error_that_names_them_all(project: Project) -> None:
    project.write({"pyproject.toml": "[tool.wiremap]\nspeed = 1\nvariables = 2\n"})

    finished = project.run_pytest()

    assert finished.exit_code == 4
    assert "unknown key 'speed'" in finished.stderr
    assert "`variables` must be" in finished.stderr


def test_where_no_map_can_be_everything_runs_and_one_note_tells_it(tmp_path: Path) -> None:
    project = new_project(tmp_path, {".wiremap": "no folder\n", "test_a.py": "def test_f(): pass\n"})

    finished = project.run_pytest("-v")

    assert (finished.exit_code, ran(finished)) == (0, ["test_a.py::test_f"])
    assert finished.stdout.count("nothing is recorded") == 1
    assert "wiremap: recorded" not in finished.stdout


@pytest.mark.skipif(sys.platform == "win32", reason="the size of files can be limited on POSIX")
@pytest.mark.parametrize("outcome", [0, 1])
def test_a_full_disk_costs_the_record_and_nothing_else(tmp_path: Path, outcome: int) -> None:
    """A limit on the size of files stands for a disk that gets full while the tests run."""
    project = new_project(tmp_path, {"test_a.py": f"def test_f(): assert {1 - outcome}\n"})
    project.record("-k", "nothing", expected=5)
    limited = (
        "import resource, sys, pytest; resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)); sys.exit(pytest.main())"
    )

    finished = project.run_python("-c", limited, "--wiremap", "-v")

    assert (finished.exit_code, len(ran(finished))) == (outcome, 1)
    assert finished.stdout.count("othing is recorded") + finished.stdout.count("Nothing was recorded") == 1
    assert "wiremap: recorded" not in finished.stdout
    assert project.affected().run == {"test_a.py::test_f"}


def test_a_damaged_map_is_set_aside_and_everything_runs(project: Project) -> None:
    project.write({".wiremap/map-5.sqlite": b"damage" * 500})

    finished = project.run_pytest("-v")

    assert finished.exit_code == 0
    assert len(ran(finished)) == 2
    assert finished.stdout.count("The map was set aside") == 1


def test_warnings_that_are_errors_do_not_reach_wiremap(tmp_path: Path) -> None:
    project = new_project(
        tmp_path,
        {
            "pytest.ini": "[pytest]\npythonpath = .\nfilterwarnings = error\n",
            "odd.py": b"PATTERN = '\\d'\n",
            "test_a.py": "def test_f(): pass\n",
        },
    )

    for _ in range(3):
        finished = project.run_pytest("-W", "error")
        assert finished.exit_code == 0, finished.text


# Without an option.


def test_the_idle_plugin_makes_no_folder_and_imports_no_part(tmp_path: Path) -> None:
    text = """
        import sys
        def test_f():
            loaded = {name for name in sys.modules if name.partition(".")[0] == "wiremap"}
            assert not {name for name in loaded if name.startswith(("wiremap.tracing", "wiremap.store", "wiremap.use"))}
        """
    project = new_project(tmp_path, {"test_a.py": text})

    finished = project.run_pytest(mode="")

    assert finished.exit_code == 0, finished.text
    assert not (tmp_path / ".wiremap").exists()


def test_the_plugin_is_found_by_its_entry_point(project: Project) -> None:
    plain = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "", "PYTEST_ADDOPTS": "-p no:cacheprovider"}

    finished = project.run_pytest(env=plain)

    assert "proved unaffected" in finished.stdout


# pytest-xdist.


def test_verdicts_with_workers_asked_for_come_from_one_process(tmp_path: Path) -> None:
    pytest.importorskip("xdist")
    project = new_project(
        tmp_path, {"pytest.ini": "[pytest]\npythonpath = .\naddopts = -n 2\n", "test_a.py": "def test_f(): pass\n"}
    )
    project.plugins = ["xdist.plugin"]

    answer = project.affected("--dist", "loadfile")

    assert answer.run == {"test_a.py::test_f"}


def test_a_group_of_workers_is_no_part_of_a_tests_name(tmp_path: Path) -> None:
    pytest.importorskip("xdist")
    text = "import app, pytest\n@pytest.mark.xdist_group('one')\ndef test_f(): app.f()\ndef test_g(): pass\n"
    project = new_project(tmp_path, {"app.py": APP, "test_a.py": text})
    project.plugins = ["xdist.plugin"]
    grouped = ("-n", "2", "--dist", "loadgroup")
    project.run_pytest(*grouped)

    same = [project.affected(), project.affected(*grouped)]
    project.write({"app.py": CHANGED})
    changed = [project.affected(), project.affected(*grouped)]
    run = project.run_pytest(*grouped)

    assert [answer.run for answer in same] == [set(), set()]
    assert [answer.run for answer in changed] == [{"test_a.py::test_f"}] * 2
    assert "wiremap: 1 of 2 tests selected" in run.stdout


# The same everywhere.


def test_two_folders_give_the_same_bytes(tmp_path: Path) -> None:
    texts = []
    for name, seed in (("one", "1"), ("two", "2")):
        project = new_project(tmp_path / name, {"app.py": APP, "test_a.py": TESTS})
        project.record(env={"PYTHONHASHSEED": seed})
        project.write({"app.py": CHANGED + "X = 1\n"})
        texts.append(project.wiremap("affected", "--json", env={"PYTHONHASHSEED": seed}).stdout)

    assert texts[0] == texts[1]
    assert str(tmp_path) not in texts[0]


def test_tests_in_a_folder_of_a_repository_rest_on_its_other_folders(tmp_path: Path) -> None:
    project = new_project(
        tmp_path,
        {
            "common/money.py": "def f(): return 1\n",
            "backend/pytest.ini": "[pytest]\npythonpath = ../common\n",
            "backend/test_a.py": "import money\ndef test_f(): money.f()\ndef test_g(): pass\n",
        },
    )
    project.folder = "backend"
    project.record()
    project.write({"common/money.py": "def f(): return 2\n"})

    answer = project.affected()

    assert answer.run == {"test_a.py::test_f"}
    assert answer.units("test_a.py::test_f") == {"common/money.py::f"}
    assert (tmp_path / "backend" / ".wiremap").is_dir()
