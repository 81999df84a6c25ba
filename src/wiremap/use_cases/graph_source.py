"""A graph from what a user names: a recipe in a module, a file that holds a graph, or a folder of source.

A recipe is run in compile mode, and the graphs are taken from the observers: what it returns is its own
affair. Nothing here prints.
"""

import importlib
import inspect
import os
import pkgutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from wiremap.errors import (
    GraphFormatError,
    ModuleNotImportableError,
    NoLocalGraphError,
    NoRecipeError,
    NotARecipeError,
    NothingCompiledError,
    PythonFileError,
    RecipeFailedError,
    SourceNotFoundError,
    UnreadableGraphError,
    WiremapError,
)
from wiremap.graph import Graph
from wiremap.registry.ledger import Ledger
from wiremap.registry.location import Location
from wiremap.registry.observers import subscribe
from wiremap.registry.recipes import compile_mode, recipe_mark
from wiremap.registry.unfinished import watching_unfinished
from wiremap.registry.work import work_refused
from wiremap.use_cases.module_names import module_name
from wiremap.use_cases.recipe_failures import in_one_line, raised_at, recipe_failure

_FIRST_CHOICE = "combine"


@dataclass(frozen=True, slots=True)
class SourcedGraph:
    """A graph, and what its reader should know besides."""

    graph: Graph
    notes: tuple[str, ...] = ()


def compile_source(source: str) -> Graph:
    """Return the graph that *source* names, without the notes of ``graph_with_notes``."""
    return graph_with_notes(source).graph


def graph_with_notes(source: str) -> SourcedGraph:
    """Return the graph that *source* names.

    Args:
        source: ``package.module``, whose only recipe or the one called ``combine`` is meant;
            ``package.module:function``; the path of a graph as JSON; or the path of a folder, whose wiring
            is inferred from its source.

    Raises:
        WiremapError: With a code of its own for each step that can fail.
    """
    path = Path(source)
    if source and path.is_dir():
        from wiremap.use_cases.inferring import infer_folder  # noqa: PLC0415 -- 40 ms that only folders need

        return SourcedGraph(*infer_folder(path))
    _refuse_python_file(source)
    if source.endswith(".json") or path.is_file():
        return SourcedGraph(_read_graph(source))
    return SourcedGraph(compile_recipe(source))


def compile_recipe(source: str) -> Graph:
    """Return the graph of a recipe, which *source* names as ``graph_with_notes`` takes it.

    Raises:
        WiremapError: With a code of its own for each step that can fail.
    """
    module_name, _, function_name = source.partition(":")
    if not module_name or os.sep in source or source.endswith(".py"):
        raise SourceNotFoundError(source)
    with _current_directory_first():
        module = _import(module_name)
        name = function_name or _only_recipe(module)
        return _compile_recipe(module, name)


def without_local_graphs(graph: Graph) -> Graph:
    """Return *graph* with nothing nested in it."""
    return replace(graph, nested={})


def local_graph(graph: Graph, component_id: str) -> Graph:
    """Return the graph inside the component with that id, at any depth, the outermost first.

    Raises:
        NoLocalGraphError: There is none.
    """
    level, owners = [graph], set[str]()
    while level:
        for outer in level:
            if component_id in outer.nested:
                return outer.nested[component_id]
            owners.update(outer.nested)
        level = [inner for outer in level for inner in outer.nested.values()]
    raise NoLocalGraphError(component_id, owners)


# A file


def _read_graph(path: str) -> Graph:
    try:
        return Graph.from_json(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise UnreadableGraphError(path, f"{error.strerror or error}.") from error
    except UnicodeDecodeError as error:
        raise UnreadableGraphError(path, "it is not UTF-8 text.") from error
    except GraphFormatError as error:
        raise UnreadableGraphError(path, f"{error.detail}.") from error


def _refuse_python_file(source: str) -> None:
    """Say how the module in a file of Python is asked for."""
    name, _, function = source.partition(":")
    path = Path(name)
    if path.suffix != ".py" or not path.is_file():
        return
    module, root = module_name(path)
    folder = "" if function or _mentions_recipe(path) else str(path.parent)
    raise PythonFileError(source, module + (f":{function}" if function else ""), root, folder)


def _mentions_recipe(path: Path) -> bool:
    """Tell whether a recipe may be marked in the file: one that can't be read is not the matter here."""
    try:
        return b"recipe" in path.read_bytes()
    except OSError:
        return True


# A recipe


@contextmanager
def _current_directory_first() -> Iterator[None]:
    """Search the current directory for modules, as ``python -m`` does; a recipe may import while it runs."""
    directory = os.getcwd()  # noqa: PTH109 -- sys.path holds strings
    sys.path.insert(0, directory)
    try:
        yield
    finally:
        sys.path.remove(directory)


def _import(name: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except WiremapError:
        raise  # it says what to mend, and where
    except (Exception, SystemExit) as error:  # anything may happen while somebody's module is imported
        missing = error.name if isinstance(error, ModuleNotFoundError) else None
        if missing is not None and f"{name}.".startswith(f"{missing}."):
            raise ModuleNotImportableError(name, in_one_line(error), _modules_beside(missing)) from error
        at = "" if isinstance(error, SyntaxError) else f" (at {raised_at(error)})"  # which names its line itself
        raise ModuleNotImportableError(name, in_one_line(error) + at) from error


def _modules_beside(name: str) -> list[str]:
    """Return the names of the modules in the package of *name*, or of those in the current directory."""
    package = name.rpartition(".")[0]
    folders = getattr(sys.modules.get(package), "__path__", []) if package else [os.getcwd()]  # noqa: PTH109
    prefix = f"{package}." if package else ""
    return [prefix + module.name for module in pkgutil.iter_modules(folders)]


def _only_recipe(module: ModuleType) -> str:
    recipes = _recipes(module)
    if len(recipes) == 1:
        return recipes[0]
    if _FIRST_CHOICE in recipes:
        return _FIRST_CHOICE
    functions = [
        name
        for name, value in vars(module).items()
        if isinstance(value, FunctionType) and value.__module__ == module.__name__
    ]
    raise NoRecipeError(module.__name__, recipes, functions)


def _recipes(module: ModuleType) -> list[str]:
    return [name for name, value in vars(module).items() if recipe_mark(value)]


def _compile_recipe(module: ModuleType, name: str) -> Graph:
    function = getattr(module, name, None)
    mark = recipe_mark(function)
    if function is None or mark is None:
        found = "class" if isinstance(function, type) else type(function).__name__
        raise NotARecipeError(module.__name__, name, found if name in vars(module) else None, _recipes(module))
    title = f"{module.__name__}:{name}"
    _check_arguments(function, mark.compile_kwargs, title)
    with watching_unfinished() as unfinished:
        graphs = _graphs_made_by(function, mark.compile_kwargs, title, unfinished)
    left = next(filter(None, unfinished.values()), None)
    if left is not None or not graphs:
        raise NothingCompiledError(title, str(left) if left is not None else "")
    nested = {id(inner) for graph in graphs for inner in graph.nested.values()}
    return [graph for graph in graphs if id(graph) not in nested][-1]


def _check_arguments(function: Callable[..., Any], arguments: Mapping[str, Any], title: str) -> None:
    """Refuse arguments that do not fit at the line that defines the recipe: the call itself is in this file."""
    try:
        inspect.signature(function, follow_wrapped=False).bind(**arguments)
    except TypeError as error:
        code = inspect.unwrap(function).__code__
        where = Location(code.co_filename, code.co_firstlineno)
        raise RecipeFailedError(title, in_one_line(error), str(where), is_called=False) from error


def _graphs_made_by(
    function: Callable[..., Any], arguments: Mapping[str, Any], title: str, begun: Iterable[Ledger]
) -> list[Graph]:
    graphs: list[Graph] = []
    unsubscribe = subscribe(graphs.append)
    try:
        with compile_mode(), work_refused(title):
            function(**arguments)
    except WiremapError:
        raise  # a fault of the wiring says more than that the recipe failed
    except (Exception, SystemExit) as error:  # an exit would end the command without a word
        raise recipe_failure(error, title, function, begun) from error
    finally:
        unsubscribe()
    return graphs
