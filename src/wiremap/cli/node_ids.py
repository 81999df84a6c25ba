"""Node ids of tests, for people."""

from collections.abc import Sequence


def folded(tests: Sequence[str]) -> list[str]:
    """Return *tests* in their order, with one line for all that differ in nothing but their parameters."""
    groups: dict[str, list[str]] = {}
    for test in tests:
        groups.setdefault(test.partition("[")[0], []).append(test)
    return [_line(function, group) for function, group in groups.items()]


def _line(function: str, group: Sequence[str]) -> str:
    return group[0] if len(group) == 1 else f"{function}[…] ({len(group)} sets of parameters)"
