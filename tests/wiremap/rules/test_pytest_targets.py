import pytest

from wiremap.rules.pytest_targets import PytestSettings, Targets, targets_of
from wiremap.rules.shell import Folders, NotUnderstood, PytestRun

FILES = [
    "conftest.py",
    "tests/core/test_a.py",
    "tests/core/test_b.py",
    "tests/core/build/test_c.py",
    "tests/core/help.py",
    "tests/check_d.py",
    "tests/test_e.py",
]
FOLDERS = Folders({"tests", "tests/core", "tests/core/build"})


def targets(
    *arguments: str, folder: str = "tests", settings: PytestSettings | None = None
) -> Targets | NotUnderstood | None:
    run = PytestRun(folder, arguments, f"pytest {' '.join(arguments)}")
    return targets_of(run, settings or PytestSettings(), FOLDERS, FILES)


def known_targets(*arguments: str, folder: str = "tests", settings: PytestSettings | None = None) -> Targets:
    found = targets(*arguments, folder=folder, settings=settings)
    assert isinstance(found, Targets), found
    return found


def collected(*arguments: str, folder: str = "tests", settings: PytestSettings | None = None) -> list[str]:
    found = known_targets(*arguments, folder=folder, settings=settings)
    return found.test_files(FILES, settings or PytestSettings())


def test_a_folder_stands_for_its_test_files() -> None:
    assert collected("-vs", "core/") == ["tests/core/test_a.py", "tests/core/test_b.py"]
    assert collected() == ["tests/core/test_a.py", "tests/core/test_b.py", "tests/test_e.py"]


def test_a_file_that_is_named_counts_whatever_it_is_called() -> None:
    assert collected("check_d.py") == ["tests/check_d.py"]


def test_a_pattern_means_what_a_shell_puts_in_its_place() -> None:
    assert collected("core/test_[ab].py") == ["tests/core/test_a.py", "tests/core/test_b.py"]
    assert collected("core/*_a.py", "te*.py") == ["tests/core/test_a.py", "tests/test_e.py"]


def test_a_node_id_stands_for_itself_its_parameters_and_what_is_below_it() -> None:
    found = known_targets("core/test_a.py::TestX::test_y")

    assert found.hold("tests/core/test_a.py::TestX::test_y[1]")
    assert not found.hold("tests/core/test_a.py::TestX::test_yy")
    assert not found.hold("tests/core/test_b.py::TestX::test_y")


def test_what_is_ignored_and_deselected_does_not_run() -> None:
    found = known_targets(
        "core", "--ignore=core/test_a.py", "--ignore-glob", "core/*_c.py", "--deselect", "tests/core/test_b.py::test_x"
    )

    assert not found.hold("tests/core/test_a.py::test_x")
    assert not found.hold("tests/core/test_b.py::test_x[1]")
    assert found.hold("tests/core/test_b.py::test_y")


def test_markers_and_keywords_are_told_and_all_tests_counted() -> None:
    found = known_targets("core", "-m", "not slow", "-k", "ray")

    assert found.unevaluated == ("-m 'not slow'", "-k ray")
    assert found.hold("tests/core/test_a.py::test_slow")


@pytest.mark.parametrize(
    "options",
    [["-x", "-n", "4"], ["-n4"], ["--dist", "loadfile"], ["--shard-id=$$JOB"], ["--unknown", "value"], ["-W", "error"]],
)
def test_values_of_options_are_no_paths(options: list[str]) -> None:
    assert known_targets(*options, "core").wanted == ("tests/core",)


@pytest.mark.parametrize("path", ["core/test_z.py", "$TESTS", "core/test_z*.py", "../../elsewhere"])
def test_a_path_that_there_is_not_is_told(path: str) -> None:
    found = targets(path)

    assert isinstance(found, NotUnderstood)
    assert found.reason == f"there is no {path!r} in tests"


def test_packages_and_argument_files_are_not_understood() -> None:
    assert isinstance(targets("--pyargs", "shop"), NotUnderstood)
    assert isinstance(targets("@args.txt"), NotUnderstood)


def test_a_run_that_only_lists_runs_nothing() -> None:
    assert targets("--collect-only", "core") is None


def test_the_configuration_says_what_runs_where_nothing_is_named() -> None:
    section: dict[str, object] = {"ini_options": {"testpaths": ["tests"], "addopts": "--ignore=tests/core"}}
    settings = PytestSettings.of(section, "")

    assert collected(folder="", settings=settings) == ["tests/test_e.py"]


def test_the_configuration_says_what_test_files_are_called() -> None:
    settings = PytestSettings.of({"python_files": "check_*.py"}, "")

    assert collected(settings=settings) == ["tests/check_d.py"]
