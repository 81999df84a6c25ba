"""Identifiers: the words by which a piece of source may reach something, wherever they stand in it."""

import ast
import re
from collections.abc import Iterator
from typing import Final

Function = ast.FunctionDef | ast.AsyncFunctionDef

_WORD: Final = re.compile(r"[^\W\d]\w*")
_WORDS_IN_DATA: Final = (re.compile(rb"[A-Za-z_\x80-\xff][\w\x80-\xff]*"), re.compile(rb"[A-Za-z_]\w*"))


def identifiers(tree: ast.AST) -> frozenset[str]:
    """Return the names, attributes, keywords, imports and definitions below *tree*, and the words in its strings.

    A string that stands alone, as docstrings do, names nothing.
    """
    nodes = list(ast.walk(tree))
    idle = {id(node.value) for node in nodes if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)}
    return frozenset(name for node in nodes if id(node) not in idle for name in _of_node(node))


def handed(node: ast.AST) -> Iterator[str]:
    """Yield the names and attributes below *node* of which more is done than to call them or to read an attribute.

    Who calls a method of something does more.
    """
    match node:
        case ast.Call(func=ast.Name(), args=args, keywords=keywords):
            for child in (*args, *keywords):
                yield from handed(child)
        case ast.Call(func=ast.Attribute(value=owner), args=args, keywords=keywords):
            for child in (owner, *args, *keywords):  # a method may give out what its object holds
                yield from handed(child)
        case ast.Name(id=name):
            yield name
        case ast.Attribute(attr=name, value=owner):
            yield name
            if not _is_dotted(owner):
                yield from handed(owner)
        case _:
            for child in ast.iter_child_nodes(node):
                yield from handed(child)


def _is_dotted(node: ast.expr) -> bool:
    """Tell whether it is `a.b.c`, of which each but the last is asked for one attribute."""
    return isinstance(node, ast.Name) or (isinstance(node, ast.Attribute) and _is_dotted(node.value))


def words(data: bytes) -> frozenset[str]:
    """Return what may be an identifier in data. A byte above 127 may be part of a letter, or of no text at all."""
    found = (word for pattern in _WORDS_IN_DATA for word in pattern.findall(data))
    return frozenset(word.decode("utf-8", "surrogateescape") for word in found)


def _of_node(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name) | ast.keyword(arg=str(name)):
            yield name
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            yield name
        case ast.alias(name=name, asname=other):
            yield from name.split(".")
            if other:
                yield other
        case ast.ImportFrom(module=str(module)):
            yield from module.split(".")
        case ast.MatchClass(kwd_attrs=names):
            yield from names
        case ast.Constant(value=str(text)):
            yield from _WORD.findall(text)
        case ast.Constant(value=bytes(data)):
            yield from words(data)
        case _:
            pass
