"""Sorted sets of small integers as bytes: the gaps between them, seven bits to a byte."""

from collections.abc import Iterable, Iterator

_MORE = 0x80
_LOW = 0x7F


def pack(numbers: Iterable[int]) -> bytes:
    """Return *numbers*, which ascend from 1 or more, as bytes."""
    packed = bytearray()
    last = 0
    for number in numbers:
        gap, last = number - last, number
        while gap > _LOW:
            packed.append(gap & _LOW | _MORE)
            gap >>= 7
        packed.append(gap)
    return bytes(packed)


def unpack(packed: bytes) -> Iterator[int]:
    """Yield the numbers that `pack` was given."""
    number = gap = shift = 0
    for byte in packed:
        gap |= (byte & _LOW) << shift
        if byte & _MORE:
            shift += 7
        else:
            number += gap
            yield number
            gap = shift = 0
