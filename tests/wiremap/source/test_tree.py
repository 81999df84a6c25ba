import ast
import inspect
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.wiremap.source import programs
from wiremap.source import annotations, module_names, plain_classes, reach, units
from wiremap.source.tree import children, dump, set_body, walk

_OURS = pytest.mark.parametrize("module", [annotations, module_names, plain_classes, reach, units])
_RARE = '''
"""A docstring."""
from . import a
from .b import *
global c
x: int
y = {**a, None: b"\\0", "\\ud800": -1j, ...: True}
async def f(a, /, b=None, *c, d, e=1, **g) -> "h":
    nonlocal i
    async with a as b, c: await d
    async for _ in a: yield
    return (yield from a), [a async for a in b if c if d], f"{a!r:>{b}}"
match a:
    case {"b": None, **rest} | [*_] | B(c=1) if d: del e[1:2:3]
    case True: raise a from b
try: assert a, b
except* (A, B) as error: lambda: (y := 1)
'''


def _without_contexts(nodes: list[ast.AST]) -> list[ast.AST]:
    return [node for node in nodes if not isinstance(node, ast.expr_context)]


@_OURS
def test_a_dump_is_that_of_python_for_our_own_source(module: ModuleType) -> None:
    tree = ast.parse(inspect.getsource(module))

    assert dump(tree) == ast.dump(tree)


def test_a_dump_is_that_of_python_for_what_stands_seldom_in_source() -> None:
    tree = ast.parse(_RARE)

    assert [dump(node) for node in ast.walk(tree)] == [ast.dump(node) for node in ast.walk(tree)]


@given(st.data())
def test_a_dump_is_that_of_python(data: st.DataObject) -> None:
    tree = ast.parse(data.draw(programs.functions("alpha")))

    assert dump(tree) == ast.dump(tree)


def test_a_dump_of_nodes_made_by_hand_is_that_of_python() -> None:
    for node in (ast.Expr(ast.Yield()), ast.Expr(ast.Constant("a docstring"))):
        assert dump(node) == ast.dump(node)


@_OURS
def test_a_walk_meets_what_that_of_python_meets_in_its_order_but_for_contexts(module: ModuleType) -> None:
    tree = ast.parse(inspect.getsource(module))

    assert list(walk(tree)) == _without_contexts(list(ast.walk(tree)))
    assert list(walk(tree.body[-1])) == _without_contexts(list(ast.walk(tree.body[-1])))


def test_children_are_those_of_python_but_for_contexts() -> None:
    for node in ast.walk(ast.parse(_RARE)):
        assert list(children(node)) == _without_contexts(list(ast.iter_child_nodes(node)))


def test_a_function_with_another_body_is_walked_anew() -> None:
    tree = ast.parse("class A:\n    def f(self): old()\n")
    function = next(node for node in walk(tree) if isinstance(node, ast.FunctionDef))
    assert "old" in {node.id for node in walk(function) if isinstance(node, ast.Name)}

    set_body(function, [ast.Expr(ast.Name("new", ast.Load()))])

    for root in (function, tree):
        assert {node.id for node in walk(root) if isinstance(node, ast.Name)} == {"new"}
