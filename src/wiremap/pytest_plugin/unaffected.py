"""Files that need not be imported: it is proved that each of their tests is unaffected, and which tests they hold."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from wiremap.use_cases.selecting import Selection


class UnaffectedFile(pytest.File):
    """Stands in the collection for a test file that is not imported.

    pytest also makes nodes for the neighbours of a file that it is asked for. Only those that it then collects count.
    """

    def __init__(self, *, tests: tuple[str, ...], found: list[str], **node: Any) -> None:
        super().__init__(**node)
        self._tests = tests
        self._found = found

    def collect(self) -> Iterable[pytest.Item | pytest.Collector]:
        """Tell the tests of the file, and return nothing to run."""
        self._found.extend(self._tests)
        return []


class UnaffectedFiles:
    """The test files of one session that are not imported.

    Attributes:
        tests: Node ids of all tests in these files.
    """

    def __init__(self, selection: Selection, rootdir: Path) -> None:
        self._selection = selection
        self._rootdir = rootdir
        self.tests: list[str] = []

    def stand_in(self, path: Path, parent: pytest.Collector) -> UnaffectedFile | None:
        """Return what takes the place of the test file *path*, or None when it must be imported."""
        if not path.is_relative_to(self._rootdir):
            return None
        tests = self._selection.unaffected_tests(path.relative_to(self._rootdir).as_posix())
        if tests is None:
            return None
        file: UnaffectedFile = UnaffectedFile.from_parent(parent, path=path, tests=tests, found=self.tests)
        return file
