"""What a recorder notes of a process that starts: whether it will report, or its work is a doubt."""

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Protocol

from wiremap.tracing.expectation import FORK, PROGRAM, SHELL, Expectation
from wiremap.tracing.observation import Observation
from wiremap.tracing.path_state import path_presence, path_state
from wiremap.tracing.programs import Kind, Program, program_of
from wiremap.tracing.territory import Territory
from wiremap.tracing.variables import value_now

CHILD_PROCESS = "a child process was started, and what it ran was not seen"


class Register(Protocol):
    """Where it is written down which processes have to report."""

    @property
    def folder(self) -> str:
        """The folder in which they do."""

    def expect(self, process: str, expected: Expectation, seen: Observation) -> None:
        """Write down that *process* starts in the context of *seen*."""


class Family(Register, Protocol):
    """All child processes, as the one that records knows them."""

    def begin_context(self, seen: Observation) -> None:
        """Note what lives when the context of *seen* begins."""

    def end_context(self, seen: Observation) -> None:
        """Note what lived during the context of *seen*."""


class Starter(Protocol):
    """Who starts processes."""

    territory: Territory

    @property
    def current(self) -> Observation:
        """The observation that events now belong to."""

    @property
    def register(self) -> Register | None:
        """Where starts are written down; None where no process is followed."""

    def become_fork(self, process: str | None) -> None:
        """Go on as the process with that id, which has just forked off; None when nobody wants to know of it."""


class StartNotes:
    """Hears of the starts in one process; see `StartSink`."""

    def __init__(self, starter: Starter) -> None:
        self._starter = starter

    def on_program(
        self, candidates: Sequence[str], arguments: Sequence[str], environment: Mapping[str, str] | None, folder: str
    ) -> str | None:
        """Note that a program starts; return what to hand to it if it reports itself."""
        program = program_of(candidates, arguments, value_now if environment is None else environment.get, folder)
        self._note_files([os.path.join(folder, one) for one in candidates])
        if program.kind is Kind.READER:
            self._note_read(os.path.join(folder, one) for one in program.words[1:])
        if program.kind is Kind.ABSENT or (program.kind in (Kind.READER, Kind.HARMLESS) and self._is_foreign(program)):
            return None
        if program.kind is not Kind.PYTHON:
            self.on_unknown_start()
            return None
        process = self._expect(PROGRAM if program.is_direct else SHELL, program.words)
        register = self._starter.register
        return None if process is None or register is None else f"{process}:{register.folder}"

    def on_unknown_start(self) -> None:
        """Note that something starts of which no more is known."""
        self._starter.current.doubts.add(CHILD_PROCESS)

    def on_fork(self) -> str | None:
        """Note that this process forks; return the id of the child."""
        return self._expect(FORK, ())

    def on_forked(self, process: str | None) -> None:
        """Note, in the child, that it has begun."""
        self._starter.become_fork(process)

    def _is_foreign(self, program: Program) -> bool:
        # A program of the project may bear the name of a well-known one.
        return self._starter.territory.data_path(program.path) is None

    def _note_read(self, paths: Iterable[str]) -> None:
        """Note that files are read, or looked for in vain."""
        for path in paths:
            if self._starter.territory.data_path(path) is not None:
                self._starter.current.files.setdefault(os.path.abspath(path), path_state(path))

    def _note_files(self, candidates: Sequence[str]) -> None:
        """Note where the program was looked for in the project, and what it is if it was found there."""
        seen = self._starter.current
        for path in candidates:
            presence = path_presence(path)
            if self._starter.territory.data_path(path) is not None:
                seen.presences.setdefault(os.path.abspath(path), presence)
                if presence == "file":
                    seen.files.setdefault(os.path.abspath(path), path_state(path))
            if presence == "file":
                return

    def _expect(self, way: str, words: tuple[str, ...]) -> str | None:
        seen, register = self._starter.current, self._starter.register
        process = os.urandom(8).hex()
        if register is not None:
            with suppress(OSError):
                register.expect(process, Expectation(os.getpid(), way, words), seen)
                seen.processes.add(process)
                return process
        self.on_unknown_start()
        return None
