"""The files of a project: which there are, and where its root is."""

import os
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from pathlib import Path

from wiremap.tracing.file_stat import FileStat
from wiremap.tracing.territory import TOOL_FOLDERS

# What running the tests leaves behind, next to what they are made of.
_PRODUCTS = (".pyc", ".pyo", ".log", ".coverage", ".egg-info", ".dist-info", ".tmp", ".lock~")


def project_root(rootdir: Path) -> Path:
    """Return the root of the project that pytest's *rootdir* is part of.

    It is the repository around it, since tests use sibling folders; without one, it is *rootdir* itself.
    """
    for folder in (rootdir, *rootdir.parents):
        if (folder / ".git").exists():
            return folder
    return rootdir


def scan(root: Path) -> dict[str, FileStat]:
    """Return every file of the project by its path relative to *root*, without those that tools keep there."""
    return dict(sorted(_walk(os.fspath(root), prefix="")))


def is_test(path: str) -> bool:
    """Tell whether a project's path, with `/`, is that of a test, or of what tests share."""
    *folders, name = path.split("/")
    is_test_file = name.startswith("test_") or name.endswith("_test.py") or name == "conftest.py"
    return is_test_file or not {"test", "tests"}.isdisjoint(folders)


def files_digest(root: Path, files: Iterable[str]) -> str:
    """Return one digest of the contents of *files*, which lie below *root*."""
    digest = blake2b(digest_size=12)
    for path in files:
        if not path.endswith(_PRODUCTS):
            digest.update(path.encode("utf-8", "surrogateescape") + b"\0")
            digest.update(blake2b(_bytes_of(root / path), digest_size=12).digest())
    return digest.hexdigest()


def _walk(folder: str, prefix: str) -> Iterator[tuple[str, FileStat]]:
    try:
        entries = list(os.scandir(folder))
    except OSError:
        return
    if prefix and any(entry.name == "pyvenv.cfg" for entry in entries):
        return  # a virtual environment
    for entry in entries:
        if entry.name in TOOL_FOLDERS or entry.name.endswith(_PRODUCTS):
            continue
        try:
            if entry.is_dir(follow_symlinks=False):
                yield from _walk(entry.path, f"{prefix}{entry.name}/")
            elif entry.is_file():
                stat = entry.stat()
                yield prefix + entry.name, FileStat(stat.st_mtime_ns, stat.st_ctime_ns, stat.st_size)
        except OSError:
            continue  # gone in the meantime


def _bytes_of(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""
