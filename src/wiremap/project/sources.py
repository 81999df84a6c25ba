"""The sources of a project as units, read once and remembered over runs."""

import json
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from wiremap.project.files import scan
from wiremap.source.identifiers import words
from wiremap.source.keepers import PROCESS, Keepers
from wiremap.source.module_names import ModuleNames, Name
from wiremap.source.modules import ModuleIndex
from wiremap.source.reach import Reach
from wiremap.source.units import FLAVOUR, SourceUnits, Unit, content_digest, parse_units
from wiremap.tracing.file_stat import FileStat, file_stat
from wiremap.tracing.territory import OWN_FOLDER

# A file that was written this shortly before it was looked at may be written again with the same time stamp.
_CLOCK_GRAIN_NS = 2_000_000_000

_LARGEST_TEXT = 2_000_000


class Outline(NamedTuple):
    """What is asked of most files: much less than all that is known of their units.

    Attributes:
        units: The fingerprint of each unit, by name.
        top: That of the top level, if the file parses.
        keepers: Who keeps what a unit may fill, by name, where there is one.
    """

    units: Mapping[str, str]
    top: str | None
    keepers: Mapping[str, Sequence[int]]


class SourceCache(Protocol):
    """Where digests and units are remembered; the map is one."""

    def file_digests(self) -> dict[str, tuple[int, int, int, str]]:
        """Return times (ns), size and digest by path."""

    def source(self, digest: str, flavour: str) -> str | None:
        """Return the stored units of a source, or None."""

    def outline(self, digest: str, flavour: str) -> str | None:
        """Return the stored outline of a source, or None."""

    def source_of_module(self, fingerprint: str, flavour: str) -> str | None:
        """Return the stored units of a source whose top level has that fingerprint, or None."""

    def outside_names(self) -> frozenset[str] | None:
        """Return the names that libraries know, or None when that is not known."""

    def record_files(self, files: Mapping[str, tuple[int, int, int, str]]) -> None:
        """Remember digests of files."""

    def record_sources(self, sources: Mapping[str, tuple[str, str, str]], flavour: str) -> None:
        """Remember units of sources, by digest, each with its outline and the fingerprint of its top level."""


class ProjectSources:
    """The Python files below a root, and their units, as they are now.

    Files are listed on construction and read when they are asked for, once.
    """

    def __init__(self, root: Path, cache: SourceCache | None = None) -> None:
        self.root = root
        self.files = scan(root)
        self.python_files = [path for path in self.files if path.endswith(".py")]
        self.index = ModuleIndex(self.python_files)
        self._cache = cache
        self._known = cache.file_digests() if cache else {}
        self._digests: dict[str, str | None] = {}
        self._units: dict[str, SourceUnits] = {}
        self._new_files: dict[str, tuple[int, int, int, str]] = {}
        self._outlines: dict[str, Outline] = {}
        self._new_sources: dict[str, tuple[str, str, str]] = {}
        self._words: dict[str, frozenset[str] | None] = {}
        self._outside_names: frozenset[str] | None = None

    def stat(self, path: str) -> FileStat | None:
        """Return the time and size of *path* as first seen, also outside of the root; None when it is not there."""
        if path in self.files or not path.startswith("../"):
            return self.files.get(path)
        return file_stat(os.path.join(self.root, path))

    def digest(self, path: str) -> str | None:
        """Return the digest of the bytes of *path*, or None when it is not there."""
        if path not in self._digests:
            self._digests[path] = self._find_digest(path)
        return self._digests[path]

    def units(self, path: str) -> SourceUnits:
        """Return the units of *path*; none when it is not there."""
        if path not in self._units:
            digest = self.digest(path)
            self._units[path] = SourceUnits({}) if digest is None else self._find_units(path, digest)
        return self._units[path]

    def text(self, path: str) -> bytes | None:
        """Return the bytes that `units` are made of, or None when they are not there any more."""
        text = self._read(path)
        return text if text is not None and content_digest(text) == self.digest(path) else None

    def is_own(self, path: str) -> bool:
        """Tell whether *path* is a file of wiremap itself, in the project that makes it."""
        return os.path.realpath(self.root / path).startswith(OWN_FOLDER)

    def outline(self, path: str) -> Outline:
        """Return the outline of what `units` returns, which is read alone where it is remembered."""
        if path not in self._outlines:
            digest = self.digest(path)
            stored = self._cache.outline(digest, FLAVOUR) if self._cache and digest is not None else None
            self._outlines[path] = _outline(self.units(path)) if stored is None else Outline(*json.loads(stored))
        return self._outlines[path]

    def keepers(self, path: str, name: str) -> Keepers:
        """Return who keeps what the unit *name* of *path* may fill: a memoised function's cache is the process's."""
        return tuple(self.outline(path).keepers.get(name, ()))

    def units_of_digest(self, digest: str) -> SourceUnits | None:
        """Return the units of a source that was seen in an earlier state, or None when they were forgotten."""
        text = self._cache.source(digest, FLAVOUR) if self._cache else None
        return None if text is None else _decode(text)

    def candidates(self, module: str) -> tuple[str, ...]:
        """Return the files that the name *module* may mean."""
        return self.index.candidates(module)

    def source_of_module(self, fingerprint: str) -> SourceUnits | None:
        """Return an earlier source whose top level had that fingerprint, or None when it was forgotten."""
        text = self._cache.source_of_module(fingerprint, FLAVOUR) if self._cache else None
        return None if text is None else _decode(text)

    def is_known_outside(self, name: str) -> bool:
        """Tell whether a library may read *name* of what it is handed."""
        if self._outside_names is None:
            self._outside_names = self._cache.outside_names() if self._cache else None
        return self._outside_names is None or name in self._outside_names

    def words(self, path: str) -> frozenset[str] | None:
        """Return what may be identifiers in a file of data, or None if that can't be told."""
        if path not in self._words:
            stat = self.files.get(path)
            is_small = stat is not None and stat.size <= _LARGEST_TEXT
            data = self._read(path) if is_small else None
            self._words[path] = None if data is None or not is_text(data) else words(data)
        return self._words[path]

    def remember(self) -> None:
        """Hand what was read to the cache; call it within a transaction of the cache."""
        if self._cache is not None:
            self._cache.record_files(self._new_files)
            self._cache.record_sources(self._new_sources, FLAVOUR)
            self._new_files, self._new_sources = {}, {}

    def _find_digest(self, path: str) -> str | None:
        stat = self.stat(path)
        if stat is None:
            return None
        known = self._known.get(path)
        if known is not None and known[:3] == tuple(stat):
            return known[3]
        text = self._read(path)
        if text is None:
            return None
        digest = content_digest(text)
        if max(stat.mtime_ns, stat.ctime_ns) < time.time_ns() - _CLOCK_GRAIN_NS:
            self._new_files[path] = (*stat, digest)
        return digest

    def _find_units(self, path: str, digest: str) -> SourceUnits:
        stored = self._cache.source(digest, FLAVOUR) if self._cache else None
        if stored is not None:
            return _decode(stored)
        text = self._read(path)
        if text is None or content_digest(text) != digest:
            return SourceUnits({})  # it changed under our hands: nothing that rests on it holds
        units = parse_units(text)
        found = _outline(units)
        self._new_sources[digest] = _encode(units), json.dumps(found), found.top or ""
        return units

    def _read(self, path: str) -> bytes | None:
        try:
            return (self.root / path).read_bytes()
        except OSError:
            return None


def is_text(data: bytes) -> bool:
    """Tell whether words can be seen in it: other data may be compressed."""
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return b"\0" not in data


def _outline(source: SourceUnits) -> Outline:
    units = {name: unit.fingerprint for name, unit in source.units.items()}
    keepers = {name: found for name, unit in source.units.items() if (found := _keepers(unit))}
    return Outline(units, None if source.top is None else source.top.fingerprint, keepers)


def _keepers(unit: Unit) -> Keepers:
    return (PROCESS,) if unit.memory else unit.keepers


def _encode(source: SourceUnits) -> str:
    return json.dumps(asdict(source), default=sorted)  # sets, in an order of their own


def _decode(text: str) -> SourceUnits:
    data = json.loads(text)
    return SourceUnits({name: _unit(unit) for name, unit in data["units"].items()}, data["fault"], _top(data["top"]))


def _unit(data: dict[str, Any]) -> Unit:
    sets = {key: frozenset(data[key]) for key in ("imports", "names", "mentions")}
    reach = Reach(data["reach"]["sight"], *(frozenset(data["reach"][key]) for key in ("handled", "spelled", "made")))
    return Unit(**{**data, **sets, "reach": reach, "keepers": tuple(data["keepers"])})


def _top(data: dict[str, Any] | None) -> ModuleNames | None:
    if data is None:
        return None
    sets = {key: frozenset(data[key]) for key in ("effect_reads", "effect_hands", "unsure", "stars")}
    return ModuleNames(**{**data, **sets, "names": {name: _name(one) for name, one in data["names"].items()}})


def _name(data: dict[str, Any]) -> Name:
    sets = {key: frozenset(data[key]) for key in ("reads", "rests_on")}
    tuples = {key: tuple(data[key]) for key in ("places", "bases")}
    return Name(**{**data, **sets, **tuples, "imported": tuple(map(tuple, data["imported"]))})
