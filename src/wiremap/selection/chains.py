"""Chains of recorded calls and imports, from a test to a unit that it rests on."""

from collections import deque
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet

from wiremap.selection import facts as kinds
from wiremap.selection.facts import Fact
from wiremap.source.units import MODULE_UNIT

_OF_MODULES = (kinds.MODULE, kinds.CLASSES, kinds.NAMES)


def units_of(facts: Iterable[Fact]) -> frozenset[str]:
    """Return the units `path::unit` whose code ran for a test that has these *facts*."""
    return frozenset(
        f"{fact.key}::{MODULE_UNIT}" if fact.kind in _OF_MODULES else fact.key
        for fact in facts
        if fact.kind in (kinds.FUNCTION, *_OF_MODULES)
    )


def chain(unit: str, test: str, within: AbstractSet[str], callers: Mapping[str, AbstractSet[str]]) -> tuple[str, ...]:
    """Return the units that lead to *unit*, each calling or importing the next.

    It is the shortest chain from the function *test* where there is one, else the shortest from where the calls began:
    a fixture that pytest called, a module that it imported. A name of a module is reached where its module is.

    Args:
        unit: The `path::unit` that is reached, the last of the chain.
        test: The `path::unit` of the test's function.
        within: The units that the test rests on. Chains lead through these.
        callers: Who calls or imports whom, as recorded: callee to callers.

    Returns:
        Only *unit* itself where nobody is known to have called it.
    """
    end = unit if unit in within else f"{unit.partition('::')[0]}::{MODULE_UNIT}"
    next_step = {end: ""}
    pending = deque([end])
    beginning = ""
    while pending:
        callee = pending.popleft()
        if callee == test:
            return _follow(next_step, callee)
        found = sorted(callers.get(callee, frozenset()) & within)
        if not found:
            beginning = beginning or callee
        for caller in found:
            if caller not in next_step:
                next_step[caller] = callee
                pending.append(caller)
    return _follow(next_step, beginning or end)


def _follow(next_step: Mapping[str, str], start: str) -> tuple[str, ...]:
    steps = []
    while start:
        steps.append(start)
        start = next_step[start]
    return tuple(steps)
