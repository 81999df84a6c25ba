"""Which project files a module name may mean.

Where a name is looked up depends on `sys.path`, which a change can alter and a record can't foresee. So a
name stands for every file whose path ends in it: `shop.money` for `src/shop/money.py` as for
`shop/money/__init__.py`. That widens, and never narrows, what an import depends on.
"""

from collections.abc import Iterable


class ModuleIndex:
    """The Python files of a project, found by module name."""

    def __init__(self, paths: Iterable[str]) -> None:
        """Index *paths*: relative to the project's root, with forward slashes."""
        self._by_last_name: dict[str, list[tuple[str, str]]] = {}
        for path in sorted(paths):
            dotted = dotted_name(path)
            if dotted:
                self._by_last_name.setdefault(dotted.rpartition(".")[2], []).append((dotted, path))
        self._found: dict[str, tuple[str, ...]] = {}

    def candidates(self, name: str) -> tuple[str, ...]:
        """Return the files that may be imported as the absolute *name*, sorted."""
        if name not in self._found:
            self._found[name] = self._find(name)
        return self._found[name]

    def _find(self, name: str) -> tuple[str, ...]:
        same_end = self._by_last_name.get(name.rpartition(".")[2], ())
        return tuple(path for dotted, path in same_end if dotted == name or dotted.endswith("." + name))


def dotted_name(path: str) -> str:
    """Return *path* as a dotted name from the root: `src/shop/__init__.py` is `src.shop`."""
    parts = path.removesuffix(".py").split("/")
    if parts[-1] == "__init__":
        parts.pop()
    return ".".join(parts)


def absolute_name(name: str, importer: str) -> str:
    """Resolve the leading dots of *name* against the path of the file that imports it.

    The result is a dotted path from the project's root, which `ModuleIndex.candidates` finds exactly.
    """
    level = len(name) - len(name.lstrip("."))
    if level == 0:
        return name
    folder = importer.split("/")[:-level]
    return ".".join([*folder, name[level:]]).rstrip(".")


def with_parents(name: str) -> list[str]:
    """Return *name* and the packages that importing it runs first: `a.b.c` runs `a` and `a.b`."""
    parts = name.split(".")
    return [".".join(parts[:end]) for end in range(1, len(parts) + 1)]
