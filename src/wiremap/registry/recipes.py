"""Recipes, functions that build and wire components and do no more; and the mode that only compiles them."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from inspect import isasyncgenfunction, iscoroutinefunction, isgeneratorfunction, unwrap
from typing import Any, NamedTuple, TypeVar, overload

from wiremap.errors import AsyncRecipeError
from wiremap.registry.location import Location
from wiremap.registry.meta_device import on_meta_device

F = TypeVar("F", bound=Callable[..., Any])

_MARK = "__wiremap_recipe__"
_compiling: ContextVar[bool] = ContextVar("wiremap_compiling", default=False)


class RecipeMark(NamedTuple):
    """What ``@recipe`` leaves on a function.

    Attributes:
        compile_kwargs: Keyword arguments for calling it when only its graph is wanted.
    """

    compile_kwargs: Mapping[str, Any]


@overload
def recipe(function: F, /) -> F: ...


@overload
def recipe(*, compile_kwargs: Mapping[str, Any]) -> Callable[[F], F]: ...


def recipe(function: F | None = None, /, *, compile_kwargs: Mapping[str, Any] | None = None) -> F | Callable[[F], F]:
    """Mark *function* as a recipe and return it unchanged: a call costs nothing more than before.

    Use it bare, or as ``@recipe(compile_kwargs={...})`` to say which keyword arguments the command line
    passes when it compiles the recipe.

    Raises:
        AsyncRecipeError: The function is async or a generator, so that a call would wire nothing.
    """

    def mark(marked: F) -> F:
        if runs_later(marked):
            code = unwrap(marked).__code__
            where = Location(code.co_filename, code.co_firstlineno)
            raise AsyncRecipeError(f"{marked.__module__}:{marked.__qualname__}", str(where))
        marked.__dict__[_MARK] = RecipeMark(dict(compile_kwargs or {}))
        return marked

    return mark if function is None else mark(function)


def runs_later(function: object) -> bool:
    """Tell whether a call of *function* runs nothing of it yet: it is async, or a generator."""
    return any(test(function) for test in (iscoroutinefunction, isasyncgenfunction, isgeneratorfunction))


def recipe_mark(value: object) -> RecipeMark | None:
    """Return what ``@recipe`` left on *value*, or None if *value* is not a recipe."""
    mark = getattr(value, "__dict__", {}).get(_MARK)
    return mark if isinstance(mark, RecipeMark) else None


def compiling() -> bool:
    """Tell whether only the graph is wanted: no hook runs, and nothing heavy should be made."""
    return _compiling.get()


@contextmanager
def compile_mode() -> Iterator[None]:
    """Let ``compiling()`` be true inside the ``with`` block, for this thread or task.

    With torch, what is made there without naming a device is on the meta device and has no storage, so that a
    model of any size can be wired; torch keeps its default device by thread, so don't await inside the block.
    A generator that yields inside the block leaves its caller in compile mode until it is resumed or closed.
    """
    token = _compiling.set(True)
    try:
        with on_meta_device():
            yield
    finally:
        _compiling.reset(token)
