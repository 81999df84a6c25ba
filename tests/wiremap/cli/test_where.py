import json
from pathlib import Path

import pytest

from tests.wiremap.projects import Project, new_project

FILES = {
    "parts.py": """\
        LIMIT = 3

        class Blocks:
            def allocate(self):
                return LIMIT

        class Scheduler:
            def step(self):
                return self.allocate()

        def helper():
            return 1
        """,
    "test_parts.py": """\
        from wiremap import RegistryOrchestrator
        from parts import Blocks, Scheduler, helper

        def test_step():
            orch = RegistryOrchestrator()
            scheduler = orch.add(Scheduler())
            orch.register(Blocks(), "allocate", scheduler)
            orch.finalize()
            assert scheduler.step() == 3

        def test_helper():
            assert helper() == 1
        """,
}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    made = new_project(tmp_path_factory.mktemp("project"), FILES)
    made.record()
    return made


def test_a_cell_is_told_with_its_component_its_consumers_and_its_tests(project: Project) -> None:
    finished = project.wiremap("where", "parts.py:5")

    assert finished.stdout.splitlines() == [
        "parts.py:5 is in the function Blocks.allocate, lines 4 to 5.",
        "",
        "  unit       parts.py::Blocks.allocate",
        "  component  Blocks",
        "  cell       allocate → Scheduler",
        "  executed   by 1 of 2 recorded tests",
        "  imported   by 2 of 2 recorded tests, with its file",
        "",
        "  test_parts.py::test_step",
    ]


def test_a_class_is_told_with_what_it_provides_and_requires(project: Project) -> None:
    finished = project.wiremap("where", "parts.py:7")

    assert "  requires   allocate ← Blocks\n" in finished.stdout
    assert "  executed   by 1 of 2 recorded tests\n" in finished.stdout


def test_a_name_of_a_module_is_told_with_the_tests_that_import_it(project: Project) -> None:
    finished = project.wiremap("where", "parts.py:1")

    assert finished.stdout.splitlines() == [
        "parts.py:1 is in the name LIMIT, line 1.",
        "",
        "  unit       parts.py::LIMIT",
        "  component  none",
        "  imported   by 2 of 2 recorded tests, with its file",
        "",
        "  test_parts.py::test_helper",
        "  test_parts.py::test_step",
    ]


def test_a_file_is_told_with_a_line_for_each_definition(project: Project) -> None:
    finished = project.wiremap("where", "parts.py")

    assert finished.stdout.splitlines() == [
        " 3  Blocks           Blocks                        1 test",
        " 4  Blocks.allocate  Blocks: allocate → Scheduler  1 test",
        " 7  Scheduler        Scheduler                     1 test",
        " 8  Scheduler.step   Scheduler                     1 test",
        "11  helper                                         1 test",
    ]


def test_json_holds_the_same(project: Project) -> None:
    document = json.loads(project.wiremap("where", "--json", "parts.py:9").stdout)
    of_file = json.loads(project.wiremap("where", "--json", "parts.py").stdout)

    assert document == {
        "schema": "wiremap.place/1",
        "line": 9,
        "file": "parts.py",
        "unit": "parts.py::Scheduler.step",
        "kind": "function",
        "lines": [8, 9],
        "component": "Scheduler",
        "cell": None,
        "consumers": [],
        "provides": {},
        "requires": {},
        "tests": ["test_parts.py::test_step"],
        "imported_by": ["test_parts.py::test_helper", "test_parts.py::test_step"],
        "notes": [],
    }
    assert [one["unit"] for one in of_file["units"]][:2] == ["parts.py::Blocks", "parts.py::Blocks.allocate"]


def test_a_place_is_taken_as_editors_and_compilers_write_it(project: Project) -> None:
    assert project.wiremap("where", "parts.py:5:9").stdout == project.wiremap("where", "parts.py:5").stdout


def test_a_file_that_does_not_parse_is_told_by_what_was_recorded_of_it(tmp_path: Path) -> None:
    project = new_project(tmp_path, FILES)
    project.record()
    text = (tmp_path / "parts.py").read_text()
    project.write({"parts.py": text.replace("return LIMIT", "return (LIMIT,")})

    finished = project.wiremap("where", "parts.py:5")

    assert finished.exit_code == 0
    assert "  unit       parts.py::Blocks.allocate\n" in finished.stdout
    assert "  test_parts.py::test_step\n" in finished.stdout
    assert finished.stderr.startswith("note: parts.py does not parse ('(' was never closed (line 5))")


def test_all_that_look_for_the_map_find_it_from_below_in_a_project_without_a_repository(tmp_path: Path) -> None:
    files = {"src/pkg/parts.py": FILES["parts.py"], "tests/unit/test_parts.py": FILES["test_parts.py"]}
    project = new_project(tmp_path, files | {"pytest.ini": "[pytest]\npythonpath = src/pkg\n", ".git": None})
    project.record()
    above = project.wiremap("where", "src/pkg/parts.py:5")
    below = Project(tmp_path, folder="src/pkg")

    finished = below.wiremap("where", "parts.py:5")

    assert "  executed   by 1 of 2 recorded tests\n" in finished.stdout
    assert finished.stdout == above.stdout
    assert below.wiremap("map", "stats").stdout == project.wiremap("map", "stats").stdout
    assert "0 of 2 recorded tests" in below.wiremap("flaky").stderr
    assert "pyproject.toml" in below.wiremap("lock").stderr
    assert [folder.parent for folder in tmp_path.rglob(".wiremap")] == [tmp_path]


def test_before_anything_was_recorded_units_and_declared_components_are_told(tmp_path: Path) -> None:
    declared = '[tool.wiremap.components]\nBlockManager = "parts.py::Blocks*"\n"The rest" = ["*.py"]\n'
    project = new_project(tmp_path, FILES | {"pyproject.toml": declared})

    blocks, helper = (project.wiremap("where", f"parts.py:{line}") for line in (5, 12))

    assert "  component  BlockManager\n" in blocks.stdout
    assert "  component  The rest\n" in helper.stdout
    assert "nothing was recorded yet" in blocks.stderr
    assert not (tmp_path / ".wiremap").exists()


@pytest.mark.parametrize(
    ("place", "reason"),
    [
        ("nix.py:3", "no such file"),
        ("parts.py:0", "the file has 12 lines"),
        ("parts.py:13", "the file has 12 lines"),
        ("pytest.ini", "only Python source"),
        ("..", "only Python source"),
    ],
)
def test_a_place_that_there_is_not_is_told_in_one_sentence(project: Project, place: str, reason: str) -> None:
    finished = project.wiremap("where", place)

    assert (finished.exit_code, finished.stdout) == (2, "")
    assert finished.stderr.startswith(f"wiremap: {place.removesuffix(':3')} is no place in the project's source: ")
    assert reason in finished.stderr


def test_what_a_described_registry_holds_is_a_component_of_it(tmp_path: Path) -> None:
    settings = '[[tool.wiremap.adapters]]\nregistry = "Plugins"\ndecorators = ["register"]\n'
    source = '@register("blue")\nclass Blue:\n    def run(self):\n        return 1\n'
    project = new_project(tmp_path, {"pyproject.toml": settings, "colours.py": source})

    finished = project.wiremap("where", "colours.py:2")

    assert "  component  Blue\n" in finished.stdout
    assert "  provides   blue → Plugins\n" in finished.stdout
