import itertools
import sys
from pathlib import Path

import pytest

from wiremap import Component, Graph, WiremapError, WiringError
from wiremap.errors import (
    AsyncRecipeError,
    CellNotWiredError,
    ModuleNotImportableError,
    NoLocalGraphError,
    NoRecipeError,
    NotAComponentError,
    NotARecipeError,
    NothingCompiledError,
    PythonFileError,
    RecipeDoesWorkError,
    RecipeFailedError,
    SourceNotFoundError,
    UnreadableGraphError,
)
from wiremap.use_cases.graph_source import compile_source, graph_with_notes, local_graph, without_local_graphs

PRELUDE = """
from wiremap import RegistryOrchestrator, compiling, recipe

class Attention:
    def attend(self): ...

class Runner:
    def __init__(self):
        orch = RegistryOrchestrator()
        orch.register(Attention(), "attend", self)
        orch.finalize()
    def run(self): ...
    def __post_wire__(self):
        raise AssertionError("heavy work in compile mode")

class Engine: ...
"""
COMBINE = """
@recipe(compile_kwargs={"size": 3})
def combine(size):
    assert compiling()
    orch = RegistryOrchestrator()
    orch.register(Runner(), "run", orch.add(Engine(), tags=[f"size {size}"]))
    orch.finalize()
    return "whatever"
"""
_numbers = itertools.count()


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> "_Modules":
    monkeypatch.chdir(tmp_path)
    return _Modules(tmp_path)


class _Modules:
    """Writes modules into the current directory, each under a name of its own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __call__(self, *parts: str) -> str:
        name = f"recipes_of_a_test_{next(_numbers)}"
        (self._folder / f"{name}.py").write_text("\n".join(parts))
        return name


def test_the_only_recipe_of_a_module_is_compiled_in_compile_mode(module: _Modules) -> None:
    graph = compile_source(module(PRELUDE, COMBINE))

    assert graph.ids == ("Engine", "Runner")
    assert graph.component("Engine").tags == ("size 3",)


def test_local_graphs_hang_below_the_outermost(module: _Modules) -> None:
    graph = compile_source(module(PRELUDE, COMBINE))

    assert graph.nested["Runner"].ids == ("Attention", "Runner")
    assert local_graph(graph, "Runner") == graph.nested["Runner"]
    assert without_local_graphs(graph).nested == {}


def test_of_several_recipes_combine_goes_first_and_others_go_by_name(module: _Modules) -> None:
    other = """
@recipe
def small():
    orch = RegistryOrchestrator()
    orch.add(Engine())
    orch.finalize()
"""
    name = module(PRELUDE, COMBINE, other)

    assert compile_source(name).ids == ("Engine", "Runner")
    assert compile_source(f"{name}:small").ids == ("Engine",)


def test_a_recipe_may_import_from_the_current_directory_while_it_runs(module: _Modules) -> None:
    late = module("VALUE = 'late'")
    source = f"""
@recipe
def combine():
    from {late} import VALUE
    orch = RegistryOrchestrator()
    orch.add(Engine(), id=VALUE)
    orch.finalize()
"""
    before = list(sys.path)

    assert compile_source(module(PRELUDE, source)).ids == ("late",)
    assert sys.path == before


def test_a_graph_file_is_read(tmp_path: Path) -> None:
    graph = Graph((Component("a", "A", "m"),))
    path = tmp_path / "saved.json"
    path.write_text(graph.to_json(), encoding="utf-8")

    assert compile_source(str(path)) == graph


def test_the_wiring_of_a_folder_is_inferred_with_notes(tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text("""
class Pool:
    def take(self): ...
class App:
    def __init__(self, policy):
        self.pool = Pool()
        self.policy = policy
    def run(self):
        self.policy.decide(self.pool.take())
""")

    sourced = graph_with_notes(str(tmp_path))

    assert sourced.graph.ids == ("App", "Pool")
    assert sourced.notes == ("1 call was left out, made through attributes of unknown class: App.policy.",)
    assert compile_source(str(tmp_path)) == sourced.graph


def test_nothing_is_printed(module: _Modules, capsys: pytest.CaptureFixture[str]) -> None:
    compile_source(module(PRELUDE, COMBINE))

    assert capsys.readouterr() == ("", "")


TWO = """
@recipe
def one(): ...
@recipe
def two(): ...
"""
FAILING = """
@recipe
def combine():
    raise ValueError("no\\n  model")
"""
EXITING = FAILING.replace("ValueError(", "SystemExit(")
FAULTY = """
@recipe
def combine():
    orch = RegistryOrchestrator()
    orch.register(Engine(), "nothing", Runner())
    orch.finalize()
"""
LAZY = """
@recipe
def combine(): ...
"""
FORGETFUL = """
@recipe
def combine():
    orch = RegistryOrchestrator()
    orch.add(Runner())
"""
LATER = """
class Late:
    def __init__(self):
        self.orch = RegistryOrchestrator()
        self.orch.add(self)
    def __post_wire__(self):
        self.orch.finalize()

@recipe
def combine():
    orch = RegistryOrchestrator()
    orch.add(Late())
    orch.finalize()
"""
WORKING = """
@recipe
def combine():
    try:
        open("engine.log", "w")
    except Exception:
        pass
    orch = RegistryOrchestrator()
    orch.add(Engine())
    orch.finalize()
"""
WRONG_TYPE = """
@recipe
def combine():
    orch = RegistryOrchestrator()
    orch.add(Engine(), nonsense=1)
    orch.finalize()
"""
MANY = "\n".join(f"def f{number}(): ..." for number in range(10))


@pytest.mark.parametrize(
    ("parts", "function", "error", "message"),
    [
        (
            ["import nowhere_at_all"],
            "",
            ModuleNotImportableError,
            "ModuleNotFoundError: No module named 'nowhere_at",
        ),
        (["1 +"], "", ModuleNotImportableError, "can't be imported: SyntaxError"),
        ([""], "", NoRecipeError, "has no recipe; it defines no function"),
        (
            ["def build(): ...\ndef help(): ..."],
            "",
            NoRecipeError,
            "has no recipe; its functions are build, help",
        ),
        (
            [PRELUDE, TWO],
            "",
            NoRecipeError,
            r"several recipes and none called 'combine'\. Ask for \w+:one or \w+:two",
        ),
        ([PRELUDE, TWO], ":ome", NotARecipeError, r"has nothing called 'ome'\. Did you mean 'one'\?"),
        (
            [PRELUDE, TWO],
            ":Engine",
            NotARecipeError,
            r"\w+:Engine is a class and not marked .* Its recipes: one, two",
        ),
        (
            [PRELUDE, FAILING],
            "",
            RecipeFailedError,
            r"ValueError: no model \(at recipes_of_a_test_\d+\.py:21\)\. If that comes of heavy work",
        ),
        ([PRELUDE, EXITING], "", RecipeFailedError, r"SystemExit: no model \(at recipes_of_a_test_\d+\.py:21\)"),
        (
            [PRELUDE, WORKING],
            "",
            RecipeDoesWorkError,
            r"combine opens 'engine\.log' for writing \(at recipes_of_a_test_\d+\.py:22\); compiling",
        ),
        (
            [PRELUDE, WRONG_TYPE],
            "",
            RecipeFailedError,
            r"TypeError: .*nonsense.* \(at recipes_of_a_test_\d+\.py:22\)",
        ),
        (
            [PRELUDE, COMBINE.replace('{"size": 3}', "{}")],
            "",
            RecipeFailedError,
            r"can't be called: .*argument: 'size' \(at recipes_of_a_test_\d+\.py:19\)\. Give .*compile_kwargs",
        ),
        ([MANY], "", NoRecipeError, "its functions are f0, f1, f2, f3, f4, f5, f6, f7 and 2 more"),
        (["import numpyy"], "", ModuleNotImportableError, r"'numpyy' \(at recipes_of_a_test_\d+\.py:1\)\. Mend that"),
        (["raise SystemExit(3)"], "", ModuleNotImportableError, r"SystemExit: 3 \(at recipes_of_a_test_\d+\.py:1\)"),
        ([PRELUDE, FAULTY], "", WiringError, "Engine has no cell 'nothing'"),
        (
            [PRELUDE, LAZY],
            "",
            NothingCompiledError,
            r"combine finalized no orchestrator\. Call orch\.finalize\(\)",
        ),
        (
            [PRELUDE, FORGETFUL],
            "",
            NothingCompiledError,
            r"did not finalize the orchestrator that it wires at recipes_of_a_test_\d+\.py:22\. Call orch\.fin",
        ),
    ],
)
def test_every_step_that_fails_says_so(
    module: _Modules, parts: list[str], function: str, error: type[WiremapError], message: str
) -> None:
    source = module(*parts) + function

    with pytest.raises(error, match=message):
        compile_source(source)


def test_what_a_component_begins_to_wire_it_may_finish_in_a_hook(module: _Modules) -> None:
    assert compile_source(module(PRELUDE, LATER)).ids == ("Late",)


def test_an_async_recipe_is_told_as_such(module: _Modules) -> None:
    with pytest.raises(AsyncRecipeError, match=r"build is async or a generator \(at "):
        compile_source(module(PRELUDE, "@recipe\nasync def build(): ..."))


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("RegistryOrchestrator().add(None)", NotAComponentError),
        ("orch = RegistryOrchestrator(); orch.register(Engine(), 'no_such', Engine()); orch.finalize()", WiringError),
    ],
)
def test_a_fault_of_the_wiring_at_import_time_keeps_its_code(
    module: "_Modules", line: str, error: type[WiremapError]
) -> None:
    with pytest.raises(error):
        compile_source(module(PRELUDE, line))


def test_a_cell_that_is_read_while_its_consumer_is_built_is_told_with_the_line(module: _Modules) -> None:
    reading = """
from wiremap import Requires

class Early:
    run = Requires[object]()
    def __init__(self):
        self.run

@recipe
def build():
    Early()
"""
    name = module(reading.replace("class", "from wiremap import recipe\n\nclass"))

    with pytest.raises(CellNotWiredError, match=rf"\(at {name}\.py:9\): .*__post_wire__ is the place"):
        compile_source(name)


def test_an_unknown_module_is_named() -> None:
    with pytest.raises(ModuleNotImportableError, match=r"module 'no\.such\.module' can't be imported"):
        compile_source("no.such.module")


def test_a_misspelled_module_gets_the_name_beside_it(module: _Modules) -> None:
    name = module(PRELUDE)

    with pytest.raises(ModuleNotImportableError, match=f"Did you mean .*'{name}'"):
        compile_source(f"{name}x")
    with pytest.raises(ModuleNotImportableError, match=r"Did you mean 'wiremap\.use_cases\.inferring'"):
        compile_source("wiremap.use_cases.infering")


@pytest.mark.parametrize(
    ("path", "source", "advice"),
    [
        ("dense.py", "dense.py", r"wiremap graph dense\. \["),
        ("recipes/dense.py", "recipes/dense.py", r"wiremap graph recipes\.dense\. \["),
        ("src/shop/dense.py", "src/shop/dense.py:build", r"wiremap graph shop\.dense:build\. It is looked up in 'src'"),
        ("shop/__init__.py", "shop/__init__.py", r"wiremap graph shop\. \["),
    ],
)
def test_a_file_of_python_is_asked_for_by_its_module(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str, source: str, advice: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
    if "shop" in path:
        ((tmp_path / path).parent / "__init__.py").touch()
    (tmp_path / path).write_text("@recipe\ndef build(): ...\n")

    with pytest.raises(PythonFileError, match=advice):
        compile_source(source)


def test_a_file_without_a_recipe_is_asked_for_by_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "_models.py").write_text("class Cart: ...\n")

    with pytest.raises(PythonFileError, match=r"marks nothing with @wiremap\.recipe\. .* wiremap graph shop \["):
        compile_source("shop/_models.py")


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("", "No source is named"),
        (":build", "There is no file or folder ':build'"),
        ("absent.py", r"There is no file or folder 'absent\.py'"),
        ("no/folder", "There is no file or folder 'no/folder'"),
    ],
)
def test_what_is_not_there_is_told(source: str, message: str) -> None:
    with pytest.raises(SourceNotFoundError, match=message):
        compile_source(source)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, r"absent\.json' can't be read as a graph: No such file or directory"),
        (b"{", "it is not JSON"),
        (b"\xff", "it is not UTF-8 text"),
        (b'{"schema": "x"}', "its schema is 'x'"),
    ],
)
def test_an_unreadable_file_says_why(tmp_path: Path, content: bytes | None, message: str) -> None:
    path = tmp_path / ("absent.json" if content is None else "graph.json")
    if content is not None:
        path.write_bytes(content)

    with pytest.raises(UnreadableGraphError, match=message):
        compile_source(str(path))


def test_a_component_without_a_local_graph_is_refused(module: _Modules) -> None:
    graph = compile_source(module(PRELUDE, COMBINE))

    with pytest.raises(NoLocalGraphError, match=r"inside 'Runer'\. Did you mean 'Runner'\?"):
        local_graph(graph, "Runer")
