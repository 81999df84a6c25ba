"""Where a class, or a function that is a component, is written, in terms that are the same on every machine."""

import re
import sys
from functools import lru_cache
from inspect import unwrap
from types import FunctionType
from typing import NamedTuple


class Origin(NamedTuple):
    """A file below its import root, with ``/``, and a line; empty and 0 when unknown."""

    source_path: str
    source_line: int


def origin_of(cls: type) -> Origin:
    """Return the file and the line of the ``class`` statement of *cls*."""
    file = getattr(sys.modules.get(cls.__module__), "__file__", None)
    if not isinstance(file, str) or not file.endswith(".py"):
        return Origin("", 0)
    return Origin(_below_import_root(file, cls.__module__), _class_line(cls, file))


def origin_of_function(function: FunctionType) -> Origin:
    """Return the file and the first line of *function*, decorators included."""
    innermost = unwrap(function)
    code = innermost.__code__ if isinstance(innermost, FunctionType) else function.__code__
    if not code.co_filename.endswith(".py"):
        return Origin("", 0)
    return Origin(_below_import_root(code.co_filename, function.__module__), code.co_firstlineno)


def _below_import_root(file: str, module: str) -> str:
    """Return the last parts of *file*: as many as *module* has, one more for the file of a package."""
    parts = re.split(r"[\\/]", file)
    depth = len(module.split(".")) + (parts[-1] == "__init__.py")
    return "/".join(parts[-depth:])


def _class_line(cls: type, file: str) -> int:
    """Find the statement in the text, since a class remembers its line only from Python 3.13 on.

    Of several classes of one name, it is one in the same class or function; of these, the last one that stands before
    the first method of *cls*.
    """
    import linecache  # noqa: PLC0415 -- keeps `import wiremap` cheap

    text = linecache.getlines(file)
    statement = re.compile(rf"\s*class\s+{re.escape(cls.__name__)}\b")
    lines = [number for number, line in enumerate(text, start=1) if statement.match(line)]
    if len(lines) > 1:
        lines = _class_lines("".join(text)).get(cls.__qualname__, lines)
    methods = [value.__code__.co_firstlineno for value in vars(cls).values() if _is_written_in(value, file)]
    before = [line for line in lines if not methods or line < min(methods)]
    return (before[-1] if methods else before[0]) if before else 0


@lru_cache(maxsize=4)
def _class_lines(text: str) -> dict[str, list[int]]:
    """Return the lines of the ``class`` statements in *text*, by qualified name; none if it was edited to no Python."""
    import ast  # noqa: PLC0415 -- same

    lines: dict[str, list[int]] = {}
    try:
        todo: list[tuple[str, ast.AST]] = [("", ast.parse(text))]
    except (SyntaxError, ValueError, RecursionError):
        return {}
    for scope, node in todo:  # grows while it is walked
        inside = scope
        if isinstance(node, ast.ClassDef):
            lines.setdefault(scope + node.name, []).append(node.lineno)
            inside = f"{scope}{node.name}."
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            inside = f"{scope}{node.name}.<locals>."
        todo.extend((inside, child) for child in ast.iter_child_nodes(node) if not isinstance(child, ast.expr))
    return {name: sorted(found) for name, found in lines.items()}


def _is_written_in(value: object, file: str) -> bool:
    return isinstance(value, FunctionType) and value.__code__.co_filename == file
