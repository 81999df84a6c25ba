"""Maps as Hypothesis makes them."""

from typing import get_args

from hypothesis import strategies as st

from wiremap.selection.facts import ENVIRONMENT, Fact, Outcome, Trace
from wiremap.store.exchange import Contents
from wiremap.store.map import Baseline

# Surrogates are in: a file may have a name that is no Unicode.
_words = st.text(st.characters(exclude_characters="\0/\\:"), max_size=4)
_facts = st.builds(Fact, st.sampled_from(("file", "function", "variable")), _words, _words)
_pythons = st.builds(Fact, st.just(ENVIRONMENT), st.just("Python"), st.sampled_from(("3.11", "3.12")))
_fact_sets = st.builds(lambda facts, python: facts | {python}, st.frozensets(_facts, max_size=6), _pythons)


def traces() -> st.SearchStrategy[Trace]:
    """Traces of few tests in two environments, so that many compete."""
    return st.builds(
        Trace,
        test=st.sampled_from(("test_a", "test_ü[x y]", "test_\udc80")),
        facts=_fact_sets,
        outcome=st.sampled_from(get_args(Outcome)),
        duration=st.floats(0, 100),
        sequence=st.integers(0, 50),
    )


def contents() -> st.SearchStrategy[Contents]:
    """What of a map may travel, but for graphs."""
    paths = st.dictionaries(_words, _words, max_size=3)
    return st.builds(
        Contents,
        traces=st.lists(traces(), max_size=30),
        calls=st.frozensets(st.tuples(_words, _words), max_size=4),
        baseline=st.none() | st.builds(Baseline, st.integers(0, 50), paths),
        outside=st.none() | st.frozensets(st.sampled_from(("flush", "write", "ü")), max_size=3),
    )
