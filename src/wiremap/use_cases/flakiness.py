"""Which tests are flaky, by what was recorded."""

from dataclasses import dataclass
from pathlib import Path

from wiremap.errors import NothingRecordedError
from wiremap.selection.facts import of_tests
from wiremap.selection.flakiness import FlakyTest, flaky_tests
from wiremap.store.map import Map


@dataclass(frozen=True, slots=True)
class FlakyReport:
    """What the map knows of flaky tests.

    Attributes:
        flaky: Those that contradicted themselves, sorted.
        num_tests: How many tests have a record.
        notes: What must be told.
    """

    flaky: tuple[FlakyTest, ...]
    num_tests: int
    notes: tuple[str, ...]


def find_flaky(folder: Path) -> FlakyReport:
    """Return what the map in *folder* knows of flaky tests.

    Raises:
        NothingRecordedError: No test was ever recorded.
    """
    if not folder.is_dir():
        raise NothingRecordedError
    store = Map(folder)
    try:
        traces = of_tests(store.traces())
        if not traces:
            raise NothingRecordedError(store.notes)
        return FlakyReport(tuple(flaky_tests(traces)), len(traces), tuple(store.notes))
    finally:
        store.close()
