"""Where a class, and a name in it, is declared: for messages only, since it reads and parses the source.

A class keeps no line of its annotations and assignments, so they are looked up in its text. What can't be
found (a class made by a call, a source that is not there) is an empty string.
"""

import ast
import sys
from collections.abc import Callable, Iterator

from wiremap.registry.location import Location
from wiremap.registry.origin import origin_of

_Search = Callable[[ast.ClassDef, str], Iterator[int]]
_Scope = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


class Declarations:
    """Answers as ``file:line``, and remembers what it has parsed for as long as it lives."""

    def __init__(self) -> None:
        self._statements: dict[type, tuple[str, ast.ClassDef | None]] = {}
        self._trees: dict[str, ast.Module] = {}

    def of_class(self, cls: type) -> str:
        """Return the line of the ``class`` statement."""
        file, statement = self._statement(cls)
        return str(Location(file, statement.lineno)) if statement else ""

    def of_name(self, cls: type, name: str) -> str:
        """Return the line in the body of *cls*, or of a class that it derives from, that declares *name*."""
        return self._first_line(cls, name, _declared_lines)

    def of_attribute(self, cls: type, name: str) -> str:
        """Return the first line in a method of *cls*, or of a class that it derives from, that sets ``self.name``."""
        return self._first_line(cls, name, _assigned_lines)

    def _first_line(self, cls: type, name: str, lines_of: _Search) -> str:
        for klass in cls.__mro__:
            file, statement = self._statement(klass)
            if statement and (line := next(lines_of(statement, name), None)):
                return str(Location(file, line))
        return ""

    def _statement(self, cls: type) -> tuple[str, ast.ClassDef | None]:
        if cls not in self._statements:
            self._statements[cls] = self._find_statement(cls)
        return self._statements[cls]

    def _find_statement(self, cls: type) -> tuple[str, ast.ClassDef | None]:
        line = origin_of(cls).source_line
        file = str(getattr(sys.modules.get(cls.__module__), "__file__", ""))
        found = (
            node
            for node in (ast.walk(self._tree(file)) if line else ())
            if isinstance(node, ast.ClassDef) and node.lineno == line
        )
        return file, next(found, None)

    def _tree(self, file: str) -> ast.Module:
        import linecache  # noqa: PLC0415 -- keeps `import wiremap` cheap

        if file not in self._trees:
            try:
                self._trees[file] = ast.parse("".join(linecache.getlines(file)))
            except SyntaxError:  # the file was edited since it was imported
                self._trees[file] = ast.Module([], [])
        return self._trees[file]


def _declared_lines(statement: ast.ClassDef, name: str) -> Iterator[int]:
    todo: list[ast.AST] = list(reversed(statement.body))
    while todo:
        node = todo.pop()
        if isinstance(node, _Scope):
            if node.name == name:
                yield node.lineno
        elif isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store):
            yield node.lineno
        else:  # an assignment, or an `if` around declarations
            todo.extend(reversed(list(ast.iter_child_nodes(node))))


def _assigned_lines(statement: ast.ClassDef, name: str) -> Iterator[int]:
    for node in ast.walk(statement):
        if isinstance(node, ast.Attribute) and node.attr == name and isinstance(node.ctx, ast.Store):
            yield node.lineno
