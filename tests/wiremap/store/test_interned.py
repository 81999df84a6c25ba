from array import array

from hypothesis import given
from hypothesis import strategies as st

from wiremap.selection.facts import Fact
from wiremap.store.interned import FactTable, Nearest, StoredFacts, fact_digest

NUM_FACTS = 20
FACTS = [Fact("file", f"{number}.txt", "1") for number in range(NUM_FACTS)]
_subsets = st.sets(st.integers(0, NUM_FACTS - 1)).map(lambda ids: frozenset(one + 1 for one in ids))


def table() -> FactTable:
    made = FactTable()
    for number, fact in enumerate(FACTS, start=1):
        made.add_fact(number, fact)
    return made


def stored(of: FactTable, ids: frozenset[int], key: int = 1, base: StoredFacts | None = None) -> StoredFacts:
    difference = ids ^ frozenset(base.difference) if base else ids
    return StoredFacts(of, key, base, array("Q", sorted(difference)), of.digest(ids))


def plain(ids: frozenset[int]) -> frozenset[Fact]:
    return frozenset(FACTS[one - 1] for one in ids)


@given(_subsets, _subsets)
def test_a_set_is_what_its_base_and_its_difference_make(whole: frozenset[int], ids: frozenset[int]) -> None:
    of = table()

    found = stored(of, ids, key=2, base=stored(of, whole))

    assert frozenset(found) == plain(ids)
    assert hash(found) == hash(plain(ids))
    assert len(found) == len(ids)
    assert {one for one in FACTS if one in found} == plain(ids)


@given(_subsets, _subsets, _subsets)
def test_searching_finds_what_reading_finds(whole: frozenset[int], ids: frozenset[int], wanted: frozenset[int]) -> None:
    of = table()
    base = stored(of, whole)
    chosen = plain(wanted)

    for one, expected in ((base, whole), (stored(of, ids, key=2, base=base), ids)):
        assert frozenset(one.matching(chosen.__contains__)) == plain(expected & wanted)


def test_a_search_asks_about_each_fact_once() -> None:
    of = table()
    asked = []

    def predicate(fact: Fact) -> bool:
        asked.append(fact)
        return True

    stored(of, frozenset({1, 2}), key=1).matching(predicate)
    stored(of, frozenset({2, 3}), key=2).matching(predicate)

    assert sorted(asked) == sorted(FACTS[:3])


@given(_subsets, _subsets)
def test_the_digest_of_a_difference_leads_from_one_set_to_the_other(one: frozenset[int], other: frozenset[int]) -> None:
    of = table()

    assert of.digest(one) ^ of.digest(one ^ other) == of.digest(other)


def test_facts_are_told_apart_however_their_text_is_divided() -> None:
    digests = {fact_digest(Fact(*texts)) for texts in (("ab", "c", ""), ("a", "bc", ""), ("a", "b", "c"))}

    assert len(digests) == 3


def test_the_nearest_of_the_latest_whole_sets_is_the_base() -> None:
    of, nearest = table(), Nearest()
    nearest.offer(stored(of, frozenset(range(1, 6)), key=1))
    nearest.offer(stored(of, frozenset(range(6, 16)), key=2))

    assert nearest.difference(frozenset(range(7, 17))) == (2, frozenset({6, 16}))


def test_a_set_that_is_near_to_none_is_its_own_base() -> None:
    of, nearest = table(), Nearest()
    nearest.offer(stored(of, frozenset({1, 2, 3}), key=1))

    assert nearest.difference(frozenset({3, 4, 5})) == (None, frozenset({3, 4, 5}))
