"""Calls of the standard library that tell of a dependency which no project function shows.

These are Python functions, so that the tracer sees them start, with their arguments; nothing is patched.
"""

import importlib
import importlib.util
import multiprocessing.process
import os
import pathlib
from collections.abc import Callable
from types import CodeType

from wiremap.tracing.observation import Observation
from wiremap.tracing.path_state import path_presence
from wiremap.tracing.territory import Territory
from wiremap.tracing.variables import Variables

Watcher = Callable[[tuple[object, ...], Observation], None]

CHILD_PROCESS = "a child process was started, and what it ran was not seen"


def watched_calls(variables: Variables, territory: Territory) -> dict[int, tuple[CodeType, Watcher]]:
    """Return the watched code objects by id, each with what to note when it starts.

    Functions that are written in C in this version of Python can't be watched and are left out.
    """

    def note_variable(arguments: tuple[object, ...], seen: Observation) -> None:
        _environ, name = arguments
        if isinstance(name, str):
            variables.note_read(name, seen)

    def note_presence(arguments: tuple[object, ...], seen: Observation) -> None:
        path = arguments[0]
        if isinstance(path, str | bytes | os.PathLike):
            _note_presence(os.fsdecode(path), territory, seen)

    functions: list[tuple[object, Watcher]] = [
        (importlib.import_module, _note_import),
        (importlib.util.find_spec, _note_import),
        (type(os.environ).__getitem__, note_variable),
        (multiprocessing.process.BaseProcess.start, _note_process),
        *((function, note_presence) for function in _QUESTIONS),
    ]
    watched = {}
    for function, watcher in functions:
        code = getattr(function, "__code__", None)
        if isinstance(code, CodeType):
            watched[id(code)] = (code, watcher)
    return watched


# Whoever asks whether a path exists rests on the answer. Size and times are not followed further.
_QUESTIONS = (
    os.path.exists,
    os.path.lexists,
    os.path.isfile,
    os.path.isdir,
    os.path.getsize,
    pathlib.Path.stat,
    pathlib.Path.exists,
    pathlib.Path.is_file,
    pathlib.Path.is_dir,
)


def _note_presence(path: str, territory: Territory, seen: Observation) -> None:
    if not territory.may_hold(path):
        return
    absolute = os.path.abspath(path)
    if absolute not in seen.presences and territory.data_path(absolute) is not None:
        seen.presences[absolute] = path_presence(absolute)


def _note_import(arguments: tuple[object, ...], seen: Observation) -> None:
    name, package = arguments
    if not isinstance(name, str):
        return
    if name.startswith("."):
        if not isinstance(package, str):
            return
        try:
            name = importlib.util.resolve_name(name, package)
        except ImportError:
            return
    seen.imports.add(name)


def _note_process(_arguments: tuple[object, ...], seen: Observation) -> None:
    seen.doubts.add(CHILD_PROCESS)
