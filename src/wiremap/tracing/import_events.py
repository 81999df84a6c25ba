"""Where the import of a project file begins and ends.

What runs while a module is imported runs once in a process, whichever test happens to be first; it must not
be that test's alone. So `exec_module` of the loaders that execute source files is wrapped while a recorder
is active: of the interpreter's, and of pytest's, which rewrites assertions.
"""

import functools
import importlib.machinery
import os
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from types import ModuleType
from typing import Any, Protocol

_WRAPPED = "exec_module"


class ImportSink(Protocol):
    """What hears of imports."""

    def importing_file(self, real: str) -> AbstractContextManager[None]:
        """Surround the import of the file *real*."""


class ImportEvents:
    """Tells an `ImportSink` of each import of a source file, from `start` to `stop`."""

    def __init__(self, sink: ImportSink) -> None:
        self._sink = sink
        self._originals: list[tuple[type, Any, bool]] = []

    def start(self) -> None:
        """Wrap the loaders."""
        for loader in _loaders():
            original = getattr(loader, _WRAPPED)
            self._originals.append((loader, original, _WRAPPED in vars(loader)))
            setattr(loader, _WRAPPED, self._wrapper(original))

    def stop(self) -> None:
        """Unwrap them."""
        while self._originals:
            loader, original, was_own = self._originals.pop()
            if was_own:
                setattr(loader, _WRAPPED, original)
            else:
                delattr(loader, _WRAPPED)

    def _wrapper(self, original: Callable[[Any, ModuleType], None]) -> Callable[[Any, ModuleType], None]:
        sink = self._sink

        @functools.wraps(original)
        def exec_module(loader: Any, module: ModuleType) -> None:
            __tracebackhide__ = True  # a failed import is shown without this frame
            origin = getattr(module.__spec__, "origin", None)
            if not isinstance(origin, str):
                original(loader, module)
                return
            with sink.importing_file(os.path.realpath(origin)):
                original(loader, module)

        return exec_module


def _loaders() -> list[type]:
    loaders: list[type] = [importlib.machinery.SourceFileLoader]
    rewrite = sys.modules.get("_pytest.assertion.rewrite")
    if rewrite is not None:
        loaders.append(rewrite.AssertionRewritingHook)
    return loaders
