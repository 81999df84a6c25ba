"""Orchestrators that were given something and compiled by nobody: what is in them no graph shows."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from wiremap.registry.construction import UnderConstruction
from wiremap.registry.location import Location

Unfinished = dict[object, Location | None]
"""By orchestrator, where it was given something first; None for one that a component may finish later."""

_watched: ContextVar[Unfinished | None] = ContextVar("wiremap_unfinished", default=None)


@contextmanager
def watching_unfinished() -> Iterator[Unfinished]:
    """Keep what this thread or task leaves unfinished inside the ``with`` block."""
    found: Unfinished = {}
    token = _watched.set(found)
    try:
        yield found
    finally:
        _watched.reset(token)


def note_begun(orchestrator: object, where: Location) -> None:
    """Note that *orchestrator* was given something."""
    found = _watched.get()
    if found is not None and orchestrator not in found:
        # What a component begins while it is made it may finish in a hook, which compile mode does not call.
        found[orchestrator] = where if UnderConstruction(depth=1).maker is None else None


def note_compiled(orchestrator: object) -> None:
    """Note that there is a graph of *orchestrator*."""
    found = _watched.get()
    if found is not None:
        found.pop(orchestrator, None)
