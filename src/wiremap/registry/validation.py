"""Everything that can be wrong with a wiring, found before anything is bound, and all of it at once.

One cause is one fault. What only follows from another fault is left out: a cell that its provider lacks is not
missed again by its consumer or by whom that would hand it on to, it takes no name and closes no cycle.
"""

import itertools
from collections import defaultdict
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass
from types import FunctionType, MemberDescriptorType
from typing import Any

from wiremap.errors import (
    AsyncHookError,
    BindingCycleError,
    BindingSite,
    CannotHoldCellError,
    CellReplacedError,
    MissingCellError,
    NameTakenError,
    TwoProvidersError,
    UnknownCellError,
    WiremapError,
    nearest,
)
from wiremap.graph import CALL, CellKind
from wiremap.registry.arguments import RIGHT_ORDER, below_another_name
from wiremap.registry.attributes import is_class
from wiremap.registry.cell_types import cell_type_faults
from wiremap.registry.cells import (
    NOT_CALLABLE,
    cell_lost_on_class,
    cell_names,
    class_attribute,
    holder_of_name,
    is_bound,
    is_handed_by,
    kind_of_cell,
    lack_of_room,
    owns_cell,
)
from wiremap.registry.cycles import disjoint_cycles
from wiremap.registry.declarations import Declarations
from wiremap.registry.identity import Names
from wiremap.registry.ledger import Entry, Ledger, Link
from wiremap.registry.lifecycle import CLOSE_HOOK, START_HOOK
from wiremap.registry.recipes import runs_later
from wiremap.registry.requirements import required_cells, requirements_of
from wiremap.registry.state_cell import wired_cells

Kinds = dict[Link, CellKind]
_ToMake = list[tuple[Link, CellKind]]
_Need = tuple[Entry, str]
"""A consumer, and the name of what it is handed or requires: a cell, or an interface."""

_LONGEST_PATH = 20


def kinds_of_links(ledger: Ledger) -> Kinds:
    """Return the kind of each link's cell; a link whose provider has no such cell is left out.

    A component may hand on a cell that it is handed itself: that has the kind it comes with.
    """
    handed = {(link.consumer, link.name) for link in ledger.links if not link.is_in_interface}
    handed_on: dict[_Need, list[Link]] = defaultdict(list)
    found: list[tuple[Link, CellKind]] = []
    for link in ledger.links:
        if (link.provider, link.cell) in handed and not owns_cell(link.provider.component, link.cell):
            handed_on[link.provider, link.cell].append(link)
        elif kind := kind_of_cell(link.provider.component, link.cell):
            found.append((link, kind))
    for link, kind in found:  # grows while it is walked
        found.extend((onward, kind) for onward in handed_on.pop((link.consumer, link.name), ()))
    kinds = dict(found)
    return {link: kinds[link] for link in ledger.links if link in kinds}


def is_bound_already(link: Link) -> bool:
    """Tell whether another orchestrator has handed this very cell of this very provider over."""
    return is_handed_by(link.provider.component, link.consumer.component, link.cell, link.interface)


def wiring_faults(ledger: Ledger, names: Names, kinds: Kinds, unfinished: Container[object]) -> Iterator[WiremapError]:
    """Yield every fault of the wiring, those of one sort together, each sort in the order of registration.

    What *unfinished* components require is not asked: they may get it elsewhere.
    """
    offers: dict[_Need, list[Link]] = defaultdict(list)
    for link in ledger.links:
        offers[link.consumer, link.name].append(link)
    missing = dict.fromkeys(_needs_unmet(ledger, offers, unfinished))
    wiring = _Wiring(ledger, names, kinds, offers, Declarations())
    yield from _unknown_cells(wiring, missing)
    yield from _two_providers(wiring)
    to_make = list(_bindings_to_make(wiring))
    yield from _names_taken(wiring, to_make)
    yield from _replaced_cells(wiring)
    yield from _consumers_without_room(wiring, to_make)
    yield from cell_type_faults(ledger, names, kinds)
    yield from _async_hooks(wiring)
    yield from _cycles(wiring)
    yield from _missing_cells(wiring, missing)


@dataclass(frozen=True, slots=True)
class _Wiring:
    """What is judged; ``offers`` are the links by what they hand over to whom."""

    ledger: Ledger
    names: Names
    kinds: Kinds
    offers: Mapping[_Need, list[Link]]
    declarations: Declarations

    def site(self, link: Link) -> BindingSite:
        """Return *link* as messages show it."""
        return BindingSite(self.names[link.provider], link.cell, self.names[link.consumer], str(link.where))

    def site_by_name(self, link: Link) -> BindingSite:
        """Return the same by the name that the consumer reads, which is that of the interface if there is one."""
        return self.site(link)._replace(cell=link.name)


def _needs_unmet(ledger: Ledger, offers: Container[_Need], unfinished: Container[object]) -> Iterator[_Need]:
    required: dict[type, list[str]] = {}
    for entry in ledger.entries:
        cls = type(entry.component)
        if cls not in required:
            required[cls] = sorted(required_cells(cls))
        for cell in required[cls]:
            is_met = (entry, cell) in offers or holder_of_name(entry.component, cell) is not None
            if not is_met and entry.component not in unfinished:
                yield entry, cell


# What the provider lacks


def _unknown_cells(wiring: _Wiring, missing: dict[_Need, None]) -> Iterator[WiremapError]:
    """Yield a fault for each cell that its provider lacks, and take what that explains out of *missing*."""
    for link in wiring.ledger.links:
        if link in wiring.kinds or (link.provider, link.cell) in wiring.offers:
            continue  # in the second case it is to be handed on, and whoever should hand it over first is told
        is_swapped = owns_cell(link.consumer.component, link.cell)
        if (link.provider, link.cell) in missing and not is_swapped:
            continue  # it is to be handed on, too, and missing
        missing.pop((link.provider, link.cell), None)
        wanted = nearest(link.name, _needs_of(link.consumer, missing), most=1)
        for cell in wanted:
            del missing[link.consumer, cell]
        mistake = f"{wiring.names[link.consumer]} has it: {RIGHT_ORDER}" if is_swapped else _mistake(link)
        yield _unknown_cell(wiring, link, wanted, mistake)


def _needs_of(consumer: Entry, missing: Mapping[_Need, None]) -> list[str]:
    return [cell for cell in required_cells(type(consumer.component)) if (consumer, cell) in missing]


def _mistake(link: Link) -> str:
    """Return what to do where something else than the name of the cell is surely wrong, or nothing."""
    provider: Any = link.provider.component
    consumer = type(link.consumer.component)
    if is_class(provider):
        return f"Pass an instance of {provider.__name__}, not the class."
    if is_bound(provider):
        return f"Pass the object, not its method {provider.__name__!r}."
    if link.cell == CALL:
        return NOT_CALLABLE
    requirement = requirements_of(consumer).get(link.cell)
    if requirement is not None and requirement.is_interface:
        return f"Hand over the whole provider: {requirement.line}."
    if isinstance(provider, FunctionType) or (
        requirement is not None and requirement.is_callable and callable(provider)
    ):
        by_name = f"Hand the callable over as the cell '__call__', with name={link.cell!r}"
        return (
            f"{by_name}, or by\n{requirement.line}." if requirement and not requirement.is_annotation else f"{by_name}."
        )
    return ""


def _unknown_cell(wiring: _Wiring, link: Link, wanted: list[str], mistake: str) -> WiremapError:
    provider, consumer = link.provider.component, link.consumer.component
    return UnknownCellError(
        wiring.site(link),
        cell_names(provider),
        wiring.declarations.of_class(provider if is_class(provider) else type(provider)),
        [(cell, wiring.declarations.of_name(type(consumer), cell)) for cell in wanted],
        mistake,
    )


# What the consumer can't take


def _two_providers(wiring: _Wiring) -> Iterator[WiremapError]:
    for links in wiring.offers.values():
        rivals: dict[tuple[Entry, str], Link] = {}
        for link in links:
            if link in wiring.kinds:
                rivals.setdefault((link.provider, link.interface), link)
        if len(rivals) > 1:
            yield TwoProvidersError(map(wiring.site_by_name, rivals.values()))


def _bindings_to_make(wiring: _Wiring) -> Iterator[tuple[Link, CellKind]]:
    """Yield one link for each name that a consumer is still to be handed something under, and of what kind that is."""
    for links in wiring.offers.values():
        first = next((link for link in links if link in wiring.kinds), None)
        if first and not any(map(is_bound_already, links)):
            yield first, "method" if first.is_in_interface else wiring.kinds[first]


def _names_taken(wiring: _Wiring, to_make: _ToMake) -> Iterator[WiremapError]:
    for link, _ in to_make:
        if holder := holder_of_name(link.consumer.component, link.name):
            location = _location_of_holder(wiring, link.consumer.component, link.name)
            yield NameTakenError(wiring.site_by_name(link), holder, location, _cure_for_taken(link))


def _cure_for_taken(link: Link) -> str:
    """Return what to do where a cell holds the name, or a method or property does; nothing where a value does."""
    consumer = link.consumer.component
    if link.name in wired_cells(consumer):
        return "A cell stays, after close() too: use a new consumer or, for a test, graph.override()."
    defined = class_attribute(type(consumer), link.name)
    if hasattr(type(defined), "__get__") and not isinstance(defined, MemberDescriptorType) and not link.interface:
        return f"Remove or rename that. Where both must stay,\n{below_another_name(link.cell)}"
    return ""


def _replaced_cells(wiring: _Wiring) -> Iterator[WiremapError]:
    """Yield a fault for each cell that another orchestrator has handed over and that is not read any more."""
    for link in filter(is_bound_already, wiring.kinds):
        site = wiring.site_by_name(link)
        if reason := cell_lost_on_class(link.consumer.component, link.name):
            yield CellReplacedError(site.cell, site.consumer, site.provider, reason)


def _location_of_holder(wiring: _Wiring, consumer: object, cell: str) -> str:
    if handed := wired_cells(consumer).get(cell):
        return str(handed.where)
    cls = type(consumer)
    if isinstance(class_attribute(cls, cell), MemberDescriptorType | None):
        return wiring.declarations.of_attribute(cls, cell)
    # A value that was put on the class later is told with the class.
    owner = next(klass for klass in cls.__mro__ if cell in vars(klass))
    return wiring.declarations.of_name(cls, cell) or wiring.declarations.of_class(owner)


def _consumers_without_room(wiring: _Wiring, to_make: _ToMake) -> Iterator[WiremapError]:
    """Yield one fault for all cells that a consumer has no room for, for one reason."""
    lacks: dict[tuple[Entry, str], list[tuple[Link, CellKind, str]]] = defaultdict(list)
    for link, kind in to_make:
        consumer = link.consumer.component
        lack = lack_of_room(consumer, link.name, kind)
        if lack and holder_of_name(consumer, link.name) is None:
            reason, cure = lack
            lacks[link.consumer, reason].append((link, kind, cure))
    for (entry, reason), found in lacks.items():
        # What makes room for state makes room for all.
        cure = next((cure for _, kind, cure in found if kind == "state"), found[0][2])
        defined_at = wiring.declarations.of_class(type(entry.component))
        yield CannotHoldCellError([wiring.site_by_name(link) for link, _, _ in found], reason, cure, defined_at)


def _async_hooks(wiring: _Wiring) -> Iterator[WiremapError]:
    """Yield one fault for each hook that a class defines in a way that nothing awaits."""
    for cls in dict.fromkeys(type(entry.component) for entry in wiring.ledger.entries):
        for hook in (START_HOOK, CLOSE_HOOK):
            if runs_later(getattr(cls, hook, None)):
                yield AsyncHookError(cls.__name__, hook, wiring.declarations.of_name(cls, hook))


# What only the whole shows


def _cycles(wiring: _Wiring) -> Iterator[WiremapError]:
    names = wiring.names
    links: dict[tuple[str, str], list[Link]] = defaultdict(list)
    for link in wiring.ledger.links:
        if link in wiring.kinds or (link.provider, link.cell) in wiring.offers:
            links[names[link.provider], names[link.consumer]].append(link)
    for cycle in disjoint_cycles(links):
        steps = itertools.pairwise([*cycle, cycle[0]])
        sites = (
            wiring.site_by_name(link) if link.is_in_interface else wiring.site(link)
            for step in steps
            for link in links[step]
        )
        yield BindingCycleError(dict.fromkeys(sites))


def _missing_cells(wiring: _Wiring, missing: Mapping[_Need, None]) -> Iterator[WiremapError]:
    needed_by = {link.provider: link for link in reversed(wiring.ledger.links)}
    candidates: dict[tuple[str, ...], list[tuple[str, str]]] = {}
    for consumer, name in missing:
        cls = type(consumer.component)
        requirement = requirements_of(cls)[name]
        cells = (name, *requirement.members)
        if cells not in candidates:
            similar = () if requirement.members else _owners_of_similar(wiring, name)
            candidates[cells] = _owners(wiring, name, requirement.members) or [*similar]
        later = [(link.name, wiring.names[link.consumer]) for link in _path(consumer, needed_by)]
        yield MissingCellError(
            [(name, wiring.names[consumer]), *later],
            str(consumer.where),
            wiring.declarations.of_name(cls, name),
            candidates[cells],
            requirement.line if requirement.is_interface else f"orch.register(provider, {name!r}, consumer)",
        )


def _path(start: Entry, needed_by: Mapping[Entry, Link]) -> list[Link]:
    """Return who needs *start*, who needs that, and so on: the first of several each time."""
    path: list[Link] = []
    entry = start
    while (link := needed_by.get(entry)) and link not in path and len(path) < _LONGEST_PATH:
        path.append(link)
        entry = link.consumer
    return path


def _owners(wiring: _Wiring, name: str, members: tuple[str, ...]) -> list[tuple[str, str]]:
    """Return the components with that cell or, if it is the name of an interface, with all of its members."""
    return sorted(
        (wiring.names[entry], name)
        for entry in wiring.ledger.entries
        if all(owns_cell(entry.component, cell) for cell in members or [name])
    )


def _owners_of_similar(wiring: _Wiring, cell: str) -> list[tuple[str, str]]:
    owners: dict[str, str] = {}
    for entry in reversed(wiring.ledger.entries):
        owners.update(dict.fromkeys(cell_names(entry.component), wiring.names[entry]))
    return [(owners[name], name) for name in nearest(cell, owners, most=2)]
