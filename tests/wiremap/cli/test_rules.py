import json
from pathlib import Path

import pytest

from tests.wiremap.projects import Project, new_project

PIPELINE = """\
steps:
- label: A
  source_file_dependencies: [test_a.py, gone/]
  command: pytest test_a.py
- label: B
  command: pytest test_a.py
"""


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = new_project(
        tmp_path, {"a.py": "", "test_a.py": "import a\n\ndef test_a():\n    pass\n", "ci.yaml": PIPELINE}
    )
    made.record()
    return made


def test_findings_are_told_with_the_evidence_and_make_the_exit_code_one(project: Project) -> None:
    finished = project.wiremap("rules", "ci.yaml")

    assert finished.exit_code == 1
    assert finished.stdout.splitlines() == [
        "ci.yaml: 1 file missed, 1 pattern in vain in 1 of 1 list.",
        "1 step without a list is not judged.",
        "",
        "line 2  A",
        "  evidence  1 recorded test",
        "  misses    a.py  test_a.py::test_a",
        "  in vain   gone/  line 3: it matches no file",
    ]


def test_json_holds_the_same(project: Project) -> None:
    document = json.loads(project.wiremap("rules", "ci.yaml", "--format", "json").stdout)

    first, second = document["steps"]
    assert (document["schema"], document["file"]) == ("wiremap.rules/1", "ci.yaml")
    assert (first["label"], first["line"], first["list"], first["judged"]) == ("A", 2, "source_file_dependencies", True)
    assert first["evidence"]["recorded"] == 1
    assert first["misses"] == [{"file": "a.py", "test": "test_a.py::test_a", "excluded_by": None}]
    assert first["in_vain"] == [{"pattern": "gone/", "line": 3, "reason": "it matches no file"}]
    assert (second["judged"], second["misses"]) == (False, [])


def test_the_file_is_corrected_and_then_there_is_nothing_to_find(project: Project) -> None:
    assert project.wiremap("rules", "ci.yaml", "--fix").exit_code == 1
    assert (project.root / "ci.yaml").read_text() == PIPELINE.replace("gone/", "a.py")

    assert project.wiremap("rules", "ci.yaml").exit_code == 0


def test_the_corrected_file_may_go_elsewhere(project: Project) -> None:
    finished = project.wiremap("rules", "ci.yaml", "--fix", "-o", "out.yaml")

    assert "wrote out.yaml" in finished.stderr
    assert (project.root / "ci.yaml").read_text() == PIPELINE
    assert (project.root / "out.yaml").read_text() == PIPELINE.replace("gone/", "a.py")


def test_an_output_that_can_not_be_written_is_told(project: Project) -> None:
    finished = project.wiremap("rules", "ci.yaml", "-o", "no/out.yaml")

    assert (finished.exit_code, "[unwritable-output]" in finished.stderr) == (2, True)


def test_what_is_no_yaml_is_told_in_one_line(project: Project) -> None:
    project.write({"ci.yaml": "steps:\n- a: [\n"})

    finished = project.wiremap("rules", "ci.yaml")

    assert (finished.exit_code, finished.stdout) == (2, "")
    assert finished.stderr.startswith("wiremap: ci.yaml:3: this is no YAML: ")


def test_without_records_it_is_said_that_imports_are_followed(tmp_path: Path) -> None:
    project = new_project(tmp_path, {"a.py": "", "test_a.py": "import a\n", "ci.yaml": PIPELINE})

    finished = project.wiremap("rules", "ci.yaml")

    assert "nothing was recorded yet: imports are followed" in finished.stderr
    assert "  evidence  inferred from the imports of 1 test file\n" in finished.stdout
    assert not (tmp_path / ".wiremap").exists()
