"""File reads, folder listings, imports and child processes, as the interpreter's audit events tell them.

An audit hook stays for the life of the process, so one hook serves all recorders: it hands each event to
the recorder that is active, and costs a dictionary look-up when none is. Native code that opens files by
itself raises no audit event and stays unseen.
"""

import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, Protocol

from wiremap.tracing.askers import (
    foreign_asker,
    is_for_display,
    is_import_machinery,
    is_measuring,
    is_pytest,
    is_standard_library,
)
from wiremap.tracing.foreign_use import ForeignUse
from wiremap.tracing.guard import NOT_FOLLOWED, is_own_fault
from wiremap.tracing.observation import Observation
from wiremap.tracing.path_state import path_state
from wiremap.tracing.territory import Territory
from wiremap.tracing.watched_calls import CHILD_PROCESS

_PROCESS_EVENTS = (
    "subprocess.Popen",
    "os.exec",
    "os.fork",
    "os.forkpty",
    "os.posix_spawn",
    "os.spawn",
    "os.startfile",
    "os.system",
    "pty.spawn",
    "_winapi.CreateProcess",
)

# Programs that standard library modules start to learn about the machine; they run no project code.
_HARMLESS_PROGRAMS = frozenset({"uname", "ldconfig"})
_MODULES = (".py", ".pyc")

# Bound at import: tests patch attributes of `os.path`, and must not meet us there.
_realpath = os.path.realpath


class ActiveRecorder(Protocol):
    """What the hook needs from a recorder."""

    territory: Territory
    foreign: ForeignUse

    @property
    def current(self) -> Observation:
        """The observation that events now belong to."""


_active: ActiveRecorder | None = None
_installed = False
_busy: set[int] = set()


def activate(recorder: ActiveRecorder | None) -> None:
    """Send audit events to *recorder* from now on; None stops it."""
    global _active, _installed  # noqa: PLW0603 - an audit hook is global to the process and can't be removed
    _active = recorder
    if recorder is not None and not _installed:
        sys.addaudithook(_hook)
        _installed = True


@contextmanager
def unobserved() -> Iterator[None]:
    """Leave out what this thread does within: the recorder reads files too."""
    thread = threading.get_ident()
    if thread in _busy:
        yield
        return
    _busy.add(thread)
    try:
        yield
    finally:
        _busy.discard(thread)


def _hook(event: str, args: tuple[Any, ...]) -> None:
    if _active is None:
        return  # also at the very end, when the interpreter has taken the names of this module away
    handler = _HANDLERS.get(event)
    if handler is None:
        return
    thread = threading.get_ident()
    if thread in _busy:
        return  # looking at a file raises events of its own
    _busy.add(thread)
    try:
        handler(_active, args, sys._getframe(1))  # noqa: SLF001 - the public way to a caller's frame
    except Exception as error:
        if not is_own_fault(error):
            raise
        _active.current.doubts.add(NOT_FOLLOWED)
    finally:
        _busy.discard(thread)


def _on_open(recorder: ActiveRecorder, args: tuple[Any, ...], frame: FrameType) -> None:
    path, mode, flags = args
    if _writes_only(mode, flags) or (is_import_machinery(frame) and _is_module(path)):
        return
    _note_path(recorder, path, frame)


def _on_listing(recorder: ActiveRecorder, args: tuple[Any, ...], frame: FrameType) -> None:
    # Which distributions are installed is a fact of the environment.
    looks_for_distributions = f"importlib{os.sep}metadata" in frame.f_code.co_filename
    if not looks_for_distributions and not is_import_machinery(frame) and not is_pytest(frame):
        _note_path(recorder, "." if args[0] is None else args[0], frame)


def _on_connect(recorder: ActiveRecorder, args: tuple[Any, ...], frame: FrameType) -> None:
    database = args[0]
    if isinstance(database, str) and database.startswith("file:"):
        database = database.removeprefix("file:").partition("?")[0]
    if database != ":memory:":
        _note_path(recorder, database, frame)


def _on_library(recorder: ActiveRecorder, args: tuple[Any, ...], frame: FrameType) -> None:
    if isinstance(args[0], str | bytes) and os.sep in os.fsdecode(args[0]):
        _note_path(recorder, args[0], frame)


def _on_import(recorder: ActiveRecorder, args: tuple[Any, ...], frame: FrameType) -> None:
    name = str(args[0])
    if is_standard_library(frame) and name.partition(".")[0] in sys.stdlib_module_names:
        return  # the version of Python speaks for both
    asker = foreign_asker(frame, recorder.territory)
    if asker is None:
        recorder.current.imports.add(name)
    else:
        recorder.foreign.note_import(asker, name)


def _on_process(recorder: ActiveRecorder, args: tuple[Any, ...], _frame: FrameType) -> None:
    program = args[0] if args else ""
    if isinstance(program, str | bytes | os.PathLike) and os.fsdecode(program).rpartition("/")[2] in _HARMLESS_PROGRAMS:
        return
    recorder.current.doubts.add(CHILD_PROCESS)


_HANDLERS: dict[str, Callable[[ActiveRecorder, tuple[Any, ...], FrameType], None]] = {
    "open": _on_open,
    "os.listdir": _on_listing,
    "os.scandir": _on_listing,
    "sqlite3.connect": _on_connect,
    "ctypes.dlopen": _on_library,
    "import": _on_import,
    **dict.fromkeys(_PROCESS_EVENTS, _on_process),
}


def _note_path(recorder: ActiveRecorder, path: object, frame: FrameType) -> None:
    if not isinstance(path, str | bytes | os.PathLike):
        return  # a file descriptor: its file was seen when it was opened
    given = os.path.abspath(os.fsdecode(path))
    real = _realpath(given)
    seen = recorder.current.files
    if real in seen or recorder.territory.data_path(real) is None or is_measuring(frame, recorder.territory):
        return
    # pytest reads modules and conftest files to rewrite their assertions: they are imported.
    if not (is_pytest(frame) and _is_module(path)) and not is_for_display(frame, recorder.territory):
        # A link may come to lead elsewhere: then what is found under its own name changes.
        for name in {given, real}:
            seen[name] = path_state(name)


def _writes_only(mode: object, flags: object) -> bool:
    if isinstance(mode, str):
        return "r" not in mode and "+" not in mode
    return isinstance(flags, int) and (flags & os.O_ACCMODE) == os.O_WRONLY


def _is_module(path: object) -> bool:
    # A loader also reads data, for `pkgutil.get_data`.
    return isinstance(path, str | bytes | os.PathLike) and os.fsdecode(path).endswith(_MODULES)
