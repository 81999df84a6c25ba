"""The names that files are imported under, told from where they lie and from what the imports say."""

import ast
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath

from wiremap.inference.definitions import all_statements

Imports = Mapping[str, set[str]]
"""First names of absolute imports, each with the second names that were seen after it."""


def absolute_imports(trees: Iterable[ast.Module]) -> Imports:
    """Return how the absolute imports in *trees* begin."""
    found: dict[str, set[str]] = defaultdict(set)
    for tree in trees:
        for node in all_statements(tree.body):
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and not node.level:
                names = [f"{node.module}.{alias.name}" for alias in node.names]
            else:
                continue
            for name in names:
                first, *rest = name.split(".")
                found[first].update(rest[:1])
    return found


class ImportRoots:
    """Tells for each file the folder that its name is looked up in.

    A folder is a package if it has an ``__init__.py``, if an import names it together with something that lies
    in it, or if it lies in a package. A file's root is the nearest folder around it that is no package.
    """

    def __init__(self, paths: Iterable[str], imports: Imports) -> None:
        """Take absolute *paths* with forward slashes."""
        self._files = {PurePosixPath(path) for path in paths}
        self._folders = {folder for file in self._files for folder in file.parents}
        self._imports = imports
        self._packages: dict[PurePosixPath, bool] = {}

    def locate(self, path: str) -> tuple[str, str]:
        """Return the root of the file and the name that it is imported under."""
        file = PurePosixPath(path)
        root = next(folder for folder in file.parents if not self._is_package(folder))
        below = file.relative_to(root).with_suffix("").parts
        if below[-1] == "__init__" and len(below) > 1:
            below = below[:-1]
        return str(root), ".".join(below)

    def _is_package(self, folder: PurePosixPath) -> bool:
        if folder not in self._packages:
            self._packages[folder] = folder.name != "" and (
                folder / "__init__.py" in self._files or self._is_imported(folder) or self._is_package(folder.parent)
            )
        return self._packages[folder]

    def _is_imported(self, folder: PurePosixPath) -> bool:
        return any(
            folder / f"{name}.py" in self._files or folder / name in self._folders
            for name in self._imports.get(folder.name, ())
        )
