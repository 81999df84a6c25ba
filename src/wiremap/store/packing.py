"""Sorted sets of small integers as bytes: the gaps between them, in one, two or four bytes each.

A variable number of bytes for each gap would be smaller by up to a third, and four times slower to read in Python.
"""

import sys
from array import array
from collections.abc import Sequence
from itertools import accumulate
from operator import sub

_WIDTHS = ("B", 1 << 8), ("H", 1 << 16), ("I", 1 << 32)


def pack(numbers: Sequence[int]) -> bytes:
    """Return *numbers*, which ascend from 1 or more to less than 2 ** 32, as bytes."""
    gaps = list(map(sub, numbers, [0, *numbers]))
    widest = max(gaps, default=0)
    code = next(code for code, limit in _WIDTHS if widest < limit)
    return code.encode() + _little_endian(array(code, gaps)).tobytes()


def unpack(packed: bytes) -> "array[int]":
    """Return the numbers that `pack` was given.

    Raises:
        ValueError: These are no such bytes.
    """
    code = packed[:1].decode("ascii", "replace")
    if code not in dict(_WIDTHS):
        raise ValueError(f"no width of gaps is called {code!r}")
    gaps = array(code)
    gaps.frombytes(packed[1:])
    return array("Q", accumulate(_little_endian(gaps)))


def _little_endian(numbers: "array[int]") -> "array[int]":
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers
