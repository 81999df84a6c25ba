"""A graph from what a user names: a recipe in a module, or a file that holds a graph.

A recipe is run in compile mode, and the graphs are taken from the observers: what it returns is its own
affair. Nothing here prints.
"""

import importlib
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
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
    RecipeFailedError,
    UnreadableGraphError,
    WiremapError,
)
from wiremap.graph import Graph
from wiremap.registry.location import Location
from wiremap.registry.observers import subscribe
from wiremap.registry.recipe import compile_mode, recipe_mark
from wiremap.registry.work import work_refused

_FIRST_CHOICE = "combine"


def compile_source(source: str) -> Graph:
    """Return the graph that *source* names.

    Args:
        source: ``package.module``, whose only recipe or the one called ``combine`` is meant;
            ``package.module:function``; or the path of a graph as JSON.

    Raises:
        WiremapError: With a code of its own for each step that can fail.
    """
    if source.endswith(".json") or Path(source).is_file():
        return _read_graph(source)
    module_name, _, function_name = source.partition(":")
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
    except Exception as error:  # anything may happen while somebody's module is imported
        raise ModuleNotImportableError(name, _in_one_line(error)) from error


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
    graphs = _graphs_made_by(lambda: function(**mark.compile_kwargs), title)
    if not graphs:
        raise NothingCompiledError(title)
    nested = {id(inner) for graph in graphs for inner in graph.nested.values()}
    return [graph for graph in graphs if id(graph) not in nested][-1]


def _graphs_made_by(run: Callable[[], Any], title: str) -> list[Graph]:
    graphs: list[Graph] = []
    unsubscribe = subscribe(graphs.append)
    try:
        with compile_mode(), work_refused(title):
            run()
    except WiremapError:
        raise  # a fault of the wiring says more than that the recipe failed
    except Exception as error:
        raise RecipeFailedError(title, _in_one_line(error), str(_raised_at(error))) from error
    finally:
        unsubscribe()
    return graphs


def _in_one_line(error: Exception) -> str:
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _raised_at(error: Exception) -> Location:
    trace = error.__traceback__
    while trace and trace.tb_next:
        trace = trace.tb_next
    return Location(trace.tb_frame.f_code.co_filename, trace.tb_lineno) if trace else Location("?", 0)
