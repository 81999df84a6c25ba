"""What the evaluation of one unit finds: facts, and what one class uses of another."""

from dataclasses import dataclass, field

from wiremap.graph import CellKind
from wiremap.inference.definitions import Class
from wiremap.inference.facts import Key
from wiremap.inference.values import UNKNOWN, Value, union


@dataclass(frozen=True, slots=True)
class Use:
    """An object of *consumer* reads *cell* of one of *provider*, found in an attribute of *holder* if that is given."""

    consumer: Class
    provider: Class
    cell: str
    kind: CellKind
    holder: Class | None


@dataclass(slots=True)
class Record:
    """The findings of one unit.

    Attributes:
        facts: What it adds to what is known.
        uses: Cells that it reads.
        made: Classes of which it makes objects.
        passing: Of these, others than its own that it makes while the program runs, not while an object is made.
        kept: Classes of objects that it made and keeps in an attribute of its own object.
        unknown: Calls through attributes of unknown type: the attribute, and where the call stands.
        loaders: Functions called that load what a string names.
    """

    facts: dict[Key, Value] = field(default_factory=dict)
    uses: set[Use] = field(default_factory=set)
    made: set[Class] = field(default_factory=set)
    passing: set[Class] = field(default_factory=set)
    kept: set[Class] = field(default_factory=set)
    unknown: set[tuple[Class, str, int, int]] = field(default_factory=set)
    loaders: set[str] = field(default_factory=set)

    def add(self, key: Key, value: Value) -> None:
        """Add to one fact."""
        self.facts[key] = union([self.facts.get(key, UNKNOWN), value])
