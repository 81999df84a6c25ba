"""What a test tells of the classes of variables: `isinstance(x, Block)`."""

import ast
from collections.abc import Callable, Mapping

from wiremap.inference.values import ClassValue, Instance, Origin, Value, instance, leaves

Evaluate = Callable[[ast.expr], Value]


def if_true(test: ast.expr, evaluate: Evaluate) -> dict[str, Value]:
    """Return what variables stand for where *test* holds."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        found: dict[str, Value] = {}
        for one in test.values:
            found |= if_true(one, evaluate)
        return found
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return if_false(test.operand, evaluate)
    return {name: _only(value, classes) for name, (value, classes) in _checked(test, evaluate).items()}


def if_false(test: ast.expr, evaluate: Evaluate) -> dict[str, Value]:
    """Return what variables stand for where *test* does not hold."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.Or):
        found: dict[str, Value] = {}
        for one in test.values:
            found |= if_false(one, evaluate)
        return found
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return if_true(test.operand, evaluate)
    return {name: _without(value, classes) for name, (value, classes) in _checked(test, evaluate).items()}


def _checked(test: ast.expr, evaluate: Evaluate) -> Mapping[str, tuple[Value, Value]]:
    match test:
        case ast.Call(func=ast.Name(id="isinstance"), args=[ast.Name(id=name) as variable, classes]):
            return {name: (evaluate(variable), evaluate(classes))}
        case _:
            return {}


def _only(value: Value, classes: Value) -> Value:
    wanted = [kind.cls for kind in leaves(classes) if isinstance(kind, ClassValue)]
    known = frozenset(
        kind for kind in value if isinstance(kind, Instance) and any(kind.cls.inherits(cls) for cls in wanted)
    )
    return known or frozenset().union(*(instance(cls, Origin.DECLARED) for cls in wanted))


def _without(value: Value, classes: Value) -> Value:
    gone = [kind.cls for kind in leaves(classes) if isinstance(kind, ClassValue)]
    return frozenset(
        kind for kind in value if not (isinstance(kind, Instance) and any(kind.cls.inherits(cls) for cls in gone))
    )
