"""Changes: the difference between two versions of the sources, unit by unit, classified."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Literal, get_args

from wiremap.selection import facts as kinds
from wiremap.selection.differences import difference, is_of_environment
from wiremap.selection.facts import Fact
from wiremap.selection.renames import renamed_data, renamed_sources
from wiremap.selection.wiring_changes import Wiring
from wiremap.source.module_names import ModuleNames
from wiremap.source.units import MODULE_UNIT, SourceUnits, Unit

Kind = Literal["none", "cosmetic", "local", "interface", "topology", "data", "environment", "unknown"]
_ORDER: tuple[Kind, ...] = get_args(Kind)
# Which interpreter, which packages, which configuration of pytest.
_ENVIRONMENT_FILES = (
    "pyproject.toml", "pytest.toml", ".pytest.toml", "pytest.ini", ".pytest.ini", "tox.ini", "setup.cfg",
    "*requirements*.txt", "*constraints*.txt", "*requirements*.in", "pipfile", "pipfile.lock", "poetry.lock",
    "pdm.lock", "uv.lock", "pylock*.toml", "environment*.yml", "environment*.yaml", ".python-version",
)  # fmt: skip


@dataclass(frozen=True, slots=True, order=True)
class Change:
    """One classified difference.

    Attributes:
        file: The path of a file, or what else changed (`environment`).
        unit: `path::unit`, or empty where the change is not about a unit of source.
        kind: How far it reaches.
        detail: A few words for people.
        line: The unit's line now, 1-based; 0 when it has none.
    """

    file: str
    unit: str
    kind: Kind
    detail: str
    line: int = 0


def widest(changes: Iterable[Change]) -> Kind:
    """Return the kind that reaches furthest, `none` without changes."""
    return max((change.kind for change in changes), key=_ORDER.index, default="none")


def kinds_of(changes: Iterable[Change]) -> list[Kind]:
    """Return the kinds that there are among the changes, the one that reaches furthest last."""
    return sorted({change.kind for change in changes}, key=_ORDER.index)


def source_changes(
    before: Mapping[str, str],
    now: Mapping[str, str],
    units_before: Callable[[str], SourceUnits | None],
    units_now: Callable[[str], SourceUnits],
) -> list[Change]:
    """Return the changes of Python files.

    Args:
        before: Digest of each file at the baseline, by path.
        now: Digest of each file now.
        units_before: Takes a digest, returns its units, or None when they are not known any more.
        units_now: Takes a path, returns its units now.
    """
    changes: list[Change] = []
    origins = renamed_sources(before, now, units_before, units_now)
    targets = {old: new for new, old in origins.items()}
    for path in sorted(before.keys() | now.keys()):
        if before.get(path) == now.get(path):
            continue
        if path not in now:
            renamed = f"renamed to {targets[path]}" if path in targets else "file removed"
            changes.append(Change(path, "", "topology", renamed))
        elif path in before:
            changes.extend(_file_changes(path, units_before(before[path]), units_now(path)))
        elif path in origins:
            changes.append(Change(path, "", "topology", f"renamed from {origins[path]}"))
            edits = _file_changes(path, units_before(before[origins[path]]), units_now(path))
            changes.extend(edit for edit in edits if edit.kind != "cosmetic")
        else:
            changes.append(Change(path, "", "topology", "file added"))
    return changes


def data_changes(before: Mapping[str, str], now: Mapping[str, str]) -> list[Change]:
    """Return the changes of files that are no Python source, by their digests *before* and *now*."""
    origins = renamed_data(before, now)
    targets = {old: new for new, old in origins.items()}
    changes = []
    for path in sorted(before.keys() | now.keys()):
        if path not in now:
            detail = f"renamed to {targets[path]}" if path in targets else "removed"
        elif path not in before:
            detail = f"renamed from {origins[path]}" if path in origins else "added"
        elif before[path] != now[path]:
            detail = "content changed"
        else:
            continue
        changes.append(Change(path, "", kind_of_file(path), detail))
    return changes


def kind_of_file(path: str) -> Kind:
    """Return of which kind a change is of a file that is no Python source."""
    name = path.rpartition("/")[2].lower()
    return "environment" if any(fnmatchcase(name, pattern) for pattern in _ENVIRONMENT_FILES) else "data"


def fact_changes(stale: Iterable[Fact], now: Callable[[Fact], str]) -> list[Change]:
    """Return the changes that stale facts tell of, other than those of sources."""
    changes = set()
    for fact in stale:
        if fact.kind in (kinds.FILE, kinds.PRESENCE) and not fact.key.endswith(".py"):
            changes.add(Change(fact.key, "", kind_of_file(fact.key), _presence(fact.value, now(fact))))
        elif fact.kind == kinds.DATA:
            changes.add(Change(fact.key, "", "data", "content changed"))
        elif fact.kind == kinds.VARIABLE:
            changes.add(Change(f"${fact.key}", "", "environment", "environment variable changed"))
        elif fact.kind == kinds.WIRING:
            changes.add(_wiring_change(fact, now(fact)))
        elif is_of_environment(fact):
            changes.add(Change("environment", "", "environment", difference(fact, now(fact))))
    return sorted(changes)


def held_changes(
    stale: Iterable[Fact], told: Iterable[Change], units_now: Callable[[str], SourceUnits]
) -> list[Change]:
    """Return the changes of source that stale facts tell of in files of which no change is *told* yet."""
    files = {change.file for change in told}
    found = set()
    for fact in stale:
        if fact.unit is None or fact.path is None or fact.path in files:
            continue
        unit = units_now(fact.path).units.get(fact.unit.partition("::")[2])
        is_local = fact.kind == kinds.WIRED or (fact.kind == kinds.FUNCTION and unit is not None)
        kind: Kind = "local" if is_local else "topology"
        line = 0 if unit is None or unit.name == MODULE_UNIT else unit.line
        found.add(Change(fact.path, fact.unit, kind, "changed since a test that rests on it last ran", line))
    return sorted(found)


def _wiring_change(fact: Fact, now: str) -> Change:
    if now.startswith(kinds.UNCOMPILED):
        return Change("wiring", "", "unknown", now.removeprefix(kinds.UNCOMPILED))
    return Change("wiring", "", "topology", f"what {fact.key!r} matches changed")


def rewired_changes(changes: Iterable[Change], wirings: Mapping[str, AbstractSet[Wiring]]) -> Iterator[Change]:
    """Yield *changes*, those of recipes by what became of the recipe for tests that executed it."""
    for change in changes:
        results = wirings.get(change.unit, frozenset())
        others = sorted(one.detail for one in results if one.result == "other")
        if others and _ORDER.index(change.kind) <= _ORDER.index("topology"):
            yield replace(change, kind="topology", detail=f"wires otherwise: {others[0]}")
        elif results and all(one.result == "same" for one in results):
            yield replace(change, detail=f"{change.detail}, and wires as before wherever that was recorded")
        else:
            yield change


def _presence(before: str, now: str) -> str:
    if now == kinds.ABSENT:
        return "removed"
    if before == kinds.ABSENT:
        return "added"
    return "listing changed" if now.startswith("folder:") else "content changed"


def _file_changes(path: str, before: SourceUnits | None, now: SourceUnits) -> list[Change]:
    if now.fault is not None:
        return [Change(path, f"{path}::{MODULE_UNIT}", "unknown", f"does not parse: {now.fault}")]
    if before is None or before.fault is not None:
        return [Change(path, f"{path}::{MODULE_UNIT}", "unknown", "its earlier units are not known")]
    names = before.units.keys() | now.units.keys()
    changes = [_unit_change(path, before.units.get(name), now.units.get(name)) for name in sorted(names)]
    found = [change for change in changes if change is not None]
    if before.top is not None and now.top is not None:
        if before.top.effects == now.top.effects:
            found = [change for change in found if change.unit != f"{path}::{MODULE_UNIT}"]
        found.extend(_name_changes(path, before.top, now.top, known={change.unit for change in found}))
    return found or [Change(path, "", "cosmetic", "comments, layout or type checking only")]


def _name_changes(path: str, before: ModuleNames, now: ModuleNames, known: AbstractSet[str]) -> Iterator[Change]:
    """Yield the names whose definition changed, but for those of functions, which are *known* already."""
    for name in sorted(before.names.keys() | now.names.keys()):
        old, new, unit = before.names.get(name), now.names.get(name), f"{path}::{name}"
        if unit in known or (old and new and old.fingerprint == new.fingerprint):
            continue
        if new is None:
            yield Change(path, unit, "interface", "name removed")
        elif old is None:
            yield Change(path, unit, "local", "name added", new.line)
        elif new.imported or old.imported:
            yield Change(path, unit, "topology", "import changed", new.line)
        else:
            yield Change(path, unit, "local", "definition changed", new.line)


def _unit_change(path: str, before: Unit | None, now: Unit | None) -> Change | None:
    if now is None:
        return Change(path, f"{path}::{before.name}", "interface", "function removed") if before else None
    unit = f"{path}::{now.name}"
    if before is None:
        return Change(path, unit, "local", "function added", now.line)
    if before.fingerprint == now.fingerprint:
        return None
    kind, detail = _edit(now.name, same_signature=before.signature == now.signature)
    return Change(path, unit, kind, detail, now.line)


def _edit(name: str, *, same_signature: bool) -> tuple[Kind, str]:
    if name == MODULE_UNIT:
        return ("local", "module-level code changed") if same_signature else ("topology", "imports changed")
    return ("local", "function body changed") if same_signature else ("interface", "signature changed")
