"""Who is told of every graph that is compiled or finalized, and of every recipe that is defined."""

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # the pytest plugin subscribes in each session, and most see no graph
    from wiremap.graph import Graph

Observer = Callable[["Graph"], None]
RecipeObserver = Callable[[object], None]

_lock = threading.Lock()
# Replaced as a whole, never changed: `notify` reads it without a lock, and who is told may leave meanwhile.
_observers: tuple[tuple[object, Observer], ...] = ()
_recipe_observer: RecipeObserver | None = None


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


def observe_recipes(callback: RecipeObserver) -> Callable[[], None]:
    """Tell *callback* each function that is marked as a recipe from now on, in the place of who was told before.

    Returns:
        What ends that, if nobody else is told since.
    """
    global _recipe_observer  # noqa: PLW0603 -- recipes are marked when their modules are imported, wherever that happens
    _recipe_observer = callback

    def end() -> None:
        global _recipe_observer  # noqa: PLW0603 -- same
        if _recipe_observer is callback:
            _recipe_observer = None

    return end


def notify_recipe(function: object) -> None:
    """Tell that *function* is marked as a recipe."""
    if _recipe_observer is not None:
        _recipe_observer(function)
