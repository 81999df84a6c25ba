"""What was seen to happen while one thing ran: a test, a fixture, the import of a module."""

from collections.abc import Sized
from dataclasses import dataclass, field
from types import CodeType


@dataclass(slots=True)
class Observation:
    """Everything that ran, was imported and was read in one context.

    Code objects are kept by `id` and never hashed: two functions of equal text in different files compare
    equal, since `co_filename` is not compared. The values keep the objects alive, so that no id is reused.

    Attributes:
        codes: Code objects of project files that started or resumed.
        modules: Project files whose import began in this context; their own observations are apart.
        imports: Absolute names that the import system was asked for by a computed name.
        fixtures: Wider fixtures that were asked for in this context, by `id` of their definition.
        files: State of each project file or folder at its first access, by absolute path.
        presences: What stood at a path whose existence was asked for (`file`, `folder`, `absent`), by absolute path.
        variables: Environment variables that were read: name to the digest of the value, None when unset.
        distributions: Distributions whose metadata was asked for; `*` for all, `entry points` for those of all.
        graphs: Digests of the graphs that were compiled.
        kept: What earlier contexts did to fill what this one may have found full, by `id` of the observation.
        doubts: Why something may have happened unseen, one sentence each.
    """

    codes: dict[int, CodeType] = field(default_factory=dict)
    modules: set[str] = field(default_factory=set)
    imports: set[str] = field(default_factory=set)
    fixtures: set[int] = field(default_factory=set)
    files: dict[str, str] = field(default_factory=dict)
    presences: dict[str, str] = field(default_factory=dict)
    variables: dict[str, str | None] = field(default_factory=dict)
    distributions: set[str] = field(default_factory=set)
    graphs: set[str] = field(default_factory=set)
    kept: "dict[int, Observation]" = field(default_factory=dict)
    doubts: set[str] = field(default_factory=set)

    def absorb(self, other: "Observation") -> bool:
        """Add what *other* saw; return whether it was anything new. What was read first stays as it was then."""
        before = self._size()
        self.codes.update(other.codes)
        for own, added in (
            (self.modules, other.modules),
            (self.imports, other.imports),
            (self.distributions, other.distributions),
            (self.graphs, other.graphs),
            (self.doubts, other.doubts),
        ):
            own.update(added)
        self.fixtures.update(other.fixtures)
        self.files = {**other.files, **self.files}
        self.presences = {**other.presences, **self.presences}
        self.variables = {**other.variables, **self.variables}
        self.kept.update(other.kept)
        return self._size() > before

    def _size(self) -> int:
        parts: tuple[Sized, ...] = (
            self.codes, self.modules, self.imports, self.graphs, self.doubts, self.fixtures, self.files,
            self.presences, self.variables, self.kept, self.distributions,
        )  # fmt: skip
        return sum(map(len, parts))


def with_kept(observations: "list[Observation]") -> "list[Observation]":
    """Return *observations* and all that they may have found filled, each once."""
    found: dict[int, Observation] = {}
    pending = list(observations)
    while pending:
        one = pending.pop()
        if id(one) not in found:
            found[id(one)] = one
            pending.extend(one.kept.values())
    return list(found.values())
