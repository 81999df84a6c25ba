"""Where a registration was written, so that faults can name the line to mend."""

import os
import sys
from typing import NamedTuple


class Location(NamedTuple):
    """One line of one file; its text is relative to the current directory where that is possible."""

    file: str
    line: int

    def __str__(self) -> str:
        inside = self.file.startswith(os.getcwd() + os.sep)  # noqa: PTH109 -- pathlib would double the import time
        return f"{os.path.relpath(self.file) if inside else self.file}:{self.line}"


def caller_location(depth: int) -> Location:
    """Return the line that is being executed *depth* calls above the caller of this function."""
    frame = sys._getframe(depth + 1)  # noqa: SLF001 -- documented, and far cheaper than inspect.stack()
    return Location(frame.f_code.co_filename, frame.f_lineno)
