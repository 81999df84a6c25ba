"""The native libraries of the system that a process has loaded, as far as the system tells."""

import os
import sys
import sysconfig
from collections.abc import Iterator

from wiremap.selection.facts import ABSENT
from wiremap.tracing.territory import OWN_FOLDER

_MAPS = "/proc/self/maps"
_PREFIX = "{prefix}"


def loaded_libraries(root: str) -> frozenset[str]:
    """Return the libraries that this process has mapped, by path; none where the system doesn't tell.

    Left out are those below *root*, which are files of the project, those of distributions, and the
    interpreter's own. A path below the interpreter's prefix is told relative to it.
    """
    elsewhere = _folders_told_otherwise(root)
    return frozenset(
        _named(path) for path in _mapped() if not path.startswith(elsewhere) and not _belongs_to_packages(path)
    )


def library_state(name: str) -> str:
    """Return what tells one build of a library from another without reading it: its real name, size and time."""
    path = os.path.realpath(name.replace(_PREFIX, sys.base_prefix, 1))
    try:
        stat = os.stat(path)
    except OSError:
        return ABSENT
    return f"{os.path.basename(path)} {stat.st_size} {stat.st_mtime_ns // 1_000_000_000}"


def _mapped() -> Iterator[str]:
    try:
        with open(_MAPS, encoding="utf-8", errors="surrogateescape") as file:
            paths = {line.split(maxsplit=5)[5].rstrip("\n") for line in file if ".so" in line}
    except OSError:
        return
    yield from (path for path in paths if ".so" in os.path.basename(path))


def _named(path: str) -> str:
    prefix = os.path.realpath(sys.base_prefix) + os.sep
    return f"{_PREFIX}/{path.removeprefix(prefix)}" if path.startswith(prefix) and prefix != "/usr/" else path


def _folders_told_otherwise(root: str) -> tuple[str, ...]:
    folders = [root, OWN_FOLDER, *(sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib"))]
    return tuple(os.path.realpath(folder).rstrip(os.sep) + os.sep for folder in folders)


def _belongs_to_packages(path: str) -> bool:
    return "-packages/" in path or os.path.basename(path).startswith("libpython")
