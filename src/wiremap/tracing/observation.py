"""What was seen to happen while one thing ran: a test, a fixture, the import of a module."""

from collections.abc import Hashable
from types import CodeType
from typing import Any, TypeVar

_Value = TypeVar("_Value")


class Observation:
    """Everything that ran, was imported and was read in one context.

    Code objects are kept by `id` and never hashed: two functions of equal text in different files compare
    equal, since `co_filename` is not compared. The values keep the objects alive, so that no id is reused.

    There is one for each test, and one for each call of a function that fills a cache, and most see nothing but
    code: so all else is made when it is first asked for. It is no dataclass: each child process makes some when it
    starts, and `dataclasses` takes longer to import than all the rest of what a recorder needs.

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
        branches: Branches that recipes took: path and unit, number of the `if`, how it came out.
        kept: What earlier contexts did to fill what this one may have found full, by `id` of the observation.
        doubts: Why something may have happened unseen, one sentence each.
    """

    codes: dict[int, CodeType]
    units: set[tuple[str, str]]
    modules: set[str]
    imports: set[str]
    fixtures: set[int]
    files: dict[str, str]
    presences: dict[str, str]
    variables: dict[str, str | None]
    distributions: set[str]
    graphs: set[str]
    processes: set[str]
    unpickled: set[str]
    branches: set[tuple[str, str, int, bool]]
    kept: "dict[int, Observation]"
    doubts: set[str]

    def __init__(self, *, codes: dict[int, CodeType] | None = None, **seen: Any) -> None:
        """Begin with what was *seen*, by the names of the attributes; nothing by default."""
        self.codes = {} if codes is None else codes
        if seen:
            self.__dict__.update(seen)

    def __getattr__(self, name: str) -> Any:
        """Make what was not asked for yet. Two threads may ask at once: they get the same."""
        if name not in _MADE_LATE:
            raise AttributeError(name=name, obj=self)
        return self.__dict__.setdefault(name, _MADE_LATE[name]())

    def absorb(self, other: "Observation") -> bool:
        """Add what *other* saw; return whether it was anything new. What was read first stays as it was then."""
        has_grown = False
        # A copy: other threads may look at something else meanwhile.
        for name, theirs in other.__dict__.copy().items():
            if theirs:
                own = getattr(self, name)
                before = len(own)
                _add_missing(own, theirs) if name in _READINGS else own.update(theirs)
                has_grown = has_grown or len(own) > before
        return has_grown

    def size(self) -> int:
        """Return how much was seen: the number grows whenever anything new is."""
        return sum(map(len, self.__dict__.values()))  # no bytecode, so that no other thread gets in between

    def content(self) -> Hashable:
        """Return a value that is equal for observations of the same things."""
        return frozenset(
            (name, frozenset(seen.items() if name in _READINGS else seen)) for name, seen in vars(self).items() if seen
        )


_READINGS = frozenset({"files", "presences", "variables"})
"""What was read first stays as it was then."""
_MADE_LATE: dict[str, type[dict[Any, Any]] | type[set[Any]]] = {
    **dict.fromkeys(("files", "presences", "variables", "kept"), dict),
    **dict.fromkeys(
        (
            "units",
            "modules",
            "imports",
            "fixtures",
            "distributions",
            "graphs",
            "processes",
            "unpickled",
            "branches",
            "doubts",
        ),
        set,
    ),
}


def with_kept(observations: "list[Observation]") -> "list[Observation]":
    """Return *observations* and all that they may have found filled, each once."""
    found: dict[Observation, None] = {}
    pending = observations[::-1]
    while pending:
        one = pending.pop()
        if one not in found:
            found[one] = None
            if "kept" in vars(one):
                pending.extend(one.kept.values())
    return list(found)


def _add_missing(own: dict[str, _Value], added: dict[str, _Value]) -> None:
    for key, value in added.items():
        own.setdefault(key, value)
