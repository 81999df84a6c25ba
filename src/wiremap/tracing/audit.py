"""File reads, folder listings, imports and child processes, as the interpreter's audit events tell them.

An audit hook stays for the life of the process, so one hook serves all recorders: it hands each event to
the recorder that is active, and costs a dictionary look-up when none is. Native code that opens files by
itself raises no audit event and stays unseen.
"""

import os
import sys
from _thread import get_ident
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

_PROCESS_EVENTS = (
    "subprocess.Popen",
    "os.exec",
    "os.posix_spawn",
    "os.spawn",
    "os.startfile",
    "os.system",
    "_winapi.CreateProcess",
)

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

    def give_way(self) -> None:
        """Hear that another recorder starts in this process."""

    def on_start_event(self, event: str) -> None:
        """Hear of the audit event of a process that starts."""

    def on_source_opened(self, path: str) -> None:
        """Hear that the import system opens a file of source or of compiled code."""


_active: ActiveRecorder | None = None
_installed = False
_busy: set[int] = set()


def active() -> ActiveRecorder | None:
    """Return the recorder that hears of audit events."""
    return _active


def activate(recorder: ActiveRecorder | None) -> None:
    """Send audit events to *recorder* from now on; None stops it."""
    global _active, _installed  # noqa: PLW0603 - an audit hook is global to the process and can't be removed
    _active = recorder
    if recorder is not None and not _installed:
        _install()
        _installed = True


def _install() -> None:
    try:
        from wiremap.tracing import _audit  # noqa: PLC0415 - compiled, where there was a compiler
    except ImportError:
        sys.addaudithook(_hook)
    else:
        _audit.add_hook(_hook, tuple(_HANDLERS))


def is_unobserved() -> bool:
    """Tell whether this thread is left out now."""
    return get_ident() in _busy


def forget_other_threads() -> None:
    """Observe all threads of a process that has just forked off: others of the same ids will come."""
    _busy.intersection_update({get_ident()})


@contextmanager
def unobserved() -> Iterator[None]:
    """Leave out what this thread does within: the recorder reads files too."""
    thread = get_ident()
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
    thread = get_ident()
    if thread in _busy:
        return  # looking at a file raises events of its own
    _busy.add(thread)
    try:
        handler(_active, args, sys._getframe().f_back)  # noqa: SLF001 - the public way to a frame
    except Exception as error:
        if not is_own_fault(error):
            raise
        _active.current.doubts.add(NOT_FOLLOWED)
    finally:
        _busy.discard(thread)


def _on_open(recorder: ActiveRecorder, args: tuple[Any, ...], frame: FrameType | None) -> None:
    path, mode, flags = args
    if _writes_only(mode, flags):
        return
    if _is_module(path) and (frame is None or is_import_machinery(frame)):  # without a frame, it is the main script
        recorder.on_source_opened(os.fsdecode(path))
        return
    _note_path(recorder, path, frame)


def _on_listing(recorder: ActiveRecorder, args: tuple[Any, ...], frame: FrameType | None) -> None:
    # Which distributions are installed is a fact of the environment.
    looks_for_distributions = frame is not None and f"importlib{os.sep}metadata" in frame.f_code.co_filename
    if not looks_for_distributions and not is_import_machinery(frame) and not is_pytest(frame):
        _note_path(recorder, "." if args[0] is None else args[0], frame)


def _on_connect(recorder: ActiveRecorder, args: tuple[Any, ...], frame: FrameType | None) -> None:
    database = args[0]
    if isinstance(database, str) and database.startswith("file:"):
        database = database.removeprefix("file:").partition("?")[0]
    if database != ":memory:":
        _note_path(recorder, database, frame)


def _on_library(recorder: ActiveRecorder, args: tuple[Any, ...], frame: FrameType | None) -> None:
    if isinstance(args[0], str | bytes) and os.sep in os.fsdecode(args[0]):
        _note_path(recorder, args[0], frame)


def _on_import(recorder: ActiveRecorder, args: tuple[Any, ...], frame: FrameType | None) -> None:
    name = str(args[0])
    if frame is not None and is_standard_library(frame) and name.partition(".")[0] in sys.stdlib_module_names:
        return  # the version of Python speaks for both
    asker = foreign_asker(frame, recorder.territory)
    if asker is None:
        recorder.current.imports.add(name)
    else:
        recorder.foreign.note_import(asker, name)


def _on_unpickled(recorder: ActiveRecorder, args: tuple[Any, ...], _frame: FrameType | None) -> None:
    recorder.current.unpickled.add(str(args[0]))


def _on_process(event: str) -> Callable[[ActiveRecorder, tuple[Any, ...], FrameType | None], None]:
    return lambda recorder, _args, _frame: recorder.on_start_event(event)


_HANDLERS: dict[str, Callable[[ActiveRecorder, tuple[Any, ...], FrameType | None], None]] = {
    "open": _on_open,
    "os.listdir": _on_listing,
    "os.scandir": _on_listing,
    "sqlite3.connect": _on_connect,
    "ctypes.dlopen": _on_library,
    "import": _on_import,
    "pickle.find_class": _on_unpickled,
    **{event: _on_process(event) for event in _PROCESS_EVENTS},
}


def _note_path(recorder: ActiveRecorder, path: object, frame: FrameType | None) -> None:
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
