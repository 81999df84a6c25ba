"""Work that a recipe must not do while it is compiled, refused before it happens.

Seen are files opened for writing or changed, processes, threads and the network, as the interpreter's audit
events tell them, in the thread or task that compiles. Reading is allowed, and so is what an ``import`` does in
the recipe: byte code is written then, and modules prepare themselves. Not seen are native code that calls the
system itself, large allocations, and threads that ran before the recipe and take its orders.
"""

import os
import sys
import threading
import weakref
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from functools import wraps
from pathlib import Path
from types import FrameType
from typing import Any, Final

from wiremap.errors import RecipeDoesWorkError
from wiremap.registry.location import Location

_CREATING_FLAGS: Final = os.O_WRONLY | os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_TRUNC
_STARTS_A_PROCESS: Final = "starts a process"
_STARTS_A_THREAD: Final = "starts a thread"


class _Guard:
    """Refuses the work of one recipe and remembers what it refused, whoever swallows the error."""

    def __init__(self, recipe: str, caller: FrameType) -> None:
        self.refused: list[RecipeDoesWorkError] = []
        self._recipe = recipe
        self._caller = caller

    def check(self, operation: str, frame: FrameType) -> None:
        """Raise, unless *frame* does that for somebody else than the recipe."""
        frames = list(self._frames_from(frame))
        if not any(map(_is_not_of_the_recipe, frames)):
            error = RecipeDoesWorkError(self._recipe, operation, str(_line_to_mend(frames)))
            self.refused.append(error)
            raise error

    def _frames_from(self, frame: FrameType | None) -> Iterator[FrameType]:
        while frame is not None and frame is not self._caller:
            yield frame
            frame = frame.f_back


_guard: ContextVar[_Guard | None] = ContextVar("wiremap_recipe_guard", default=None)
_is_hook_installed = False


@contextmanager
def work_refused(recipe: str) -> Iterator[None]:
    """Refuse, inside the ``with`` block and for this thread or task, what only a component's hook may do.

    Raises:
        RecipeDoesWorkError: Something was refused; if that error was swallowed inside, it is raised at the end.
    """
    _install_hook()
    guard = _Guard(recipe, sys._getframe(2))  # noqa: SLF001 -- documented; whoever entered the block
    token = _guard.set(guard)
    try:
        with _starts_checked():
            yield
    except Exception as error:
        if guard.refused and error is not guard.refused[0]:
            raise guard.refused[0] from error
        raise
    finally:
        _guard.reset(token)
    if guard.refused:
        raise guard.refused[0]


# What is seen


def _install_hook() -> None:
    global _is_hook_installed  # noqa: PLW0603 -- an audit hook is global to the process and can't be removed
    if not _is_hook_installed:
        sys.addaudithook(_hook)
        _is_hook_installed = True


# The default survives the module, whose names are emptied while the interpreter ends and still tells events.
def _hook(event: str, args: tuple[Any, ...], active: Callable[[], _Guard | None] = _guard.get) -> None:
    guard = active()
    if guard is not None and event in _WORK and (operation := _WORK[event](*args)):
        guard.check(operation, sys._getframe(1))  # noqa: SLF001 -- documented; who caused the event


@contextmanager
def _starts_checked() -> Iterator[None]:
    """Check where threads and processes start in a way that no audit event tells.

    Python 3.11 tells none of threads, and no version tells of the processes of ``multiprocessing``.
    """
    from multiprocessing.process import BaseProcess  # noqa: PLC0415 -- keeps `import wiremap` cheap

    with ExitStack() as stack:
        for cls, operation in ((threading.Thread, _STARTS_A_THREAD), (BaseProcess, _STARTS_A_PROCESS)):
            stack.callback(setattr, cls, "start", cls.start)
            setattr(cls, "start", _checked(cls.start, operation))  # noqa: B010 -- a method is assigned on purpose
        yield


def _checked(start: Callable[[Any], None], operation: str) -> Callable[[Any], None]:
    @wraps(start)
    def checked(self: Any) -> None:
        if guard := _guard.get():
            guard.check(operation, sys._getframe(1))  # noqa: SLF001 -- documented; who calls start()
        start(self)

    return checked


def _opening(path: object, mode: str | None, flags: int) -> str | None:
    writes = bool(flags & _CREATING_FLAGS) if mode is None else not set("wax+").isdisjoint(mode)
    # A number is a file that is open already.
    return f"opens {path!r:.80} for writing" if writes and path != os.devnull and not isinstance(path, int) else None


def _database(name: object, *_: object) -> str | None:
    return None if name == ":memory:" else f"opens the database {name!r:.80}"


_WORK: Final[Mapping[str, Callable[..., str | None]]] = {
    "open": _opening,
    "sqlite3.connect": _database,
    **{
        event: text.format
        for event, text in {
            "os.chmod": "changes the mode of {0!r:.80}",
            "os.chown": "changes the owner of {0!r:.80}",
            "os.link": "links {0!r:.80} to {1!r:.80}",
            "os.mkdir": "makes the folder {0!r:.80}",
            "os.remove": "deletes {0!r:.80}",
            "os.removexattr": "changes an attribute of {0!r:.80}",
            "os.rename": "renames {0!r:.80} to {1!r:.80}",
            "os.rmdir": "deletes the folder {0!r:.80}",
            "os.setxattr": "changes an attribute of {0!r:.80}",
            "os.symlink": "links {0!r:.80} to {1!r:.80}",
            "os.truncate": "truncates {0!r:.80}",
            "os.utime": "changes the times of {0!r:.80}",
            "os.kill": "sends a signal to a process",
            "os.killpg": "sends a signal to processes",
            "os.system": "runs the command {0!r:.80}",
            "subprocess.Popen": "starts the process {1!r:.80}",
            "_thread.start_joinable_thread": _STARTS_A_THREAD,
            "_thread.start_new_thread": _STARTS_A_THREAD,
            "socket.bind": "binds the address {1!r:.80}",
            "socket.connect": "connects to {1!r:.80}",
            "socket.getaddrinfo": "looks up the host {0!r:.80}",
            "socket.gethostbyaddr": "looks up the host {0!r:.80}",
            "socket.gethostbyname": "looks up the host {0!r:.80}",
            "socket.sendmsg": "sends to {1!r:.80}",
            "socket.sendto": "sends to {1!r:.80}",
        }.items()
    },
    **dict.fromkeys(
        ("os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "os.startfile", "_winapi.CreateProcess"),
        _STARTS_A_PROCESS.format,
    ),
}


# Whose it is


def _is_not_of_the_recipe(frame: FrameType) -> bool:
    """Tell whether what *frame* leads to was caused by an import, by the end of an object, or by a mere question."""
    code = frame.f_code
    return (
        code.co_filename.startswith("<frozen importlib")
        or code.co_name == "__del__"
        or code.co_filename == weakref.__file__  # calls what was asked for at the end of an object
        or code.co_name == "_get_default_tempdir"  # `tempfile` tries whether the folder can be written
    )


def _line_to_mend(frames: list[FrameType]) -> Location:
    """Return the innermost line of the user's own code; failing that of a distribution, then any."""
    ranked = sorted(frames, key=lambda frame: _distance(frame.f_code.co_filename))  # stable: the innermost first
    return Location(ranked[0].f_code.co_filename, ranked[0].f_lineno) if ranked else Location("?", 0)


def _distance(file: str) -> int:
    path = Path(file)
    if not {"site-packages", "dist-packages"}.isdisjoint(path.parts):
        return 1
    return 2 if file.startswith("<") or path.is_relative_to(Path(os.__file__).parent) else 0
