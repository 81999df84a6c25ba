"""The note in a consumer of what it was handed."""

from typing import Any, NoReturn

from wiremap.errors import WiredCopyError
from wiremap.registry.state_cell import Handed


class CellTable(dict[str, Handed]):
    """From the name of a cell to who hands it over; it refuses to be copied with its consumer.

    A deep copy or a pickle of a consumer would take copies of its providers along, and theirs: the state that a
    cell shares would be there twice, and nothing would tell.
    """

    def __init__(self, consumer_type: str) -> None:
        super().__init__()
        self._consumer_type = consumer_type

    def __reduce_ex__(self, _: Any) -> NoReturn:
        raise WiredCopyError(self._consumer_type, {handed.provider_id for handed in self.values()})
