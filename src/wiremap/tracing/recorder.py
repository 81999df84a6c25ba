"""The recorder: attributes what happens in the process to the context that is innermost when it happens."""

import contextlib
import os
import sys
from _thread import RLock, get_ident
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import CodeType, FrameType

from wiremap.source.keepers import Keepers
from wiremap.tracing import audit
from wiremap.tracing.askers import is_own_import
from wiremap.tracing.event_sink import EventSource, FillerCalls, Interest
from wiremap.tracing.file_stat import FileStat, file_stat
from wiremap.tracing.foreign_use import ForeignUse, loaded_names
from wiremap.tracing.guard import NOT_FOLLOWED, is_own_fault
from wiremap.tracing.import_events import ImportEvents
from wiremap.tracing.journal import GRAPH, IMPORTED, OUTSIDE_OF_IMPORTS, Journal
from wiremap.tracing.kept_work import FillerCall, KeptWork
from wiremap.tracing.observation import Observation
from wiremap.tracing.process_starts import ProcessStarts
from wiremap.tracing.profile_events import ProfileEvents
from wiremap.tracing.session_file import Session
from wiremap.tracing.start_notes import CHILD_PROCESS, Family, Register, StartNotes
from wiremap.tracing.territory import OWN_FOLDER
from wiremap.tracing.watched_calls import WatchedCalls, Watcher

# Generated code (dataclasses, templates) has no file; so many of these objects are kept for a quick answer.
_MAX_KEPT_GENERATED = 20_000

# Callers only serve to explain: a few of each function are enough. Whoever calls what has its few already is noted for
# a few calls of its own: the way from each test to what many call begins with one.
_MAX_CALLERS = 16
_MAX_CALLS_BESIDES = 16
_MAX_FOREIGN_FRAMES = 25

KeepersOf = Callable[[str, str], Keepers]
"""Takes path and `co_qualname` of a function."""

DISPLACED = "another tool took the interpreter's trace hook, and what ran meanwhile was not seen"
OUTLIVED = "what began in it went on in another thread when the context around it had ended"


class Recorder:
    """Records observations of everything that runs between `start` and `stop`.

    One recorder is active in a process at a time. Contexts nest: what happens inside an import or a wider
    fixture belongs to that, and the context around it only notes that it began there. Threads share the
    context, so what a server thread does is attributed to the test that is running.
    """

    wraps_loaders = True

    def __init__(
        self,
        session: Session,
        keepers_of: KeepersOf = lambda _path, _qualname: (),
        watched: Mapping[int, tuple[CodeType, Watcher]] | None = None,
        family: Family | None = None,
    ) -> None:
        """Prepare to record a session; nothing is observed yet.

        Args:
            session: The project, and the environment that reads are compared with.
            keepers_of: Returns who keeps what a function fills.
            watched: Foreign code objects to watch besides those of the standard library, each with what to note.
            family: The child processes; without one, none is followed.
        """
        self.territory, variables = session
        self._family = family
        self._journal: Journal | None = None
        self.session = Observation()
        self.foreign = ForeignUse(loaded_before=loaded_names(sys.modules))
        self.imports: dict[str, Observation] = {}
        self.import_stats: dict[str, FileStat | None] = {}
        self.callers: dict[tuple[int, int], tuple[CodeType, CodeType]] = {}
        self.kept_work = KeptWork()
        self.ignored: set[int] = set()
        self._ignored_codes: list[CodeType] = []
        self._watched_calls = WatchedCalls(variables, self.territory, self.foreign)
        self.watched = self._watched_calls.by_id
        self.watched.update(watched or {})
        self._keepers_of = keepers_of
        # Calls of fillers begin and end in any thread. A finalizer may call one while the lock is held.
        self._lock = RLock()
        self._project_codes: dict[int, tuple[CodeType, Keepers]] = {}
        self._num_callers: Counter[int] = Counter()
        self._num_calls_besides: Counter[int] = Counter()
        self._open_fillers: dict[Observation, FillerCall] = {}
        self._stack: list[Observation] = [self.session]
        self._events: EventSource = _event_source(self)
        self._import_events = ImportEvents(self)
        self._starts = ProcessStarts(StartNotes(self))
        self._own_files = _own_loaded_files()
        self.is_recording = False
        """Whether it observes now."""

    @property
    def current(self) -> Observation:
        """The observation that events now belong to."""
        return self._stack[-1]

    @property
    def plain_codes(self) -> dict[int, CodeType] | None:
        """`codes`, while there is nothing more to do about a start than to put it there; else None."""
        codes = self._stack[-1].codes
        return codes if type(codes) is dict else None

    @property
    def codes(self) -> dict[int, CodeType]:
        """Code objects already noted in the current context, by id."""
        return self._stack[-1].codes

    @property
    def filler_calls(self) -> FillerCalls:
        """Calls of fillers, for sources that begin and end those themselves that repeat others."""
        kept = self.kept_work
        return FillerCalls(self._lock, self._stack, self._open_fillers, kept.ended, kept.idle, kept.most_idle)

    @property
    def register(self) -> Register | None:
        """Where it is written down which processes were started."""
        return self._journal or self._family

    def start(self) -> None:
        """Begin to observe."""
        around = audit.active()
        if around is not None:
            around.give_way()
        audit.activate(self)
        if self.wraps_loaders:
            self._import_events.start()
        self._starts.start()
        self._events.start()
        self.is_recording = True

    def stop(self) -> None:
        """Stop observing; what was recorded stays. Stopping twice is harmless."""
        if not self.is_recording:
            return
        self.is_recording = False
        self._events.stop()
        self._starts.stop()
        self._import_events.stop()
        audit.activate(None)

    @contextmanager
    def context(self, seen: Observation) -> Iterator[Observation]:
        """Attribute what happens within to *seen*, which may have been used before: it then grows."""
        if self._journal is not None:
            yield seen  # a journal tells all that happens in one
            return
        self.kept_work.add_unseen(self._stack)
        self.kept_work.begin_context()
        self._enter(seen)
        self._note_running_threads(seen)
        if self._family is not None:
            with audit.unobserved():
                self._family.begin_context(seen)
        try:
            yield seen
        finally:
            if not self._events.is_intact():
                seen.doubts.add(DISPLACED)
                self._events.repair()
            if self._family is not None and self._journal is None:
                with audit.unobserved():
                    self._family.end_context(seen)
            self.kept_work.add_unseen(self._stack)
            self.kept_work.begin_context()  # before the source of events is rearmed
            self._leave(seen)

    @contextmanager
    def unobserved(self) -> Iterator[None]:
        """Leave out what happens within: the observer's own work is no dependency of a test."""
        nobodys = Observation()
        self._enter(nobodys)
        try:
            with audit.unobserved():
                yield
        finally:
            self._leave(nobodys)

    @contextmanager
    def importing_file(self, real: str) -> Iterator[None]:
        """Attribute what happens within to the import of the file *real* (absolute)."""
        path = self.territory.code_path(real)
        if path is None:
            yield
            return
        self.current.modules.add(path)
        if not is_own_import(sys._getframe(2), self.territory):  # noqa: SLF001 -- documented; the frame below the context manager
            self.foreign.files.add(path)
        self.import_stats.setdefault(path, file_stat(real))
        seen = self._import_of(path)
        self._enter(seen)
        try:
            yield
        finally:
            self._leave(seen)

    def classify(self, code: CodeType) -> Interest:
        """Tell whether *code* is the project's and may fill something, the project's, a watched call, or neither."""
        if self._watched_calls.holds(code):
            return Interest.WATCHED
        known = self._project_codes.get(id(code))
        if known is None:
            path = self._project_path(code)
            if path is None:
                return Interest.NONE
            # With the object itself, so that no other code gets its id.
            known = self._project_codes[id(code)] = (code, self._find_keepers(code, path))
        return Interest.FILLER if known[1] else Interest.PROJECT

    def keepers(self, code: CodeType) -> Keepers:
        """Return who keeps what *code*, a function of the project, fills."""
        return self._project_codes[id(code)][1]

    def on_start(self, code: CodeType, caller: FrameType | None) -> None:
        """Note that *code* starts or resumes, for the first time in the current context."""
        if id(code) not in self._project_codes and self.classify(code) is Interest.NONE:
            self._ignore(code)
            return
        self.codes[id(code)] = code
        self._note_caller(code, caller)

    def on_call(self, caller: CodeType, code: CodeType) -> None:
        """Remember that *caller* is the nearest project function below a call of *code*, for explanations."""
        if (id(caller), id(code)) not in self.callers:
            self.callers[id(caller), id(code)] = (caller, code)
            if self._has_few_callers(code):
                self._num_callers[id(code)] += 1
            else:
                self._num_calls_besides[id(caller)] += 1

    def on_filler_enter(
        self, code: CodeType, arguments: tuple[object, ...], caller: FrameType | None
    ) -> Observation | None:
        """Begin to keep apart what happens in a call of *code*; None when that is not worth it any more."""
        number = id(code)
        if number not in self.codes:
            self.on_start(code, caller)
        kept_work = self.kept_work
        with self._lock:  # two threads must not begin to keep the same
            works = kept_work.of(code, self._project_codes[number][1], arguments)
            for kept in works:
                if kept_work.is_from_before(kept):
                    self.current.kept[id(kept.work)] = kept.work
            if self._journal is not None:
                return None
            if not kept_work.is_watched(works[0]):
                for kept in works:
                    kept_work.pass_by(kept)
                return None
            call = kept_work.begin_call(works, self._stack[-1])
            self._open_fillers[call.seen] = call
            self._stack.append(call.seen)
            self._events.rearm()
        return call.seen

    def on_filler_leave(self, token: Observation) -> None:
        """End what `on_filler_enter` began: what happened belongs to the context around it, and is kept."""
        with self._lock:
            if token not in self._open_fillers:
                return  # the context around it ended first: another thread was in the middle of the call
            if self._stack[-1] is token:
                self._stack.pop()
                around = self._stack[-1]
            else:
                place = self._stack.index(token)
                # What this call did since is noted with that of calls which began later, in other threads.
                for later in self._stack[place + 1 :]:
                    token.absorb(later)
                del self._stack[place]
                around = self._stack[place - 1]
            self.kept_work.end_call(self._open_fillers.pop(token), around)
            self._events.rearm()

    def on_missed(self) -> None:
        """Note that something started unseen."""
        self.current.doubts.add(DISPLACED)

    def on_start_event(self, event: str) -> None:
        """Note the audit event of a process that starts."""
        self._starts.note_event(event)

    def on_source_opened(self, path: str) -> None:
        """Do nothing: its import is seen."""

    def on_graph(self, digest: str, text: str) -> None:
        """Note that a graph was compiled, of which *text* is the JSON."""
        self.current.graphs.add(digest)
        if self._journal is not None:
            self._journal.write(GRAPH, OUTSIDE_OF_IMPORTS, digest, text)

    def on_branch(self, path: str, unit: str, number: int, outcome: bool) -> None:  # noqa: FBT001 - an event
        """Note how the numbered `if` of a recipe came out. A child process tells that it ran, and no more."""
        if self._journal is None:
            self.current.branches.add((path, unit, number, outcome))

    def give_way(self) -> None:
        """Stop if this process records for who started it, since now it records for itself."""
        if self._journal is not None:
            self.current.doubts.add(DISPLACED)
            self.stop()

    def become_fork(self, process: str | None) -> None:
        """Go on as the process with that id, which has just forked off; None when nobody wants to know of it."""
        register = self.register
        self._journal = None
        if process is not None and register is not None:
            with contextlib.suppress(OSError):
                journal = Journal(register.folder, process, self.territory)
                journal.begin()
                self.write_to(journal)
        if self._journal is None:
            self.stop()

    def write_to(self, journal: Journal) -> None:
        """Write down from now on what happens, in one context but for imports, as a child process does."""
        self._journal = journal
        self._lock = RLock()  # another thread may hold it for ever
        self._open_fillers.clear()
        self.imports, self.import_stats = {}, {}
        self.foreign.listener = lambda kind, user, used: journal.write(kind, OUTSIDE_OF_IMPORTS, user, used)
        self.session = journal.observation(OUTSIDE_OF_IMPORTS)
        self._stack[:] = [self.session]
        self.kept_work.begin_context()
        self._events.rearm()
        if isinstance(self._events, ProfileEvents):
            # It may be displaced, and who is killed can't say so in the end.
            self.session.doubts.add(CHILD_PROCESS)

    def on_watched(self, code: CodeType, arguments: tuple[object, ...], caller: FrameType | None) -> None:
        """Note what the start of a watched call of the standard library tells."""
        try:
            self.watched[id(code)][1](arguments, caller, self.current)
        except Exception as error:
            if not is_own_fault(error):
                raise
            self.current.doubts.add(NOT_FOLLOWED)

    def _project_path(self, code: CodeType) -> str | None:
        # The observer's own functions run in every test. A test of theirs imports them: their files were
        # loaded before anybody watched, so it rests on those as a whole.
        return None if code.co_filename in self._own_files else self.territory.code_path(code.co_filename)

    def _ignore(self, code: CodeType) -> None:
        # The object must be kept: another could get its id. Generated ones may be without number.
        if code.co_filename.startswith("<") and len(self._ignored_codes) > _MAX_KEPT_GENERATED:
            return
        self._ignored_codes.append(code)
        self.ignored.add(id(code))

    def _note_caller(self, code: CodeType, caller: FrameType | None) -> None:
        """Remember which project function called *code*, seen through foreign frames between them."""
        for _ in range(_MAX_FOREIGN_FRAMES):
            if caller is None:
                return
            calling = caller.f_code
            if id(calling) in self._project_codes or self._project_path(calling) is not None:
                if self._has_few_callers(code) or self._num_calls_besides[id(calling)] < _MAX_CALLS_BESIDES:
                    self.on_call(calling, code)
                return
            caller = caller.f_back

    def _has_few_callers(self, code: CodeType) -> bool:
        return self._num_callers[id(code)] < _MAX_CALLERS

    def _enter(self, seen: Observation) -> None:
        with self._lock:
            self._stack.append(seen)
            self._events.rearm()

    def _leave(self, seen: Observation) -> None:
        with self._lock:
            if seen not in self._stack[1:]:
                # It was taken along, and what another thread did in it since was noted elsewhere.
                seen.doubts.add(OUTLIVED)
                return
            while True:
                # From the top: a context that was left out of order takes its inner ones along.
                top = self._stack.pop()
                if top is seen:
                    break
                if top in self._open_fillers:
                    self.kept_work.end_call(self._open_fillers.pop(top), self._stack[-1])
            self._events.rearm()

    def _import_of(self, path: str) -> Observation:
        if path not in self.imports:
            if self._journal is None:
                self.imports[path] = Observation()
            else:
                self._journal.write(IMPORTED, path)
                self.imports[path] = self._journal.observation(path)
        return self.imports[path]

    def _find_keepers(self, code: CodeType, path: str) -> Keepers:
        if code.co_name.startswith("<"):
            return ()  # comprehensions and lambdas are called by the function that they stand in
        if self._journal is not None:
            return ()  # what is new after a fork has filled nothing before, and the map can't be read from here
        with audit.unobserved():  # the source is read
            return self._keepers_of(path, code.co_qualname)

    def _note_running_threads(self, seen: Observation) -> None:
        """Attribute functions that other threads are in the middle of: they start no more."""
        frames = sys._current_frames()  # noqa: SLF001 - documented, for this purpose
        own = get_ident()
        for ident, top in frames.items() if len(frames) > 1 else ():
            frame: FrameType | None = top if ident != own else None
            while frame is not None:
                if self._project_path(frame.f_code) is not None:
                    seen.codes[id(frame.f_code)] = frame.f_code
                frame = frame.f_back


def _event_source(recorder: Recorder) -> EventSource:
    """Return the cheapest source of events that this interpreter offers."""
    if sys.version_info >= (3, 12):
        from wiremap.tracing.monitoring_events import MonitoringEvents, NoFreeToolError  # noqa: PLC0415 - 3.12 only

        with contextlib.suppress(NoFreeToolError):
            return MonitoringEvents(recorder)
    else:
        with contextlib.suppress(ImportError):  # built without a compiler
            from wiremap.tracing.frame_events import FrameEvents  # noqa: PLC0415 - a compiled module, 3.11 only

            return FrameEvents(recorder)
    return ProfileEvents(recorder)


def _own_loaded_files() -> frozenset[str]:
    places = (OWN_FOLDER, os.path.dirname(os.path.dirname(__file__)) + os.sep)  # the second as it is named in modules
    files = (getattr(module, "__file__", None) for module in list(sys.modules.values()))
    return frozenset(file for file in files if isinstance(file, str) and file.startswith(places))
