"""How far a piece of source may reach beyond the identifiers in it."""

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from wiremap.source.module_names import imported_names
from wiremap.source.tree import Function, children, walk

Sight = Literal["", "members", "all"]
"""What a unit may read by a computed name: nothing, members of the objects that it has, or names of any module."""

OWN_MODULE: Final = "<own>"
"""Stands for the module that a unit is in."""


@dataclass(frozen=True, slots=True)
class Reach:
    """What a unit may read in ways that its identifiers alone don't tell.

    Attributes:
        sight: What it may read by computed names.
        handled: Modules that it may hand on as objects, as written: absolute, with leading dots, or `OWN_MODULE`.
            Whoever has them may read any name of theirs. A dotted name may turn out to be none of a module.
        spelled: Strings that may be the name of a module, for somebody who gets the module by it.
        made: How names of its own module begin that it makes and looks up: `globals()[f"_{name}"]`.
    """

    sight: Sight = ""
    handled: frozenset[str] = frozenset()
    spelled: frozenset[str] = frozenset()
    made: frozenset[str] = frozenset()


NO_REACH: Final = Reach()


def reach_of(trees: Iterable[ast.AST], imported: Mapping[str, str]) -> Reach:
    """Return the reach of syntax trees; *imported* gives the dotted name behind each name that the file imports."""
    sights: set[Sight] = set()
    handled: set[str] = set()
    spelled: set[str] = set()
    made: set[str] = set()
    for tree in trees:
        local = {**imported, **imported_names(tree)}
        names_of_sys = frozenset(name for name, dotted in local.items() if dotted == "sys") | {"sys"}
        is_function = isinstance(tree, Function)
        nodes = walk(tree)
        words = _words(nodes)
        if not words.isdisjoint(_SEE):
            sights.update(_sights([tree], names_of_sys, frozenset()))
        if not words.isdisjoint(local):
            handled.update(_in_full(name, local) for name in _handed_on(tree) if name.partition(".")[0] in local)
        for node in nodes:
            if isinstance(node, (ast.Call, ast.Subscript)):
                handled.update(filter(None, [_asked_for(node)]))
                handled.update(_in_full(name, local) for name in _looked_up(node, local))
                made.update(filter(None, [_beginning_looked_up(node)]) if is_function else ())
            elif isinstance(node, ast.ClassDef):
                handled.update(_imported_by_class(node))
        spelled.update(_spelled_by(tree))
        if not words.isdisjoint(_GIVE_OWN_NAMES) and _has_own_names(tree, is_function=is_function):
            handled.add(OWN_MODULE)
    sight: Sight = "all" if "all" in sights else "members" if "members" in sights else ""
    return Reach(sight, frozenset(handled), frozenset(spelled), frozenset(made))


# These give a module to whoever computes its name, or run what is given as text.
_READ_ALL: Final = frozenset(
    {
        "__globals__", "__import__", "__subclasses__", "discover", "eval", "exec", "exec_module", "f_globals",
        "f_locals", "get_objects", "get_referents", "get_referrers", "getclosurevars", "getmodule", "importorskip",
        "loadTestsFromModule", "loadTestsFromName", "loadTestsFromNames", "load_module", "module_from_spec", "reload",
        "resolve_name", "run_module", "run_path",
    }
)  # fmt: skip
# These read members of an object by names that stand nowhere. `pickle` asks as `copy` does: for special names, which
# count as the class, and for what the instance holds. What its data names is seen when it is read.
_READ_MEMBERS: Final = frozenset(
    {
        "__builtins__", "__dict__", "__dir__", "__getattribute__", "attrgetter", "builtins", "classify_class_attrs",
        "cloudpickle", "create_autospec", "delattr", "dill", "dir", "getattr", "getattr_static", "getmembers",
        "getmembers_static", "hasattr", "help", "methodcaller", "pydoc", "setattr", "vars",
    }
)  # fmt: skip
# Found nowhere but among the built-in names: as an attribute of anything else than `builtins` they are another's.
_BUILT_IN_ONLY: Final = frozenset({"dir", "help", "vars"})
_IMPORTERS: Final = frozenset({"__import__", "importorskip"})
_LISTED: Final = frozenset({"dir", "locals", "vars"})
_GIVE_OWN_NAMES: Final = _LISTED | {"globals"}
_NAMED: Final = frozenset({"delattr", "getattr", "hasattr", "object", "setattr"})
"""Take an object and the name of what they read or set: also `monkeypatch.setattr` and `mock.patch.object`."""
_OF_PYTEST: Final = frozenset({"collector", "item", "metafunc", "node", "pyfuncitem", "request"})


# Nothing below is found where none of these stands.
_SEE: Final = _READ_ALL | _READ_MEMBERS | {"autospec", "delattr", "module", "modules", "object", "setattr"}


def _words(nodes: Iterable[ast.AST]) -> set[str]:
    """Return the names, attributes, keywords, imports and whole strings of *nodes*."""
    found: set[str] = set()
    for node in nodes:
        match node:
            case ast.Name(id=word) | ast.Attribute(attr=word) | ast.Constant(value=str(word)):
                found.add(word)
            case ast.keyword(arg=str(word)) | ast.alias(name=word) | ast.ImportFrom(module=str(word)):
                found.add(word)
            case _:
                pass
    return found


def _sights(  # noqa: C901, PLR0912 - a table in the form of code
    nodes: Iterable[ast.AST], names_of_sys: frozenset[str], local: frozenset[str]
) -> Iterator[Sight]:
    """Yield what is read by the names in *nodes*; *local* are variables, of which whoever fills them is asked."""
    pending = list(nodes)
    while pending:
        node = pending.pop()
        inner: Iterable[ast.AST] = children(node)
        match node:
            case ast.Name(id=name):
                yield _sight_of(name) if isinstance(node.ctx, ast.Load) and name not in local else ""
            case ast.Constant(value=value):
                # `getattr(f, "__globals__")`
                yield _sight_of(value) if isinstance(value, str) and value.startswith("__") else ""
            case ast.Attribute() if _is_modules(node, names_of_sys):
                yield "all"
            case ast.Attribute(value=ast.Name(id=owner), attr="module") if owner in _OF_PYTEST:
                yield "all"
            case ast.Attribute(attr=name):
                yield _sight_of(name) if name not in _BUILT_IN_ONLY else ""
            case ast.Call():
                sight, inner = _sight_of_call(node)
                yield sight
            case ast.keyword(arg="autospec"):
                yield "members"
            case ast.Subscript() if _asked_for(node) or _looks_up_literal(node):
                inner = ()
            case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[listed]) if _is_modules(listed, names_of_sys):
                inner = [node.left]  # it asks whether a module is there, and gets none
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                yield from _sights(node.body, names_of_sys, _local_names(node, local))
                inner = [one for one in inner if not isinstance(one, ast.stmt)]
            case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
                yield from _sights_of_import((node.module or "") if isinstance(node, ast.ImportFrom) else "", aliases)
            case _:
                pass
        pending.extend(inner)


def _sight_of_call(node: ast.Call) -> tuple[Sight, Iterable[ast.AST]]:  # noqa: PLR0911 - a table in the form of code
    """Return what the call reads by computed names, and what of it may read more."""
    match node:
        case _ if _asked_for(node) or _looks_up_literal(node):
            return "", node.args[1:]
        case ast.Call(func=ast.Name(id=name), args=[]) if name in _LISTED:
            return "", ()  # the names of where it stands
        case ast.Call(func=ast.Attribute(attr="setattr" | "delattr"), args=[ast.JoinedStr() | ast.BinOp(), *_]):
            return "all", children(node)  # `monkeypatch.setattr(f"app.{name}", …)`
        case ast.Call(func=ast.Attribute(attr="setattr"), args=[target, _]) if not isinstance(target, ast.Constant):
            return "all", children(node)  # what is replaced has its dotted name there
        case ast.Call(func=ast.Attribute(attr="delattr"), args=[target]) if not isinstance(target, ast.Constant):
            return "all", children(node)
        case ast.Call(func=function, args=[_, ast.Constant(), *_]) if _last(function) in _NAMED:
            owner = [function.value] if isinstance(function, ast.Attribute) else []
            return "", [*owner, *node.args, *node.keywords]
        case ast.Call(func=ast.Attribute(attr="object"), args=[_, _, *_]):
            return "members", children(node)  # `mock.patch.object(app.C, name)`
        case _:
            return "", children(node)


def _local_names(function: Function, around: frozenset[str]) -> frozenset[str]:
    """Return names that are surely variables of the function, or of one *around* it, wherever they are read in it."""
    arguments = function.args
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
    own = {one.arg for one in every if one is not None}
    elsewhere = {name for one in walk(function) if isinstance(one, ast.Global) for name in one.names}
    # A class that binds the name looks for it in the module first, wherever the class stands.
    classes = [one for one in walk(function) if isinstance(one, ast.ClassDef)]
    elsewhere |= {one.id for node in classes for one in walk(node) if isinstance(one, ast.Name) and _is_stored(one)}
    pending: list[ast.AST] = list(function.body)
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Name):
            own.update([node.id] if _is_stored(node) else ())
        elif type(node) not in _HAVE_OWN_VARIABLES:
            pending += children(node)
    return (around | own) - elsewhere


def _is_stored(name: ast.Name) -> bool:
    return isinstance(name.ctx, ast.Store)


_HAVE_OWN_VARIABLES: Final = frozenset(
    {
        ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda,
        ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp,
    }
)  # fmt: skip


def _sights_of_import(module: str, aliases: list[ast.alias]) -> Iterator[Sight]:
    yield _sight_of(module)
    # Under its own name it is found where it is used.
    yield from (_sight_of(alias.name) for alias in aliases if alias.asname)
    if module == "sys" and any(alias.name == "modules" for alias in aliases):
        yield "all"


def _asked_for(node: ast.AST) -> str:
    """Return the literal name of a module that is asked for as an object, in one of the usual ways."""
    match node:
        case ast.Call(func=function, args=[ast.Constant(value=str(name)), *_]) if _last(function) in _IMPORTERS:
            return name
        case ast.Subscript(
            value=ast.Attribute(value=ast.Name(id="sys"), attr="modules"), slice=ast.Constant(value=str(name))
        ):
            return name
        case _:
            return ""


def _is_modules(node: ast.expr, names_of_sys: frozenset[str]) -> bool:
    match node:
        case ast.Attribute(value=ast.Name(id=owner), attr="modules"):
            return owner in names_of_sys
        case _:
            return False


def _imported_by_class(node: ast.ClassDef) -> Iterable[str]:
    """Return what the body of a class imports: it is an attribute of the class then, under no name of the module."""
    return imported_names(node).values()


def _spelled_by(tree: ast.AST) -> Iterator[str]:
    """Yield the strings that may name a module, but for those that stand alone as docstrings do."""
    pending = [tree]
    while pending:
        node = pending.pop()
        match node:
            case ast.Constant(value=value):
                if isinstance(value, str) and all(map(str.isidentifier, value.split("."))):
                    yield value
            case ast.Expr(value=ast.Constant()):
                pass
            case ast.Call(func=ast.Attribute(attr="version") as function, args=[ast.Constant()]) if (
                ast.unparse(function) in _TAKE_DISTRIBUTIONS
            ):
                pass
            case _:
                pending += children(node)


# Nothing is imported by the name of a distribution.
_TAKE_DISTRIBUTIONS: Final = frozenset({"importlib.metadata.version", "metadata.version"})


def _looks_up_literal(node: ast.AST) -> bool:
    """Tell whether it reads one name that it spells out: `frame.f_globals["__name__"]`, `globals().get("x")`."""
    match node:
        case ast.Subscript(value=owner, slice=ast.Constant(value=str())):
            return _is_of_module(owner)
        case ast.Call(func=ast.Attribute(value=owner, attr="get"), args=[ast.Constant(value=str()), *_]):
            return _is_of_module(owner)
        case _:
            return False


def _beginning_looked_up(node: ast.AST) -> str:
    """Return how the name begins that `globals()[f"_{name}"]` reads, or nothing if that is no such look-up."""
    match node:
        case ast.Subscript(
            value=ast.Call(func=ast.Name(id="globals"), args=[]),
            slice=ast.JoinedStr(values=[ast.Constant(value=str(beginning)), *_]),
            ctx=ast.Load(),
        ):
            return beginning
        case _:
            return ""


def _looked_up(node: ast.AST, imported: Iterable[str]) -> Iterator[str]:
    """Yield those of the names *imported* that `globals()["_b"]` or `globals()[f"_{name}"]` may give."""
    beginning = _beginning_looked_up(node)
    if beginning:
        yield from (name for name in imported if name.startswith(beginning))
    elif _looks_up_literal(node):
        texts = {one.value for one in walk(node) if isinstance(one, ast.Constant)}
        yield from (name for name in imported if name in texts)


def _is_of_module(node: ast.expr) -> bool:
    match node:
        case ast.Attribute(attr="f_globals" | "f_locals"):
            return True
        case ast.Call(func=ast.Name(id="globals"), args=[]):
            return True
        case _:
            return False


def _has_own_names(tree: ast.AST, *, is_function: bool) -> bool:
    """Tell whether the names of the module are had as a dictionary or a list."""
    pending = [tree]
    while pending:
        node = pending.pop()
        match node:
            case ast.Name(id=name):
                if name == "globals":
                    return True
            case ast.Call() | ast.Subscript() if _looks_up_literal(node):
                pass
            case ast.Subscript() if is_function and _beginning_looked_up(node):
                pass
            case ast.Call(func=ast.Name(id=name), args=[]) if name in _LISTED and not is_function:
                return True
            case _:
                pending += children(node)
    return False


def _sight_of(name: str) -> Sight:
    return "all" if name in _READ_ALL else "members" if name in _READ_MEMBERS else ""


def _last(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _handed_on(tree: ast.AST) -> Iterator[str]:
    """Yield the names and dotted names that are read other than to take an attribute of them, but for variables."""
    if isinstance(tree, Function):
        own = _local_names(tree, frozenset()) - imported_names(tree).keys()
        yield from (name for name in _names_handed_on(tree.body) if name.partition(".")[0] not in own)
        # Defaults and decorators are evaluated where there are no variables yet.
        yield from _names_handed_on(one for one in children(tree) if not isinstance(one, ast.stmt))
    else:
        yield from _names_handed_on([tree])


def _names_handed_on(nodes: Iterable[ast.AST]) -> Iterator[str]:
    pending = list(nodes)
    while pending:
        node = pending.pop()
        match node:
            case ast.Name(ctx=ast.Load()) | ast.Attribute():
                if dotted := _dotted(node):
                    yield dotted
                else:
                    pending += children(node)
            case ast.Call(func=function, args=[owner, ast.Constant(value=str(name)), *rest]) if (
                _last(function) in _NAMED and name != "__dict__"
            ):
                # What is read or set of the first has its name in the second, and may be a module.
                if dotted := _dotted(owner):
                    yield f"{dotted}.{name}"
                pending += (function, *rest, *node.keywords)
            case _:
                pending += children(node)


def _dotted(node: ast.expr) -> str:
    """Return `a.b` for that expression, or nothing for one that begins otherwise. The names of `a` are all of `a`."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts = [] if node.attr == "__dict__" else [*parts, node.attr]
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else ""


def _in_full(dotted: str, imported: Mapping[str, str]) -> str:
    first, _, rest = dotted.partition(".")
    return f"{imported[first]}.{rest}" if rest else imported[first]
