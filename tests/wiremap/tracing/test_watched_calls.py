import importlib
import importlib.metadata
import importlib.util
import linecache
import locale
import os
from pathlib import Path

from wiremap.tracing.foreign_use import ForeignUse
from wiremap.tracing.territory import Territory
from wiremap.tracing.variables import Variables
from wiremap.tracing.watched_calls import WatchedCalls


def test_the_watched_functions_are_python_functions(tmp_path: Path) -> None:
    """A function that a later Python writes in C would no longer be seen."""
    watched = WatchedCalls(Variables(), Territory(tmp_path), ForeignUse())

    for function in (
        importlib.import_module,
        type(os.environ).__getitem__,
        linecache.getlines,
        os.path.exists,
        importlib.metadata.Distribution.from_name,
        importlib.metadata.distributions,
        locale.setlocale,
    ):
        assert watched.holds(function.__code__)
