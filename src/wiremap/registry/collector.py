"""The garbage collector, kept waiting while much is made that stays.

It searches all objects each time when their number has grown by a part, and finds nothing here. Of compiling a
wiring of 10,000 components that takes a fifth, of binding it more (`bench/compile_graph.py`).
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def paused_collector() -> Iterator[None]:
    """Let it wait, unless it is switched off anyway. Several threads may ask: it goes on when the first has ended."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
