"""Which objects are still being made: their ``__init__`` is running further up the stack.

A component that wires its own inside does so in its ``__init__``. At that moment it is not whole: what it
requires may come from an outer orchestrator, and its ``__post_wire__`` would find attributes missing. Both
are left to the orchestrator that gets it whole.
"""

import sys
from types import FrameType


class UnderConstruction:
    """The objects that were being made when this was asked for, *depth* calls above the asking function."""

    def __init__(self, depth: int) -> None:
        self._objects: list[object] = []
        frame: FrameType | None = sys._getframe(depth + 1)  # noqa: SLF001 -- documented; inspect.stack() would read source files
        while frame is not None:
            code = frame.f_code
            if code.co_name == "__init__" and code.co_argcount:
                self._objects.append(frame.f_locals.get(code.co_varnames[0]))
            frame = frame.f_back

    @property
    def innermost(self) -> object | None:
        """The object whose ``__init__`` runs at the lowest level of the stack, if any does."""
        return next(iter(self._objects), None)

    def __contains__(self, value: object) -> bool:
        return any(value is made for made in self._objects)
