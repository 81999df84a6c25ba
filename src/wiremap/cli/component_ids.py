"""Ids of components as people get to see many of them: repeated layers as one."""

import re
from collections.abc import Iterable, Sequence
from typing import Final

_INDEX: Final = re.compile(r"(?<=\.)\d+(?=\.|$)|(?<=#)\d+$")
_SHOWN: Final = 6


def without_index(id_: str) -> str:
    """Return *id_* with ``*`` for its indexes."""
    return _INDEX.sub("*", id_)


def folded_ids(lines: Iterable[str]) -> list[str]:
    """Return *lines*, those that differ only in an index as one, with their number."""
    alike: dict[str, list[str]] = {}
    for line in lines:
        alike.setdefault(" ".join(map(without_index, line.split(" "))), []).append(line)
    return [found[0] if len(found) == 1 else f"{line} (\u00d7{len(found)})" for line, found in alike.items()]


def enumeration(ids: Sequence[str]) -> str:
    """Return *ids* in one line: those that differ only in an index as one, and of many different ones the first."""
    folded = folded_ids(ids)
    hidden = len(folded) - _SHOWN
    return ", ".join(folded if hidden <= 0 else [*folded[:_SHOWN], f"{hidden} more"])
