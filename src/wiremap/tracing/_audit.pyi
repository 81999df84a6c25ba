from collections.abc import Callable
from typing import Any

def add_hook(function: Callable[[str, tuple[Any, ...]], None], events: tuple[str, ...], /) -> None: ...
