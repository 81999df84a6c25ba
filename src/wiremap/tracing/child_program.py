"""How a Python program that a recorded process started records itself: what `wiremap_process.pth` calls.

It begins before the program's own code, and imports no more than it must: what it has imported is there for the
program. The start file does not call it where the interpreter tells each import.
"""

import atexit
import contextlib
import os
import sys
from types import CodeType, FrameType
from typing import Any

from wiremap.tracing.askers import is_start_of_interpreter
from wiremap.tracing.event_sink import Interest
from wiremap.tracing.journal import Journal
from wiremap.tracing.observation import Observation
from wiremap.tracing.recorder import DISPLACED, Recorder
from wiremap.tracing.session_file import read_session

_MODULE = "<module>"
# Where graphs are told to observers: to subscribe there, this process would have to import the whole registry.
_OBSERVERS = os.path.join("wiremap", "registry", "observers.py")


def begin(handed: str) -> None:
    """Record this process, for who handed it an id and a folder; where that can't be, do nothing.

    Who expects a report and gets none doubts: so no fault is worth a word to the program.
    """
    process, _, folder = handed.partition(":")
    with contextlib.suppress(Exception):
        _begin(process, folder)


def _begin(process: str, folder: str) -> None:
    session = read_session(folder)
    journal = Journal(folder, process, session.territory)
    recorder = ProgramRecorder(session)
    journal.begin(sys.orig_argv)
    try:
        recorder.write_to(journal)
        recorder.note_loaded_modules()
        recorder.start()
    except Exception:
        journal.withdraw()
        raise
    atexit.register(recorder.end)


class ProgramRecorder(Recorder):
    """Records a whole program. It sees imports by the module code that runs, and wraps no loader.

    A wrapper would show in the traceback of an import that fails, and the program may print that.
    """

    wraps_loaders = False

    def note_loaded_modules(self) -> None:
        """Note which modules were imported before: of those nothing was seen."""
        self.current.imports.update(self.foreign.loaded_before)
        for module in list(sys.modules.values()):
            filename = getattr(module, "__file__", None)
            path = self.territory.code_path(filename) if isinstance(filename, str) else None
            if path is not None:
                self.current.modules.add(path)

    def end(self) -> None:
        """Stop, when the program has ended by itself."""
        if not self._events.is_intact():
            self.current.doubts.add(DISPLACED)
        self.stop()

    def on_source_opened(self, path: str) -> None:
        """Note that a source file is about to be compiled: if it can't be, none of its code runs."""
        if path.endswith(".py"):
            project_path = self.territory.code_path(path)
            if project_path is not None:
                self.current.modules.add(project_path)

    def on_watched(self, code: CodeType, arguments: tuple[object, ...], caller: FrameType | None) -> None:
        """Note what the start of a watched call tells, unless the interpreter makes it for itself."""
        if not is_start_of_interpreter(caller):
            super().on_watched(code, arguments, caller)

    def classify(self, code: CodeType) -> Interest:
        """Tell why *code* matters: the code of a module is surrounded, as its import is a context of its own."""
        if code.co_name == "notify" and code.co_filename.endswith(_OBSERVERS):
            self.watched[id(code)] = (code, self._note_graph)
        interest = super().classify(code)
        return Interest.FILLER if interest is Interest.PROJECT and code.co_name == _MODULE else interest

    def _note_graph(self, arguments: tuple[Any, ...], _caller: FrameType | None, _seen: Observation) -> None:
        (graph,) = arguments
        self.on_graph(graph.digest, graph.to_json())

    def on_filler_enter(
        self, code: CodeType, arguments: tuple[object, ...], caller: FrameType | None
    ) -> Observation | None:
        """Begin the import of a module; other functions fill nothing that a later context would find."""
        path = self._project_path(code)
        if code.co_name != _MODULE or path is None:
            return super().on_filler_enter(code, arguments, caller)
        seen = self._import_of(path)
        if _is_main(caller):
            self.on_start(code, caller)  # what a script does is what the process does
            return None
        self.current.modules.add(path)
        self._enter(seen)
        self.on_start(code, caller)
        return seen

    def on_filler_leave(self, token: Observation) -> None:
        """End the import of a module."""
        if any(token is one for one in self._stack):
            self._leave(token)


def _is_main(caller: FrameType | None) -> bool:
    return caller is None or caller.f_code.co_filename in ("<frozen runpy>", "runpy.py")
