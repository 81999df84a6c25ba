"""The traces of one test as one row of a map, and which of them are kept."""

import struct
from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from hashlib import blake2b
from typing import NamedTuple, get_args

from wiremap.selection.facts import Outcome

KEPT_PER_ENVIRONMENT = 8
KEPT_PER_TEST = 48
"""Six environments with their full share: a matrix of interpreters and platforms, or a few upgrades."""

_OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)
_ROW = struct.Struct("<IBdQ")
_CHECK_BYTES = 8


class TraceRow(NamedTuple):
    """One trace, its facts by the number of their set."""

    set_id: int
    outcome: Outcome
    duration: float
    sequence: int


def pack_rows(test: str, rows: Iterable[TraceRow]) -> bytes:
    """Return *rows* as bytes that tell by themselves if they were damaged or belong to another test."""
    packed = b"".join(_ROW.pack(row.set_id, _OUTCOMES.index(row.outcome), row.duration, row.sequence) for row in rows)
    return _check(test, packed) + packed


def unpack_rows(test: str, packed: bytes) -> list[TraceRow] | None:
    """Return what `pack_rows` was given, or None for damaged bytes."""
    check, rest = packed[:_CHECK_BYTES], packed[_CHECK_BYTES:]
    if check != _check(test, rest):
        return None
    return [
        TraceRow(key, _OUTCOMES[outcome], duration, when) for key, outcome, duration, when in _ROW.iter_unpack(rest)
    ]


def kept_rows(
    rows: Iterable[TraceRow], environment: Callable[[int], Hashable], digest: Callable[[int], int], most: int
) -> list[TraceRow]:
    """Return the rows that are kept, oldest first: the newest of each environment, and of all.

    Rows with one set and one outcome are one trace; its newest run counts. The oldest go first whatever their
    outcome: a failure must not be forgotten before the earlier pass that it overrules.

    Args:
        rows: The traces of one test, in any order.
        environment: Takes the number of a set, returns what tells its environment from others.
        digest: Takes the number of a set, returns a number that is the same in every map.
        most: How many are kept of each environment.
    """
    newest: dict[tuple[int, Outcome], TraceRow] = {}
    for row in rows:
        key = row.set_id, row.outcome
        newest[key] = max(newest.get(key, row), row, key=lambda one: (one.sequence, one.duration))
    # A total order by contents alone, so that maps may be merged in any order.
    ordered = sorted(newest.values(), key=lambda row: (row.sequence, row.outcome, digest(row.set_id)))
    if len(ordered) <= min(most, KEPT_PER_TEST):
        return ordered
    count: Counter[Hashable] = Counter()
    kept: list[TraceRow] = []
    for row in reversed(ordered):
        place = environment(row.set_id)
        if count[place] < most and len(kept) < KEPT_PER_TEST:
            count[place] += 1
            kept.append(row)
    return kept[::-1]


def _check(test: str, packed: bytes) -> bytes:
    return blake2b(test.encode("utf-8", "surrogatepass") + b"\0" + packed, digest_size=_CHECK_BYTES).digest()
