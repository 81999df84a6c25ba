"""The note in a consumer of what it was handed."""

from collections.abc import Mapping
from typing import Any, NoReturn

from wiremap.errors import WiredCopyError
from wiremap.registry.state_cell import Handed


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
