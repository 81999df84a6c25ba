"""What tells, without reading a file, that it has not changed."""

import os
from typing import NamedTuple

# Bound at import: a test may patch the module's attribute, and must not meet us there.
_stat = os.stat


class FileStat(NamedTuple):
    """Times in nanoseconds, size in bytes. The change time sees an edit that keeps size and modification time."""

    mtime_ns: int
    ctime_ns: int
    size: int


def file_stat(path: str) -> FileStat | None:
    """Return the state of the file at *path*, or None when it can't be told."""
    try:
        found = _stat(path)
    except (OSError, ValueError):
        return None
    return FileStat(found.st_mtime_ns, found.st_ctime_ns, found.st_size)
