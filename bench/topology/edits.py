"""Small edits of recipes, the same for the same seed; edits of components come from `bench.mutation.mutants`."""

import ast
import copy
import random
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, islice, zip_longest

from bench.mutation.mutants import is_test, mutants

_LOCAL = frozenset({"body", "constant", "class attribute", "default"})


@dataclass(frozen=True)
class Edit:
    """One edit: the files that it changes, by path."""

    kind: str
    what: str
    files: Mapping[str, bytes]


@dataclass(frozen=True)
class _Recipe:
    """A function that wires, in its file."""

    file: str
    tree: ast.Module
    index: int

    @property
    def function(self) -> ast.FunctionDef:
        return self.tree.body[self.index]  # type: ignore[return-value]

    def edited(self, kind: str, what: str, function: ast.FunctionDef, *before: ast.stmt) -> Edit:
        """Return the file with *function* in the place of the recipe, and *before* above it."""
        body = list(self.tree.body)
        body[self.index : self.index + 1] = [*before, function]
        text = ast.unparse(ast.fix_missing_locations(ast.Module(body, [])))
        return Edit(kind, f"{self.file} {function.name}: {what}", {self.file: text.encode()})


def topology_edits(files: Mapping[str, bytes], number: int, seed: int) -> list[Edit]:
    """Return up to *number* edits of the recipes in *files*, one kind after the other."""
    recipes = [recipe for file in sorted(files) if file.endswith(".py") for recipe in _recipes(file, files[file])]
    kinds = (
        _added,
        _added_unreached,
        _recipe_added,
        _removed,
        _rewired,
        _swapped,
        _parameter,
        _reordered,
        _named,
        _branch,
        _refactored,
    )
    by_kind = [list(chain.from_iterable(map(kind, recipes))) for kind in kinds]
    by_kind.append(list(_renamed_classes(files, recipes)))
    for edits in by_kind:
        random.Random(seed).shuffle(edits)  # noqa: S311 - must repeat, not surprise
    seen: set[tuple[bytes, ...]] = {tuple(ast.unparse(recipe.tree).encode() for recipe in recipes[:1])}
    distinct = []
    for edit in filter(None, chain.from_iterable(zip_longest(*by_kind))):
        text = tuple(edit.files.values())
        if text not in seen:
            seen.add(text)
            distinct.append(edit)
    return distinct[:number]


def local_edits(files: Mapping[str, bytes], number: int, seed: int) -> list[Edit]:
    """Return up to *number* edits inside of what is wired: bodies, constants, defaults."""
    inside = {file: text for file, text in files.items() if file.endswith(".py") and not _recipes(file, text)}
    found = (one for one in mutants(inside, seed) if one.kind in _LOCAL and one.content is not None)
    return [Edit(f"local: {one.kind}", one.name, {one.file: one.content or b""}) for one in islice(found, number)]


def _recipes(file: str, text: bytes) -> list[_Recipe]:
    if is_test(file):
        return []
    tree = ast.parse(text)
    return [
        _Recipe(file, tree, index)
        for index, node in enumerate(tree.body)
        if isinstance(node, ast.FunctionDef)
        and any("recipe" in ast.unparse(decorator) for decorator in node.decorator_list)
    ]


Change = Callable[[ast.FunctionDef], None]


def _blocks(function: ast.FunctionDef) -> list[list[ast.stmt]]:
    """Return all lists of statements, the same in each copy."""
    return [
        block
        for node in ast.walk(function)
        for name in ("body", "orelse")
        if isinstance(block := getattr(node, name, None), list) and block
    ]


def _calls(statement: ast.AST, name: str) -> list[ast.Call]:
    """Return the calls of *name* in a statement, not in the blocks below it."""
    if isinstance(statement, ast.If | ast.For | ast.FunctionDef):
        return []
    return [
        node for node in ast.walk(statement)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == name
    ]  # fmt: skip


def _places(recipe: _Recipe, wanted: Callable[[ast.stmt], object]) -> list[tuple[int, int]]:
    return [
        (number, place)
        for number, block in enumerate(_blocks(recipe.function))
        for place, statement in enumerate(block)
        if wanted(statement)
    ]


def _is_register(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and bool(_calls(statement, "register"))


def _orchestrator(recipe: _Recipe) -> str | None:
    for node in ast.walk(recipe.function):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in ("add", "register")
        ):
            return ast.unparse(node.func.value)
    return None


_NEW_CLASS = """
class Added:
    def __init__(self, size=1):
        self.size = size
    def extra(self):
        return self.size
"""


def _with_class(recipe: _Recipe, kind: str, what: str, function: ast.FunctionDef) -> Edit:
    return recipe.edited(kind, what, function, *ast.parse(_NEW_CLASS).body)


def _added(recipe: _Recipe) -> Iterator[Edit]:
    orchestrator = _orchestrator(recipe)
    for number, place in _places(recipe, _is_register):
        function = copy.deepcopy(recipe.function)
        line = f"{orchestrator}.add(Added({number + place}))"
        _blocks(function)[number][place:place] = ast.parse(line).body
        yield _with_class(recipe, "component added", f"{line} at {number}.{place}", function)


def _added_unreached(recipe: _Recipe) -> Iterator[Edit]:
    orchestrator = _orchestrator(recipe) or ""
    arguments = recipe.function.args
    names = [argument.arg for argument in (*arguments.args, *arguments.kwonlyargs)]
    for name in names or ([arguments.kwarg.arg] if arguments.kwarg else []):
        for place in range(1, len(recipe.function.body)):
            function = copy.deepcopy(recipe.function)
            lines = f"if {name} == 'elsewhere':\n    {orchestrator}.add(Added())"
            function.body[place:place] = ast.parse(lines).body
            if any(
                isinstance(one, ast.Assign) and orchestrator in ast.unparse(one.targets[0])
                for one in function.body[place + 1 :]
            ):
                continue
            yield _with_class(recipe, "component added behind a new condition", f"if {name} at {place}", function)


def _recipe_added(recipe: _Recipe) -> Iterator[Edit]:
    other = copy.deepcopy(recipe.function)
    other.name = f"{other.name}_again"
    yield recipe.edited("recipe added", other.name, copy.deepcopy(recipe.function), other)


def _removed(recipe: _Recipe) -> Iterator[Edit]:
    for number, place in _places(recipe, lambda one: _calls(one, "register") or _calls(one, "add")):
        function = copy.deepcopy(recipe.function)
        gone = _blocks(function)[number][place]
        _blocks(function)[number][place] = ast.Pass()
        yield recipe.edited("component or cell removed", ast.unparse(gone), function)


def _rewired(recipe: _Recipe) -> Iterator[Edit]:
    names = {
        ast.unparse(argument)
        for call in _calls_everywhere(recipe.function, "register")
        for argument in (call.args[0], call.args[-1])
    }
    for number, place in _places(recipe, _is_register):
        for position in (0, -1):
            for name in sorted(names):
                function = copy.deepcopy(recipe.function)
                statement = _blocks(function)[number][place]
                call = _calls(statement, "register")[0]
                if ast.unparse(call.args[position]) != name:
                    call.args[position] = ast.parse(name, mode="eval").body
                    yield recipe.edited("cell rewired", ast.unparse(statement), function)


def _calls_everywhere(function: ast.FunctionDef, name: str) -> list[ast.Call]:
    return [
        node for node in ast.walk(function)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == name
        and len(node.args) > 1
    ]  # fmt: skip


def _constructions(function: ast.FunctionDef) -> list[ast.Call]:
    return [
        node for node in ast.walk(function)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id[:1].isupper()
    ]  # fmt: skip


def _swapped(recipe: _Recipe) -> Iterator[Edit]:
    classes = sorted({call.func.id for call in _constructions(recipe.function) if isinstance(call.func, ast.Name)})
    for number, call in enumerate(_constructions(recipe.function)):
        for other in classes:
            if ast.unparse(call.func) != other and other != "RegistryOrchestrator":
                function = copy.deepcopy(recipe.function)
                _constructions(function)[number].func = ast.Name(other, ast.Load())
                yield recipe.edited("class swapped", f"{other} for {ast.unparse(call)}", function)


def _parameter(recipe: _Recipe) -> Iterator[Edit]:
    for number, call in enumerate(_constructions(recipe.function)):
        for place, argument in enumerate(call.args):
            function = copy.deepcopy(recipe.function)
            _constructions(function)[number].args[place] = _other(argument)
            yield recipe.edited("parameter", f"{ast.unparse(call)} at {place}", function)


def _other(argument: ast.expr) -> ast.expr:
    match argument:
        case ast.Constant(value=int() as value):
            return ast.Constant(value + 1)
        case ast.Constant(value=str() as value):
            return ast.Constant(value + "x")
    return ast.Constant(7)


def _reordered(recipe: _Recipe) -> Iterator[Edit]:
    for number, place in _places(recipe, lambda one: _calls(one, "register") or _calls(one, "add")):
        function = copy.deepcopy(recipe.function)
        block = _blocks(function)[number]
        if place + 1 < len(block) and not isinstance(block[place + 1], ast.Return):
            block[place], block[place + 1] = block[place + 1], block[place]
            yield recipe.edited("order", ast.unparse(block[place]).partition("\n")[0], function)


def _named(recipe: _Recipe) -> Iterator[Edit]:
    for number, call in enumerate(_adds(recipe.function)):
        function = copy.deepcopy(recipe.function)
        _adds(function)[number].keywords.append(ast.keyword("id", ast.Constant(f"Named{number}")))
        yield recipe.edited("component renamed", ast.unparse(call), function)


def _adds(function: ast.FunctionDef) -> list[ast.Call]:
    return [
        node for node in ast.walk(function)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "add"
    ]  # fmt: skip


def _branch(recipe: _Recipe) -> Iterator[Edit]:
    whole = recipe.function.body
    for number, block in enumerate(_blocks(recipe.function)):
        if block == whole:
            continue
        for place, statement in enumerate(block):
            function = copy.deepcopy(recipe.function)
            _blocks(function)[number].insert(place, copy.deepcopy(statement))
            yield recipe.edited("one branch", f"twice {ast.unparse(statement)}", function)
            for index, node in enumerate(ast.walk(statement)):
                if isinstance(node, ast.Constant) and isinstance(node.value, int | str):
                    function = copy.deepcopy(recipe.function)
                    same = list(ast.walk(_blocks(function)[number][place]))[index]
                    same.value = node.value * 2  # type: ignore[attr-defined]
                    yield recipe.edited("one branch", f"{ast.unparse(statement)}: {node.value!r} doubled", function)


def _refactored(recipe: _Recipe) -> Iterator[Edit]:
    """Yield edits after which the recipe does what it did."""
    arguments = {argument.arg for argument in ast.walk(recipe.function) if isinstance(argument, ast.arg)}
    stored = {
        node.id for node in ast.walk(recipe.function) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    for name in sorted(stored - arguments):
        function = copy.deepcopy(recipe.function)
        for node in ast.walk(function):
            if isinstance(node, ast.Name) and node.id == name:
                node.id = f"the_{name}"
        yield recipe.edited("refactoring", f"variable {name} renamed", function)
    conditions = [node for node in ast.walk(recipe.function) if isinstance(node, ast.If) and node.orelse]
    for number in range(len(conditions)):
        function = copy.deepcopy(recipe.function)
        condition = [node for node in ast.walk(function) if isinstance(node, ast.If) and node.orelse][number]
        condition.test = ast.UnaryOp(ast.Not(), condition.test)
        condition.body, condition.orelse = condition.orelse, condition.body
        yield recipe.edited("refactoring", f"condition {number} turned around", function)
    for number, place in _places(recipe, lambda one: isinstance(one, ast.Assign) and _calls(one, "add")):
        function = copy.deepcopy(recipe.function)
        block = _blocks(function)[number]
        for call in _calls(block[place], "add")[:1]:
            if isinstance(call.args[0], ast.Call) and not isinstance(block[place].value, ast.Tuple):  # type: ignore[attr-defined]
                made, call.args[0] = call.args[0], ast.Name("made", ast.Load())
                block.insert(place, ast.Assign([ast.Name("made", ast.Store())], made, lineno=0))
                yield recipe.edited("refactoring", f"{ast.unparse(made)} taken out", function)


def _renamed_classes(files: Mapping[str, bytes], recipes: list[_Recipe]) -> Iterator[Edit]:
    made: dict[str, set[str]] = defaultdict(set)
    for recipe in recipes:
        for call in _constructions(recipe.function):
            made[ast.unparse(call.func)].add(recipe.file)
    for name in sorted(made.keys() - {"RegistryOrchestrator"}):
        word = re.compile(rf"\b{name}\b".encode())
        # Test files would all be changed files: those that mention the class are left alone by leaving it out.
        if any(is_test(file) and word.search(text) for file, text in files.items()):
            continue
        changed = {file: word.sub(f"{name}Two".encode(), text) for file, text in files.items() if word.search(text)}
        yield Edit("component renamed", f"class {name}", changed)
