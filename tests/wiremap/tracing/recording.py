"""A recorder in the process of the tests."""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

from wiremap.tracing import audit
from wiremap.tracing.event_sink import EventSink, EventSource
from wiremap.tracing.process_family import ProcessFamily
from wiremap.tracing.profile_events import ProfileEvents
from wiremap.tracing.recorder import Recorder
from wiremap.tracing.session_file import Session
from wiremap.tracing.territory import Territory
from wiremap.tracing.variables import Variables


def _fast_sources() -> set[str]:
    """Return the names of what a recorder uses by itself, with and without a compiler, where that is not profiling."""
    if sys.version_info >= (3, 12):
        return {"monitoring", "monitoring in Python"}
    return {"frames"} if find_spec("wiremap.tracing._frames") else set()


SOURCES = sorted({"profile", *_fast_sources()})


@contextmanager
def recording(root: Path, source: str) -> Iterator[Recorder]:
    """Record *root* by the event source of that name.

    When these tests are recorded themselves, the outer recorder gets its events back afterwards; that somebody
    took its profile hook meanwhile is for it to find out.
    """
    outer, outer_hook = audit._active, threading.getprofile()
    session = Session(Territory(root), Variables())
    family = ProcessFamily(session)
    inner = Recorder(session, family=family)
    inner._events = _event_source(source, inner)
    inner.start()
    try:
        yield inner
    finally:
        inner.stop()
        family.close()
        audit.activate(outer)
        threading.setprofile(outer_hook)


def _event_source(name: str, sink: EventSink) -> EventSource:
    if sys.version_info >= (3, 12) and name.startswith("monitoring"):
        from wiremap.tracing.monitoring_events import MonitoringEvents  # noqa: PLC0415 - 3.12 only

        return MonitoringEvents(sink, None) if name == "monitoring in Python" else MonitoringEvents(sink)
    if name == "frames":
        from wiremap.tracing.frame_events import FrameEvents  # noqa: PLC0415 - a compiled module, not everywhere

        return FrameEvents(sink)
    return ProfileEvents(sink)
