"""The plugin's own imports, where a file of the project has the name of a standard library module.

Whoever imports `json` first decides what it means for everybody. Under plain pytest a `json.py` of the project is
found, if nobody needed the library's before the project stood in the path. So the plugin gets the library's for
itself, and leaves the name to the project.
"""

import contextlib
import os
import sys
from collections.abc import Iterator, Sequence
from importlib.machinery import SOURCE_SUFFIXES, ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

_LIBRARY = str(Path(os.__file__).resolve().parent)


@contextlib.contextmanager
def from_the_library() -> Iterator[None]:
    """Serve what is imported meanwhile from the standard library, and forget those modules that files hide."""
    hidden = {name for name in _hidden_names() if name not in sys.modules or not _is_from_library(sys.modules[name])}
    if not hidden:
        yield
        return
    finder, of_project = _LibraryFinder(hidden), _take_away(hidden)
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
        _take_away(hidden)
        sys.modules.update(of_project)


@contextlib.contextmanager
def unrewritten(config: pytest.Config) -> Iterator[None]:
    """Import meanwhile what pytest would parse to rewrite its assertions, as it does with every module of a plugin.

    Where no byte code is written, it would do so in each run.
    """
    hook: Any = config.pluginmanager.rewrite_hook
    if hook not in sys.meta_path:
        yield
        return
    place = sys.meta_path.index(hook)
    sys.meta_path.pop(place)
    try:
        yield
    finally:
        sys.meta_path.insert(place, hook)


def _take_away(names: set[str]) -> dict[str, ModuleType]:
    """Remove the modules of these top-level names, and return them."""
    taken = [name for name in sys.modules if name.partition(".")[0] in names]
    return {name: sys.modules.pop(name) for name in taken}


def _is_from_library(module: ModuleType) -> bool:
    origin = getattr(getattr(module, "__spec__", None), "origin", None) or getattr(module, "__file__", None) or ""
    return origin in ("built-in", "frozen") or os.path.realpath(origin).startswith(_LIBRARY + os.sep)


class _LibraryFinder:
    """Finds some top-level modules in the standard library alone."""

    def __init__(self, names: set[str]) -> None:
        self._names = names
        self._folders = [folder for folder in sys.path if _is_of_library(folder)]

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return where *name* is, if it is one of those; other finders are asked for the rest."""
        return PathFinder.find_spec(name, self._folders, target) if path is None and name in self._names else None


def _hidden_names() -> set[str]:
    """Return the names of standard library modules that a file or package hides, which stands before it in the path."""
    found = set[str]()
    for folder in sys.path:
        if _is_of_library(folder):
            break
        with contextlib.suppress(OSError):
            found.update(name for entry in os.scandir(folder or ".") if (name := _module_name(entry)))
    return found & sys.stdlib_module_names


def _module_name(entry: os.DirEntry[str]) -> str:
    path = Path(entry.path)
    if path.suffix in SOURCE_SUFFIXES:
        return path.stem
    return path.name if (path / "__init__.py").exists() else ""


def _is_of_library(folder: str) -> bool:
    real = os.path.realpath(folder) if folder else ""
    return real == _LIBRARY or real.startswith(f"{_LIBRARY}{os.sep}lib-dynload")
