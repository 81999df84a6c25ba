import json
from pathlib import Path

import pytest

from tests.wiremap.projects import Project, new_project


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A project with a test that fails the second time: the count is outside of the project, where nobody looks."""
    count = tmp_path / "count"
    count.write_text("0")
    text = f"""
        from pathlib import Path
        def test_shaky():
            count = Path({str(count)!r})
            number = int(count.read_text()) + 1
            count.write_text(str(number))
            assert number != 2
        def test_steady(): pass
        """
    made = new_project(tmp_path / "project", {"test_a.py": text})
    made.record()
    return made


def test_a_test_that_ended_differently_with_one_input_is_listed(project: Project) -> None:
    project.record(expected=1)

    finished = project.wiremap("flaky")

    assert finished.exit_code == 1
    assert finished.stdout == "test_a.py::test_shaky  failed and passed, last failed\n"
    assert finished.stderr.startswith(
        "1 of 2 recorded tests ended differently though nothing that they rest on differed"
    )


def test_a_failure_that_was_recorded_proves_no_skip_until_it_passes(project: Project) -> None:
    project.record(expected=1)
    after_failure = project.affected().run

    project.run_pytest()

    assert after_failure == {"test_a.py::test_shaky"}
    assert project.affected().run == set()
    assert project.wiremap("flaky").exit_code == 1


def test_steady_tests_are_no_finding(project: Project) -> None:
    finished = project.wiremap("flaky")

    assert (finished.exit_code, finished.stdout) == (0, "")
    assert finished.stderr == "0 of 2 recorded tests ended differently with one input.\n"


def test_json_is_one_document(project: Project) -> None:
    project.record(expected=1)

    document = json.loads(project.wiremap("flaky", "--json").stdout)

    assert document == {
        "schema": "wiremap.flaky/1",
        "flaky": [{"test": "test_a.py::test_shaky", "outcomes": ["failed", "passed"], "last_outcome": "failed"}],
        "tests": 2,
        "notes": [],
    }
