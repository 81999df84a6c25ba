"""The map as a thing to look at, to send, to take in and to keep small."""

import sqlite3
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from wiremap.errors import MapUnavailableError, NothingRecordedError, ShareUnavailableError, UntrustedMapError
from wiremap.selection.facts import of_tests
from wiremap.store.database import of_other_versions, set_aside
from wiremap.store.exchange import Contents, contents_of, from_document, merge, to_document
from wiremap.store.map import Map
from wiremap.store.sealing import digest_of, seal, unseal
from wiremap.store.share import Share, open_share, part_name
from wiremap.store.trace_rows import KEPT_PER_ENVIRONMENT

_MANY_PARTS = 16
_ATTEMPTS = 5
_MS_PER_DAY = 24 * 60 * 60 * 1000


@dataclass(frozen=True, slots=True)
class MapStats:
    """How large a map is, and of what.

    Attributes:
        tests: Tests with a record.
        traces: Records by outcome.
        facts: Distinct facts.
        sets: Distinct sets of facts.
        environments: Distinct interpreters, platforms and configurations.
        graphs: Compiled graphs.
        num_bytes: Size of the file.
        kept: Names of files that were set aside or belong to another version of wiremap.
        notes: What must be told.
    """

    tests: int
    traces: dict[str, int]
    facts: int
    sets: int
    environments: int
    graphs: int
    num_bytes: int
    kept: tuple[str, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Exchange:
    """What an exchange of maps did.

    Attributes:
        parts: How many parts or files were written or taken in.
        tests: How many tests the map has a record of now.
        notes: What must be told.
        is_empty: Whether nothing is shared at the place.
    """

    parts: int
    tests: int
    notes: tuple[str, ...] = ()
    is_empty: bool = False


def map_stats(folder: Path) -> MapStats:
    """Return what the map in *folder* holds."""
    with _opened(folder, to_write=False) as store:
        traces, sizes = of_tests(store.traces()), store.sizes()
        kept = [*set_aside(store.path), *of_other_versions(store.path)]
        return MapStats(
            tests=len(traces),
            traces=dict(sorted(Counter(one.outcome for of_test in traces.values() for one in of_test).items())),
            facts=sizes["facts"],
            sets=sizes["sets of facts"],
            environments=sizes["environments"],
            graphs=len(store.graphs.all()),
            num_bytes=store.path.stat().st_size if store.path.exists() else 0,
            kept=tuple(sorted(path.name for path in kept)),
            notes=tuple(store.notes),
        )


def export_map(folder: Path, file: Path) -> Exchange:
    """Write what of the map in *folder* may travel to *file*.

    Raises:
        ShareUnavailableError: The file can't be written.
    """
    with _opened(folder, to_write=False) as store:
        contents = contents_of(store)
    try:
        file.write_bytes(seal(to_document(contents)))
    except OSError as error:
        raise ShareUnavailableError(str(file), error.strerror or str(error)) from error
    return Exchange(1, _num_tests(contents), tuple(store.notes))


def merge_files(folder: Path, files: Sequence[Path]) -> Exchange:
    """Add what *files* hold, all or nothing, to the map in *folder*.

    Raises:
        UntrustedMapError: One of them is no exported map.
        ShareUnavailableError: One of them can't be read.
    """
    contents = [_contents(_read(file), str(file)) for file in files]
    with _opened(folder, to_write=True) as store:
        with store:
            for one in contents:
                merge(store, one)
        return Exchange(len(files), len(of_tests(store.traces())), tuple(store.notes))


def push(folder: Path, place: str) -> Exchange:
    """Add the map in *folder* to those that are shared at *place*, and remove parts of which it holds everything.

    Raises:
        ShareUnavailableError: The place can't be used.
        UntrustedMapError: A part there is damaged; only where there are so many that they are taken in first.
    """
    share = open_share(place)
    with _opened(folder, to_write=True) as store:
        if len(set(share.names()) - store.parts()) >= _MANY_PARTS:
            _take_in(store, share)
        # What is held now is read before the map is, which another process may make larger meanwhile.
        held, there = store.parts(), share.names()
        contents = contents_of(store)
        data = seal(to_document(contents))
        name = part_name(digest_of(data))
        if name not in there:
            share.write(name, data)
        for old in sorted(held.intersection(there) - {name}):
            share.remove(old)
        with store:
            store.record_parts([name])
        return Exchange(int(name not in there), _num_tests(contents), tuple(store.notes))


def pull(folder: Path, place: str) -> Exchange:
    """Add everything that is shared at *place*, all or nothing, to the map in *folder*.

    Raises:
        ShareUnavailableError: The place can't be used.
        UntrustedMapError: A part there is damaged.
    """
    share = open_share(place)
    with _opened(folder, to_write=True) as store:
        parts, is_empty = _take_in(store, share), not share.names()
        return Exchange(parts, len(of_tests(store.traces())), tuple(store.notes), is_empty)


def prune(folder: Path, keep: int = KEPT_PER_ENVIRONMENT, max_days: float | None = None) -> tuple[int, int]:
    """Shrink the map in *folder* and delete what was set aside; return the size of its file before and after.

    Args:
        folder: Of the map.
        keep: How many traces are kept of each test and environment.
        max_days: How old a trace may be; none is too old by default.
    """
    oldest = 0 if max_days is None else time.time_ns() // 1_000_000 - int(max_days * _MS_PER_DAY)
    with _opened(folder, to_write=True) as store:
        before = store.path.stat().st_size
        with store:
            store.prune(keep, oldest)
        store.compact()
        for kept in set_aside(store.path):
            kept.unlink(missing_ok=True)
    return before, store.path.stat().st_size


def _take_in(store: Map, share: Share) -> int:
    """Merge the parts that *store* does not hold yet; return how many there were."""
    for _ in range(_ATTEMPTS):
        new = sorted(set(share.names()) - store.parts())
        found = {name: data for name in new if (data := share.read(name)) is not None}
        if len(found) == len(new):
            break  # otherwise somebody pushed meanwhile, and what is gone is part of something new
    contents = {name: _part(name, data, share.place) for name, data in found.items()}
    with store:
        for one in contents.values():
            merge(store, one)
        store.record_parts(contents)
    return len(contents)


def _num_tests(contents: Contents) -> int:
    return len({trace.test for trace in contents.traces if trace.outcome != "collected"})


def _part(name: str, data: bytes, place: str) -> Contents:
    source = f"{place.rstrip('/')}/{name}"
    if part_name(digest_of(data)) != name:
        raise UntrustedMapError(source, "its name is not that of its contents")
    return _contents(data, source)


def _contents(data: bytes, source: str) -> Contents:
    try:
        return from_document(unseal(data))
    except ValueError as error:
        raise UntrustedMapError(source, str(error)) from error


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise ShareUnavailableError(str(file), error.strerror or str(error)) from error


@contextmanager
def _opened(folder: Path, *, to_write: bool) -> Iterator[Map]:
    if not to_write and not folder.is_dir():
        raise NothingRecordedError
    store = Map(folder)
    try:
        if to_write and store.obstacle is not None:
            raise MapUnavailableError(folder.name, store.obstacle)
        yield store
    except sqlite3.Error as error:
        raise MapUnavailableError(folder.name, str(error)) from error
    finally:
        store.close()
