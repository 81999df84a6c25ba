"""Python source as units: the smallest pieces of text that have a fingerprint of their own.

A file has one unit for each function that stands at module level or in a class (with everything nested
inside it), and one unit, `MODULE_UNIT`, for all the rest: what runs when the file is imported.
"""

import ast
import hashlib
import sys
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from wiremap.source.identifiers import identifiers, identifiers_below
from wiremap.source.keepers import Keepers
from wiremap.source.lasting_state import keepers
from wiremap.source.module_names import ModuleNames, digest, imported_names, module_names
from wiremap.source.reach import NO_REACH, Reach, reach_of
from wiremap.source.tree import Function, blocks, dump, set_body, walk

MODULE_UNIT = "<module>"

FLAVOUR = f"15/{sys.implementation.name}-{sys.version_info.major}.{sys.version_info.minor}"
"""Names the way fingerprints are made: the syntax tree differs between versions of Python."""

_LONGEST_NAME = 200
_CO_OPTIMIZED = 1  # as in `inspect`


class UnitKey(NamedTuple):
    """A unit, by its file and name."""

    path: str
    unit: str

    def __str__(self) -> str:
        return f"{self.path}::{self.unit}"


@dataclass(frozen=True, slots=True)
class Unit:
    """One piece of source.

    Attributes:
        name: The qualified name within the file (`Scheduler.add`), or `MODULE_UNIT`.
        line: The first line, 1-based; decorators belong to the function.
        signature: Digest of what callers see: decorators, parameters, defaults, annotations.
            For the module unit: of its import statements.
        fingerprint: Digest of the normalised syntax, signature included; comments and layout are not in it.
        imports: Module names that the unit may import, as written: absolute, or with leading dots.
        names: Identifiers that the unit reads, attributes included.
        mentions: Identifiers that it has besides: in import statements, keywords, strings and definitions in it.
        reach: What it may read in other ways.
        keepers: Who keeps what it may fill, and then skip to fill the next time; see `lasting_state`.
        memory: Whether something stands before it that may answer a call without making it: a cache for certain,
            or possibly a decorator that nobody knows.
        is_fixture: Whether pytest may hand what it gives to a test that names it nowhere, in the place of another.
    """

    name: str
    line: int
    signature: str
    fingerprint: str
    imports: frozenset[str]
    names: frozenset[str]
    mentions: frozenset[str] = frozenset()
    reach: Reach = NO_REACH
    keepers: Keepers = ()
    memory: Literal["", "possible", "certain"] = ""
    is_fixture: bool = False


@dataclass(frozen=True, slots=True)
class SourceUnits:
    """All units of one file, by name; what its top level does; why the text could not be parsed, if so."""

    units: dict[str, Unit]
    fault: str | None = None
    top: ModuleNames | None = None


def parse_units(text: bytes) -> SourceUnits:
    """Return the units of a Python file; `text` is its bytes, so that an encoding cookie counts.

    A text that does not parse becomes one module unit over its raw bytes: any edit of it is a change.
    """
    try:
        with warnings.catch_warnings():
            # An invalid escape in somebody's string is a warning, and a fault where warnings are errors.
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
        told = _told_by_compiler(text)
        units = _units_of(tree)
        found = SourceUnits(units=units, top=module_names(tree))  # once functions have no bodies
        return _that_tells(found, told) if told else found
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return SourceUnits(units={MODULE_UNIT: _opaque_unit(text)}, fault=one_line(error))


def _told_by_compiler(text: bytes) -> str:
    """Return of what the compiler warns. Nobody can import the file where warnings are errors, whatever he calls.

    Raises:
        SyntaxError: The compiler refuses what the parser takes: `break` outside of a loop, `await` in a plain function.
    """
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        compile(text, "<source>", "exec", dont_inherit=True)
    return "\n".join(sorted({f"{one.category.__name__}: {one.message}" for one in told}))


def _that_tells(source: SourceUnits, told: str) -> SourceUnits:
    """Return *source* with what importing it tells as part of what importing it does."""
    module, top = source.units[MODULE_UNIT], source.top or ModuleNames()
    units = source.units | {MODULE_UNIT: replace(module, fingerprint=digest(module.fingerprint + told))}
    changed = replace(top, fingerprint=digest(top.fingerprint + told), effects=digest(top.effects + told))
    return replace(source, units=units, top=changed)


def unit_of_qualname(qualname: str) -> str:
    """Return the unit that holds the code object with this `co_qualname`.

    What is nested in a function belongs to that function; lambdas and comprehensions at module or class
    level belong to the module unit, and so do class bodies, which `parse_units` does not list.
    """
    outer = qualname.partition(".<locals>")[0]
    return MODULE_UNIT if "<" in outer else outer


def unit_of_code(qualname: str, flags: int) -> str:
    """Return the unit that holds the code object with this `co_qualname` and these `co_flags`."""
    is_function = flags & _CO_OPTIMIZED  # else it is the body of a class or a module
    return unit_of_qualname(qualname) if is_function or "<locals>" in qualname else MODULE_UNIT


def _units_of(tree: ast.Module) -> dict[str, Unit]:
    definitions: dict[str, list[Function]] = {}
    for name, function in _functions(tree.body, prefix=""):
        definitions.setdefault(name, []).append(function)
    # The functions are encoded first: making the module unit cuts their bodies out of the tree.
    cached = _cached_by_call(tree)
    kept_by = keepers(definitions, tree)
    imported = imported_names(tree)
    marks = _recipe_marks(tree, imported)
    units = {
        name: _function_unit(name, same, kept_by=kept_by[name], imported=imported, forgetful=marks)
        for name, same in definitions.items()
    }
    units |= {name: replace(units[name], memory="certain") for name in cached & units.keys()}
    units[MODULE_UNIT] = _module_unit(tree, [node for nodes in definitions.values() for node in nodes])
    return units


def _functions(body: list[ast.stmt], prefix: str) -> Iterator[tuple[str, Function]]:
    """Yield each function at module or class level, also below `if`, `try`, `with` and loops."""
    for node in body:
        if isinstance(node, Function):
            yield prefix + node.name, node
        elif isinstance(node, ast.ClassDef):
            yield from _functions(node.body, prefix=f"{prefix}{node.name}.")
        else:
            for block in blocks(node):
                yield from _functions(block, prefix)


def _function_unit(
    name: str,
    definitions: list[Function],
    *,
    kept_by: Keepers,
    imported: Mapping[str, str],
    forgetful: AbstractSet[str],
) -> Unit:
    """Build one unit of all functions of one qualified name: a property's getter and setter share theirs.

    *forgetful* are decorators as written, without arguments, that are known to keep nothing.
    """
    names = frozenset(name for node in definitions for name in _names(node))
    decorators = [decorator for node in definitions for decorator in node.decorator_list]
    return Unit(
        name=name,
        line=min(_first_line(node) for node in definitions),
        signature=digest("".join(_encoded_signature(node) for node in definitions)),
        fingerprint=digest("".join(dump(node) for node in definitions)),
        imports=frozenset(name for node in definitions for name in _imports(node)),
        names=names,
        mentions=frozenset().union(*map(identifiers_below, definitions)) - names,
        reach=reach_of(definitions, imported),
        keepers=kept_by,
        memory=_memory(name, [one for one in decorators if ast.unparse(_called(one)) not in forgetful]),
        is_fixture=any("fixture" in _last_name(one) for one in decorators),
    )


def _module_unit(tree: ast.Module, functions: list[Function]) -> Unit:
    """Build the unit of what is no function. It leaves the functions without bodies, with their docstrings alone."""
    docstrings = [_docstring(node) for node in functions]
    for node, docstring in zip(functions, docstrings, strict=True):
        set_body(node, _what_definition_tells(node) + (docstring if node.decorator_list else []))
    fingerprint = digest(dump(tree))
    for node, docstring in zip(functions, docstrings, strict=True):
        if not node.decorator_list:
            set_body(node, node.body + docstring)  # who reads the function's name may read that too
    statements = [node for node in walk(tree) if isinstance(node, (ast.Import, ast.ImportFrom))]
    names = frozenset(_names(tree))
    return Unit(
        name=MODULE_UNIT,
        line=1,
        signature=digest("".join(dump(node) for node in statements)),
        fingerprint=fingerprint,
        imports=frozenset(_imports(tree)),
        names=names,
        mentions=identifiers(tree) - names,
        reach=reach_of([tree], imported_names(tree)),
    )


def _what_definition_tells(node: Function) -> list[ast.stmt]:
    """Return, in place of a body, what a decorator can learn of a function without calling it."""
    is_generator = any(isinstance(one, (ast.Yield, ast.YieldFrom)) for one in walk(node))
    return [ast.Expr(ast.Yield())] if is_generator else []


def _docstring(node: Function) -> list[ast.stmt]:
    docstring = ast.get_docstring(node, clean=False)
    return [] if docstring is None else [ast.Expr(ast.Constant(docstring))]


def content_digest(text: bytes) -> str:
    """Return the digest of the bytes of a file, by which its units are remembered."""
    return hashlib.blake2b(text, digest_size=12).hexdigest()


def _opaque_unit(text: bytes) -> Unit:
    fingerprint = content_digest(text)
    return Unit(MODULE_UNIT, 1, fingerprint, fingerprint, frozenset(), frozenset())


def _encoded_signature(node: Function) -> str:
    type_parameters = getattr(node, "type_params", ())  # since Python 3.12
    parts = [*node.decorator_list, *type_parameters, node.args, *([node.returns] if node.returns else [])]
    return type(node).__name__ + "".join(dump(part) for part in parts)


def _first_line(node: Function) -> int:
    return min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])


def _imports(tree: ast.AST) -> Iterator[str]:
    for node in walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = "." * node.level + (node.module or "")
            yield base
            separator = "" if base.endswith(".") else "."
            yield from (f"{base}{separator}{alias.name}" for alias in node.names if alias.name != "*")
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and _may_name_a_module(node.value):
            yield node.value.partition(":")[0]


def _may_name_a_module(value: str) -> bool:
    """Recognise a dotted path in a string, since `import_module("store.mem")` is one way to import."""
    if "." not in value or len(value) > _LONGEST_NAME:
        return False
    return all(part.isidentifier() for part in value.partition(":")[0].split("."))


def _names(tree: ast.AST) -> Iterator[str]:
    for node in walk(tree):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr


# Decorators that call the function each time, or never.
_FORGETFUL_DECORATORS = frozenset(
    {
        "property", "setter", "getter", "deleter", "staticmethod", "classmethod", "abstractmethod", "override",
        "overload", "final", "contextmanager", "asynccontextmanager", "wraps", "fixture", "hookimpl", "given",
    }
)  # fmt: skip
# Python calls these when it finds nothing; once they have left something, it calls them no more.
_CALLED_FOR_WANT = frozenset({"__getattr__", "__missing__", "__get__", "__subclasshook__", "__set_name__"})
_CACHE_FUNCTIONS = frozenset(
    {"cache", "cached", "cachedmethod", "lru_cache", "memo", "memoise", "memoize", "ttl_cache"}
)
_CACHES = ("cache", "memo", "lazy", "singleton", "once")


def _memory(function: str, decorators: list[ast.expr]) -> Literal["", "possible", "certain"]:
    names = [name for one in decorators if (name := _last_name(one)) not in _FORGETFUL_DECORATORS]
    if function.rpartition(".")[2] in _CALLED_FOR_WANT or any(_is_cache(name) for name in names):
        return "certain"
    return "possible" if any("mark." not in ast.unparse(one) for one in decorators if _last_name(one) in names) else ""


def _is_cache(name: str) -> bool:
    return any(word in name.lower() for word in _CACHES)


def _cached_by_call(tree: ast.Module) -> set[str]:
    """Return names of functions that are handed to a cache without a decorator: `get = lru_cache(compute)`."""
    found: set[str] = set()
    for node in walk(tree):
        if isinstance(node, ast.Call) and not _CACHE_FUNCTIONS.isdisjoint(_names(node.func)):
            found.update(argument.id for argument in node.args if isinstance(argument, ast.Name))
    return found


def _recipe_marks(tree: ast.Module, imported: Mapping[str, str]) -> frozenset[str]:
    """Return how the file writes wiremap's own mark for recipes, by names that nothing else in it may mean."""
    marks = {
        name: f"{name}.recipe" if origin == "wiremap" else name
        for name, origin in imported.items()
        if origin in _OF_MARK
    }
    nodes = walk(tree) if marks else ()
    if any(isinstance(node, ast.ImportFrom) and node.names[0].name == "*" for node in nodes):
        return frozenset()
    bound = Counter(name for node in nodes for name in _names_bound_by(node) if name in marks)
    return frozenset(mark for name, mark in marks.items() if bound[name] == 1)


_OF_MARK = frozenset({"wiremap", "wiremap.recipe", "wiremap.registry.recipe", "wiremap.registry.recipes.recipe"})


def _names_bound_by(node: ast.AST) -> Iterator[str]:
    """Yield the names that *node* itself binds, wherever that is."""
    match node:
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()) | ast.arg(arg=name) | ast.ClassDef(name=name):
            yield name
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            yield name
        case ast.Import(names=names) | ast.ImportFrom(names=names):
            yield from (one.asname or one.name.partition(".")[0] for one in names)
        case ast.Global(names=names):
            yield from names
        case _:
            pass


def _called(decorator: ast.expr) -> ast.expr:
    return decorator.func if isinstance(decorator, ast.Call) else decorator


def _last_name(decorator: ast.expr) -> str:
    target = _called(decorator)
    return target.attr if isinstance(target, ast.Attribute) else getattr(target, "id", "")


def one_line(error: Exception) -> str:
    """Return what is wrong with a source that does not parse, and where."""
    # Python would name the file too, which is `<unknown>` where there are only bytes.
    text = f"{error.msg} (line {error.lineno})" if isinstance(error, SyntaxError) and error.lineno else str(error)
    return " ".join(text.split()) or type(error).__name__
