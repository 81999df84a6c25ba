"""Which changes reach a test, by the reasons for which tests run; to tell those first."""

from collections.abc import Iterable

from wiremap.source.units import MODULE_UNIT


class Reach:
    """What the reasons of all tests name."""

    def __init__(self, reasons: Iterable[tuple[str, str | None]]) -> None:
        """Look into *reasons*: the detail and the unit of each."""
        distinct = set(reasons)
        self._units = {unit for _, unit in distinct if unit is not None}
        self._files = {unit.partition("::")[0] for unit in self._units}
        self._texts = {detail for detail, unit in distinct if unit is None}
        self._words = {word.strip(",;:") for text in self._texts for word in text.split()}

    def includes(self, file: str, unit: str | None, detail: str) -> bool:
        """Tell whether a reason names the change of *unit* in *file*, or of the whole file."""
        if unit and unit in self._units:
            return True
        if f"{file}::{MODULE_UNIT}" in self._units:
            return True  # which names of a module concern a test stands in the reason's words
        if not unit and file in self._files:
            return True
        return file.removeprefix("$") in self._words or detail in self._texts
