"""What runs in the child process that compiles recipes: modules are looked for in its folder before all others."""

import json
import os
import sys
from collections.abc import Mapping, Sequence
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
from typing import Any

from wiremap.errors import NoRecipeError, NotARecipeError, WiremapError
from wiremap.tracing.territory import OWN_FOLDER, Territory
from wiremap.use_cases.graph_source import compile_source


def compile_all(task: Mapping[str, Any]) -> None:
    """Compile the recipes of *task*, and write what becomes of them where it says."""
    copy, original = task["copy"], task["original"]
    first = [task["folder"], *task["roots"]]
    sys.path[:] = [*first, *_moved(sys.path, original, copy)]
    if copy != original:
        sys.meta_path.insert(0, _CopyFirst(first + _moved_only(sys.path, copy), copy))
    answers = {recipe: _answer(recipe) for recipe in task["recipes"]}
    if copy != original and (strangers := _modules_from(original)):
        error = f"{strangers[0]} was imported from the working tree in its place"
        answers = {recipe: {"error": error} for recipe in answers}
    Path(task["answer"]).write_text(json.dumps(answers), encoding="utf-8")


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


def _answer(recipe: str) -> dict[str, str]:
    try:
        return {"graph": compile_source(recipe).to_json()}
    except (NoRecipeError, NotARecipeError) as error:
        is_there = error.found is not None if isinstance(error, NotARecipeError) else bool(error.recipes)
        return {"error": str(error)} if is_there else {}
    except WiremapError as error:
        return {"error": str(error)}


def _moved(folders: Sequence[str], original: str, copy: str) -> list[str]:
    """Return the search path with the same folders of the copy in the place of the project's own."""
    if copy == original:
        return list(folders)
    territory = Territory(original)
    moved = []
    for folder in folders:
        below = territory.data_path(folder) if folder else None
        moved.append(folder if below is None else str(Path(copy, below)))
    return moved


def _moved_only(folders: Sequence[str], copy: str) -> list[str]:
    return [folder for folder in folders if _is_below(folder, copy)]


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
