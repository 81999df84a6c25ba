"""Facts: the dependencies of a test at the fingerprints that they had when it ran."""

from abc import abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Literal, NamedTuple

Outcome = Literal["passed", "failed", "skipped", "collected"]

FUNCTION = "function"
"""Key `path::unit`; value the unit's fingerprint."""
MODULE = "module"
"""Key `path`; value the fingerprint of the module unit: what runs at import."""
CLASSES = "classes"
"""Key `path`; value the fingerprint of all that the names of the module mean: for a test of which it is known which
of them it may read. Classes count as wholes."""
NAMES = "names"
"""As `CLASSES`, and it is known which members of classes it may read."""
SOURCE = "source"
"""Key `path`; value the digest of the whole file, where nothing finer could be observed."""
IMPORT = "import"
"""Key a module name; value who answers to it: the project files that it may mean, and for a top-level name the
distributions that hold it. A new file or distribution that could take its place counts."""
FILE = "file"
"""Key `path`; value the state of the file or folder, its absence included."""
PRESENCE = "presence"
"""Key `path`; value what stands there: `file`, `folder` or nothing. For those who only ask whether it exists."""
VARIABLE = "variable"
"""Key the name of an environment variable; value the digest of its value."""
ENVIRONMENT = "environment"
"""Key `python`, `platform`, `pytest option`, …; value the text itself, or digests by name as JSON."""
DISTRIBUTION = "distribution"
"""Key the name of an installed distribution, `*` or `entry points` for those of all; value version and content."""
LIBRARY = "library"
"""Key the path of a native library of the system; value its real name, size and time."""
DATA = "data"
"""Key a pattern of `[tool.wiremap]`; value the digest of the files that it matches."""
RECIPE = "recipe"
"""Key `path::unit` of a recipe that a test executed; value its source and which of its branches were taken, as JSON.
It is no dependency but evidence: it always holds, and proves that the test may rest on less than the whole unit."""
COLLECTED_TEST = "collected test"
"""Key the node id of a test that was found when its file was collected; value always the same."""
WIRING = "wiring"
"""Key a pattern of components and edges; value the digest of what it matches in the graphs of the project's recipes."""
WIRED = "wired class"
"""Key `path::class`; value the fingerprint of the class or function of a component that such a pattern matches."""
PROJECT = "project"
"""Key `*`; value the digest of all project files: what a test rests on that did something unseen."""

MODULES = (MODULE, CLASSES, NAMES)
"""Facts about what runs when a module is imported."""

ABSENT = "absent"
"""The value of what is not there."""
UNCOMPILED = "uncompiled: "
"""What the value of a wiring begins with that can't be compiled; the reason follows. No fact has it."""
UNSTABLE = "unstable"
"""The value of what changed while the tests ran. It equals nothing that is found later."""


class Fact(NamedTuple):
    """One dependency at one fingerprint."""

    kind: str
    key: str
    value: str

    @property
    def path(self) -> str | None:
        """The project file that the fact is about, if it is about one."""
        if self.kind in (FUNCTION, *MODULES, SOURCE, FILE, PRESENCE, WIRED):
            return self.key.partition("::")[0]
        return None

    @property
    def unit(self) -> str | None:
        """`path::unit` of a fact about source, if it is about one."""
        if self.kind in (FUNCTION, WIRED):
            return self.key
        return f"{self.key}::<module>" if self.kind in (*MODULES, SOURCE) else None


class InternedFacts(AbstractSet[Fact]):
    """A set of facts that shares what is known of its facts with other sets, and so is searched faster than read."""

    @abstractmethod
    def matching(self, predicate: Callable[[Fact], bool]) -> Collection[Fact]:
        """Return the facts for which *predicate* holds; it is asked once for each fact, whichever sets hold it."""


def matching(facts: AbstractSet[Fact], predicate: Callable[[Fact], bool]) -> Collection[Fact]:
    """Return those of *facts* for which *predicate* holds; many sets are searched fast if it is always the same one."""
    return facts.matching(predicate) if isinstance(facts, InternedFacts) else list(filter(predicate, facts))


@dataclass(frozen=True, slots=True)
class Trace:
    """The record of one run of one test.

    Attributes:
        test: The node id; that of a file for the record of its collection.
        facts: Everything that the outcome rests on, as far as it could be observed.
        outcome: `skipped` counts as an outcome to be remembered like a pass, and `collected` is that of a file.
        duration: Seconds for set-up, call and tear-down.
        sequence: When it was recorded, in milliseconds since 1970, and always later than what the map then held.
    """

    test: str
    facts: AbstractSet[Fact]
    outcome: Outcome
    duration: float
    sequence: int = 0

    @property
    def function(self) -> str:
        """The node id without parameters."""
        return function_of(self.test)


def function_of(test: str) -> str:
    """Return the node id *test* without parameters."""
    path, separator, name = test.partition("::")
    return path + separator + name.partition("[")[0]


def newest(traces: Iterable[Trace]) -> Trace:
    """Return the one of *traces* that was recorded last; there must be one."""
    return max(traces, key=lambda trace: trace.sequence)


def of_tests(traces: Mapping[str, Sequence[Trace]]) -> dict[str, Sequence[Trace]]:
    """Return *traces* without those of the collection of files."""
    return {node: found for node, found in traces.items() if not _is_collection(found)}


def of_collections(traces: Mapping[str, Sequence[Trace]]) -> dict[str, Sequence[Trace]]:
    """Return those of *traces* that are of the collection of a file."""
    return {node: found for node, found in traces.items() if _is_collection(found)}


def _is_collection(traces: Sequence[Trace]) -> bool:
    return traces[0].outcome == "collected"
