"""Node ids of tests, for people."""

from collections.abc import Sequence
from typing import NamedTuple


class Line(NamedTuple):
    """One line of a list of tests, and how many tests it stands for."""

    text: str
    num_tests: int


def folded(tests: Sequence[str]) -> list[str]:
    """Return *tests* in their order, with one line for all that differ in nothing but their parameters."""
    return [line.text for line in folded_lines(tests)]


def folded_lines(tests: Sequence[str]) -> list[Line]:
    """Return the same with the number of tests of each line."""
    groups: dict[str, list[str]] = {}
    for test in tests:
        groups.setdefault(test.partition("[")[0], []).append(test)
    return [_line(function, group) for function, group in groups.items()]


def unfolded_lines(tests: Sequence[str]) -> list[Line]:
    """Return a line for each of *tests*."""
    return [Line(test, 1) for test in tests]


def rest_of(hidden: Sequence[Line]) -> str:
    """Return the line that tells that these are *hidden*."""
    num_tests = sum(line.num_tests for line in hidden)
    what = "test" if num_tests == 1 else "tests" if num_tests == len(hidden) else f"lines, {num_tests} tests"
    return f"  … and {len(hidden)} more {what} (--all shows them)"


def _line(function: str, group: Sequence[str]) -> Line:
    text = group[0] if len(group) == 1 else f"{function}[…] ({len(group)} sets of parameters)"
    return Line(text, len(group))
