"""Where processes start: a program that tells itself what it does gets an id handed, by a variable of its environment.

The functions of the standard library that start programs are wrapped while a recorder is active. Only a program that is
followed gets the variable, and it takes it out of its environment before it does anything else, so that nobody sees
it. The audit events of the same functions tell of a start that came by another way.
"""

import _posixsubprocess
import _thread
import functools
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import ModuleType
from typing import Any, Protocol

from wiremap.tracing import audit
from wiremap.tracing.programs import search
from wiremap.tracing.variables import value_now

VARIABLE = "WIREMAP_PROCESS"

_ENVIRONMENT_OF_FORK_EXEC = 5
_USED_BY_SUBPROCESS = ("fork_exec", "_fork_exec", "posix_spawn")


class StartSink(Protocol):
    """What hears of processes that start."""

    def on_program(
        self, candidates: Sequence[str], arguments: Sequence[str], environment: Mapping[str, str] | None, folder: str
    ) -> str | None:
        """Note that the first of the files *candidates* that exists starts; return what to hand to it, if anything.

        Args:
            candidates: Where the program may be.
            arguments: Its command line, the program included.
            environment: Its environment; None for that of this process.
            folder: The folder that it starts in.
        """

    def on_unknown_start(self) -> None:
        """Note that something starts of which no more is known."""

    def on_fork(self) -> str | None:
        """Note that this process forks; return the id of the child."""

    def on_forked(self, process: str | None) -> None:
        """Note, in the child with the id *process*, that it has begun; None when it is the observer's own."""


class ProcessStarts:
    """Tells a `StartSink` of each start, from `start` to `stop`."""

    def __init__(self, sink: StartSink) -> None:
        self._sink = sink
        self._wrapped: list[tuple[ModuleType, str, Any, Any]] = []
        self._around: ProcessStarts | None = None
        # Threads in the middle of a wrapped function, whose audit event is no news.
        self._expected: set[int] = set()
        self._wrappers = {
            "fork_exec": self._fork_exec,
            "_fork_exec": self._fork_exec,
            "posix_spawn": self._with_environment,
            "posix_spawnp": self._searching,
            "execve": self._with_environment,
            "execv": self._inheriting,
            "system": self._shell,
        }

    def start(self) -> None:
        """Wrap the functions."""
        global _active
        made: dict[int, Any] = {}
        for module, name in _starters():
            original = getattr(module, name)
            wrapper = made.setdefault(id(original), functools.wraps(original)(self._wrappers[name](original)))
            self._wrapped.append((module, name, original, wrapper))
            setattr(module, name, wrapper)
        self._around, _active = _active, self
        _watch_forks()

    def stop(self) -> None:
        """Unwrap them."""
        global _active  # noqa: PLW0603 - as above
        _active = self._around
        if "subprocess" in sys.modules and self._wrapped:
            # It may have been imported meanwhile, and have taken the wrapped function.
            _, name, original, wrapper = self._wrapped[0]
            self._wrapped.append((sys.modules["subprocess"], f"_{name}", original, wrapper))
        while self._wrapped:
            module, name, original, wrapper = self._wrapped.pop()
            if getattr(module, name) is wrapper:
                setattr(module, name, original)

    def note_event(self, event: str) -> None:
        """Note an audit event that tells of a start."""
        if event == "subprocess.Popen":
            used = [one for one in self._wrapped if one[1] in _USED_BY_SUBPROCESS]
            is_expected = all(getattr(module, name) is wrapper for module, name, _, wrapper in used)
        else:
            is_expected = _thread.get_ident() in self._expected
        if not is_expected or not self._wrapped:
            self._sink.on_unknown_start()

    def fork(self) -> str | None:
        """Note that this process forks; return the id of the child."""
        return self._sink.on_fork()

    def forked(self, process: str | None) -> None:
        """Note, in the child with the id *process*, that it has begun."""
        self._expected.clear()
        self._sink.on_forked(process)

    # Wrappers, one for each way in which a function takes the program and its environment.

    def _fork_exec(self, original: Callable[..., int]) -> Callable[..., int]:
        def fork_exec(arguments: Any, candidates: Any, *rest: Any) -> int:
            all_arguments = [arguments, candidates, *rest]
            if len(all_arguments) <= _ENVIRONMENT_OF_FORK_EXEC:
                return original(*all_arguments)
            folder, environment = all_arguments[_ENVIRONMENT_OF_FORK_EXEC - 1 : _ENVIRONMENT_OF_FORK_EXEC + 1]
            handed = self._ask(candidates, arguments, _as_mapping(environment), folder)
            if handed is None:
                return original(*all_arguments)
            if environment is not None:
                all_arguments[_ENVIRONMENT_OF_FORK_EXEC] = [*environment, os.fsencode(f"{VARIABLE}={handed}")]
                return original(*all_arguments)
            with _lock, _variable_set(handed):
                return original(*all_arguments)

        return fork_exec

    def _with_environment(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def start(path: Any, argv: Any, env: Any, **more: Any) -> Any:
            return self._start(original, [path], (path, argv, env), more)

        return start

    def _searching(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def start(path: Any, argv: Any, env: Any, **more: Any) -> Any:
            candidates = search(os.fsdecode(path), value_now)
            return self._start(original, candidates, (path, argv, env), more)

        return start

    def _start(
        self,
        original: Callable[..., Any],
        candidates: Sequence[Any],
        given: tuple[Any, Any, Any],
        more: Mapping[str, Any],
    ) -> Any:
        path, argv, env = given
        handed = self._ask(candidates, argv, env, None)
        with self._expecting():
            if handed is None:
                return original(path, argv, env, **more)
            if env is not None:
                return original(path, argv, {**env, VARIABLE: handed}, **more)
            with _lock, _variable_set(handed):
                return original(path, argv, env, **more)

    def _inheriting(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def execv(path: Any, argv: Any, /) -> Any:
            handed = self._ask([path], argv, None, None)
            with self._expecting(), _variable_set(handed):
                return original(path, argv)

        return execv

    def _shell(self, original: Callable[..., int]) -> Callable[..., int]:
        def system(command: Any) -> int:
            handed = self._ask(["/bin/sh"], ["sh", "-c", command], None, None)
            with self._expecting(), _variable_set(handed):
                return original(command)

        return system

    def _ask(self, candidates: Any, arguments: Any, environment: Any, folder: Any) -> str | None:
        if _active is not self or audit.is_unobserved():
            return None
        with audit.unobserved():
            try:
                return self._sink.on_program(
                    [os.fsdecode(one) for one in candidates],
                    [os.fsdecode(one) for one in arguments],
                    None if environment is None else {os.fsdecode(k): os.fsdecode(v) for k, v in environment.items()},
                    os.fsdecode(folder or os.getcwd()),
                )
            except (TypeError, ValueError, OSError):
                self._sink.on_unknown_start()  # the function itself will tell what is wrong with its arguments
                return None

    @contextmanager
    def _expecting(self) -> Iterator[None]:
        thread = _thread.get_ident()
        self._expected.add(thread)
        try:
            yield
        finally:
            self._expected.discard(thread)


_active: ProcessStarts | None = None
_forking: dict[int, str | None] = {}
# One start at a time by way of the environment of this process.
_lock = _thread.allocate_lock()
_is_watching_forks = False


def _starters() -> list[tuple[ModuleType, str]]:
    """Return the functions to wrap, as module and name."""
    found: list[tuple[ModuleType, str]] = [(_posixsubprocess, "fork_exec")]
    if "subprocess" in sys.modules:  # else it takes the wrapped one when it is imported
        found.append((sys.modules["subprocess"], "_fork_exec"))
    names = ("posix_spawn", "posix_spawnp", "execve", "execv", "system")
    return [*found, *((os, name) for name in names if hasattr(os, name))]


def _as_mapping(environment: Sequence[bytes] | None) -> dict[bytes, bytes] | None:
    if environment is None:
        return None
    pairs = (entry.partition(b"=") for entry in environment)
    return {name: value for name, _, value in pairs}


@contextmanager
def _variable_set(handed: str | None) -> Iterator[None]:
    """Set the variable for programs that inherit the environment of this process; `os.environ` does not show it."""
    if handed is None:
        yield
        return
    os.putenv(VARIABLE, handed)
    try:
        yield
    finally:
        os.unsetenv(VARIABLE)


def _watch_forks() -> None:
    global _is_watching_forks  # noqa: PLW0603 - as in `start`
    if not _is_watching_forks:
        _is_watching_forks = True
        os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_in_child)


def _before_fork() -> None:
    if _active is not None and not audit.is_unobserved():
        with audit.unobserved():
            _forking[_thread.get_ident()] = _active.fork()


def _after_fork() -> None:
    _forking.pop(_thread.get_ident(), None)


def _in_child() -> None:
    global _lock  # noqa: PLW0603 - another thread may hold it for ever
    _lock = _thread.allocate_lock()
    process = _forking.pop(_thread.get_ident(), None)
    _forking.clear()
    audit.forget_other_threads()
    if _active is not None:
        with audit.unobserved():
            _active.forked(process)
