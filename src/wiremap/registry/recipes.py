"""Recipes, functions that build and wire components and do no more; and the mode that only compiles them."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from functools import wraps
from inspect import isasyncgenfunction, iscoroutinefunction, isgeneratorfunction, unwrap
from typing import Any, NamedTuple, TypeVar, cast, overload

from wiremap.errors import AsyncRecipeError
from wiremap.registry import observers
from wiremap.registry.location import Location
from wiremap.registry.meta_device import on_meta_device

F = TypeVar("F", bound=Callable[..., Any])

_MARK = "__wiremap_recipe__"
_compiling: ContextVar[bool] = ContextVar("wiremap_compiling", default=False)
_in_recipe: ContextVar[bool] = ContextVar("wiremap_in_recipe", default=False)
_called: Callable[[], None] | None = None


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

    It is wrapped where a process does nothing but compile, see `compile_calls`.

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
        observers.notify_recipe(marked)
        return marked if _called is None else _in_compile_mode(marked, _called)

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
def compile_mode(*, on_meta: bool = True) -> Iterator[None]:
    """Let ``compiling()`` be true inside the ``with`` block, for this thread or task.

    With torch, what is made there without naming a device is on the meta device and has no storage, so that a
    model of any size can be wired, unless *on_meta* is false; torch keeps its default device by thread, so don't
    await inside the block. A generator that yields inside the block leaves its caller in compile mode until it is
    resumed or closed.
    """
    token = _compiling.set(True)
    try:
        with on_meta_device() if on_meta else nullcontext():
            yield
    finally:
        _compiling.reset(token)


# A process that only compiles


def compile_calls(then: Callable[[], None]) -> None:
    """Have every recipe that is defined from now on run in compile mode, and *then* be called when the outermost ends.

    There is no way back: it is for a process that does nothing but compile.
    """
    global _called  # noqa: PLW0603 -- recipes are marked when their modules are imported, wherever that happens
    _called = then


def in_recipe() -> bool:
    """Tell whether a recipe that `compile_calls` counts is running, in this thread or task."""
    return _in_recipe.get()


def _in_compile_mode(function: F, then: Callable[[], None]) -> F:
    @wraps(function)
    def compiled(*args: Any, **kwargs: Any) -> Any:
        is_outermost, token = not _in_recipe.get(), _in_recipe.set(True)
        try:
            with compile_mode():
                made = function(*args, **kwargs)
        finally:
            _in_recipe.reset(token)
        if is_outermost:
            then()
        return made

    return cast("F", compiled)  # it takes and gives what the function does
