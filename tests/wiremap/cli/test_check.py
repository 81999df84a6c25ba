import json
from pathlib import Path

import pytest

from tests.wiremap.checks.engines import FAULTY, FILES, new_engine
from tests.wiremap.projects import Project, new_project
from tests.wiremap.render.golden import assert_golden

NOT_RECORDED = (
    "note: Nothing is recorded, so that reaching inside is found by source only; `wiremap run` records calls.\n"
)
RECIPES = 'recipes = ["engine.recipes"]\n'


@pytest.fixture(scope="module")
def faulty(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A locked engine in which then everything went wrong."""
    project = new_engine(tmp_path_factory.mktemp("faulty") / "engine-project")
    project.wiremap("lock")
    recipes = str(FILES["engine/recipes.py"]).replace("BlockManager(8)", "BlockManager(16)")
    allow = '[[tool.wiremap.allow]]\nrule = "lock-drift"\nwhere = "engine.moe"\nreason = "an old experiment"\n'
    project.write({**FAULTY, "engine/recipes.py": recipes, "pyproject.toml": f"[tool.wiremap]\n{RECIPES}\n{allow}"})
    return project


@pytest.fixture
def engine(tmp_path: Path) -> Project:
    project = new_engine(tmp_path / "engine-project")
    project.wiremap("lock")
    return project


def test_nothing_is_found_where_code_and_lock_agree(engine: Project) -> None:
    finished = engine.wiremap("check")

    assert (finished.exit_code, finished.stdout) == (0, "Nothing found; 6 files read.\n")
    assert finished.stderr == NOT_RECORDED


def test_all_findings_are_told_together(faulty: Project) -> None:
    finished = faulty.wiremap("check")

    assert finished.exit_code == 1
    assert_golden("check.txt", finished.stdout)


def test_json_holds_the_same(faulty: Project) -> None:
    finished = faulty.wiremap("check", "--format", "json")

    assert (finished.exit_code, finished.stderr) == (1, "")
    assert_golden("check.json", finished.stdout)


def test_github_shows_each_at_its_line(faulty: Project) -> None:
    finished = faulty.wiremap("check", "--format", "github")

    assert finished.exit_code == 1
    assert_golden("check.github", finished.stdout)


def test_sarif_is_one_log(faulty: Project) -> None:
    finished = faulty.wiremap("check", "--format", "sarif")

    assert finished.exit_code == 1
    assert_golden("check.sarif", finished.stdout)


def test_a_path_is_told_from_where_one_stands_and_from_the_root_for_programs(faulty: Project) -> None:
    inside = Project(faulty.root, folder="engine")

    assert "\nscheduler.py:" in inside.wiremap("check").stdout
    assert "file=engine/scheduler.py," in inside.wiremap("check", "--format", "github").stdout


def test_a_project_below_the_root_of_its_repository_is_told_from_that(tmp_path: Path) -> None:
    project = new_project(tmp_path, {f"sub/{path}": text for path, text in {**FILES, **FAULTY}.items()})
    project.write({"pytest.ini": None})
    inside = Project(project.root, folder="sub")

    document = json.loads(inside.wiremap("check", "--format", "json").stdout)

    assert {finding["file"] for finding in document["findings"]} == {"sub/wiremap.lock", "sub/engine/scheduler.py"}


def test_an_allowance_lets_a_finding_pass_with_its_reason(engine: Project) -> None:
    allow = (
        '[[tool.wiremap.allow]]\nrule = "reaches-inside"\nwhere = "Scheduler"\nreason = "until drain is a cell"\n'
        '[[tool.wiremap.allow]]\nrule = "unregistered-component"\nwhere = "engine/*"\nreason = "an experiment"\n'
    )
    engine.write({**FAULTY, "pyproject.toml": f"[tool.wiremap]\n{RECIPES}{allow}"})

    finished = engine.wiremap("check")
    document = json.loads(engine.wiremap("check", "--format", "json").stdout)

    assert (finished.exit_code, finished.stdout) == (0, "Nothing found, 3 allowed; 6 files read.\n")
    assert [one["reason"] for one in document["allowed"]] == [
        "until drain is a cell",
        "until drain is a cell",
        "an experiment",
    ]


def test_a_component_that_the_configuration_declares_needs_no_recipe(engine: Project) -> None:
    components = '[tool.wiremap.components]\nFair = "engine/scheduler.py::Fair*"\n'
    engine.write({**FAULTY, "pyproject.toml": f"[tool.wiremap]\n{RECIPES}{components}"})

    assert "unregistered-component" not in engine.wiremap("check").stdout


def test_a_recorded_call_between_components_that_nothing_joins_is_found(engine: Project) -> None:
    engine.write(
        {
            "engine/layers.py": """\
                class Layer:
                    def __init__(self, number):
                        self.number = number

                    def measure(self, blocks):
                        return blocks.audit()
                """,
            "test_engine.py": """\
                from engine.blocks import BlockManager
                from engine.layers import Layer

                def test_measure():
                    assert Layer(0).measure(BlockManager(3)) == 3
                """,
        }
    )
    assert "reaches-inside" not in engine.wiremap("check").stdout
    engine.record()

    finished = engine.wiremap("check")

    assert finished.exit_code == 1
    assert NOT_RECORDED not in finished.stderr
    assert finished.stdout.splitlines()[0] == (
        "engine/layers.py:5: Layer.measure was seen to call BlockManager.audit (engine/blocks.py:9), and no cell joins "
        "Layer and BlockManager. [reaches-inside]"
    )


def test_a_file_that_does_not_parse_is_told_and_the_rest_is_checked(engine: Project) -> None:
    engine.write({"engine/draft.py": "def broken(:\n"})

    finished = engine.wiremap("check")

    assert (finished.exit_code, finished.stdout) == (0, "Nothing found; 7 files read.\n")
    assert "note: engine/draft.py was not read, since it does not parse: invalid syntax" in finished.stderr


@pytest.mark.parametrize("lock", [b"", b"\xff\xfe\x00", b"wiremap.lock 99\n", b"wiremap.lock 1\n<<<<<<< ours\n"])
def test_a_damaged_lock_is_a_finding(engine: Project, lock: bytes) -> None:
    engine.write({"wiremap.lock": lock})

    finished = engine.wiremap("check")

    assert finished.exit_code == 1
    assert "The lock can't be used" in finished.stdout


def test_wrong_settings_are_told_all_at_once(engine: Project) -> None:
    allow = '[[tool.wiremap.allow]]\nrule = "lock-drit"\nwhere = "x"\n'
    engine.write({"pyproject.toml": f'[tool.wiremap]\nrecipes = ["engine/recipes.py"]\n{allow}'})

    finished = engine.wiremap("check")

    assert finished.exit_code == 2
    assert finished.stderr == (
        "wiremap: pyproject.toml can't be used: `recipes` takes 'package.module' or 'package.module:function', not "
        "'engine/recipes.py'; entry 1 of `allow` needs a reason; entry 1 of `allow` has the rule 'lock-drit'; known: "
        "lock-drift, unregistered-component, reaches-inside. [settings]\n"
    )


def test_an_unknown_format_is_wrong_usage(engine: Project) -> None:
    assert engine.wiremap("check", "--format", "xml").exit_code == 2
