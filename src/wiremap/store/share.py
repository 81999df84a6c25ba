"""Places where maps are shared, as parts: files that are written once, under the digest of what they hold.

A part appears whole or not at all, and pushing never changes one, so that nobody who pushes at the same time is
lost. A folder needs nothing but the standard library; a URL needs `fsspec`.
"""

import contextlib
import os
import re
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

from wiremap.errors import ShareUnavailableError

_PART = re.compile(r"[0-9a-f]{32}\.map")


class Share(Protocol):
    """A place of parts. Every method raises `ShareUnavailableError` where the place can't be used."""

    place: str

    def names(self) -> list[str]:
        """Return the names of the parts, sorted; none where nothing was pushed yet."""

    def read(self, name: str) -> bytes | None:
        """Return the bytes of a part, or None if it is gone."""

    def write(self, name: str, data: bytes) -> None:
        """Add a part, so that it is seen whole or not at all."""

    def remove(self, name: str) -> None:
        """Remove a part, if it is there."""


def open_share(place: str) -> Share:
    """Return the share at *place*, a folder or a URL.

    Raises:
        ShareUnavailableError: It is a URL, and nothing that is installed speaks its protocol.
    """
    return _UrlShare(place) if "://" in place else _FolderShare(place)


def part_name(digest: str) -> str:
    """Return the name of the part whose contents have *digest*."""
    return f"{digest}.map"


class _FolderShare:
    def __init__(self, place: str) -> None:
        self.place = place
        self._folder = Path(place).expanduser()

    def names(self) -> list[str]:
        with self._told():
            try:
                return sorted(path.name for path in self._folder.iterdir() if _PART.fullmatch(path.name))
            except FileNotFoundError:
                return []

    def read(self, name: str) -> bytes | None:
        with self._told():
            try:
                return (self._folder / name).read_bytes()
            except FileNotFoundError:
                return None

    def write(self, name: str, data: bytes) -> None:
        with self._told():
            self._folder.mkdir(parents=True, exist_ok=True)
            unfinished = self._folder / _unfinished(name)
            try:
                with unfinished.open("wb") as file:
                    file.write(data)
                    file.flush()
                    os.fsync(file.fileno())
                unfinished.replace(self._folder / name)
            except BaseException:
                with contextlib.suppress(OSError):
                    unfinished.unlink()
                raise

    def remove(self, name: str) -> None:
        with self._told():
            (self._folder / name).unlink(missing_ok=True)

    @contextlib.contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise ShareUnavailableError(self.place, error.strerror or str(error)) from error


class _UrlShare:
    def __init__(self, place: str) -> None:
        self.place = place
        with self._told():
            self._files, self._folder = _file_system(place)

    def names(self) -> list[str]:
        with self._told():
            self._files.invalidate_cache()
            try:
                paths = self._files.ls(self._folder, detail=False)
            except FileNotFoundError:
                return []
            return sorted(name for path in paths if _PART.fullmatch(name := path.rstrip("/").rpartition("/")[2]))

    def read(self, name: str) -> bytes | None:
        with self._told():
            try:
                return bytes(self._files.cat_file(f"{self._folder}/{name}"))
            except FileNotFoundError:
                return None

    def write(self, name: str, data: bytes) -> None:
        # Object stores show an object when it is whole; other file systems while it is written, so it is moved.
        unfinished = f"{self._folder}/{_unfinished(name)}"
        with self._told():
            self._files.makedirs(self._folder, exist_ok=True)
            self._files.pipe_file(unfinished, data)
            self._files.mv(unfinished, f"{self._folder}/{name}")

    def remove(self, name: str) -> None:
        with self._told(), contextlib.suppress(FileNotFoundError):
            self._files.rm_file(f"{self._folder}/{name}")

    @contextlib.contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except ShareUnavailableError:
            raise
        except Exception as error:
            # Each protocol has exceptions of its own; all mean that the place can't be used.
            raise ShareUnavailableError(self.place, str(error).strip().rstrip(".") or type(error).__name__) from error


def _file_system(place: str) -> tuple[Any, str]:
    try:
        import fsspec  # noqa: PLC0415 - optional, and only who shares by URL needs it
    except ImportError as error:
        raise ShareUnavailableError(place, "a URL needs fsspec: pip install 'wiremap[share]'") from error
    files, folder = fsspec.core.url_to_fs(place)
    return files, str(folder).rstrip("/")


def _unfinished(name: str) -> str:
    # Others may write the same part at the same time, from other machines too.
    return f".unfinished-{uuid.uuid4().hex}-{name}"
