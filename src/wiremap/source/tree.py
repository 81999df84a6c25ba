"""Syntax trees for many readers: what stands below a node is found once and kept on it.

A tree whose nodes were asked for their children is changed by `set_body` alone, which forgets what was kept.
"""

import ast
import sys
from collections.abc import Iterator, Sequence
from typing import Final

Function = ast.FunctionDef | ast.AsyncFunctionDef

_CHILDREN: Final = "_wiremap_children"
_ALL_BELOW: Final = "_wiremap_all_below"
_HOLD_NO_CHILD: Final = frozenset({"arg", "attr", "ctx", "id", "type_comment"})
_LEAVES: Final = frozenset({ast.Name, ast.Constant, ast.alias, ast.Pass, ast.Global, ast.Nonlocal, ast.Break})
_OMITS_EMPTY: Final = sys.version_info >= (3, 13)  # `ast.dump` does since then


def children(node: ast.AST) -> Sequence[ast.AST]:
    """Return what `ast.iter_child_nodes` gives, in its order, but for contexts: a node's own `ctx` tells them."""
    if type(node) in _LEAVES:
        return ()
    kept: Sequence[ast.AST] | None = getattr(node, _CHILDREN, None)
    if kept is None:
        kept = _children(node)
        setattr(node, _CHILDREN, kept)
    return kept


def _children(node: ast.AST) -> list[ast.AST]:
    found: list[ast.AST] = []
    for field in node._fields:
        if field in _HOLD_NO_CHILD:
            continue
        value = getattr(node, field, None)
        if isinstance(value, list):
            found += [one for one in value if isinstance(one, ast.AST)]
        elif isinstance(value, ast.AST):
            found.append(value)
    return found


def walk(tree: ast.AST) -> Sequence[ast.AST]:
    """Return *tree* and all that stands below it, in the order of `ast.walk`."""
    kept: Sequence[ast.AST] | None = getattr(tree, _ALL_BELOW, None)
    if kept is None:
        kept = _walk(tree)
        if isinstance(tree, Function):  # which many readers walk over
            setattr(tree, _ALL_BELOW, kept)
    return kept


def _walk(tree: ast.AST) -> list[ast.AST]:
    nodes = [tree]
    for node in nodes:  # it grows meanwhile
        if type(node) not in _LEAVES:
            nodes += children(node)
    return nodes


def blocks(node: ast.stmt) -> Iterator[list[ast.stmt]]:
    """Yield the blocks of a compound statement: those of `if`, loops, `try`, `with` and `match`."""
    for field in ("body", "orelse", "finalbody"):
        block = getattr(node, field, None)
        if isinstance(block, list):
            yield block
    for handler in getattr(node, "handlers", ()):
        yield handler.body
    for case in getattr(node, "cases", ()):
        yield case.body


def set_body(function: Function, body: list[ast.stmt]) -> None:
    """Replace the body of a function that stands in no other."""
    function.body = body
    for kept in (_CHILDREN, _ALL_BELOW):
        if hasattr(function, kept):
            delattr(function, kept)


def dump(node: ast.AST) -> str:
    """Return `ast.dump(node)`, in two thirds of the time."""
    if isinstance(node, ast.Name):
        return f"Name(id={node.id!r}, ctx={_DUMPED_CONTEXTS[type(node.ctx)]})"
    parts: list[str] = []
    for field in node._fields:
        value = getattr(node, field, None)
        if isinstance(value, str):
            parts.append(f"{field}={value!r}")
        elif isinstance(value, ast.AST):
            parts.append(f"{field}={_DUMPED_CONTEXTS.get(type(value)) or dump(value)}")
        elif isinstance(value, list):
            if value or not _OMITS_EMPTY:
                # `Global` has names, and `Dict` may have no key.
                texts = [dump(one) if isinstance(one, ast.AST) else repr(one) for one in value]
                parts.append(f"{field}=[{', '.join(texts)}]")
        elif value is not None or (field == "value" and isinstance(node, (ast.Constant, ast.MatchSingleton))):
            parts.append(f"{field}={value!r}")
    return f"{type(node).__name__}({', '.join(parts)})"


_DUMPED_CONTEXTS: Final[dict[type[ast.AST], str]] = {
    ast.Load: "Load()", ast.Store: "Store()", ast.Del: "Del()"
}  # fmt: skip
