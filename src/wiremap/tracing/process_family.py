"""The child processes of a recording session: noted when they start, read when all is over.

A test rests on every process that it started or that lived while it ran, on what those started in turn, and on what
was done before they began by whoever started them. A process that was to report and did not is a doubt.
"""

import os
import shutil
import tempfile
from collections.abc import Container, Iterable, Iterator
from contextlib import suppress
from typing import NamedTuple

from wiremap.tracing.child_processes import child_pids, is_alive
from wiremap.tracing.expectation import Expectation, from_fields
from wiremap.tracing.foreign_use import ForeignUse
from wiremap.tracing.journal import HEADER, STARTS, read_lines
from wiremap.tracing.observation import Observation, with_kept
from wiremap.tracing.process_records import ProcessRecord, read_record
from wiremap.tracing.session_file import Session, write_session
from wiremap.tracing.start_notes import CHILD_PROCESS


class _Known(NamedTuple):
    """What the session knows of a process that was started.

    Attributes:
        expected: What it must report.
        before: The observation that it was started in, or the id of the process that started it.
    """

    expected: Expectation
    before: Observation | str


class ProcessFamily:
    """All processes below the one that records. It makes a folder for their journals when the first one starts."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._place = tempfile.gettempdir()  # asked for now: a test may set another
        self._folder: str | None = None
        self._known: dict[str, _Known] = {}
        self._living: dict[str, _Tail] = {}
        # Who may have met which process: a process shows only in the end.
        self._met: list[tuple[Observation, str]] = []
        self._strangers: list[tuple[Observation, int]] = []
        self._records: dict[str, ProcessRecord | None] = {}
        self._work: dict[str, Observation] = {}

    @property
    def folder(self) -> str:
        """The private folder for journals.

        Raises:
            OSError: It can't be made.
        """
        if self._folder is None:
            folder = tempfile.mkdtemp(prefix="wiremap-", dir=self._place)
            if os.geteuid() == 0:
                os.chmod(folder, 0o711)  # noqa: S103 - root's children may become somebody else; names are secret
            write_session(folder, self._session)
            self._folder = folder
        return self._folder

    def expect(self, process: str, expected: Expectation, seen: Observation) -> None:
        """Note that *process* starts in the context of *seen*."""
        self._add(process, expected, seen)

    def begin_context(self, seen: Observation) -> None:
        """Note which processes live when the context of *seen* begins."""
        if self._living:
            self._refresh()
            self._met.extend((seen, process) for process in self._living)
        reported = {tail.pid for tail in self._living.values()}
        # Others may be on their way to report: that will show in the end.
        self._strangers.extend((seen, pid) for pid in child_pids() - reported)

    def end_context(self, seen: Observation) -> None:
        """Note which processes lived during the context of *seen*."""
        if self._living:
            self._met.extend((seen, process) for process in self._refresh())

    def settle(
        self, observations: Iterable[Observation], imports: dict[str, Observation], unwatched: Container[str]
    ) -> None:
        """Add to *observations* what their processes did, and to *imports* what those imported.

        Args:
            observations: What was seen in contexts of the session.
            imports: What was seen while each project file was imported, by path.
            unwatched: Project files that the session imported before anybody watched: what a process saw of their
                import is not taken for what happened here.
        """
        if not self._known and not self._strangers:
            return
        self._work.clear()  # processes may have gone on since this was asked for in the middle of the session
        self._read_all()
        pids = {record.pid for record in self._records.values() if record is not None}
        for seen, pid in self._strangers:
            if pid not in pids:
                seen.doubts.add(CHILD_PROCESS)
        for seen, process in self._met:
            record = self._records.get(process)
            if record is not None and not record.is_infrastructure:
                seen.processes.add(process)
        for record in self._reported():
            for path, imported in record.imports.items():
                if path not in unwatched:
                    imports.setdefault(path, Observation()).absorb(imported)
        self._add_all_work([*observations, *imports.values()])

    def graphs(self) -> dict[str, str]:
        """Return the JSON of each graph that a process compiled, by digest."""
        return {digest: text for record in self._reported() for digest, text in record.graphs.items()}

    def foreign(self) -> ForeignUse:
        """Return what foreign code was seen to import and to look up in any process."""
        use = ForeignUse()
        for record in self._reported():
            use.absorb(record.foreign)
        return use

    def modules(self) -> frozenset[str]:
        """Return the project files that any process imported."""
        return frozenset(path for record in self._reported() for path in record.imports)

    def close(self) -> None:
        """Remove the journals. A process that lives on finds nothing to write to, and stops."""
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None

    # What lives.

    def _refresh(self) -> list[str]:
        """Forget the dead, and come to know what the living started; return all that lived since the last time."""
        lived = list(self._living)
        for process in lived:  # grows meanwhile
            tail = self._living[process]
            starts = tail.read()
            if tail.pid is not None and not is_alive(tail.pid):
                starts |= tail.read()  # its last words
                del self._living[process]
            for started, expected in starts.items():
                self._add(started, expected, process)
                lived.append(started)
        return lived

    def _add(self, process: str, expected: Expectation, before: Observation | str) -> None:
        self._known[process] = _Known(expected, before)
        self._living[process] = _Tail(self._path(process))

    def _path(self, process: str) -> str:
        return os.path.join(self.folder, process)

    # What was done.

    def _read_all(self) -> None:
        pending = list(self._known)
        while pending:
            process = pending.pop()
            record = self._records[process] = self._read(process)
            for started, expected in record.starts.items() if record else ():
                self._known[started] = _Known(expected, process)
                if started not in self._records:
                    pending.append(started)

    def _read(self, process: str) -> ProcessRecord | None:
        try:
            with open(self._path(process), "rb") as file:
                return read_record(file.read())
        except OSError:
            return None

    def _reported(self) -> Iterator[ProcessRecord]:
        return (record for record in self._records.values() if record is not None)

    def _add_all_work(self, observations: list[Observation]) -> None:
        settled: set[int] = set()
        pending = with_kept(observations)
        while pending:
            seen = pending.pop()
            if id(seen) in settled:
                continue
            settled.add(id(seen))
            for process in tuple(seen.processes):
                seen.absorb(self._work_of(process))
                self._add_what_was_before(process, seen)
            pending.extend(seen.kept.values())

    def _work_of(self, process: str) -> Observation:
        """Return what *process* did, and what those did that it started."""
        if process in self._work:
            return self._work[process]
        work = self._work[process] = Observation()
        record, known = self._records.get(process), self._known.get(process)
        if record is None or known is None or not record.fulfils(known.expected):
            work.doubts.add(CHILD_PROCESS)
        if record is not None:
            work.absorb(record.work)
            if not record.is_infrastructure:
                for other in {*record.starts, *record.work.processes}:
                    work.absorb(self._work_of(other))
        return work

    def _add_what_was_before(self, process: str, seen: Observation) -> None:
        """Add to *seen* what was done before *process* began, by those who started it."""
        before = self._known[process].before if process in self._known else seen
        while isinstance(before, str):
            record = self._records[before]
            if record is not None:
                seen.absorb(record.work)
                if record.is_infrastructure:
                    return  # who asked first for it does not matter
            before = self._known[before].before
        if before is not seen:
            seen.kept[id(before)] = before


class _Tail:
    """The end of a journal that is being written."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._place = 0
        self._rest = b""
        self.pid: int | None = None

    def read(self) -> dict[str, Expectation]:
        """Return the processes that started since the last time."""
        starts: dict[str, Expectation] = {}
        # A journal that is missing, or damaged, is a doubt in the end.
        with suppress(OSError, ValueError), open(self._path, "rb") as file:
            file.seek(self._place)
            text = file.read()
            self._place += len(text)
            whole, _, self._rest = (self._rest + text).rpartition(b"\n")
            for tag, *fields in read_lines(whole):
                if tag == HEADER:
                    self.pid = int(fields[0])
                elif tag == STARTS:
                    starts[fields[1]] = from_fields(fields[2:])
        return starts
