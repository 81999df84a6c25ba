"""What ``contextlib`` makes of a generator function: it is called in the same way, and gives a context manager."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, contextmanager
from types import CodeType
from typing import Any, Final, get_args, get_origin

from wiremap.registry.annotations import UNKNOWN


def _made_by(decorator: Any) -> CodeType:
    """Return the code of all functions that *decorator* returns."""
    return next(constant for constant in decorator.__code__.co_consts if isinstance(constant, CodeType))


@contextmanager
def _managed() -> Any:
    yield


@asynccontextmanager
async def _async_managed() -> AsyncIterator[None]:
    yield


_KINDS: Final[dict[CodeType, Any]] = {
    _made_by(contextmanager): type(_managed()),
    _made_by(asynccontextmanager): type(_async_managed()),
}


def manager_of(function: Any) -> Any:
    """Return the class of the context managers that a call of *function* gives, or None if its decorator is another."""
    code = getattr(function, "__code__", None)
    return None if code is None else _KINDS.get(code)


def managed(manager: Any, generator: Any) -> Any:
    """Return the type of a *manager* whose function says that it returns *generator*."""
    is_told = get_origin(generator) is not None and get_args(generator)
    return manager[get_args(generator)[0] if is_told else UNKNOWN]
