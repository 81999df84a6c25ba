"""Who is told of every graph that is compiled or finalized: the pytest plugin, the command line."""

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # the pytest plugin subscribes in each session, and most see no graph
    from wiremap.graph import Graph

Observer = Callable[["Graph"], None]

_lock = threading.Lock()
# Replaced as a whole, never changed: `notify` reads it without a lock, and who is told may leave meanwhile.
_observers: tuple[tuple[object, Observer], ...] = ()


def subscribe(callback: Observer) -> Callable[[], None]:
    """Tell *callback* each graph from now on, in the thread that made it; return what ends that.

    A local graph is told before the outer graph that it is nested in. Ending twice is harmless.
    """
    global _observers  # noqa: PLW0603 -- process-wide on purpose: whoever traces does not hold the orchestrators
    token = object()
    with _lock:
        _observers = (*_observers, (token, callback))

    def unsubscribe() -> None:
        global _observers  # noqa: PLW0603 -- same
        with _lock:
            _observers = tuple(entry for entry in _observers if entry[0] is not token)

    return unsubscribe


def notify(graph: "Graph") -> None:
    """Tell *graph* to every subscriber, in the order in which they came."""
    for _, callback in _observers:
        callback(graph)
