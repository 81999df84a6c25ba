from collections.abc import Callable
from types import CodeType

from wiremap.tracing.event_sink import FillerCalls
from wiremap.tracing.observation import Observation

def start(
    note: Callable[[CodeType, tuple[object, ...]], int | tuple[int, ...]],
    enter: Callable[[CodeType, tuple[object, ...]], Observation | None],
    leave: Callable[[Observation], None],
    call: Callable[[CodeType, CodeType], None],
    calls: FillerCalls,
    /,
) -> None: ...
def stop() -> None: ...
def next_epoch(codes: dict[int, CodeType] | None, /) -> None: ...
def seen() -> int: ...
def missed() -> int: ...
