"""The `if` statements of a function by number, and what is left of it where only some of their branches are taken.

Counted are those that stand in no other compound statement than `if`: whether one in a loop is taken may differ from
turn to turn.
"""

import ast
import copy
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet

from wiremap.source.tree import dump

Outcomes = Mapping[int, AbstractSet[bool]]
"""How the test of each `if` came out, by its number; one that nobody came to is missing."""


def numbered_branches(function: ast.FunctionDef) -> Sequence[ast.If]:
    """Return the `if` statements of *function*, in the order in which they are written."""
    return list(_branches(function.body))


def function_of(text: str) -> ast.FunctionDef | None:
    """Return the function that *text* is the source of, or None if it is anything else."""
    try:
        body = ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return body[0] if len(body) == 1 and isinstance(body[0], ast.FunctionDef) else None


def text_of(function: ast.FunctionDef) -> str | None:
    """Return source that `function_of` makes *function* of again, comments and layout aside; None if there is none."""
    text = ast.unparse(function)
    again = function_of(text)
    return text if again is not None and dump(again) == dump(function) else None


def only_taken(function: ast.FunctionDef, outcomes: Outcomes) -> str:
    """Return the source of *function* without the branches that were not taken; the tests of `if` statements stay."""
    pruned = copy.deepcopy(function)
    for number, branch in enumerate(numbered_branches(pruned)):
        taken = outcomes.get(number, frozenset())
        branch.body = branch.body if True in taken else [ast.Pass()]
        branch.orelse = branch.orelse if False in taken else []
    return ast.unparse(pruned)


def _branches(block: Iterable[ast.stmt]) -> Iterator[ast.If]:
    for statement in block:
        if isinstance(statement, ast.If):
            yield statement
            yield from _branches(statement.body)
            yield from _branches(statement.orelse)
