"""Evaluates all units until what is known no longer changes."""

import ast
from collections import Counter, deque
from collections.abc import Iterable

from wiremap.inference.definitions import Class, Function, find_definitions
from wiremap.inference.facts import Facts, Unit
from wiremap.inference.modules import Modules
from wiremap.inference.record import Record
from wiremap.inference.statements import Statements

# Facts settle after some three rounds; what still moves then, moves in a circle.
_MOST_ROUNDS = 8


class Solver:
    """Holds the code base and evaluates its units.

    Attributes:
        modules: The code base.
        targets: All classes, and all functions but for nested ones.
        classes: All classes, in the order of their files.
        facts: What is known of attributes, parameters and results.
        records: What each unit found.
        too_deep: Units that nest too deeply to be evaluated to their end.
    """

    def __init__(self, modules: Modules) -> None:
        """Find all definitions in *modules*."""
        self.modules = modules
        self._definitions: dict[ast.stmt, Class | Function] = {}
        self.classes: list[Class] = []
        self._functions: list[Function] = []
        for module in modules.all:
            classes, functions = find_definitions(module)
            self._definitions.update(classes)
            self._definitions.update(functions)
            self.classes += classes.values()
            self._functions += functions.values()
        self.targets: tuple[Class | Function, ...] = (*self.classes, *self._functions)
        self.facts = Facts()
        self.records: dict[Unit, Record] = {}
        self.too_deep: set[Unit] = set()

    def solve(self) -> None:
        """Evaluate modules first, which settles names and bases, then everything."""
        modules = [Unit(module) for module in self.modules.all]
        self._settle(modules, only=set(modules))
        for cls in self.classes:
            cls.forget_lineage()
        functions = [Unit(one.module, one, one.owner) for one in self._functions]
        self._settle([*modules, *functions], only=None)

    def evaluate(self, unit: Unit) -> Record:
        """Evaluate one unit, and change nothing."""
        record = Record()
        try:
            Statements(self.modules, self.facts, unit, record, self._definitions).run_unit()
        except RecursionError:
            self.too_deep.add(unit)
        return record

    def _settle(self, units: Iterable[Unit], only: set[Unit] | None) -> None:
        waiting = deque(units)
        queued, rounds = set(waiting), Counter[Unit]()
        while waiting:
            unit = waiting.popleft()
            queued.discard(unit)
            rounds[unit] += 1
            self.records[unit] = self.evaluate(unit)
            stale = self.facts.write(unit, self.records[unit].facts)
            for one in sorted(stale - queued, key=_order):
                if rounds[one] < _MOST_ROUNDS and (only is None or one in only):
                    queued.add(one)
                    waiting.append(one)


def _order(unit: Unit) -> tuple[str, str, int]:
    line = unit.function.node.lineno if unit.function else 0
    return unit.module.root, unit.module.path, line
