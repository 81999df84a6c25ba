"""What is known so far of attributes, parameters, results and module-level names, and who relied on it."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple, TypeAlias

from wiremap.inference.definitions import Class, Function, Module
from wiremap.inference.values import UNKNOWN, Value, ours, union

# Units and keys are looked up all the time: tuples are hashed and compared faster than anything else. Their last
# field tells them apart.


class Unit(NamedTuple):
    """What is evaluated at a time: a module's own statements, or a function, for objects of the class *receiver*."""

    module: Module
    function: Function | None = None
    receiver: Class | None = None


class Attribute(NamedTuple):
    """What is stored in an attribute of the objects of a class."""

    cls: Class
    name: str
    sort: Literal["attribute"] = "attribute"


class Declaration(NamedTuple):
    """What an annotation alone says of an attribute."""

    cls: Class
    name: str
    sort: Literal["declaration"] = "declaration"


class Returned(NamedTuple):
    """What a function returns."""

    function: Function
    sort: Literal["returned"] = "returned"


class Passed(NamedTuple):
    """What callers pass for a parameter; for a field, to the class that is a record."""

    to: Function | Class
    parameter: str
    sort: Literal["passed"] = "passed"


class Global(NamedTuple):
    """What a name at module level stands for."""

    module: Module
    name: str
    sort: Literal["global"] = "global"


Key: TypeAlias = Attribute | Declaration | Returned | Passed | Global


class Facts:
    """Facts, each the union of what several units found. A unit's findings replace what it found before."""

    def __init__(self) -> None:
        self._found: dict[Key, dict[Unit, Value]] = defaultdict(dict)
        self._together: dict[Key, Value] = {}
        self._by_unit: dict[Unit, Mapping[Key, Value]] = {}
        self._readers: dict[Key, set[Unit]] = defaultdict(set)

    def read(self, key: Key, reader: Unit) -> Value:
        """Return the fact, and remember that *reader* relies on it."""
        self._readers[key].add(reader)
        return self._together.get(key, UNKNOWN)

    def is_partly_unknown(self, key: Key) -> bool:
        """Tell whether of what some unit found there nothing is known."""
        return any(not found for found in self._found.get(key, {}).values())

    def exists(self, key: Key, reader: Unit) -> bool:
        """Tell whether anything was found, be it of an unknown value, and remember that *reader* relies on it."""
        self._readers[key].add(reader)
        return bool(self._found.get(key))

    def write(self, unit: Unit, findings: Mapping[Key, Value]) -> set[Unit]:
        """Take what *unit* found, and return the units that relied on what is no longer so."""
        before = self._by_unit.get(unit, {})
        self._by_unit[unit] = findings
        stale: set[Unit] = set()
        for key in before.keys() | findings.keys():
            if before.get(key) != findings.get(key):
                if key in findings:
                    self._found[key][unit] = findings[key]
                else:
                    del self._found[key][unit]
                self._together[key] = union(self._found[key].values())
                stale |= self._readers[key]
        return stale

    def is_about_ours(self, key: Key) -> bool:
        """Tell whether the fact names a class or function of the code base."""
        return bool(ours(self._together.get(key, UNKNOWN)))

    def passed(self) -> Iterator[Value]:
        """Yield what callers pass, parameter by parameter."""
        yield from (value for key, value in self._together.items() if isinstance(key, Passed))

    def attributes(self) -> Iterator[tuple[Attribute | Declaration, Value]]:
        """Yield every attribute that is known, with what it may hold."""
        for key, value in self._together.items():
            if isinstance(key, Attribute | Declaration):
                yield key, value
