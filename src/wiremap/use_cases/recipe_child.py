"""What runs in the process that compiles one recipe, so that what it imports and does stays out of the caller's.

`use_cases.recipe_compiling` starts it.
"""

import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType

from wiremap.errors import NoRecipeError, NotARecipeError, WiremapError
from wiremap.graph import Graph
from wiremap.tracing.territory import OWN_FOLDER, Territory
from wiremap.use_cases.graph_source import compile_recipe
from wiremap.use_cases.recipe_task import CompiledRecipe, RecipeTask


def answer(task: RecipeTask) -> None:
    """Compile the recipe of *task*, and write what becomes of it where it says."""
    first = [task.folder, *task.search_path]
    sys.path[:] = [*first, *(_moved(sys.path, task) if task.copy else sys.path)]
    if task.copy:
        in_copy = [folder for folder in sys.path[len(first) :] if _is_below(folder, task.copy)]
        sys.meta_path.insert(0, _CopyFirst([*first, *in_copy], task.copy))
    found = _compiled(task)
    if task.copy and (strangers := _modules_from(task.original)):
        found = CompiledRecipe(error=f"{strangers[0]} was imported from the working tree in its place")
    draft = Path(f"{task.answer}.draft")
    draft.write_text(found.to_json(), encoding="utf-8")
    draft.replace(task.answer)  # an answer is whole, or there is none


def _compiled(task: RecipeTask) -> CompiledRecipe:
    try:
        graph = compile_recipe(task.recipe)
    except (NoRecipeError, NotARecipeError) as error:
        is_there = error.found is not None if isinstance(error, NotARecipeError) else bool(error.recipes)
        return CompiledRecipe(error=str(error), is_there=is_there)
    except WiremapError as error:
        return CompiledRecipe(error=str(error))
    compiled = CompiledRecipe(graph)
    return _with_classes(compiled, graph, task.recipe) if task.tells_classes else compiled


# Classes


def _with_classes(compiled: CompiledRecipe, graph: Graph, recipe: str) -> CompiledRecipe:
    kin = sorted(set(_kin_in(graph)))
    modules = {recipe.partition(":")[0], *(above for _, _, above, _ in kin)}
    files = {name: file for name in sorted(modules) if (file := _file_of(name))}
    return replace(compiled, kin=tuple(kin), files=files)


def _kin_in(graph: Graph) -> Iterator[tuple[str, str, str, str]]:
    """Yield, for the class of each component, what it derives from: both by module and qualified name."""
    for component in graph.components:
        for above in getattr(_class_called(component.module, component.type), "__mro__", ()):
            yield component.module, component.type, above.__module__, above.__qualname__
    for local in graph.nested.values():
        yield from _kin_in(local)


def _class_called(module: str, qualname: str) -> object:
    """Return the class of that name; None where it was made in a function."""
    found: object = sys.modules.get(module)
    for part in qualname.split("."):
        found = getattr(found, part, None)
    return found if isinstance(found, type) else None


def _file_of(module: str) -> str:
    file = getattr(sys.modules.get(module), "__file__", None)
    return os.path.realpath(file) if isinstance(file, str) and file.endswith(".py") else ""


# A copy


class _CopyFirst:
    """Finds modules in the copy, also those that an editable install would find by itself."""

    def __init__(self, roots: Sequence[str], copy: str) -> None:
        self._roots = roots
        self._copy = copy

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return where the module is in the copy, or None where it is not; a mere folder is no module of its own."""
        spec = PathFinder.find_spec(name, self._roots if path is None else path, target)
        is_there = spec is not None and spec.origin is not None and spec.loader is not None
        return spec if is_there and spec is not None and _is_below(str(spec.origin), self._copy) else None


def _moved(folders: Sequence[str], task: RecipeTask) -> list[str]:
    """Return the search path with the same folders of the copy in the place of the project's own."""
    territory = Territory(task.original)
    moved = []
    for folder in folders:
        below = territory.data_path(folder) if folder else None
        moved.append(folder if below is None else str(Path(task.copy, below)))
    return moved


def _modules_from(original: str) -> list[str]:
    """Return the modules that came from the project's own folder, but for this program where it lies there."""
    territory = Territory(original)
    files = (getattr(module, "__file__", None) for module in list(sys.modules.values()))
    own = {
        path
        for file in files
        if isinstance(file, str)
        and _is_below(os.path.realpath(file), territory.root)
        and not os.path.realpath(file).startswith(OWN_FOLDER)
        if (path := territory.code_path(file)) is not None
    }
    return sorted(own)


def _is_below(file: str, folder: str) -> bool:
    return file == folder or file.startswith(folder.rstrip(os.sep) + os.sep)
