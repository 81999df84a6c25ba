"""From what was told to an orchestrator to the graph of it, and to the plan by which it is bound."""

from collections import defaultdict
from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import dataclass
from types import FunctionType
from typing import NamedTuple

from wiremap.errors import WiringError
from wiremap.graph import Binding, Component, Containment, Graph
from wiremap.registry.collector import paused_collector
from wiremap.registry.containment import held_objects
from wiremap.registry.identity import Names, assign_ids
from wiremap.registry.ledger import Entry, Ledger, Link
from wiremap.registry.nesting import LocalGraph, is_inside, local_graphs
from wiremap.registry.origin import Origin, origin_of, origin_of_function
from wiremap.registry.parameters import parameters_of
from wiremap.registry.requirements import required_cells
from wiremap.registry.validation import Kinds, kinds_of_links, wiring_faults


@dataclass(frozen=True, slots=True)
class Compilation:
    """A sound wiring: its graph, and what binding it needs to know.

    Attributes:
        graph: The graph, with local graphs linked.
        components: The objects, by id.
        names: The id of each entry.
        kinds: The links, with the kind of their cells.
    """

    graph: Graph
    components: dict[str, object]
    names: Names
    kinds: Kinds


@paused_collector()
def compile_ledger(ledger: Ledger, unfinished: Container[object]) -> Compilation:
    """Check the wiring and return its graph; nothing is bound and no component is changed.

    Args:
        ledger: What was registered.
        unfinished: Objects that are still being made, see ``wiremap.registry.construction``.

    Raises:
        WiringError: With every fault that there is.
    """
    names, faults = assign_ids(ledger.entries)
    kinds = kinds_of_links(ledger)
    faults.extend(wiring_faults(ledger, names, kinds, unfinished))
    if faults:
        raise WiringError(faults)
    components = {name: entry.component for entry, name in names.items()}
    nested = local_graphs(components)
    graph = Graph(
        components=tuple(_components(ledger, names, nested)),
        bindings=tuple(_binding(link, names, kinds) for link in ledger.links),
        containment=tuple(_containment(ledger, names)),
        nested={owner: local.graph for owner, local in nested.items()},
    )
    return Compilation(graph, components, names, kinds)


def _components(ledger: Ledger, names: Names, nested: Mapping[str, LocalGraph]) -> Iterator[Component]:
    provided: dict[Entry, set[str]] = defaultdict(set)
    for link in ledger.links:
        provided[link.provider].add(link.cell)
    known: dict[type, _Definition] = {}
    for entry in ledger.entries:
        cls = type(entry.component)
        if type(entry.component) is FunctionType:
            definition = _of_function(entry.component)
        else:
            definition = known.get(cls) or known.setdefault(cls, _of_class(cls))
        parameters = parameters_of(entry.component, _known_to(ledger, nested.get(names[entry])))
        yield Component(
            id=names[entry],
            type=definition.name,
            module=definition.module,
            source_path=definition.origin.source_path,
            source_line=definition.origin.source_line,
            tags=tuple(sorted(entry.tags)),
            extension=entry.extension,
            provides=tuple(sorted(provided[entry])),
            requires=definition.requires,
            parameters=parameters.digest,
            parameter_values=parameters.values,
        )


class _Definition(NamedTuple):
    """What makes a component what it is: its class or, since all functions are of one class, the function itself."""

    name: str
    module: str
    origin: Origin
    requires: tuple[str, ...] = ()


def _of_class(cls: type) -> _Definition:
    return _Definition(cls.__qualname__, cls.__module__, origin_of(cls), tuple(sorted(required_cells(cls))))


def _of_function(function: FunctionType) -> _Definition:
    return _Definition(function.__qualname__, function.__module__, origin_of_function(function))


def _known_to(ledger: Ledger, local: LocalGraph | None) -> Callable[[object], bool]:
    """Return what tells the components of this graph and of the *local* one from mere values."""
    return lambda value: ledger.entry_of(value) is not None or (local is not None and is_inside(local, value))


def _binding(link: Link, names: Names, kinds: Kinds) -> Binding:
    return Binding(names[link.provider], link.cell, names[link.consumer], kinds[link], link.interface)


def _containment(ledger: Ledger, names: Names) -> Iterator[Containment]:
    for connection in ledger.connections:
        yield Containment(names[connection.child], names[connection.parent])
    for parent in ledger.entries:
        for _, value in held_objects(parent.component, stop=lambda value: ledger.entry_of(value) is not None):
            child = ledger.entry_of(value)
            if child is not None and child is not parent:
                yield Containment(names[child], names[parent])
