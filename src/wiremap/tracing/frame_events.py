"""Start of functions by the frame evaluation hook (PEP 523): the fast way on Python 3.11.

It needs the compiled module `_frames`. It sees every thread and every resumption, and lives together with
others that hook in after it and pass frames on, such as `torch.compile`.
"""

import sys
from types import CodeType

from wiremap.source.keepers import Keepers
from wiremap.tracing import _frames
from wiremap.tracing.event_sink import EventSink, Interest
from wiremap.tracing.observation import Observation

_NEVER_AGAIN, _NOT_IN_THIS_EPOCH, _EACH_TIME = range(3)


class FrameEvents:
    """Feeds an `EventSink` from the frame evaluation hook."""

    def __init__(self, sink: EventSink) -> None:
        self._sink = sink
        self._missed = _frames.missed()

    def start(self) -> None:
        """Begin in all threads at once."""
        sink = self._sink
        _frames.start(self._note, self._enter, sink.on_filler_leave, sink.on_call, sink.filler_calls)
        self.rearm()

    def stop(self) -> None:
        """End; the hook of somebody else is left alone."""
        _frames.stop()

    def is_intact(self) -> bool:
        """Tell whether nothing started unseen since the last time, and a function that starts now is seen."""
        before, missed = _frames.seen(), _frames.missed()
        _probe()
        nothing_missed = missed == self._missed
        self._missed = missed
        return nothing_missed and _frames.seen() > before

    def repair(self) -> None:
        """Hook in again."""
        self.start()

    def rearm(self) -> None:
        """Make every function of the project tell its next start."""
        _frames.next_epoch(self._sink.plain_codes)

    def _note(self, code: CodeType, arguments: tuple[object, ...]) -> int | Keepers:
        interest = self._sink.classify(code)
        if interest is Interest.NONE:
            return _NEVER_AGAIN
        if interest is Interest.WATCHED:
            self._sink.on_watched(code, arguments, sys._getframe().f_back)  # noqa: SLF001 - as below
            return _EACH_TIME
        if interest is Interest.FILLER:
            return self._sink.keepers(code)
        missed = _frames.missed()
        if missed != self._missed:
            self._missed = missed
            self._sink.on_missed()
        if id(code) not in self._sink.codes:
            # The new frame is not yet on the stack: below this one stands its caller.
            self._sink.on_start(code, sys._getframe().f_back)  # noqa: SLF001 - the public way to a frame
        return _NOT_IN_THIS_EPOCH

    def _enter(self, code: CodeType, arguments: tuple[object, ...]) -> Observation | None:
        caller = None if id(code) in self._sink.codes else sys._getframe().f_back  # noqa: SLF001 - as above
        return self._sink.on_filler_enter(code, arguments, caller)


def _probe() -> None:
    """Start, so that the hook sees it."""
