import os
from pathlib import Path

import pytest

from wiremap.errors import NoPythonFilesError
from wiremap.use_cases.inferring import infer_folder

APP = """
from lib.pool import Pool
class App:
    def __init__(self, policy):
        self.pool, self.policy = Pool(), policy
    def run(self):
        self.policy.decide(self.pool.take())
"""
PASSING = """
from pool import Pool
class App:
    def __init__(self):
        self.pools = []
    def add(self):
        self.pools.append(Pool())
    def run(self):
        for pool in self.pools:
            pool.take()
"""
POOL = "class Pool:\n    def take(self): ...\n"


def write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return write(tmp_path, {"src/lib/__init__.py": "", "src/lib/pool.py": POOL, "src/lib/app.py": APP})


def test_the_wiring_of_a_folder_is_inferred(project: Path) -> None:
    graph, notes = infer_folder(project)

    assert [(one.provider, one.cell, one.consumer) for one in graph.bindings] == [("Pool", "take", "App")]
    assert graph.component("App").source_path == "lib/app.py"
    assert notes == ("1 call was left out, made through attributes of unknown class: App.policy.",)


RECIPES = """
import wiremap
from wiremap import recipe
@recipe
def combine(): ...
@wiremap.recipe(compile_kwargs={})
def small(): ...
@other
def none(): ...
"""


def test_recipes_in_the_folder_are_told_with_how_to_compile_them(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(project, {"src/lib/recipes.py": RECIPES})

    monkeypatch.chdir(project / "src")
    _, notes = infer_folder(project)
    monkeypatch.chdir(project)
    _, notes_from_above = infer_folder(project)

    assert notes[:2] == (
        "src/lib/recipes.py has the recipe combine. What it wires, `wiremap graph lib.recipes:combine` shows.",
        "src/lib/recipes.py has the recipe small. What it wires, `wiremap graph lib.recipes:small` shows.",
    )
    assert notes_from_above[0].endswith("`wiremap graph lib.recipes:combine` shows, with src on PYTHONPATH.")


def test_the_folder_may_be_the_package_itself(project: Path) -> None:
    assert infer_folder(project / "src" / "lib")[0] == infer_folder(project)[0]


def test_what_lies_outside_of_the_folder_is_not_known(project: Path) -> None:
    write(project, {"src/lib/deep/__init__.py": "", "src/lib/deep/app.py": APP})

    assert infer_folder(project / "src" / "lib" / "deep")[0].components == ()


def test_a_folder_in_a_package_keeps_its_name(project: Path) -> None:
    write(project, {"src/lib/deep/__init__.py": "", "src/lib/deep/app.py": APP.replace("lib.pool", "lib.deep.pool")})
    write(project, {"src/lib/deep/pool.py": POOL})

    graph, _ = infer_folder(project / "src" / "lib" / "deep")

    assert graph.component("Pool").module == "lib.deep.pool"


def test_tests_environments_builds_and_what_is_hidden_are_left_out(project: Path) -> None:
    write(
        project,
        {
            "tests/test_app.py": "from lib.app import App\nclass TestApp:\n def test(self): App(3).run()",
            "src/lib/app_test.py": "",
            "conftest.py": "",
            "build/lib/lib/pool.py": POOL,
            ".hidden/pool.py": POOL,
            ".pool.py": POOL,
            "env/pyvenv.cfg": "",
            "env/lib/pool.py": POOL,
            "node_modules/pool.py": POOL,
        },
    )

    graph, notes = infer_folder(project)

    assert graph.ids == ("App", "Pool")
    assert notes[0] == "3 test files were left out, since tests build what they like."


def test_a_package_called_build_is_source(tmp_path: Path) -> None:
    app = APP.replace("lib.pool", "build.pool")
    write(tmp_path, {"build/__init__.py": "", "build/pool.py": POOL, "build/app.py": app})

    assert infer_folder(tmp_path)[0].ids == ("App", "Pool")


def test_files_that_can_not_be_read_are_told(project: Path) -> None:
    write(project, {f"src/broken{number}.py": "1 +" for number in range(7)})

    _, notes = infer_folder(project)

    assert notes[0] == "src/broken0.py was not read: invalid syntax (line 1)."
    assert "2 more files were not read." in notes


def test_a_link_that_leads_in_a_circle_is_not_followed(project: Path) -> None:
    (project / "src" / "lib" / "again").symlink_to(project / "src", target_is_directory=True)
    (project / "src" / "loop.py").symlink_to(project / "src" / "loop.py")

    assert infer_folder(project)[0].ids == ("App", "Pool")


@pytest.mark.parametrize(
    ("files", "begins"),
    [
        ({"pool.py": POOL}, "The class here was not seen to keep an object of another in an attribute"),
        ({"pool.py": POOL, "other.py": POOL}, "None of the 2 classes here was seen to keep an object of another in"),
        ({"pool.py": POOL, "app.py": PASSING}, "No class here is a component. What is kept in attributes and called"),
        ({"run.py": "def main(): ..."}, "There is no class here. Components are classes"),
    ],
)
def test_a_folder_without_wiring_says_what_was_looked_for(tmp_path: Path, files: dict[str, str], begins: str) -> None:
    graph, notes = infer_folder(write(tmp_path, files))

    assert graph.components == ()
    assert [note[: len(begins)] for note in notes] == [begins]


def test_what_loads_by_name_is_told(project: Path) -> None:
    loading = "from importlib import import_module\nplugin = import_module('plugin')\nother = __import__('other')"
    write(project, {"src/lib/plugins.py": loading})

    assert (
        "What is loaded by a name that is a string is not followed: __import__, importlib.import_module."
        in (infer_folder(project)[1])
    )


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({}, r"holds no file of Python\. Name the folder .* \[no-python-files\]"),
        ({"test_a.py": ""}, "holds no file of Python but 1 of tests, which are left out"),
    ],
)
def test_a_folder_without_source_is_refused(tmp_path: Path, files: dict[str, str], message: str) -> None:
    with pytest.raises(NoPythonFilesError, match=message):
        infer_folder(write(tmp_path, files))


def test_registrations_by_decorator_are_told(project: Path) -> None:
    write(project, {"src/lib/backends.py": '@BACKENDS.register("paged")\ndef make(): ...'})

    assert (
        "What is registered by decorator and looked up by name is not followed: @BACKENDS.register."
        in (infer_folder(project)[1])
    )


def test_the_current_folder_is_one(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project)

    assert infer_folder(Path(os.curdir)) == infer_folder(project)


def test_registries_are_those_that_the_project_around_the_folder_describes(tmp_path: Path) -> None:
    settings = '[[tool.wiremap.adapters]]\nregistry = "R"\ncalls = ["register"]\nenums = ["E"]\nentry-points = ["g"]\n'
    (tmp_path / ".git").mkdir()
    (tmp_path / "pyproject.toml").write_text(f'{settings}[project.entry-points.g]\nb = "parts:B"\n')
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "parts.py").write_text("class A: ...\nclass B: ...\nregister('a', A)\nregister('c', 'no.C')\n")

    graph, notes = infer_folder(tmp_path / "src")

    assert {(one.provider, one.cell, one.consumer) for one in graph.bindings} == {("A", "a", "R"), ("B", "b", "R")}
    assert "Of the description of the registry R, this was found nowhere: enums: E." in notes
    assert "What the registry R is given was not found here: register('c', 'no.C')." in notes
