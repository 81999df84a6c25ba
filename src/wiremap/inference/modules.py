"""The modules of a code base, found by the names that its imports use."""

import ast
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping
from itertools import takewhile

from wiremap.inference.definitions import Module
from wiremap.inference.import_roots import ImportRoots, absolute_imports


class Modules:
    """All modules, and which of them an import means."""

    def __init__(self, trees: Mapping[str, ast.Module]) -> None:
        """Take syntax trees by the absolute path of their file, with forward slashes."""
        self.all = _make_modules(trees)
        self._by_name: dict[str, list[Module]] = defaultdict(list)
        for module in (*self.all, *_folders(self.all)):
            self._by_name[module.name].append(module)

    def find(self, name: str, importer: Module) -> Module | None:
        """Return the module that the absolute *name* means in *importer*, or None for one from elsewhere.

        Of several, the one in the same root counts, else the one that lies nearest. Two that are equally near
        are none: a wrong one would draw wrong edges.
        """
        candidates = self._by_name.get(name, [])
        same_root = [one for one in candidates if one.root == importer.root]
        if same_root:
            return same_root[0]
        if not candidates or name.partition(".")[0] in sys.stdlib_module_names:
            return None
        nearness = [_shared_folders(one, importer) for one in candidates]
        nearest = [one for one, near in zip(candidates, nearness, strict=True) if near == max(nearness)]
        return nearest[0] if len(nearest) == 1 else None

    def find_relative(self, level: int, name: str, importer: Module) -> Module | None:
        """Return the module that *name* after *level* dots means in *importer*."""
        wanted = absolute_name(level, name, importer)
        return next((one for one in self._by_name.get(wanted, ()) if one.root == importer.root), None)


def absolute_name(level: int, name: str, importer: Module) -> str:
    """Return the name from the import root for *name* after *level* dots, at least one, in *importer*."""
    parts = importer.name.split(".")
    kept = len(parts) - level + (1 if importer.is_package else 0)
    return ".".join([*parts[: max(kept, 0)], *([name] if name else [])])


def _make_modules(trees: Mapping[str, ast.Module]) -> list[Module]:
    roots = ImportRoots(trees, absolute_imports(trees.values()))
    modules = []
    for path, tree in sorted(trees.items()):
        root, name = roots.locate(path)
        below = path.removeprefix(root).lstrip("/")
        modules.append(Module(name, root, below, tree, is_package=path.endswith("/__init__.py")))
    return modules


def _folders(modules: Iterable[Module]) -> Iterable[Module]:
    """Yield a module for each package that has no file of its own."""
    known = {(module.root, module.name) for module in modules}
    for module in modules:
        name = module.name
        while name := name.rpartition(".")[0]:
            if (module.root, name) not in known:
                known.add((module.root, name))
                yield Module(name, module.root, "", ast.Module([], []), is_package=True)


def _shared_folders(one: Module, other: Module) -> int:
    pairs = zip(f"{one.root}/{one.path}".split("/"), f"{other.root}/{other.path}".split("/"), strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
