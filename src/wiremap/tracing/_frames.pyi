from collections.abc import Callable
from types import CodeType

from wiremap.tracing.observation import Observation

def start(
    note: Callable[[CodeType, tuple[object, ...]], int],
    enter: Callable[[CodeType, tuple[object, ...]], Observation | None],
    leave: Callable[[Observation], None],
    /,
) -> None: ...
def stop() -> None: ...
def next_epoch() -> None: ...
def seen() -> int: ...
