"""Calls of fillers that have begun and not ended, for event sources that tell start and end apart."""

from _thread import get_ident
from types import CodeType, FrameType

from wiremap.tracing.event_sink import EventSink
from wiremap.tracing.observation import Observation


class OpenCalls:
    """The open calls of each thread, innermost last. A suspended generator has ended and begins again."""

    def __init__(self, sink: EventSink) -> None:
        self._sink = sink
        self._open: dict[int, list[tuple[int, Observation | None]]] = {}

    def begin(self, code: CodeType, arguments: tuple[object, ...], caller: FrameType | None) -> None:
        """Note that a call begins in this thread."""
        token = self._sink.on_filler_enter(code, arguments, caller)
        self._open.setdefault(get_ident(), []).append((id(code), token))

    def end(self, code: CodeType) -> None:
        """Note that the innermost open call of *code* in this thread ends, and with it those that it made."""
        calls = self._open.get(get_ident(), [])
        if not any(key == id(code) for key, _ in calls):
            return  # it began before anybody watched
        while calls:
            key, token = calls.pop()
            if token is not None:
                self._sink.on_filler_leave(token)
            if key == id(code):
                return
