"""Tensors without storage for compile mode: torch's meta device, entered if torch is there, never imported here."""

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

_TORCH = "torch"


@contextmanager
def on_meta_device() -> Iterator[None]:
    """Let torch's factory functions allocate nothing inside the ``with`` block, in this thread.

    If torch is imported inside the block, in this thread, that holds from then on. A call that names a device
    of its own gets it.
    """
    with ExitStack() as stack:

        def enter(torch: Any) -> None:
            stack.enter_context(torch.device("meta"))

        torch = sys.modules.get(_TORCH)
        if hasattr(torch, "device"):
            enter(torch)
        else:
            stack.enter_context(_once_imported(enter))
        yield


@contextmanager
def _once_imported(enter: Callable[[Any], None]) -> Iterator[None]:
    finder = _TorchFinder(enter)
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        finder.leave()


class _TorchFinder:
    """Stands before the finders that know where torch is, and has *enter* called when it has been imported."""

    def __init__(self, enter: Callable[[Any], None]) -> None:
        self._enter: Callable[[Any], None] | None = enter
        self._thread = threading.get_ident()

    def leave(self) -> None:
        self._enter = None
        if self in sys.meta_path:
            sys.meta_path.remove(self)

    def find_spec(self, name: str, _path: object = None, _target: object = None) -> Any:
        if name != _TORCH or threading.get_ident() != self._thread:
            return None
        from importlib.util import find_spec  # noqa: PLC0415 -- keeps `import wiremap` cheap

        sys.meta_path.remove(self)
        spec = find_spec(name)
        if spec is not None and spec.loader is not None:
            self._follow(spec.loader)
        return spec

    def _follow(self, loader: Any) -> None:
        execute = loader.exec_module

        def exec_module(module: Any) -> None:
            del loader.exec_module  # this instance's own; the one of its class shows again
            execute(module)
            if self._enter is not None:
                self._enter(module)

        loader.exec_module = exec_module
