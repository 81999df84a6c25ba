"""Which files a file imports, directly or not, by its import statements. Nothing is imported."""

import ast
from collections.abc import Iterable, Iterator, Mapping

from wiremap.inference.definitions import Module
from wiremap.inference.modules import Modules, absolute_name
from wiremap.source.modules import with_parents


class ImportClosure:
    """Follows import statements, those in functions included and those for type checkers not.

    A name that several files may answer to means the one that lies nearest; computed names are not followed.
    """

    def __init__(self, trees: Mapping[str, ast.Module]) -> None:
        """Take syntax trees by the path of their file from the project's root."""
        self._modules = Modules({f"/{path}": tree for path, tree in trees.items()})
        self._by_path = {_path(module): module for module in self._modules.all}
        self._direct: dict[str, frozenset[str]] = {}

    def files(self, start: Iterable[str]) -> set[str]:
        """Return *start* and all files that it imports, directly or not."""
        reached: set[str] = set()
        pending = set(start)
        while pending:
            path = pending.pop()
            reached.add(path)
            pending |= self._imported_by(path) - reached
        return reached

    def _imported_by(self, path: str) -> frozenset[str]:
        if path not in self._direct:
            module = self._by_path.get(path)
            found = self._found(module) if module is not None else ()
            self._direct[path] = frozenset(_path(one) for one in found if one.path)
        return self._direct[path]

    def _found(self, module: Module) -> Iterator[Module]:
        """Yield what importing *module* imports: the packages that it lies in, and what its statements name."""
        for name in with_parents(module.name)[:-1]:
            yield from self._find(name, module)
        for node in _import_statements(module.tree):
            for name in _names(node, module):
                yield from self._find(name, module)

    def _find(self, name: str, importer: Module) -> Iterator[Module]:
        for part in with_parents(name):
            found = self._modules.find(part, importer)
            if found is not None and found is not importer:
                yield found


def _names(node: ast.Import | ast.ImportFrom, module: Module) -> Iterator[str]:
    """Yield the absolute names of modules that *node* may import: a name from a package may be one."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
        return
    base = node.module or ""
    if node.level:
        base = absolute_name(node.level, base, module)
    if base:
        yield base
    yield from (f"{base}.{alias.name}" if base else alias.name for alias in node.names if alias.name != "*")


def _import_statements(tree: ast.Module) -> Iterator[ast.Import | ast.ImportFrom]:
    pending: list[ast.AST] = [tree]
    while pending:
        node = pending.pop()
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            yield node
        elif isinstance(node, ast.If) and _is_for_type_checkers(node.test):
            pending.extend(node.orelse)
        else:
            pending.extend(ast.iter_child_nodes(node))


def _is_for_type_checkers(test: ast.expr) -> bool:
    name = test.attr if isinstance(test, ast.Attribute) else test.id if isinstance(test, ast.Name) else ""
    return name == "TYPE_CHECKING"


def _path(module: Module) -> str:
    return f"{module.root}/{module.path}".strip("/") if module.path else ""
