"""The journal of a child process: a file to which it writes each thing before it happens.

So a process that is killed, crashes or ends by `os._exit` has told all that it did, and one that still lives has told
all that it did up to now. The file is opened for each line: a descriptor that stays open would be seen by the program
that is observed, or be closed by it and come to mean another file. A process that can't write its journal removes
it: then it counts as one that never reported.

A line is a tag, the context that it belongs to and its values, each field escaped to plain ASCII. The context is the
project file that was being imported, or nothing for all the rest.
"""

import os
from collections.abc import Sequence
from types import CodeType
from typing import Any, TypeVar

from wiremap.tracing.expectation import Expectation
from wiremap.tracing.observation import Observation, with_kept
from wiremap.tracing.territory import Territory

_Value = TypeVar("_Value")

HEADER = "wiremap journal 1"
CODE, IMPORTED, STARTS, GRAPH = "code", "imported", "starts", "graph"
SETS = ("modules", "imports", "distributions", "graphs", "processes", "doubts")
MAPPINGS = ("files", "presences", "variables")
"""Tags that are the name of an attribute of an observation."""
NOTHING = "-"
SOMETHING = "+"
OUTSIDE_OF_IMPORTS = ""

# Bound at import: the program may patch the functions of `os`, and must not meet us there.
_open, _write, _close, _fchmod, _unlink, _geteuid = os.open, os.write, os.close, os.fchmod, os.unlink, os.geteuid
_APPEND = os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC


class Journal:
    """What one process writes. Processes that fork off have journals of their own."""

    def __init__(self, folder: str, process: str, territory: Territory) -> None:
        """Prepare the journal of the process with the id *process* in *folder*; nothing is written yet."""
        self.folder = folder
        self._path = os.path.join(folder, process)
        self._territory = territory
        self._is_open = False

    def begin(self, arguments: Sequence[str] = ()) -> None:
        """Create the file, with a header that tells which process writes; *arguments* are the program's.

        Raises:
            OSError: It can't be created.
        """
        descriptor = _open(self._path, _APPEND | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            if _geteuid() == 0:
                # Root may become somebody else later on. Nobody else knows the name.
                _fchmod(descriptor, 0o666)
            _write(descriptor, line(HEADER, str(os.getpid()), str(os.getppid()), *arguments))
        finally:
            _close(descriptor)
        self._is_open = True

    def observation(self, context: str) -> Observation:
        """Return an observation that writes down what is put into it."""
        return Observation(
            codes=_Codes(self, context),
            kept=_Kept(self, context),
            modules=_WrittenSet(self, "modules", context),
            imports=_WrittenSet(self, "imports", context),
            distributions=_WrittenSet(self, "distributions", context),
            graphs=_WrittenSet(self, "graphs", context),
            processes=_WrittenSet(self, "processes", context),
            doubts=_WrittenSet(self, "doubts", context),
            files=_WrittenDict(self, "files", context),
            presences=_WrittenDict(self, "presences", context),
            variables=_WrittenDict(self, "variables", context),
        )

    def write(self, tag: str, context: str, *values: str) -> None:
        """Add one line, with one call to the system, so that lines of several threads don't mix."""
        if not self._is_open:
            return
        text = line(tag, context, *values)
        try:
            descriptor = _open(self._path, _APPEND)
            try:
                is_whole = _write(descriptor, text) == len(text)
            finally:
                _close(descriptor)
        except OSError:
            is_whole = False
        if not is_whole:
            self.withdraw()

    def expect(self, process: str, expected: Expectation, _seen: Observation) -> None:
        """Write down that *process* starts."""
        self.write(STARTS, OUTSIDE_OF_IMPORTS, process, *expected.as_fields())

    def withdraw(self) -> None:
        """Remove the file: what it says isn't everything."""
        self._is_open = False
        try:
            _unlink(self._path)
        except OSError:
            return  # the session that would have read it is over

    def write_code(self, context: str, code: CodeType) -> None:
        """Tell that *code* starts."""
        path = self._territory.code_path(code.co_filename)
        if path is not None:
            self.write(CODE, context, path, code.co_qualname, str(code.co_flags))


class _WrittenSet(set[str]):
    """A set that writes down each new member."""

    def __init__(self, journal: Journal, tag: str, context: str) -> None:
        super().__init__()
        self._journal, self._tag, self._context = journal, tag, context

    def add(self, value: str) -> None:
        if value not in self:
            self._journal.write(self._tag, self._context, value)
            super().add(value)

    def update(self, *others: Any) -> None:
        for other in others:
            for value in other:
                self.add(value)


class _WrittenDict(dict[str, _Value]):
    """A dictionary that writes down each new key with its value."""

    def __init__(self, journal: Journal, tag: str, context: str) -> None:
        super().__init__()
        self._journal, self._tag, self._context = journal, tag, context

    def __setitem__(self, key: str, value: _Value) -> None:
        if key not in self:
            self._journal.write(self._tag, self._context, key, NOTHING if value is None else f"{SOMETHING}{value}")
            super().__setitem__(key, value)

    def setdefault(self, key: str, value: Any = None) -> Any:
        self[key] = value
        return self[key]


class _Codes(dict[int, CodeType]):
    """A dictionary of code objects by `id` that writes down each new one."""

    def __init__(self, journal: Journal, context: str) -> None:
        super().__init__()
        self._journal, self._context = journal, context

    def __setitem__(self, key: int, code: CodeType) -> None:
        if key not in self:
            self._journal.write_code(self._context, code)
            super().__setitem__(key, code)

    def update(self, *others: Any) -> None:
        for other in others:
            for key, code in other.items():
                self[key] = code


class _Kept(dict[int, Observation]):
    """Takes in what was kept, and all that it refers to: a journal tells it as if it happened now."""

    def __init__(self, journal: Journal, context: str) -> None:
        super().__init__()
        self._journal, self._context = journal, context

    def __setitem__(self, key: int, work: Observation) -> None:
        if key in self:
            return
        told = Observation()
        for one in with_kept([work]):
            told.absorb(one)
        told.kept.clear()
        self._journal.observation(self._context).absorb(told)
        super().__setitem__(key, work)

    def update(self, *others: Any) -> None:
        for other in others:
            for key, work in other.items():
                self[key] = work


def line(*fields: str) -> bytes:
    """Return one line, with its end."""
    return "\t".join(field.encode("unicode_escape").decode("ascii") for field in fields).encode("ascii") + b"\n"


def read_lines(text: bytes) -> list[list[str]]:
    """Return the fields of each line of *text*.

    Raises:
        ValueError: It is no such text.
    """
    return [[field.decode("unicode_escape") for field in one.split(b"\t")] for one in text.splitlines()]
