"""Orchestrators that were given something and compiled by nobody: what is in them no graph shows."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from wiremap.registry.construction import UnderConstruction
from wiremap.registry.ledger import Ledger
from wiremap.registry.location import Location

Unfinished = dict[Ledger, Location | None]
"""By what an orchestrator was given, where that began; None for one that a component may finish later."""

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


def note_begun(ledger: Ledger, where: Location) -> None:
    """Note that an orchestrator was given something, which *ledger* holds."""
    found = _watched.get()
    if found is not None and ledger not in found:
        # What a component begins while it is made it may finish in a hook, which compile mode does not call.
        found[ledger] = where if UnderConstruction(depth=1).maker is None else None


def note_compiled(ledger: Ledger) -> None:
    """Note that there is a graph of what *ledger* holds."""
    found = _watched.get()
    if found is not None:
        found.pop(ledger, None)
