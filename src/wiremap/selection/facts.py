"""Facts: the dependencies of a test at the fingerprints that they had when it ran."""

from abc import abstractmethod
from collections.abc import Callable, Collection
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Literal, NamedTuple

Outcome = Literal["passed", "failed", "skipped"]

FUNCTION = "function"
"""Key `path::unit`; value the unit's fingerprint."""
MODULE = "module"
"""Key `path`; value the fingerprint of the module unit: what runs at import."""
SOURCE = "source"
"""Key `path`; value the digest of the whole file, where nothing finer could be observed."""
IMPORT = "import"
"""Key a module name; value the project files that it may mean. A new file that could take its place counts."""
FILE = "file"
"""Key `path`; value the state of the file or folder, its absence included."""
PRESENCE = "presence"
"""Key `path`; value what stands there: `file`, `folder` or nothing. For those who only ask whether it exists."""
VARIABLE = "variable"
"""Key the name of an environment variable; value the digest of its value."""
ENVIRONMENT = "environment"
"""Key `python`, `distributions`, `pytest configuration`, …; value a digest or the text itself."""
PROJECT = "project"
"""Key `*`; value the digest of all project files: what a test rests on that did something unseen."""

ABSENT = "absent"
"""The value of what is not there."""
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
        if self.kind in (FUNCTION, MODULE, SOURCE, FILE, PRESENCE):
            return self.key.partition("::")[0]
        return None

    @property
    def unit(self) -> str | None:
        """`path::unit` of a fact about source, if it is about one."""
        if self.kind == FUNCTION:
            return self.key
        return f"{self.key}::<module>" if self.kind in (MODULE, SOURCE) else None


class InternedFacts(AbstractSet[Fact]):
    """A set of facts that shares what is known of its facts with other sets, and so is searched faster than read."""

    @abstractmethod
    def matching(self, predicate: Callable[[Fact], bool]) -> Collection[Fact]:
        """Return the facts for which *predicate* holds; it is asked once for each fact, whichever sets hold it."""


@dataclass(frozen=True, slots=True)
class Trace:
    """The record of one run of one test.

    Attributes:
        test: The node id.
        facts: Everything that the outcome rests on, as far as it could be observed.
        outcome: `skipped` counts as an outcome to be remembered like a pass.
        duration: Seconds for set-up, call and tear-down.
        sequence: When it was recorded, in milliseconds since 1970, and always later than what the map then held.
    """

    test: str
    facts: AbstractSet[Fact]
    outcome: Outcome
    duration: float
    sequence: int = 0
