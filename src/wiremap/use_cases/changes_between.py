"""What differs between two states of the files, classified as all changes are."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from wiremap.project.repository import Blob, Difference, Repository
from wiremap.project.revision_range import RevisionRange
from wiremap.selection.changes import Change, data_changes, source_changes
from wiremap.selection.renames import renamed_sources
from wiremap.source.units import SourceUnits, content_digest, parse_units


@dataclass(frozen=True)
class ChangedFiles:
    """The files that differ, as they were and as they are.

    Attributes:
        before: The content of those that were there, by path.
        now: The content of those that are there.
        in_conflict: Those of which git does not know yet what they are.
    """

    before: Mapping[str, bytes]
    now: Mapping[str, bytes]
    in_conflict: frozenset[str] = frozenset()

    @cached_property
    def changes(self) -> list[Change]:
        """The changes, sorted."""
        before, now = _digests(self.before), _digests(self.now)
        sources = source_changes(_python(before), _python(now), self._units_of_digest.get, self.units_now)
        conflicts = [Change(path, "", "unknown", "merge conflicts") for path in self.in_conflict]
        return sorted({*sources, *data_changes(_other(before), _other(now)), *conflicts})

    @cached_property
    def renamed(self) -> dict[str, str]:
        """The old paths of renamed Python files, by their new paths."""
        before, now = _python(_digests(self.before)), _python(_digests(self.now))
        return renamed_sources(before, now, self._units_of_digest.get, self.units_now)

    @property
    def paths(self) -> list[str]:
        """The paths of all that differ, sorted."""
        return sorted(self.before.keys() | self.now.keys() | self.in_conflict)

    def units_before(self, path: str) -> SourceUnits:
        """Return the units of the Python file *path* as it was; none where it was not there."""
        return self._units_before.get(path, SourceUnits({}))

    def units_now(self, path: str) -> SourceUnits:
        """Return its units as it is; none where it is not there."""
        return self._units_now.get(path, SourceUnits({}))

    @cached_property
    def _units_before(self) -> Mapping[str, SourceUnits]:
        return {path: parse_units(text) for path, text in self.before.items() if path.endswith(".py")}

    @cached_property
    def _units_now(self) -> Mapping[str, SourceUnits]:
        return {path: parse_units(text) for path, text in self.now.items() if path.endswith(".py")}

    @cached_property
    def _units_of_digest(self) -> Mapping[str, SourceUnits]:
        return {content_digest(self.before[path]): units for path, units in self._units_before.items()}


def changed_files(repository: Repository, between: RevisionRange) -> ChangedFiles:
    """Return the files that differ between the states *between*."""
    found = repository.differences(*between)
    before, now = (
        dict(repository.contents({one.path: blob for one in found if (blob := side(one)) is not None}))
        for side in (_before, _now)
    )
    conflicts = {one.path for one in found if one.is_unmerged and one.now is None}
    return ChangedFiles(before, now, frozenset(conflicts))


def _before(difference: Difference) -> Blob | None:
    return difference.before


def _now(difference: Difference) -> Blob | None:
    return difference.now


def _python(digests: Mapping[str, str]) -> dict[str, str]:
    return {path: digest for path, digest in digests.items() if path.endswith(".py")}


def _other(digests: Mapping[str, str]) -> dict[str, str]:
    return {path: digest for path, digest in digests.items() if not path.endswith(".py")}


def _digests(texts: Mapping[str, bytes]) -> dict[str, str]:
    return {path: content_digest(text) for path, text in texts.items()}
