"""Which objects are still being made: their ``__init__`` is running further up the stack.

A component that wires its own inside does so in its ``__init__``. At that moment it is not whole: what it
requires may come from an outer orchestrator, and its ``__post_wire__`` would find attributes missing. Both
are left to the orchestrator that gets it whole. A component whose ``__post_wire__`` runs is whole, but is the
maker of what is wired there just the same.
"""

import sys
from types import FrameType

from wiremap.registry.lifecycle import START_HOOK


class UnderConstruction:
    """The objects that were being made when this was asked for, *depth* calls above the asking function.

    Attributes:
        maker: The object whose ``__init__`` or ``__post_wire__`` runs at the lowest level of the stack, if any does.
    """

    def __init__(self, depth: int) -> None:
        self._objects: list[object] = []
        makers: list[object] = []
        frame: FrameType | None = sys._getframe(depth + 1)  # noqa: SLF001 -- documented; inspect.stack() would read source files
        while frame is not None:
            code = frame.f_code
            if code.co_name in ("__init__", START_HOOK) and code.co_argcount:
                makers.append(frame.f_locals.get(code.co_varnames[0]))
                if code.co_name == "__init__":
                    self._objects.append(makers[-1])
            frame = frame.f_back
        self.maker = next(iter(makers), None)

    def __contains__(self, value: object) -> bool:
        return any(value is made for made in self._objects)
