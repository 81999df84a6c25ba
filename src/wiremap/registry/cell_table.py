"""The note in a consumer of what it was handed."""

import threading
from collections.abc import Container, Mapping
from typing import Any, Final, NoReturn

from wiremap.errors import WiredCopyError
from wiremap.registry.attributes import instance_dict
from wiremap.registry.state_cell import TABLE, Handed, wired_cells

wiring_lock: Final = threading.RLock()
"""Held while cells are judged and bound, or swapped: orchestrators of several threads may share classes and consumers,
and what is found out of them must still be so when it is acted on. No hook runs under it."""


class CellTable(dict[str, Handed]):
    """From the name of a cell to who hands it over; it is never changed, and refuses a deep copy.

    A shallow copy of a consumer shares this object, in whatever way it was made. So a consumer that is handed
    more, or the same by another provider, gets a new table, and neither of the two notices what the other is handed.

    A deep copy or a pickle of a consumer would take copies of its providers along, and theirs: the state that a
    cell shares would be there twice, and nothing would tell.
    """

    def __init__(self, consumer_type: str, cells: Mapping[str, Handed]) -> None:
        super().__init__(cells)
        self._consumer_type = consumer_type

    def __reduce_ex__(self, _: Any) -> NoReturn:
        raise WiredCopyError(self._consumer_type, {handed.provider_id for handed in self.values()})


def note(consumer: object, cells: Mapping[str, Handed]) -> None:
    """Note that *consumer* was handed these cells too, or is handed them by others from now on."""
    with wiring_lock:
        _replace(consumer, {**wired_cells(consumer), **cells})


def strike(consumer: object, names: Container[str]) -> None:
    """Note that *consumer* has these cells no more."""
    with wiring_lock:
        _replace(consumer, {name: handed for name, handed in wired_cells(consumer).items() if name not in names})


def _replace(consumer: object, cells: Mapping[str, Handed]) -> None:
    stored = instance_dict(consumer)  # of one with slots only, which has no place for notes, it is anyone's
    if cells:
        stored[TABLE] = CellTable(type(consumer).__name__, cells)
    else:
        stored.pop(TABLE, None)
