"""Everything that can be wrong with a wiring, found before anything is bound, and all of it at once."""

from collections import defaultdict
from collections.abc import Container, Iterator, Mapping

from wiremap.errors import (
    BindingCycleError,
    CannotHoldCellError,
    MissingCellError,
    NameTakenError,
    SelfContainmentError,
    TwoProvidersError,
    UnknownCellError,
    WiremapError,
)
from wiremap.graph import CellKind
from wiremap.registry.cells import holder_of_name, kind_of_cell, lack_of_room, owns_cell, wired_cells
from wiremap.registry.cycles import disjoint_cycles
from wiremap.registry.identity import Names
from wiremap.registry.ledger import Entry, Ledger, Link
from wiremap.registry.requirements import required_cells

Kinds = dict[Link, CellKind]


def kinds_of_links(ledger: Ledger) -> Kinds:
    """Return the kind of each link's cell; a link whose provider has no such cell is left out.

    A component may hand on a cell that it is handed itself: that has the kind it comes with.
    """
    incoming = {(link.consumer, link.cell): link for link in ledger.links}
    kinds: Kinds = {}
    for link in ledger.links:
        source, visited = link, {link}
        while (handed := incoming.get((source.provider, source.cell))) and handed not in visited:
            source = handed
            visited.add(source)
        if kind := kind_of_cell(source.provider.component, source.cell):
            kinds[link] = kind
    return kinds


def wiring_faults(ledger: Ledger, names: Names, kinds: Kinds, unfinished: Container[object]) -> Iterator[WiremapError]:
    """Yield every fault of the wiring, those of one sort together, each sort in the order of registration.

    What *unfinished* components require is not asked: they may get it elsewhere.
    """
    yield from _unknown_cells(ledger, names, kinds)
    yield from _two_providers(ledger, names)
    yield from _consumers_without_room(ledger, names, kinds)
    yield from _cycles(ledger, names)
    yield from _missing_cells(ledger, names, unfinished)
    for connection in ledger.connections:
        if connection.child is connection.parent:
            yield SelfContainmentError(names[connection.child], str(connection.where))


def _unknown_cells(ledger: Ledger, names: Names, kinds: Kinds) -> Iterator[WiremapError]:
    for link in ledger.links:
        if link not in kinds:
            known = [name for name in dir(link.provider.component) if not name.startswith("__")]
            provider, consumer = names[link.provider], names[link.consumer]
            yield UnknownCellError(provider, link.cell, consumer, str(link.where), known)


def _two_providers(ledger: Ledger, names: Names) -> Iterator[WiremapError]:
    offers: Mapping[tuple[Entry, str], list[Link]] = defaultdict(list)
    for link in ledger.links:
        offers[link.consumer, link.cell].append(link)
    for (consumer, cell), links in offers.items():
        if len(links) > 1:
            yield TwoProvidersError(cell, names[consumer], [(names[link.provider], str(link.where)) for link in links])


def _consumers_without_room(ledger: Ledger, names: Names, kinds: Kinds) -> Iterator[WiremapError]:
    for link in ledger.links:
        if link.provider is link.consumer or is_bound_already(link):
            continue  # the one is a cycle, the other harmless
        consumer = link.consumer.component
        if holder := holder_of_name(consumer, link.cell):
            yield NameTakenError(link.cell, names[link.consumer], names[link.provider], holder, str(link.where))
        elif lack := lack_of_room(consumer, link.cell, kinds.get(link, "method")):
            yield CannotHoldCellError(link.cell, names[link.consumer], *lack, str(link.where))


def is_bound_already(link: Link) -> bool:
    """Tell whether another orchestrator has handed this very cell of this very provider over."""
    provider, _ = wired_cells(link.consumer.component).get(link.cell, (None, ""))
    return provider is link.provider.component


def _cycles(ledger: Ledger, names: Names) -> Iterator[WiremapError]:
    links = {(names[link.provider], names[link.consumer]): link for link in reversed(ledger.links)}
    for cycle in disjoint_cycles(links):
        steps = zip(cycle, cycle[1:] + cycle[:1], strict=True)
        yield BindingCycleError([(start, links[start, end].cell, str(links[start, end].where)) for start, end in steps])


def _missing_cells(ledger: Ledger, names: Names, unfinished: Container[object]) -> Iterator[WiremapError]:
    handed: dict[Entry, set[str]] = defaultdict(set)
    for link in ledger.links:
        handed[link.consumer].add(link.cell)
    for entry in ledger.entries:
        if entry.component in unfinished:
            continue
        for cell in sorted(required_cells(type(entry.component)) - handed[entry]):
            if holder_of_name(entry.component, cell) is None:
                candidates = [names[other] for other in ledger.entries if owns_cell(other.component, cell)]
                yield MissingCellError(cell, names[entry], str(entry.where), candidates)
