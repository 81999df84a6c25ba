"""Tests divided among machines, so that each takes about the same time."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from statistics import fmean


@dataclass(frozen=True, slots=True)
class Shard:
    """What one machine runs.

    Attributes:
        tests: Node ids, in the order that they were given in.
        seconds: How long they are expected to take.
    """

    tests: tuple[str, ...]
    seconds: float


def shards(tests: Sequence[str], number: int, recorded: Mapping[str, float]) -> list[Shard]:
    """Divide *tests* into *number* shards, of which the longest takes as little time as can be.

    Tests that follow one another stay together, so that most files, with their fixtures, are set up on one machine
    only: at most *number* - 1 files are divided. So the longest shard takes at most the time of one test more than
    all tests take by *number*.

    Args:
        tests: Node ids, each once, tests of one file next to one another.
        number: How many shards; some are empty where there are fewer tests.
        recorded: How many seconds each test took. One that has no record takes as long as the mean of the others.
    """
    seconds = _expected(tests, recorded)
    longest = _shortest_longest(seconds, number)
    cuts = [0, *_cuts(seconds, longest)]
    cuts += [len(tests)] * (number + 1 - len(cuts))
    return [Shard(tuple(tests[begin:end]), sum(seconds[begin:end])) for begin, end in pairwise(cuts)]


def _expected(tests: Sequence[str], recorded: Mapping[str, float]) -> list[float]:
    known = [recorded[test] for test in tests if test in recorded]
    # Where nothing is known, or all took no time that could be measured, shards are of equal number.
    mean = (fmean(known) if known else 0.0) or 1.0
    return [recorded.get(test, mean) or mean / 1000 for test in tests]


def _shortest_longest(seconds: Sequence[float], number: int) -> float:
    """Return the least time, to a millionth of the whole, within which each of *number* shards can end."""
    # Added up as `_cuts` does: from Python 3.12 on `sum` rounds otherwise, and less than the whole would be too short.
    *_, whole = accumulate(seconds, initial=0.0)
    too_short, enough = max(max(seconds, default=0.0), whole / number), whole
    if len(_cuts(seconds, too_short)) <= number:
        return too_short
    while enough - too_short > whole * 1e-6:
        middle = (too_short + enough) / 2
        if len(_cuts(seconds, middle)) <= number:
            enough = middle
        else:
            too_short = middle
    return enough


def _cuts(seconds: Sequence[float], longest: float) -> list[int]:
    """Return where each shard ends, if each takes as many tests as end within *longest*."""
    ends: list[int] = []
    taken = 0.0
    for place, one in enumerate(seconds):
        if taken + one > longest and taken:
            ends.append(place)
            taken = 0.0
        taken += one
    return [*ends, len(seconds)] if seconds else []
