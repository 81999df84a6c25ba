"""What was seen to happen while one thing ran: a test, a fixture, the import of a module."""

from collections.abc import Hashable
from operator import attrgetter
from types import CodeType
from typing import TypeVar

_Value = TypeVar("_Value")

# What was read first stays as it was then.
_READINGS = ("files", "presences", "variables")


class Observation:
    """Everything that ran, was imported and was read in one context.

    Code objects are kept by `id` and never hashed: two functions of equal text in different files compare
    equal, since `co_filename` is not compared. The values keep the objects alive, so that no id is reused.

    It is no dataclass: each child process makes some when it starts, and `dataclasses` takes longer to import than
    all the rest of what a recorder needs.

    Attributes:
        codes: Code objects of project files that started or resumed.
        units: Path and name of each unit that ran in a child process.
        modules: Project files whose import began in this context; their own observations are apart.
        imports: Absolute names that the import system was asked for by a computed name.
        fixtures: Wider fixtures that were asked for in this context, by `id` of their definition.
        files: State of each project file or folder at its first access, by absolute path.
        presences: What stood at a path whose existence was asked for (`file`, `folder`, `absent`), by absolute path.
        variables: Environment variables that were read: name to the digest of the value, None when unset.
        distributions: Distributions whose metadata was asked for; `*` for all, `entry points` for those of all.
        graphs: Digests of the graphs that were compiled.
        processes: Ids of the child processes that were started in this context or lived during it.
        unpickled: Modules that data named from which objects were made: what was read of them stands in the data.
        kept: What earlier contexts did to fill what this one may have found full, by `id` of the observation.
        doubts: Why something may have happened unseen, one sentence each.
    """

    __slots__ = (
        "codes", "distributions", "doubts", "files", "fixtures", "graphs", "imports", "kept", "modules", "presences",
        "processes", "units", "unpickled", "variables",
    )  # fmt: skip

    def __init__(  # noqa: PLR0913 - as many as there are kinds of things to see
        self,
        *,
        codes: dict[int, CodeType] | None = None,
        units: set[tuple[str, str]] | None = None,
        modules: set[str] | None = None,
        imports: set[str] | None = None,
        fixtures: set[int] | None = None,
        files: dict[str, str] | None = None,
        presences: dict[str, str] | None = None,
        variables: dict[str, str | None] | None = None,
        distributions: set[str] | None = None,
        graphs: set[str] | None = None,
        processes: set[str] | None = None,
        unpickled: set[str] | None = None,
        kept: "dict[int, Observation] | None" = None,
        doubts: set[str] | None = None,
    ) -> None:
        self.codes: dict[int, CodeType] = {} if codes is None else codes
        self.units: set[tuple[str, str]] = set() if units is None else units
        self.modules: set[str] = set() if modules is None else modules
        self.imports: set[str] = set() if imports is None else imports
        self.fixtures: set[int] = set() if fixtures is None else fixtures
        self.files: dict[str, str] = {} if files is None else files
        self.presences: dict[str, str] = {} if presences is None else presences
        self.variables: dict[str, str | None] = {} if variables is None else variables
        self.distributions: set[str] = set() if distributions is None else distributions
        self.graphs: set[str] = set() if graphs is None else graphs
        self.processes: set[str] = set() if processes is None else processes
        self.unpickled: set[str] = set() if unpickled is None else unpickled
        self.kept: dict[int, Observation] = {} if kept is None else kept
        self.doubts: set[str] = set() if doubts is None else doubts

    def absorb(self, other: "Observation") -> bool:
        """Add what *other* saw; return whether it was anything new. What was read first stays as it was then."""
        before = len(self.codes)
        self.codes.update(other.codes)
        has_grown = len(self.codes) > before
        # Nearly always there is nothing else, and there may be very many calls.
        if any(_all_but_codes(other)):
            for name, theirs in zip(_ALL_BUT_CODES, _all_but_codes(other), strict=True):
                own = getattr(self, name)
                before = len(own)
                _add_missing(own, theirs) if name in _READINGS else own.update(theirs)
                has_grown = has_grown or len(own) > before
        return has_grown

    def content(self) -> Hashable:
        """Return a value that is equal for observations of the same things."""
        by_id = (frozenset(self.codes), frozenset(self.kept))
        return by_id, *map(frozenset, _sets_of(self)), *(frozenset(one.items()) for one in _readings_of(self))


_ALL_BUT_CODES = tuple(name for name in Observation.__slots__ if name != "codes")
_all_but_codes = attrgetter(*_ALL_BUT_CODES)
_readings_of = attrgetter(*_READINGS)
_sets_of = attrgetter(*(name for name in _ALL_BUT_CODES if name != "kept" and name not in _READINGS))


def with_kept(observations: "list[Observation]") -> "list[Observation]":
    """Return *observations* and all that they may have found filled, each once."""
    found: dict[Observation, None] = {}
    pending = observations[::-1]
    while pending:
        one = pending.pop()
        if one not in found:
            found[one] = None
            if one.kept:
                pending.extend(one.kept.values())
    return list(found)


def _add_missing(own: dict[str, _Value], added: dict[str, _Value]) -> None:
    for key, value in added.items():
        own.setdefault(key, value)
