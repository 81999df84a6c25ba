"""Start of functions by `sys.monitoring` (Python 3.12 and newer).

A first tool discovers code objects and switches each one off after its first start. A second one watches the
project's code objects only, and disarms one that starts often within a context until the context changes. So
hot loops run at full speed. Where the compiled module `_monitoring` is there, it hears of starts, and Python code only
of those that it can't note by itself. `restart_events` is never called: it would make the interpreter instrument every
code object of the process anew.
"""

import gc
import sys
from types import CodeType, FrameType, ModuleType

from wiremap.tracing.event_sink import EventSink, Interest, arguments_of
from wiremap.tracing.open_calls import OpenCalls

assert sys.version_info >= (3, 12), "sys.monitoring came with Python 3.12"  # noqa: S101 - tells type checkers too

try:
    from wiremap.tracing import _monitoring as _compiled
except ImportError:  # built without a compiler
    _COMPILED: ModuleType | None = None
else:
    _COMPILED = _compiled

_HOT = 32
_TOOL_NAMES = ("wiremap discovery", "wiremap")
# Ids that debuggers, coverage and profilers conventionally take come last.
_TOOL_IDS = (4, 3, 2, 5, 1)


class MonitoringEvents:
    """Feeds an `EventSink` from the interpreter's monitoring events."""

    def __init__(self, sink: EventSink, compiled: ModuleType | None = _COMPILED) -> None:
        """Prepare to feed *sink*; *compiled* is the module that hears of starts, if there is one."""
        self._sink = sink
        self._compiled = compiled
        self._discovery, self._watch = _free_tools()
        self._starts: dict[int, int] = {}
        self._disarmed: list[CodeType] = []
        events = sys.monitoring.events
        self._events = events.PY_START | events.PY_RESUME
        self._around_events = self._events | events.PY_RETURN | events.PY_YIELD
        # These can't be watched for single code objects: a generator resumed by an exception, and a call left by one.
        self._exceptional_events = events.PY_THROW | events.PY_UNWIND
        self._calls = OpenCalls(sink)
        self._around: set[int] = set()
        self._generation = 0

    def start(self) -> None:
        """Begin in all threads at once."""
        monitoring = sys.monitoring
        for tool, name in zip((self._discovery, self._watch), _TOOL_NAMES, strict=True):
            monitoring.use_tool_id(tool, name)
        if self._compiled is not None:
            self._start_compiled(self._compiled)
        hears = self._note if self._compiled is None else self._compiled.on_start
        hears_end = self._note_end if self._compiled is None else self._compiled.on_end
        for event in (monitoring.events.PY_START, monitoring.events.PY_RESUME):
            monitoring.register_callback(self._discovery, event, self._discover)
            monitoring.register_callback(self._watch, event, hears)
        for event in (monitoring.events.PY_RETURN, monitoring.events.PY_YIELD, monitoring.events.PY_UNWIND):
            monitoring.register_callback(self._watch, event, hears_end)
        monitoring.register_callback(self._watch, monitoring.events.PY_THROW, self._note_throw)
        monitoring.set_events(self._discovery, self._events)
        monitoring.set_events(self._watch, self._exceptional_events)

    def stop(self) -> None:
        """End, and give the tool ids back."""
        if self._has_tools():
            sys.monitoring.set_events(self._discovery, 0)
            for tool in (self._discovery, self._watch):
                # Before Python 3.14, code objects stay armed when their tool goes, and would go on to call back.
                sys.monitoring.register_callback(tool, sys.monitoring.events.PY_START, None)
                sys.monitoring.register_callback(tool, sys.monitoring.events.PY_RESUME, None)
                sys.monitoring.free_tool_id(tool)
        if self._compiled is not None and self._has_compiled():
            self._compiled.stop()

    def _start_compiled(self, compiled: ModuleType) -> None:
        """Begin in the compiled module, which serves one recorder at a time."""
        arm = sys.monitoring.set_local_events
        self._generation = compiled.start(
            self._note,
            self._note_end,
            self._sink.on_call,
            arm,
            self._watch,
            self._events,
            _HOT,
            self._sink.filler_calls,
            self._calls.by_thread,
        )
        compiled.next_epoch(self._sink.plain_codes)

    def is_intact(self) -> bool:
        """Tell whether the tools are still ours, and the compiled module."""
        return self._has_tools() and self._has_compiled()

    def _has_tools(self) -> bool:
        names = (sys.monitoring.get_tool(self._discovery), sys.monitoring.get_tool(self._watch))
        return names == _TOOL_NAMES and sys.monitoring.get_events(self._discovery) == self._events

    def _has_compiled(self) -> bool:
        return self._compiled is None or self._compiled.generation() == self._generation

    def repair(self) -> None:
        """Take the events back where the tools are still ours."""
        if sys.monitoring.get_tool(self._discovery) == _TOOL_NAMES[0]:
            sys.monitoring.set_events(self._discovery, self._events)
            sys.monitoring.set_events(self._watch, self._exceptional_events)
        if self._compiled is not None and not self._has_compiled():
            self._start_compiled(self._compiled)

    def rearm(self) -> None:
        """Watch again what was disarmed: the context has changed."""
        for code in self._disarmed:
            sys.monitoring.set_local_events(self._watch, code, self._events)
        self._disarmed.clear()
        self._starts.clear()
        if self._compiled is not None and self._has_compiled():
            self._compiled.next_epoch(self._sink.plain_codes)

    def _discover(self, code: CodeType, _offset: int) -> object:
        # Source may be parsed here. What the collector finalizes runs code of the project, and would do so unseen.
        was_collecting = gc.isenabled()
        gc.disable()
        try:
            self._arm(code)
        finally:
            if was_collecting:
                gc.enable()
        return sys.monitoring.DISABLE

    def _arm(self, code: CodeType) -> None:
        interest = self._sink.classify(code)
        if interest is not Interest.NONE:
            is_filler = interest is Interest.FILLER
            if is_filler:
                self._around.add(id(code))
            if self._compiled is not None and self._has_compiled() and interest is not Interest.WATCHED:
                self._compiled.know(code, self._sink.keepers(code) if is_filler else None)
            sys.monitoring.set_local_events(self._watch, code, self._around_events if is_filler else self._events)
            self._tell(code, sys._getframe(2))  # noqa: SLF001 - the frame that starts

    def _note(self, code: CodeType, _offset: int) -> object:
        key = id(code)
        if key in self._around or key in self._sink.watched:
            return self._tell(code, sys._getframe(1))  # noqa: SLF001 - the frame that starts
        if key not in self._sink.codes:
            self._sink.on_start(code, sys._getframe(1).f_back)  # noqa: SLF001 - as above
            return None
        starts = self._starts[key] = self._starts.get(key, 0) + 1
        if starts > _HOT:
            self._disarmed.append(code)
            sys.monitoring.set_local_events(self._watch, code, 0)
        return None

    def _note_throw(self, code: CodeType, _offset: int, _error: BaseException) -> None:
        if self._sink.classify(code) is not Interest.NONE:
            self._tell(code, sys._getframe(1))  # noqa: SLF001 - the frame that is resumed

    def _note_end(self, code: CodeType, _offset: int, _value: object) -> object:
        return self._calls.end(code) if id(code) in self._around else None

    def _tell(self, code: CodeType, frame: FrameType) -> object:
        """Tell that *code* starts; return True if it is a filler of which such calls need not be told again."""
        if id(code) in self._around:
            if self._compiled is not None:
                self._compiled.begin_call(code)
            return self._calls.begin(code, arguments_of(frame), frame.f_back)
        if self._sink.classify(code) is Interest.WATCHED:
            self._sink.on_watched(code, arguments_of(frame), frame.f_back)
        elif id(code) not in self._sink.codes:
            self._sink.on_start(code, frame.f_back)
        return None


def _free_tools() -> tuple[int, int]:
    free = [tool for tool in _TOOL_IDS if sys.monitoring.get_tool(tool) is None]
    if len(free) < len(_TOOL_NAMES):
        raise NoFreeToolError
    return free[0], free[1]


class NoFreeToolError(Exception):
    """Debuggers and profilers hold all ids of `sys.monitoring`."""
