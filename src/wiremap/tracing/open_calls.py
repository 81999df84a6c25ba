"""Calls of fillers that have begun and not ended, for event sources that tell start and end apart."""

from _thread import get_ident
from types import CodeType, FrameType

from wiremap.tracing.event_sink import EventSink
from wiremap.tracing.observation import Observation


class OpenCalls:
    """The open calls of each thread, innermost last. A suspended generator has ended and begins again."""

    def __init__(self, sink: EventSink) -> None:
        self._sink = sink
        self.by_thread: dict[int, list[tuple[int, Observation | None]]] = {}
        """The `id` of each function, with what `on_filler_enter` gave."""

    def begin(self, code: CodeType, arguments: tuple[object, ...], caller: FrameType | None) -> bool:
        """Note that a call begins in this thread; return whether neither its end nor others like it matter.

        An end closes the innermost call that is open: where others of *code* are, all must be told.
        """
        token = self._sink.on_filler_enter(code, arguments, caller)
        is_passed_by = token is None and not self._is_open(code)
        self.by_thread.setdefault(get_ident(), []).append((id(code), token))
        return is_passed_by

    def end(self, code: CodeType) -> bool:
        """Note that the innermost open call of *code* in this thread ends, and with it those that it made.

        Returns:
            Whether no call of *code* is open now, in any thread.
        """
        calls = self.by_thread.get(get_ident(), [])
        # Otherwise, it began before anybody watched.
        if any(key == id(code) for key, _ in calls):
            key = 0
            while key != id(code):
                key, token = calls.pop()
                if token is not None:
                    self._sink.on_filler_leave(token)
        return not self._is_open(code)

    def _is_open(self, code: CodeType) -> bool:
        return any(key == id(code) for calls in list(self.by_thread.values()) for key, _ in list(calls))
