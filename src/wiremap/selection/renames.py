"""Files that were renamed: what was removed here and added there, and is the same, or nearly so.

A pair is told for people; it makes no test run less.
"""

from collections.abc import Callable, Iterator, Mapping
from collections.abc import Set as AbstractSet

from wiremap.source.units import MODULE_UNIT, SourceUnits, content_digest

_EMPTY = content_digest(b"")
_ENOUGH = 0.5  # of the functions, and of the names at module level


def renamed_data(before: Mapping[str, str], now: Mapping[str, str]) -> dict[str, str]:
    """Return the old paths of files with one content, by their new paths; *before* and *now* are digests by path."""
    gone, new = before.keys() - now.keys(), now.keys() - before.keys()
    return _paired({path: before[path] for path in gone}, {path: now[path] for path in new})


def renamed_sources(
    before: Mapping[str, str],
    now: Mapping[str, str],
    units_before: Callable[[str], SourceUnits | None],
    units_now: Callable[[str], SourceUnits],
) -> dict[str, str]:
    """Return the old paths of renamed Python files by their new paths; as in `changes.source_changes`.

    A file that was edited too is the one with which it shares most, and at least half of what either defines.
    """
    found = renamed_data(before, now)
    gone = sorted(before.keys() - now.keys() - set(found.values()))
    new = sorted(now.keys() - before.keys() - found.keys())
    if not gone or not new:
        return found
    parts_before = {path: _parts(units_before(before[path])) for path in gone}
    parts_now = {path: _parts(units_now(path)) for path in new}
    scores = sorted(
        (-_likeness(parts_before[old], parts_now[path]), not _have_one_name(old, path), old, path)
        for old in gone
        for path in new
    )
    for score, _, old, path in scores:
        if -score >= _ENOUGH and path not in found and old not in found.values():
            found[path] = old
    return found


def _paired(gone: Mapping[str, str], new: Mapping[str, str]) -> dict[str, str]:
    found: dict[str, str] = {}
    olds_by_digest = _by_digest(gone)
    for digest, paths in _by_digest(new).items():
        found |= _paired_alike(olds_by_digest.get(digest, []), paths, only_by_name=digest == _EMPTY)
    return found


def _paired_alike(olds: list[str], paths: list[str], *, only_by_name: bool) -> dict[str, str]:
    """Pair paths of one content: those with the same last name, then the only one with the only one."""
    found: dict[str, str] = {}
    for path in paths:
        named = next((old for old in olds if _have_one_name(old, path) and old not in found.values()), None)
        if named is not None:
            found[path] = named
    rest = [old for old in olds if old not in found.values()], [path for path in paths if path not in found]
    if len(rest[0]) == len(rest[1]) == 1 and not only_by_name:
        found[rest[1][0]] = rest[0][0]
    return found


def _by_digest(digests: Mapping[str, str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for path, digest in sorted(digests.items()):
        found.setdefault(digest, []).append(path)
    return found


def _have_one_name(one: str, other: str) -> bool:
    return one.rpartition("/")[2] == other.rpartition("/")[2]


def _parts(source: SourceUnits | None) -> frozenset[tuple[str, str]]:
    return frozenset(_parts_of(source)) if source is not None else frozenset()


def _parts_of(source: SourceUnits) -> Iterator[tuple[str, str]]:
    yield from ((name, unit.fingerprint) for name, unit in source.units.items() if name != MODULE_UNIT)
    if source.top is not None:
        names = {name: one for name, one in source.top.names.items() if name not in source.units and not one.imported}
        yield from ((name, one.fingerprint) for name, one in names.items())


def _likeness(one: AbstractSet[tuple[str, str]], other: AbstractSet[tuple[str, str]]) -> float:
    return len(one & other) / max(len(one), len(other), 1)
