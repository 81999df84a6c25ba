from pathlib import Path
from textwrap import dedent

import pytest

from tests.wiremap.checks.engines import FILES, new_engine
from wiremap.checks.source_classes import ClassName
from wiremap.errors import NoRecipesConfiguredError, RecipesNotCompiledError
from wiremap.use_cases.compiled_recipes import compiled_recipes, configured_project

SHUFFLED = """\
from wiremap import RegistryOrchestrator, recipe

class Part:
    def __init__(self, name):
        self.name = name

@recipe
def build():
    orch = RegistryOrchestrator()
    for name in {"ab", "cd", "ef", "gh", "ij", "kl", "mn"}:
        orch.add(Part(name))
    orch.finalize()
"""


@pytest.fixture
def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    new_engine(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_graphs_come_with_what_their_classes_derive_from_and_where_that_is_written(engine: Path) -> None:
    text = dedent(str(FILES["engine/norm.py"])).replace("class Norm:", "class Base: ...\nclass Norm(Base):")
    (engine / "engine" / "norm.py").write_text(text)

    found = compiled_recipes(configured_project())

    above = found.kin[ClassName("engine.norm", "Norm")]
    assert above == (("builtins", "object"), ("engine.norm", "Base"), ("engine.norm", "Norm"))
    assert found.files["engine.norm"] == engine / "engine" / "norm.py"
    assert "engine.recipes" in found.files


def test_a_set_is_walked_over_in_one_order(engine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (engine / "shuffled.py").write_text(SHUFFLED)
    (engine / "pyproject.toml").write_text('[tool.wiremap]\nrecipes = ["shuffled"]\n')

    graphs = []
    for seed in ("1", "2"):
        monkeypatch.setenv("PYTHONHASHSEED", seed)
        graphs.append(compiled_recipes(configured_project()).graphs["shuffled"])

    assert graphs[0] == graphs[1]


def test_the_project_is_found_from_a_folder_in_it(engine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(engine / "engine")

    project = configured_project()

    assert project.folder == engine
    assert project.below_root("wiremap.lock") == "wiremap.lock"


def test_without_recipes_there_is_nothing_to_compile(engine: Path) -> None:
    (engine / "pyproject.toml").unlink()

    with pytest.raises(NoRecipesConfiguredError, match=r"pyproject\.toml names no recipes"):
        compiled_recipes(configured_project())


def test_each_recipe_that_fails_is_told(engine: Path) -> None:
    (engine / "pyproject.toml").write_text('[tool.wiremap]\nrecipes = ["engine.blocks", "engine.layers"]\n')

    with pytest.raises(RecipesNotCompiledError) as raised:
        compiled_recipes(configured_project())

    assert [recipe for recipe, _ in raised.value.faults] == ["engine.blocks", "engine.layers"]
    assert all("[no-recipe]" in fault for _, fault in raised.value.faults)
