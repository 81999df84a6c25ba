"""The note in a consumer of what it was handed."""

from typing import Any, NoReturn

from wiremap.errors import WiredCopyError


class CellTable(dict[str, tuple[object, str]]):
    """From the name of a cell to its provider and the provider's id; it refuses to be copied with its consumer.

    A deep copy or a pickle of a consumer would take copies of its providers along, and theirs: the state that a
    cell shares would be there twice, and nothing would tell.
    """

    def __init__(self, consumer_type: str) -> None:
        super().__init__()
        self._consumer_type = consumer_type

    def __reduce_ex__(self, _: Any) -> NoReturn:
        raise WiredCopyError(self._consumer_type, {owner for _, owner in self.values()})
