import os
from pathlib import Path

from wiremap.use_cases.recipe_compiling import Workplace, compile_recipes

RECIPE = """\
import os, sys
from wiremap import RegistryOrchestrator, recipe

class Pool:
    def __init__(self, size=1):
        self.size = size

@recipe
def one():
    orch = RegistryOrchestrator()
    orch.add(Pool(len([name for name in vars(sys) if name == "_seen"])))
    sys._seen = True
    return orch.finalize()

@recipe
def two():
    return one()

@recipe
def ending():
    print("the last word")
    sys.stdout.flush()
    os._exit(3)
"""


def test_no_recipe_sees_what_another_leaves_behind(tmp_path: Path) -> None:
    (tmp_path / "parts.py").write_text(RECIPE)

    first, second = compile_recipes(["parts:one", "parts:two"], Workplace(tmp_path)).values()

    assert first.graph is not None
    assert first.graph == second.graph


def test_a_process_that_ends_without_an_answer_is_told_with_its_last_words(tmp_path: Path) -> None:
    (tmp_path / "parts.py").write_text(RECIPE)

    compiled = compile_recipes(["parts:ending"], Workplace(tmp_path))["parts:ending"]

    assert compiled.graph is None
    assert compiled.whole_error == "its process ended with exit code 3. It said:\nthe last word"
    assert compiled.error_line() == "its process ended with exit code 3: the last word"


def test_a_file_of_the_project_stands_in_for_no_module_of_this_program(tmp_path: Path) -> None:
    (tmp_path / "parts.py").write_text(RECIPE)
    (tmp_path / "json.py").write_text("raise ValueError('not this one')\n")

    assert compile_recipes(["parts:one"], Workplace(tmp_path))["parts:one"].graph is not None


def test_what_is_not_there_is_told_from_what_fails(tmp_path: Path) -> None:
    (tmp_path / "parts.py").write_text(RECIPE)

    found = compile_recipes(["parts:three", "parts:Pool"], Workplace(tmp_path))

    assert [one.is_there for one in found.values()] == [False, True]


def test_classes_are_told_only_if_asked_for(tmp_path: Path) -> None:
    (tmp_path / "parts.py").write_text(RECIPE)

    (plain,) = compile_recipes(["parts:one"], Workplace(tmp_path)).values()
    (asked,) = compile_recipes(["parts:one"], Workplace(tmp_path), tells_classes=True).values()

    assert (plain.kin, plain.files) == ((), {})
    assert ("parts", "Pool", "builtins", "object") in asked.kin
    assert asked.files == {"parts": str(tmp_path / "parts.py")}


def test_the_process_has_the_environment_that_it_is_given(tmp_path: Path) -> None:
    (tmp_path / "parts.py").write_text(RECIPE.replace("Pool(len", "Pool(os.environ.get('LEFT_OUT') or len"))
    environment = {**os.environ, "LEFT_OUT": "yes"}

    (compiled,) = compile_recipes(["parts:one"], Workplace(tmp_path, environment=environment)).values()

    assert compiled.graph is not None
    assert compiled.graph.component("Pool").parameter_values == ("size='yes'",)
