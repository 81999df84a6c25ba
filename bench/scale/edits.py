"""Edits of the generated project, each undone afterwards."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Edit:
    """One edit in one place.

    Attributes:
        name: What it is.
        file: The file, relative to the project.
        before: A pattern; what it first matches is replaced.
        after: The replacement.
    """

    name: str
    file: str
    before: str
    after: str

    @contextmanager
    def made(self, project: Path) -> Iterator[None]:
        """Make the edit, and undo it afterwards."""
        file = project / self.file
        text, stat = file.read_text(encoding="utf-8"), file.stat()
        edited = re.sub(self.before, self.after, text, count=1, flags=re.MULTILINE)
        assert edited != text, f"{self.name} finds nothing to edit"  # noqa: S101 - of the bench itself
        file.write_text(edited, encoding="utf-8")
        try:
            yield
        finally:
            file.write_text(text, encoding="utf-8")
            os.utime(file, ns=(stat.st_atime_ns, stat.st_mtime_ns))


_PART = "app/area_004/part_12.py"
EDITS = (
    Edit("a function's body", _PART, r"found = 0$", "found = 1 - 1"),
    Edit("a constant", _PART, r"^([A-Z]+) = (\d+)$", r"\1 = 1\2"),
    Edit("an import added", _PART, r"^import functools$", "import functools\nimport itertools"),
    Edit("a constant that all import", "app/core/limits.py", r"^RATE_MAX = 10$", "RATE_MAX = 11"),
    Edit("a data file", "app/area_004/table.json", r'"row 1": \d+', '"row 1": 7'),
)
