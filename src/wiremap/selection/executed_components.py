"""Which tests executed code of a component: methods of its class, or the function that it is."""

from collections.abc import Iterable

from wiremap.graph import Component, Graph
from wiremap.selection import facts as kinds
from wiremap.selection.components import ComponentIndex
from wiremap.selection.facts import Fact, Trace, matching


class ExecutedComponents:
    """Tests by component, as far as they were recorded.

    Components of one class share its code, and so their tests.
    """

    def __init__(self, traces: Iterable[Trace], graphs: Iterable[Graph]) -> None:
        """Look through *traces* for the code of the components of *graphs*."""
        self._index = ComponentIndex(graphs)
        self._classes: dict[str, frozenset[tuple[str, str]]] = {}
        self._tests: dict[tuple[str, str], set[str]] = {}
        for trace in traces:
            for fact in matching(trace.facts, self._is_of_component):
                for one in self._classes_of(fact.key):
                    self._tests.setdefault(one, set()).add(trace.test)

    def tests_of(self, component: Component) -> set[str]:
        """Return the tests that executed code of *component*."""
        return self._tests.get((component.source_path, component.type), set())

    def _is_of_component(self, fact: Fact) -> bool:
        return fact.kind == kinds.FUNCTION and bool(self._classes_of(fact.key))

    def _classes_of(self, unit: str) -> frozenset[tuple[str, str]]:
        if unit not in self._classes:
            self._classes[unit] = self._index.classes(unit)
        return self._classes[unit]
