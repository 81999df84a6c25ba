"""Identifiers: the words by which a piece of source may reach something, wherever they stand in it."""

import ast
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Final, Literal

from wiremap.source.tree import Function, children, walk

_WORD: Final = re.compile(r"[^\W\d]\w*")
_WORDS_IN_DATA: Final = (re.compile(rb"[A-Za-z_\x80-\xff][\w\x80-\xff]*"), re.compile(rb"[A-Za-z_]\w*"))


def identifiers(tree: ast.AST) -> frozenset[str]:
    """Return the names, attributes, keywords, imports and definitions below *tree*, and the words in its strings.

    A string that stands alone, as docstrings do, names nothing.
    """
    return _identifiers(walk(tree))


def identifiers_below(tree: ast.AST) -> frozenset[str]:
    """Return the identifiers in what stands below *tree*, without what it defines itself."""
    return _identifiers(walk(tree)[1:])


def _identifiers(nodes: Iterable[ast.AST]) -> frozenset[str]:
    found: set[str] = set()
    idle: set[int] = set()
    for node in nodes:
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name):
                found.add(name)
            case ast.Constant(value=str(text)):
                found.update(_WORD.findall(text) if id(node) not in idle else ())
            case ast.Expr(value=ast.Constant() as value):
                idle.add(id(value))
            case ast.Constant(value=bytes(data)):
                found.update(words(data) if id(node) not in idle else ())
            case _ if type(node) in _NAME_SOMETHING:
                found.update(_named(node))
            case _:
                pass
    return frozenset(found)


Keeping = Literal["", "decorator", "argument"]
"""Whether a call does no more than to keep what it is given, as a decorator that makes parameters of a test does."""


def handed(node: ast.AST, keeps: Callable[[ast.expr], Keeping] = lambda _: "") -> Iterator[str]:
    """Yield the names and attributes below *node* of which more is done than to call them or to read an attribute.

    Who calls a method of something does more.

    Args:
        node: What is executed.
        keeps: Tells of what is called whether it only keeps what it is given.
    """
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            yield from _handed_by_definition(node, keeps)
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
            for child in children(node):
                yield from handed(child, keeps)


def _handed_by_definition(node: Function, keeps: Callable[[ast.expr], Keeping]) -> Iterator[str]:
    for child in children(node):
        match child:
            case ast.Call(func=function) if child in node.decorator_list and keeps(function) == "decorator":
                yield from _given(child, keeps)
            case _:
                yield from handed(child, keeps)


def _given(decorator: ast.Call, keeps: Callable[[ast.expr], Keeping]) -> Iterator[str]:
    """Yield what is handed on by a decorator that makes parameters of lists, each of which it takes as it is."""
    names, keywords = decorator.args[:1], {keyword.arg: keyword.value for keyword in decorator.keywords}
    # Of several parameters each entry is taken apart, and a function that makes ids looks at them.
    is_one = all(isinstance(one, ast.Constant) and "," not in str(one.value) for one in names)
    if not is_one or not keywords.keys() <= {"autouse", "indirect", "name", "params", "scope"}:
        yield from handed(decorator)
        return
    for child in (*decorator.args, *keywords.values()):
        for part in child.elts if isinstance(child, ast.List | ast.Tuple) else ():
            yield from _kept(part, keeps)
        if not isinstance(child, ast.List | ast.Tuple):
            yield from handed(child)


def _kept(node: ast.expr, keeps: Callable[[ast.expr], Keeping]) -> Iterator[str]:
    """Yield what is handed on by an expression of which the value is only kept."""
    match node:
        case ast.Name() | ast.Attribute() if _is_dotted(node):
            return
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            for part in parts:
                yield from _kept(part, keeps)
        case ast.Call(func=function, args=args, keywords=keywords) if keeps(function) == "argument":
            for child in (*args, *(keyword.value for keyword in keywords)):
                yield from _kept(child, keeps)
        case _:
            yield from handed(node)


def held(node: ast.expr) -> Iterator[str] | None:
    """Yield the names in a value of brackets and braces that only keeps them; None if it may be more than that."""
    match node:
        case ast.Constant():
            return iter(())
        case ast.Name(id=name):
            return iter((name,))
        case ast.List(elts=parts) | ast.Tuple(elts=parts) | ast.Set(elts=parts):
            return _held_by_all(parts)
        case ast.Dict(keys=keys, values=values):
            return _held_by_all([*keys, *values])
        case _:
            return None


def _held_by_all(parts: Iterable[ast.expr | None]) -> Iterator[str] | None:
    found = [held(part) if part is not None else None for part in parts]
    return None if None in found else chain.from_iterable(one for one in found if one is not None)


def _is_dotted(node: ast.expr) -> bool:
    """Tell whether it is `a.b.c`, of which each but the last is asked for one attribute."""
    return isinstance(node, ast.Name) or (isinstance(node, ast.Attribute) and _is_dotted(node.value))


def words(data: bytes) -> frozenset[str]:
    """Return what may be an identifier in data. A byte above 127 may be part of a letter, or of no text at all."""
    found = (word for pattern in _WORDS_IN_DATA for word in pattern.findall(data))
    return frozenset(word.decode("utf-8", "surrogateescape") for word in found)


_NAME_SOMETHING: Final = frozenset(
    {ast.keyword, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.alias, ast.ImportFrom, ast.MatchClass}
)


def _named(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.keyword(arg=str(name)):
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
        case _:
            pass
