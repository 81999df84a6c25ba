"""Which of a session's tests run, and in which order: verdicts, translated to pytest's items."""

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

from wiremap.pytest_plugin.items import test_id
from wiremap.pytest_plugin.unaffected import UnaffectedFile, UnaffectedFiles
from wiremap.pytest_plugin.workers import Agreed, agreed
from wiremap.selection.report import Report
from wiremap.use_cases.selecting import Collected, Selection


class Choice:
    """The choice of one session; without evidence everything runs.

    Attributes:
        report: The verdicts, once all tests are collected.
        failures: Why there is no evidence, if so.
    """

    def __init__(self, begin: Callable[[], Selection], rootdir: Path, *, keeps_order: bool) -> None:
        """Prepare to choose.

        Args:
            begin: Reads the map; called when the first answer is needed.
            rootdir: The folder that node ids are relative to.
            keeps_order: Whether tests keep the order of the project.
        """
        self._begin = begin
        self._rootdir = rootdir
        self._keeps_order = keeps_order
        self._selection: Selection | None = None
        self._unaffected: UnaffectedFiles | None = None
        self.report: Report | None = None
        self.failures: list[str] = []

    def stand_in(self, path: Path, parent: pytest.Collector) -> UnaffectedFile | None:
        """Return what takes the place of the test file *path* if it has nothing to run."""
        if self._ready() is None or self._unaffected is None:
            return None
        return self._unaffected.stand_in(path, parent)

    def decide(self, tests: Sequence[str], errors: Mapping[str, str], *, whole: bool) -> None:
        """Make the report, for these tests and for those in files that were not imported."""
        selection = self._ready()
        if selection is not None:
            unimported = self._unaffected.tests if self._unaffected is not None else []
            self.report = selection.report(Collected((*tests, *unimported), errors, whole))

    def apply(self, config: pytest.Config, items: list[pytest.Item], *, is_ordered: bool) -> None:
        """Take out of *items* what is proved unaffected, and put the likeliest to fail first.

        *is_ordered* tells that somebody has put the items into an order of their own.
        """
        if self.report is None or self._selection is None:
            return
        agreement = agreed(config, self._own(self._selection, self.report, items, is_ordered=is_ordered))
        skipped = set(agreement.skipped)
        deselected = [item for item in items if test_id(item) in skipped]
        if deselected:
            config.hook.pytest_deselected(items=deselected)
            items[:] = [item for item in items if test_id(item) not in skipped]
        places = {test: place for place, test in enumerate(agreement.order)}
        items.sort(key=lambda item: places.get(test_id(item), len(places)))

    def _own(self, selection: Selection, report: Report, items: Sequence[pytest.Item], *, is_ordered: bool) -> Agreed:
        skipped = set(report.skip)
        running = [test for test in map(test_id, items) if test not in skipped]
        keeps = self._keeps_order or is_ordered
        return Agreed(sorted(skipped), [] if keeps else [running[place] for place in selection.order(running)])

    def _ready(self) -> Selection | None:
        if self._selection is None and not self.failures:
            try:
                self._selection = self._begin()
                self._unaffected = UnaffectedFiles(self._selection, self._rootdir)
            except sqlite3.Error as error:
                self.failures.append(f"Every test runs, since the map can't be read: {error}. Delete it to begin anew.")
        return self._selection
