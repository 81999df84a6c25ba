"""The classes that source defines, and what names in it mean: read from syntax, nothing is imported."""

import ast
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

_MAX_REEXPORTS = 8
Function = ast.FunctionDef | ast.AsyncFunctionDef


class ClassName(NamedTuple):
    """A class by its module and its qualified name there."""

    module: str
    name: str

    @property
    def short(self) -> str:
        """What people call it."""
        return self.name.rpartition(".")[2]


class SourceFile(NamedTuple):
    """One file: the module that it is, its path relative to the root, and its text."""

    module: str
    path: str
    text: bytes


@dataclass(frozen=True, slots=True, eq=False)
class SourceClass:
    """One class statement, at module level or in another class."""

    name: ClassName
    path: str
    node: ast.ClassDef

    @property
    def unit(self) -> str:
        """`path::name`."""
        return f"{self.path}::{self.name.name}"

    def methods(self) -> Iterator[Function]:
        """Yield the functions of its body, also those below an `if`."""
        todo: list[ast.AST] = list(reversed(self.node.body))
        while todo:
            node = todo.pop()
            if isinstance(node, Function):
                yield node
            elif not isinstance(node, ast.ClassDef | ast.expr):
                todo.extend(reversed(list(ast.iter_child_nodes(node))))


class SourceCode:
    """All classes of some files."""

    def __init__(self, files: Sequence[SourceFile]) -> None:
        self.classes: dict[ClassName, SourceClass] = {}
        self.unread: dict[str, str] = {}
        """Why a file could not be parsed, by path."""
        self._imports: dict[str, Mapping[str, str]] = {}
        self._ancestors: dict[ClassName, frozenset[ClassName]] = {}
        for file in files:
            self._add(file)

    def _add(self, file: SourceFile) -> None:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # an invalid escape in somebody's string
                tree = ast.parse(file.text)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            self.unread[file.path] = str(error).splitlines()[0] if str(error) else type(error).__name__
            return
        is_package = file.path.endswith("__init__.py")
        self._imports[file.module] = dict(_imported(tree, file.module, is_package=is_package))
        for name, node in _classes(tree.body, ""):
            key = ClassName(file.module, name)
            self.classes[key] = SourceClass(key, file.path, node)

    def meaning(self, node: ast.expr | None, module: str) -> ClassName | None:
        """Return the class that an expression in *module* names, as far as its imports tell; else None."""
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            node = _parsed(node.value)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            return self.meaning(node.left, module) or self.meaning(node.right, module)
        if isinstance(node, ast.Subscript) and _last_name(node.value) in ("Optional", "Annotated", "Final", "ClassVar"):
            first = node.slice.elts[0] if isinstance(node.slice, ast.Tuple) and node.slice.elts else node.slice
            return self.meaning(first, module)
        if isinstance(node, ast.Subscript):
            return self.meaning(node.value, module) if _dotted(node.value) else None
        dotted = _dotted(node)
        return self._found(dotted, module, _MAX_REEXPORTS) if dotted else None

    def _found(self, dotted: str, module: str, depth: int) -> ClassName | None:
        first, _, rest = dotted.partition(".")
        imported = self._imports.get(module, {}).get(first)
        if imported is None:
            here = ClassName(module, dotted)
            return here if here in self.classes else None
        absolute = f"{imported}.{rest}" if rest else imported
        home, name = self._split(absolute)
        found = ClassName(home, name)
        is_handed_on = found not in self.classes and depth > 0 and home != module
        again = name.partition(".")[0] in self._imports.get(home, {})
        return self._found(name, home, depth - 1) if is_handed_on and again else found

    def _split(self, absolute: str) -> tuple[str, str]:
        parts = absolute.split(".")
        for end in range(len(parts) - 1, 0, -1):
            if ".".join(parts[:end]) in self._imports:
                return ".".join(parts[:end]), ".".join(parts[end:])
        return ".".join(parts[:-1]), parts[-1]

    def bases(self, cls: SourceClass) -> list[ClassName]:
        """Return the classes that the statement names as bases, as far as that is known."""
        found = (self.meaning(base, cls.name.module) for base in cls.node.bases)
        return [one for one in found if one is not None]

    def ancestors(self, name: ClassName) -> frozenset[ClassName]:
        """Return the class itself and all that it derives from, as far as the source tells."""
        if name not in self._ancestors:
            self._ancestors[name] = frozenset((name,))  # ends a circle
            if cls := self.classes.get(name):
                inherited = [self.ancestors(base) for base in self.bases(cls)]
                self._ancestors[name] = frozenset((name,)).union(*inherited)
        return self._ancestors[name]


def _classes(body: Sequence[ast.stmt], prefix: str) -> Iterator[tuple[str, ast.ClassDef]]:
    for node in body:
        if isinstance(node, ast.ClassDef):
            yield prefix + node.name, node
            yield from _classes(node.body, f"{prefix}{node.name}.")
        elif isinstance(node, ast.If | ast.Try | ast.With):
            below = [one for one in ast.iter_child_nodes(node) if isinstance(one, ast.stmt)]
            yield from _classes(below, prefix)


def _imported(tree: ast.Module, module: str, *, is_package: bool) -> Iterator[tuple[str, str]]:
    package = module if is_package else module.rpartition(".")[0]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                name = alias.asname or alias.name.partition(".")[0]
                yield name, alias.name if alias.asname else name
        elif isinstance(node, ast.ImportFrom):
            parts = package.split(".")
            above = ".".join(parts[: len(parts) - node.level + 1]) if node.level else ""
            home = ".".join(part for part in (above, node.module or "") if part)
            for alias in node.names:
                yield alias.asname or alias.name, f"{home}.{alias.name}" if home else alias.name


def _dotted(node: ast.AST | None) -> str:
    """Return `a.b.c` for such an expression, else nothing."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else ""


def _last_name(node: ast.AST) -> str:
    return _dotted(node).rpartition(".")[2]


def _parsed(text: str) -> ast.expr | None:
    try:
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
