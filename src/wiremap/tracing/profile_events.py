"""Start of functions by `sys.setprofile`: what Python 3.11 offers without compiled code.

It sees generators resume and every thread that `threading` starts. It is shared with profilers: when another
one displaces it, `is_intact` says so and the recorder stops trusting what it saw.
"""

import sys
from collections.abc import Callable
from types import FrameType

from wiremap.tracing.event_sink import EventSink, Interest, arguments_of
from wiremap.tracing.open_calls import OpenCalls


class ProfileEvents:
    """Feeds an `EventSink` from the interpreter's profile hook."""

    def __init__(self, sink: EventSink) -> None:
        self._sink = sink
        # One object, so that identity tells whether the hook is still ours.
        self._hook = self._make_hook()

    def start(self) -> None:
        """Begin; threads that run already keep running unseen until their next start."""
        _set_for_threads(self._hook)
        sys.setprofile(self._hook)

    def stop(self) -> None:
        """End, and leave the hook of another profiler alone."""
        if self.is_intact():
            sys.setprofile(None)
        _set_for_threads(None)

    def is_intact(self) -> bool:
        """Tell whether nobody displaced the hook in this thread."""
        return sys.getprofile() is self._hook

    def repair(self) -> None:
        """Take the hook back."""
        _set_for_threads(self._hook)
        sys.setprofile(self._hook)

    def rearm(self) -> None:
        """Do nothing: this hook is never disarmed."""

    def _make_hook(self) -> Callable[[FrameType, str, object], None]:
        sink, calls = self._sink, OpenCalls(self._sink)
        ignored, watched = sink.ignored, sink.watched
        around: set[int] = set()

        def hook(frame: FrameType, event: str, _arg: object) -> None:
            if event == "call":
                key = id(frame.f_code)
                if key in ignored:
                    return
                if key in around or (key not in sink.codes and sink.classify(frame.f_code) is Interest.FILLER):
                    around.add(key)
                    calls.begin(frame.f_code, arguments_of(frame), frame.f_back)
                elif key in watched:
                    sink.on_watched(frame.f_code, arguments_of(frame), frame.f_back)
                elif key not in sink.codes:
                    sink.on_start(frame.f_code, frame.f_back)
            elif event == "return" and around and id(frame.f_code) in around:
                calls.end(frame.f_code)

        return hook


def _set_for_threads(hook: Callable[[FrameType, str, object], None] | None) -> None:
    import threading  # noqa: PLC0415 - where this way isn't taken, a child process needs not have it

    threading.setprofile(hook)
