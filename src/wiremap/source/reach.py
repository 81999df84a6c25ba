"""How far a piece of source may reach beyond the identifiers in it."""

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from wiremap.source.module_names import identifiers

Sight = Literal["", "members", "all"]
"""What a unit may read by a computed name: nothing, members of its own object, or names of any module."""

_READ_ALL: Final = frozenset(
    {
        "__dict__", "__import__", "__subclasses__", "attrgetter", "dir", "eval", "exec", "get_objects", "get_referrers",
        "getmembers", "getsource", "getsourcelines", "globals", "methodcaller", "reload", "run_module", "run_path",
        "unsafe_load", "vars",
        "cloudpickle", "copyreg", "dill", "gc", "marshal", "pickle", "shelve",
    }
)  # fmt: skip
_ASKED: Final = frozenset({"getattr", "hasattr"})
_LISTED: Final = frozenset({"vars", "dir"})
_OWN: Final = frozenset({"self", "cls"})
_WANTS: Final = frozenset(
    {"AttributeError", "BaseException", "Exception", "ImportError", "ModuleNotFoundError", "NameError"}
)


@dataclass(frozen=True, slots=True)
class Reach:
    """What a unit may read in ways that its identifiers alone don't tell.

    Attributes:
        sight: What it may read by computed names.
        probes: Identifiers whose absence it may notice without failing.
        handled: Modules that it may hand on as objects, as written: absolute, or with leading dots.
    """

    sight: Sight = ""
    probes: frozenset[str] = frozenset()
    handled: frozenset[str] = frozenset()


def reach_of(trees: Iterable[ast.AST], imported: Mapping[str, str]) -> Reach:
    """Return the reach of syntax trees; *imported* gives the dotted name behind each name that the file imports."""
    sights: set[Sight] = set()
    probes: set[str] = set()
    handled: set[str] = set()
    for tree in trees:
        sights.update(_sights(tree))
        probes.update(_probes(tree))
        local = {**imported, **imported_names(tree)}
        handled.update(local[name] for name in _bare_names(tree) if name in local)
    sight: Sight = "all" if "all" in sights else "members" if "members" in sights else ""
    return Reach(sight, frozenset(probes), frozenset(handled))


def imported_names(tree: ast.AST) -> dict[str, str]:
    """Return, for each name that an import statement below *tree* binds, the module that it may be."""
    found: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                first = alias.name.partition(".")[0]
                found[alias.asname or first] = alias.name if alias.asname else first
        elif isinstance(node, ast.ImportFrom):
            base = "." * node.level + (node.module or "")
            separator = "" if base.endswith(".") else "."
            found |= {alias.asname or alias.name: f"{base}{separator}{alias.name}" for alias in node.names}
    return found


def _sights(node: ast.AST) -> Iterator[Sight]:
    inner: Iterable[ast.AST] = ast.iter_child_nodes(node)
    match node:
        case ast.Call(func=ast.Name(id=function), args=[owner, *rest]) if function in _ASKED | _LISTED:
            inner = [*node.args, *node.keywords]
            is_literal = function in _ASKED and bool(rest) and isinstance(rest[0], ast.Constant)
            if not is_literal:
                yield "members" if _is_own(owner) else "all"
        case ast.Attribute(value=owner, attr="__dict__") if _is_own(owner):
            yield "members"
        case ast.Name(id=name) | ast.Attribute(attr=name) if name in _READ_ALL | _ASKED | _LISTED:
            yield "all"
        case ast.Import(names=aliases) if not _READ_ALL.isdisjoint(alias.name for alias in aliases):
            yield "all"
        case ast.ImportFrom(module=str(module)) if module in _READ_ALL:
            yield "all"
        case _:
            pass
    for child in inner:
        yield from _sights(child)


def _is_own(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id in _OWN


def _probes(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.Constant(value=str(text)) if text.replace(".", "_").isidentifier():
                yield from text.split(".")
            case ast.Try() | ast.TryStar() if any(_forgives(handler) for handler in node.handlers):
                yield from (name for statement in node.body for name in identifiers(statement))
            case ast.With() | ast.AsyncWith() if any(_names_a_want(item.context_expr) for item in node.items):
                yield from identifiers(node)
            case ast.Call() if any(_names_a_want(argument) for argument in node.args):
                yield from identifiers(node)
            case _:
                pass


def _forgives(handler: ast.ExceptHandler) -> bool:
    return handler.type is None or _names_a_want(handler.type)


def _names_a_want(node: ast.AST) -> bool:
    """Tell whether an exception for something that is not there, or one that such exceptions derive from, is named."""
    return not _WANTS.isdisjoint(identifiers(node))


def _bare_names(node: ast.AST) -> Iterator[str]:
    """Yield the names that are read other than to take an attribute of them."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Name):
            if isinstance(child.ctx, ast.Load) and not isinstance(node, ast.Attribute):
                yield child.id
        else:
            yield from _bare_names(child)
