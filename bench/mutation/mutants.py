"""Small changes of a project, the same for the same seed: one place in one file each.

Not for changes of tests: what a changed test file does to its own tests, every tool sees.
"""

import ast
import random
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, zip_longest
from pathlib import PurePosixPath

_LINES_PER_DATA_FILE = 3
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_METHODS_OF_ALL = ("__bool__", "__eq__", "__repr__")


@dataclass(frozen=True)
class Mutant:
    """One file with one change; `content` is None where the file is removed."""

    kind: str
    file: str
    line: int
    what: str
    content: bytes | None

    @property
    def name(self) -> str:
        """What tells it from every other mutant of the project."""
        return f"{self.kind} {self.file}:{self.line} {self.what}"


def mutants(files: Mapping[str, bytes], seed: int = 0) -> Iterator[Mutant]:
    """Yield mutants of *files* (path to content), one kind after the other, until nothing is left to change.

    Python files give mutants that compile and that differ by more than layout; of test files there are none.
    """
    by_kind: dict[str, list[Mutant]] = defaultdict(list)
    for mutant in chain(_of_python(files), _of_data(files, seed)):
        by_kind[mutant.kind].append(mutant)
    for kind, found in by_kind.items():
        random.Random(f"{seed} {kind}").shuffle(found)  # noqa: S311 - must repeat, not surprise
    seen = set()
    for mutant in chain.from_iterable(zip_longest(*(by_kind[kind] for kind in sorted(by_kind)))):
        if mutant and mutant.name not in seen and _differs(mutant, files[mutant.file]):
            seen.add(mutant.name)
            yield mutant


def is_test(file: str) -> bool:
    """Return whether pytest's defaults, which all of the projects keep, take *file* for one with tests."""
    name = PurePosixPath(file).name
    return name.startswith("test_") or name.endswith("_test.py")


def _differs(mutant: Mutant, original: bytes) -> bool:
    if mutant.kind == "data" or mutant.content is None:
        return mutant.content != original
    try:
        return ast.dump(ast.parse(mutant.content)) != ast.dump(ast.parse(original))
    except SyntaxError:
        return False


class _Source:
    """A Python file, whose nodes are replaced as text so that all else stays as it is."""

    def __init__(self, file: str, content: bytes) -> None:
        self.file = file
        self.tree = ast.parse(content)
        self._content = content
        self._starts = [0]
        for line in content.splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line))

    def text(self, node: ast.AST) -> str:
        """Return the text of *node*."""
        return self._content[slice(*self._span(node))].decode()

    def replaced(self, kind: str, node: ast.AST, text: str, what: str) -> Mutant:
        """Return the file with *text* for *node*."""
        return self._mutant(kind, node, self._span(node), text, what)

    def without_decorator(self, decorator: ast.expr) -> Mutant:
        """Return the file without *decorator* and its `@`."""
        start, end = self._span(decorator)
        start = self._content.rindex(b"@", 0, start)
        return self._mutant("decorator", decorator, (start, end), "", f"without @{self.text(decorator)}")

    def without_function(self, function: ast.FunctionDef | ast.AsyncFunctionDef) -> Mutant:
        """Return the file with `pass` for *function* and its decorators."""
        start, end = self._span(function)
        if function.decorator_list:
            start = self._content.rindex(b"@", 0, self._span(function.decorator_list[0])[0])
        return self._mutant("deleted function", function, (start, end), "pass", f"without {function.name}")

    def with_method(self, class_: ast.ClassDef, name: str) -> Mutant:
        """Return the file with a method *name* that does nothing at the end of *class_*."""
        _, end = self._span(class_)
        indent = " " * class_.body[-1].col_offset
        text = f"\n\n{indent}def {name}(self, *args, **kwargs):\n{indent}    return None"
        return self._mutant("override", class_, (end, end), text, f"{class_.name}.{name} added")

    def _mutant(self, kind: str, node: ast.AST, span: tuple[int, int], text: str, what: str) -> Mutant:
        start, end = span
        content = self._content[:start] + text.encode() + self._content[end:]
        # The column tells two places of one line apart.
        place = f"{what} (column {node.col_offset})"  # type: ignore[attr-defined]
        return Mutant(kind, self.file, node.lineno, place.replace("\n", " "), content)  # type: ignore[attr-defined]

    def _span(self, node: ast.AST) -> tuple[int, int]:
        start = self._starts[node.lineno - 1] + node.col_offset  # type: ignore[attr-defined]
        return start, self._starts[node.end_lineno - 1] + node.end_col_offset  # type: ignore[attr-defined]


def _of_python(files: Mapping[str, bytes]) -> Iterator[Mutant]:
    sources = [_Source(file, files[file]) for file in sorted(files) if file.endswith(".py") and not is_test(file)]
    of_one_file: tuple[Callable[[_Source], Iterator[Mutant]], ...] = (
        _bodies,
        _constants,
        _class_attributes,
        _defaults,
        _deleted_functions,
        _decorators,
        _imports,
    )
    for source in sources:
        for mutate in of_one_file:
            yield from mutate(source)
    yield from _overrides(sources)


def _functions(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    return (node for node in ast.walk(tree) if isinstance(node, _FUNCTIONS))


def _bodies(source: _Source) -> Iterator[Mutant]:
    for function in _functions(source.tree):
        for statement in function.body:
            for node in _walk(statement):
                yield from _body(source, node, function.name)


def _body(source: _Source, node: ast.AST, function: str) -> Iterator[Mutant]:
    match node:
        case ast.Return(value=ast.expr() as value):
            yield source.replaced("body", value, "None", f"{function}: return None")
        case ast.If(test=test) | ast.IfExp(test=test):
            yield source.replaced("body", test, f"(not ({source.text(test)}))", f"{function}: condition negated")
        case ast.Raise() | ast.Expr(value=ast.Call()) | ast.AugAssign() | ast.Assign():
            yield source.replaced("body", node, "pass", f"{function}: statement left out")
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            changed = f"({source.text(left)} - {source.text(right)})"
            yield source.replaced("body", node, changed, f"{function}: - for +")
        case ast.Constant():
            yield from _changed(source, node, "body", function)


def _constants(source: _Source) -> Iterator[Mutant]:
    for statement in source.tree.body:
        if isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value:
            for node in _walk(statement.value):
                yield from _changed(source, node, "constant", "module level")


def _class_attributes(source: _Source) -> Iterator[Mutant]:
    for class_ in ast.walk(source.tree):
        if not isinstance(class_, ast.ClassDef):
            continue
        for statement in class_.body:
            if isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value:
                yield source.replaced("class attribute", statement, "pass", f"{class_.name}: attribute left out")
                for node in _walk(statement.value):
                    yield from _changed(source, node, "class attribute", class_.name)


def _defaults(source: _Source) -> Iterator[Mutant]:
    for function in _functions(source.tree):
        for default in (*function.args.defaults, *filter(None, function.args.kw_defaults)):
            if isinstance(default, ast.Constant):
                yield from _changed(source, default, "default", function.name)
            else:
                yield source.replaced("default", default, "None", f"{function.name}: None")


def _deleted_functions(source: _Source) -> Iterator[Mutant]:
    return (source.without_function(function) for function in _functions(source.tree))


def _decorators(source: _Source) -> Iterator[Mutant]:
    for node in ast.walk(source.tree):
        if isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
            yield from map(source.without_decorator, node.decorator_list)


def _imports(source: _Source) -> Iterator[Mutant]:
    for node in ast.walk(source.tree):
        if not isinstance(node, ast.Import | ast.ImportFrom) or getattr(node, "module", "") == "__future__":
            continue
        for alias in node.names:
            others = [other for other in node.names if other is not alias]
            if isinstance(node, ast.ImportFrom):
                fewer: ast.stmt = ast.ImportFrom(node.module, others, node.level)
            else:
                fewer = ast.Import(others)
            yield source.replaced("import", node, ast.unparse(fewer) if others else "pass", f"without {alias.name}")


def _overrides(sources: list[_Source]) -> Iterator[Mutant]:
    """Yield classes with a method that they inherited before, from a class of the project or from `object`."""
    classes = [(source, node) for source in sources for node in ast.walk(source.tree) if isinstance(node, ast.ClassDef)]
    by_name = {node.name: node for _, node in classes}
    for source, class_ in classes:
        own = {statement.name for statement in class_.body if isinstance(statement, _FUNCTIONS)}
        for name in sorted(({*_inherited(class_, by_name, set())} | {*_METHODS_OF_ALL}) - own):
            yield source.with_method(class_, name)


def _inherited(class_: ast.ClassDef, by_name: Mapping[str, ast.ClassDef], seen: set[str]) -> Iterator[str]:
    seen.add(class_.name)
    for name in (ast.unparse(base).rpartition(".")[2] for base in class_.bases):
        if name in by_name and name not in seen:
            yield from (statement.name for statement in by_name[name].body if isinstance(statement, _FUNCTIONS))
            yield from _inherited(by_name[name], by_name, seen)


def _changed(source: _Source, node: ast.AST, kind: str, where: str) -> Iterator[Mutant]:
    """Yield *node* as another constant, if it is one."""
    match node:
        case ast.Constant(value=bool() as value):
            new: object = not value
        case ast.Constant(value=int() | float() as value):
            new = value + 1
        case ast.Constant(value=str() as value):
            new = value + "x"
        case ast.Constant(value=bytes() as value):
            new = value + b"x"
        case ast.Constant(value=None):
            new = 0
        case _:
            return
    yield source.replaced(kind, node, repr(new), f"{where}: {source.text(node)[:30]} changed")


def _walk(node: ast.AST) -> Iterator[ast.AST]:
    """Walk *node* without nested functions, docstrings, annotations, and f-strings, whose parts have no place."""
    yield node
    for name, value in ast.iter_fields(node):
        if name in {"annotation", "returns"}:
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and not isinstance(child, (*_FUNCTIONS, ast.JoinedStr)):
                if isinstance(node, ast.Expr) and isinstance(child, ast.Constant):
                    continue
                yield from _walk(child)


def _of_data(files: Mapping[str, bytes], seed: int) -> Iterator[Mutant]:
    for file in sorted(files):
        if file.endswith(".py"):
            continue
        lines = files[file].splitlines(keepends=True)
        yield Mutant("data", file, 1, "file removed", None)
        yield Mutant("data", file, 1, "file emptied", b"")
        chosen = random.Random(f"{seed} {file}")  # noqa: S311 - must repeat, not surprise
        for number in chosen.sample(range(len(lines)), min(_LINES_PER_DATA_FILE, len(lines))):
            before, line, after = lines[:number], lines[number], lines[number + 1 :]
            yield Mutant("data", file, number + 1, "line left out", b"".join([*before, *after]))
            changed = b"".join([*before, _other_character(line), *after])
            yield Mutant("data", file, number + 1, "character changed", changed)


def _other_character(line: bytes) -> bytes:
    """Return *line* with its last letter or digit changed."""
    for place in reversed(range(len(line))):
        character = line[place : place + 1]
        if character.isalnum():
            return line[:place] + (b"7" if character != b"7" else b"8") + line[place + 1 :]
    return line
