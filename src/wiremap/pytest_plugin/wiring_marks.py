"""`@pytest.mark.wiring("A -[cell]-> B")`: the patterns by which tests say on which wiring they depend."""

from collections.abc import Iterable

import pytest

from wiremap.errors import PatternSyntaxError
from wiremap.pytest_plugin.items import test_id

NAME = "wiring"


def wiring_patterns(item: pytest.Item) -> frozenset[str]:
    """Return the patterns of a test that was collected without a fault."""
    return frozenset(pattern for mark in item.iter_markers(NAME) for pattern in mark.args)


def without_bad_patterns(report: pytest.CollectReport) -> pytest.CollectReport:
    """Return *report*, or one that failed where a test has a mark that is none; it names all of them."""
    items = [one for one in report.result or () if isinstance(one, pytest.Item)]
    faults = [f"E   {test_id(item)}: {fault}" for item in items for fault in _faults(item)]
    if report.outcome != "passed" or not faults:
        return report
    return pytest.CollectReport(report.nodeid, "failed", "\n".join(faults), [])


def _faults(item: pytest.Item) -> Iterable[str]:
    for mark in item.iter_markers(NAME):
        from wiremap.graph import Pattern  # noqa: PLC0415 -- only who declares wiring waits for it

        if mark.kwargs or not mark.args:
            yield '@pytest.mark.wiring takes patterns, as in wiring("Pool -[allocate]-> Scheduler").'
        for pattern in mark.args:
            if not isinstance(pattern, str) or "\0" in pattern:
                yield f"@pytest.mark.wiring takes patterns as texts, not {pattern!r}."
                continue
            try:
                Pattern.parse(pattern)
            except PatternSyntaxError as error:
                yield f"@pytest.mark.wiring: {error}"
