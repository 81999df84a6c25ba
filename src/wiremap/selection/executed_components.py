"""Which tests executed code of a component: methods of its class, or the function that it is."""

from collections.abc import Iterable

from wiremap.graph import Component
from wiremap.selection import facts as kinds
from wiremap.selection.components import is_same_file
from wiremap.selection.facts import Fact, Trace, matching


class ExecutedComponents:
    """Tests by component, as far as they were recorded.

    Components of one class share its code, and so their tests.
    """

    def __init__(self, traces: Iterable[Trace], components: Iterable[Component]) -> None:
        """Look through *traces* for the classes and functions that *components* are."""
        self._types = {component.type for component in components}
        self._tests: dict[str, dict[str, set[str]]] = {}
        for trace in traces:
            for fact in matching(trace.facts, self._is_of_component):
                for type_ in self._types_of(fact):
                    path = fact.key.partition("::")[0]
                    self._tests.setdefault(type_, {}).setdefault(path, set()).add(trace.test)

    def tests_of(self, component: Component) -> set[str]:
        """Return the tests that executed code of *component*."""
        by_path = self._tests.get(component.type, {})
        paths = (path for path in by_path if component.source_path and is_same_file(path, component.source_path))
        return {test for path in paths for test in by_path[path]}

    def _is_of_component(self, fact: Fact) -> bool:
        return fact.kind == kinds.FUNCTION and bool(self._types_of(fact))

    def _types_of(self, fact: Fact) -> list[str]:
        """Return which of the types the function is, or lies in."""
        name, found = fact.key.partition("::")[2], []
        while name:
            if name in self._types:
                found.append(name)
            name = name.rpartition(".")[0]
        return found
