"""Facts and sets of facts, each held once and known by a number, as a map keeps them.

Tests of one file rest on nearly the same facts, and so does a test before and after an edit. A set is therefore
held as its symmetric difference from a whole set that it is near to. The digest of a set is the exclusive or of
those of its facts: it follows from the difference alone, and tells damage wherever that may sit.
"""

from array import array
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterator
from functools import reduce
from hashlib import blake2b
from operator import xor

from wiremap.selection.facts import Fact, InternedFacts

DIGEST_BYTES = 16
_LATEST_WHOLE = 4


class FactTable:
    """The interned facts of a map, and its sets of them."""

    def __init__(self) -> None:
        self.facts: dict[int, Fact] = {}
        self.ids: dict[Fact, int] = {}
        self.sets: dict[int, StoredFacts] = {}
        self._digests: dict[int, int] = {}
        self._set_ids: dict[int, int] = {}
        self._searches: dict[Callable[[Fact], bool], _Search] = {}

    def add_fact(self, fact_id: int, fact: Fact) -> None:
        """Add a fact under its number."""
        self.facts[fact_id] = fact
        self.ids[fact] = fact_id
        self._digests[fact_id] = fact_digest(fact)

    def add_set(self, stored: "StoredFacts") -> None:
        """Add a set under its number."""
        self.sets[stored.key] = stored
        self._set_ids[stored.digest] = stored.key

    def set_with(self, digest: int) -> int | None:
        """Return the number of the set with *digest*, or None without one."""
        return self._set_ids.get(digest)

    def digest(self, ids: Collection[int]) -> int:
        """Return the digest of a set, or what a difference adds to that of its base.

        Raises:
            KeyError: A number stands for no fact.
        """
        return reduce(xor, map(self._digests.__getitem__, ids), 0)

    def search(self, predicate: Callable[[Fact], bool]) -> "_Search":
        """Return the search for facts for which *predicate* holds."""
        if predicate not in self._searches:
            self._searches[predicate] = _Search(predicate, self.facts)
        return self._searches[predicate]


class StoredFacts(InternedFacts):
    """A set of facts by numbers, maybe as the symmetric difference from a base, which has none itself."""

    __slots__ = ("_table", "base", "difference", "digest", "key")

    def __init__(
        self, table: FactTable, key: int, base: "StoredFacts | None", difference: "array[int]", digest: int
    ) -> None:
        self.key = key
        self.base = base
        self.difference = difference
        self.digest = digest
        self._table = table

    def ids(self) -> set[int]:
        """Return the numbers of the facts."""
        own = set(self.difference)
        return own if self.base is None else own.symmetric_difference(self.base.difference)

    def matching(self, predicate: Callable[[Fact], bool]) -> list[Fact]:
        """Return the facts for which *predicate* holds."""
        return [self._table.facts[one] for one in self.matching_ids(predicate)]

    def matching_ids(self, predicate: Callable[[Fact], bool]) -> frozenset[int]:
        """Return the numbers of the facts for which *predicate* holds."""
        return self._table.search(predicate).within(self)

    def __contains__(self, fact: object) -> bool:
        return isinstance(fact, Fact) and self._table.ids.get(fact) in self.ids()

    def __iter__(self) -> Iterator[Fact]:
        return map(self._table.facts.__getitem__, self.ids())

    def __len__(self) -> int:
        return len(self.ids())

    def __hash__(self) -> int:
        return hash(frozenset(self))


class Nearest:
    """Chooses for each set, in turn, the whole set among the latest that it is nearest to."""

    def __init__(self) -> None:
        self._latest: OrderedDict[int, frozenset[int]] = OrderedDict()

    def offer(self, whole: StoredFacts) -> None:
        """Make *whole*, which has no base, one of the latest."""
        if whole.key not in self._latest:
            self._latest[whole.key] = frozenset(whole.difference)
        self._latest.move_to_end(whole.key)
        if len(self._latest) > _LATEST_WHOLE:
            self._latest.popitem(last=False)

    def difference(self, ids: frozenset[int]) -> tuple[int | None, frozenset[int]]:
        """Return the base for a set and the symmetric difference from it; the set itself where none is near."""
        differences = ((ids ^ whole, key) for key, whole in self._latest.items())
        difference, base = min(differences, key=lambda one: len(one[0]), default=(ids, None))
        return (base, difference) if len(difference) <= len(ids) // 2 else (None, ids)


class _Search:
    """Facts for which a predicate holds, each asked about once."""

    def __init__(self, predicate: Callable[[Fact], bool], facts: dict[int, Fact]) -> None:
        self._predicate = predicate
        self._facts = facts
        self._asked: set[int] = set()
        self._found: set[int] = set()
        self._within_base: dict[int, frozenset[int]] = {}

    def within(self, stored: StoredFacts) -> frozenset[int]:
        own = self._among(stored.difference)
        if stored.base is None:
            return own
        if stored.base.key not in self._within_base:
            self._within_base[stored.base.key] = self._among(stored.base.difference)
        # What holds for a difference of sets holds for the difference of what was found in them.
        return own ^ self._within_base[stored.base.key]

    def _among(self, ids: "array[int]") -> frozenset[int]:
        new = set(ids).difference(self._asked)
        self._found.update(one for one in new if self._predicate(self._facts[one]))
        self._asked |= new
        return frozenset(self._found.intersection(ids))


def fact_digest(fact: Fact) -> int:
    """Return a number that stands for the text of *fact*, the same on every machine."""
    text = f"{len(fact.kind)} {len(fact.key)} {fact.kind}{fact.key}{fact.value}"
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=DIGEST_BYTES).digest(), "big")
