"""Which branches recipes take: each recipe that is defined while somebody records tells it from then on.

The first statement of each branch of a numbered `if` (see `wiremap.source.branches`) tells that it is taken. Only the
code object of the function is another: the function stays the one that it is, and its lines stay where they are.
Left as they are, and silent, are functions whose code is not what their source says (pytest rewrites assertions),
that stand in another function or class, or below another decorator.
"""

import __future__

import ast
import copy
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import partial
from types import CodeType, FunctionType

from wiremap.source.branches import numbered_branches, text_of
from wiremap.source.units import UnitKey, parse_units

_TOLD = "wiremap: a branch is taken"
_FUTURE = sum(getattr(__future__, name).compiler_flag for name in __future__.all_feature_names)


@dataclass(slots=True)
class ToldRecipe:
    """A recipe that tells which branches it takes.

    Attributes:
        text: Its source.
        fingerprint: That of its unit.
        codes: The code objects that may run in its name, by id.
        is_whole: Whether all that it did was attributed to who made it do that.
    """

    text: str
    fingerprint: str
    codes: dict[int, CodeType] = field(default_factory=dict)
    is_whole: bool = True


class RecipeBranches:
    """The recipes that tell."""

    def __init__(
        self,
        code_path: Callable[[str], str | None],
        tell: Callable[[str, str, int, bool], None],
        unobserved: Callable[[], AbstractContextManager[None]],
    ) -> None:
        """Prepare to watch recipes.

        Args:
            code_path: Returns the project path of a code object's file.
            tell: Takes path and unit of a recipe, the number of an `if` and how it came out.
            unobserved: Hides what happens within from who records.
        """
        self._code_path = code_path
        self._tell = tell
        self._unobserved = unobserved
        self._recipes: dict[UnitKey, ToldRecipe] = {}

    def watch(self, function: object) -> None:
        """Let *function* tell from now on which branches it takes, if it is one that can."""
        if type(function) is not FunctionType:
            return
        with self._unobserved():
            self._watch(function)

    def whole(self) -> dict[UnitKey, ToldRecipe]:
        """Return the recipes that told everything, by unit."""
        if "greenlet" in sys.modules:  # a function may rest in the middle while another test runs
            return {}
        return {key: told for key, told in self._recipes.items() if told.is_whole}

    def _watch(self, function: FunctionType) -> None:
        code = function.__code__
        path = self._code_path(code.co_filename)
        definition = None if path is None else _definition(code)
        if path is None or definition is None:
            return
        text = text_of(definition)
        key = UnitKey(path, code.co_name)
        if text is None:
            return
        told = self._recipes.setdefault(
            key, ToldRecipe(text, parse_units(text.encode()).units[code.co_name].fingerprint)
        )
        told.is_whole = told.is_whole and told.text == text
        function.__code__ = _telling(definition, code, partial(self._on_branch, key, told))
        told.codes |= {id(one): one for one in _with_inner(function.__code__)}

    def _on_branch(self, key: UnitKey, told: ToldRecipe, number: int, outcome: bool) -> None:  # noqa: FBT001 - called by code that is made here
        if threading.current_thread() is not threading.main_thread():
            told.is_whole = False  # it may outlive the test that it began in
        self._tell(*key, number, outcome)


def _definition(code: CodeType) -> ast.FunctionDef | None:
    """Return the definition at module level that *code* was compiled from, if that is certain."""
    try:
        with open(code.co_filename, "rb") as file:
            tree = ast.parse(file.read())
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    found = [
        one
        for one in ast.walk(tree)
        if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef) and one.name == code.co_name
    ]
    if len(found) != 1 or found[0] not in tree.body or code.co_qualname != code.co_name:
        return None
    definition = found[0]
    if not isinstance(definition, ast.FunctionDef) or len(definition.decorator_list) != 1:
        return None
    return definition if _compiled(definition, code) == code else None


def _telling(definition: ast.FunctionDef, code: CodeType, tell: Callable[[int, bool], None]) -> CodeType:
    telling = copy.deepcopy(definition)
    branches = numbered_branches(telling)  # found before any statement is added
    for number, branch in enumerate(branches):
        branch.body.insert(0, _statement(number, outcome=True, at=branch.body[0]))
        branch.orelse.insert(
            0, _statement(number, outcome=False, at=branch.orelse[0] if branch.orelse else branch.test)
        )
    made = _compiled(telling, code)
    assert made is not None, "it was compiled before"  # noqa: S101 - ours to keep
    return made.replace(co_consts=tuple(tell if one == _TOLD else one for one in made.co_consts))


def _statement(number: int, *, outcome: bool, at: ast.stmt | ast.expr) -> ast.stmt:
    call = ast.Call(ast.Constant(_TOLD), [ast.Constant(number), ast.Constant(outcome)], [])
    made = ast.copy_location(ast.Expr(call), at)
    return ast.fix_missing_locations(made)


def _compiled(definition: ast.FunctionDef, like: CodeType) -> CodeType | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that a string can't be called
        module = compile(
            ast.Module([definition], []), like.co_filename, "exec", flags=like.co_flags & _FUTURE, dont_inherit=True
        )
    return next((one for one in module.co_consts if isinstance(one, CodeType) and one.co_name == like.co_name), None)


def _with_inner(code: CodeType) -> Iterator[CodeType]:
    yield code
    for one in code.co_consts:
        if isinstance(one, CodeType):
            yield from _with_inner(one)
