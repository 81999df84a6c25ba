from pathlib import Path

from tests.wiremap.projects import new_project


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
