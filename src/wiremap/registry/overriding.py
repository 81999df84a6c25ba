"""The living side of a finalized graph: who was handed what by whom, so that a provider can be swapped and put back.

Nothing here keeps a component alive: a graph may outlive its components, and whoever observes graphs keeps them.
"""

import itertools
import threading
import warnings
import weakref
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, TypeVar

from wiremap.errors import (
    BindingSite,
    CannotOverrideError,
    CellReplacedError,
    CellTypeError,
    OverrideNotEnteredWarning,
    UnknownCellError,
    WiremapError,
    WiringError,
    nearest,
)
from wiremap.graph import CALL, CellKind
from wiremap.registry.arguments import check_component, needs_instance
from wiremap.registry.attributes import is_class
from wiremap.registry.cell_table import wiring_lock
from wiremap.registry.cell_types import may_be_callable, misfit_of_cell, type_fault
from wiremap.registry.cells import (
    NOT_CALLABLE,
    Offer,
    cell_lost_on_class,
    cell_names,
    holder_of_name,
    is_in_interface,
    kind_of_cell,
    original_provider,
    rebind,
    replaced_cell,
    value_of_cell,
)
from wiremap.registry.declarations import Declarations
from wiremap.registry.identity import Names, own_name
from wiremap.registry.ledger import Link
from wiremap.registry.location import Location, caller_location
from wiremap.registry.requirements import requirements_of
from wiremap.registry.weak_table import is_weakly_referable

T = TypeVar("T")

_numbers: Final = itertools.count()
_NOTHING_SWAPPED: Final = "Nothing was swapped."

_REFERABLE: Final = "Add '__weakref__' to its __slots__, or weakref_slot=True to its @dataclass."
_LACKING: Final = "Define it on the class of the stand-in."
_ASK_ONE: Final = "Ask the one that is meant: graph.nested[owner].override(...)."


Reference = Callable[[], Any]
"""Finds an object; None once it is gone, or where nothing but a strong reference leads to it."""


@dataclass(frozen=True, slots=True, eq=False)
class BoundCell:
    """One binding as it was made.

    ``address`` is that of the provider, or 0 where that can be referenced weakly. ``stand_ins`` provide the cell for
    the moment, by the number of their override: the last one counts.
    """

    provider: Reference
    address: int
    consumer: Reference
    provider_id: str
    consumer_id: str
    cell: str
    interface: str
    kind: CellKind
    where: Location
    stand_ins: dict[int, object] = field(default_factory=dict)

    @property
    def is_untraceable(self) -> bool:
        """Whether it may still be bound, but neither a reference nor a note leads to its provider."""
        is_gone = self.consumer is not _nothing and self.consumer() is None
        return bool(self.address) and not is_gone and self.provider() is None

    def is_of(self, provider: object) -> bool:
        """Tell whether *provider* hands it over; where nothing leads to who does, whether it has the same address."""
        return self.address == id(provider) if self.is_untraceable else self.provider() is provider

    def source(self) -> Any:
        """Return what provides the cell now."""
        return next(reversed(self.stand_ins.values())) if self.stand_ins else self.provider()


class System:
    """The bindings of one finalized graph, or of several that were merged.

    Args:
        parts: For each graph its bindings, with the ids that components had when they were bound; and those ids
            by the ids that the graph has now, where they differ.
    """

    def __init__(self, *parts: tuple[Sequence[BoundCell], Mapping[str, str]]) -> None:
        self.parts = parts

    @classmethod
    def of(cls, kinds: Mapping[Link, CellKind], names: Names) -> "System":
        """Return the system that consists of *kinds*, once they are bound."""
        return cls(([_bound_cell(link, kind, names) for link, kind in kinds.items()], {}))

    @classmethod
    def joined(cls, systems: Iterable["System"]) -> "System":
        """Return the system of the graph that those of *systems* were merged into."""
        return cls(*(part for system in systems for part in system.parts))

    def renamed(self, names: Mapping[str, str]) -> "System":
        """Return this system for a graph whose ids were changed as *names* says."""
        return System(*((cells, _renamed(bound_ids, names)) for cells, bound_ids in self.parts))

    def check(self) -> None:
        """Raise for each cell that its consumer does not read any more, since its class was changed.

        Raises:
            WiringError: Something else stands on a class under the name of a cell.
        """
        everything = (bound for cells, _ in self.parts for bound in cells)
        if faults := list(_replaced(everything, cell_lost_on_class)):
            raise WiringError(faults, "All else is bound as before.")

    def override(
        self, component_id: str, stand_in: T, rivals: Iterable["System"], everywhere: Collection["System"]
    ) -> AbstractContextManager[T]:
        """Return what swaps a provider on enter and puts it back on exit; see ``Graph.override``.

        Args:
            component_id: The provider, by its id in the graph of this system.
            stand_in: What provides its cells meanwhile.
            rivals: The systems of other graphs in which a component has that id.
            everywhere: All systems whose consumers are to be served.
        """
        where = caller_location(depth=2)
        check_component(stand_in, "override", "stand-in", where)
        everything = [cell for system in everywhere for cells, _ in system.parts for cell in cells]
        offered = [cell for system in (self, *rivals) for cell in system.offered_by(component_id)]
        if not offered:
            if any(system.offered_by(component_id) for system in everywhere):
                raise CannotOverrideError(component_id, "only in a graph inside it hands cells to others", _ASK_ONE)
            raise CannotOverrideError(component_id, "it hands no cell to anyone")
        if reason := _why_not_everywhere(stand_in, offered):
            raise CannotOverrideError(component_id, *reason)
        provider = _only_provider(component_id, offered)
        handed = [cell for cell in everything if cell.is_of(provider)]
        reached = _reached_by(handed, everything)
        if reason := _why_not_everywhere(stand_in, reached):
            raise CannotOverrideError(component_id, *reason)
        if reason := _why_no_class(stand_in, handed) or _why_unwired(stand_in):
            raise CannotOverrideError(component_id, *reason)
        if faults := list(_faults(stand_in, handed, where)):
            raise WiringError(faults, _NOTHING_SWAPPED)
        return _Override(component_id, stand_in, provider, (handed, reached), where)

    def id_of(self, component: object) -> str | None:
        """Return the id that *component* has in the graph of this system, or None if no cell here leads to it."""
        ends = (
            (end(), bound_id, bound_ids)
            for cells, bound_ids in self.parts
            for cell in cells
            for end, bound_id in ((cell.provider, cell.provider_id), (cell.consumer, cell.consumer_id))
        )
        for found, bound_id, bound_ids in ends:
            if found is component and found is not None:  # None is what is left of one that is gone
                return next((new for new, old in bound_ids.items() if old == bound_id), bound_id)
        return None

    def offered_by(self, component_id: str) -> list[BoundCell]:
        """Return the cells that a component hands over, by its id in the graph of this system."""
        return [
            cell
            for cells, bound_ids in self.parts
            for cell in cells
            if cell.provider_id == bound_ids.get(component_id, component_id)
        ]


class _Override(AbstractContextManager[T]):
    """Swaps a provider on each enter and puts it back on the exit, and warns if it is thrown away without either."""

    def __init__(
        self,
        component_id: str,
        stand_in: T,
        provider: object,
        cells: tuple[Sequence[BoundCell], Sequence[BoundCell]],
        where: Location,
    ) -> None:
        self._component_id = component_id
        self._stand_in = stand_in
        self._provider = provider  # its consumers may be all that keeps it alive, and they are about to let it go
        self._handed, self._reached = cells
        self._where = where
        self._is_entered = False
        self._open: list[tuple[int, int]] = []
        """For each block that it is entered in, the thread that entered it, and its number."""

    def __enter__(self) -> T:
        self._is_entered = True
        number = next(_numbers)
        with wiring_lock:
            if faults := list(_replaced(self._reached, replaced_cell)):
                raise WiringError(faults, _NOTHING_SWAPPED)
            self._open.append((threading.get_ident(), number))
            try:
                for bound in self._handed:
                    bound.stand_ins[number] = self._stand_in
                _bind_anew(self._reached)
            except BaseException:
                self._put_back()
                raise
        return self._stand_in

    def __exit__(self, *_: object) -> None:
        with wiring_lock:
            self._put_back()

    def _put_back(self) -> None:
        # The blocks of one thread end inside out; a block that another thread ends may be any of them.
        mine = [one for one in self._open if one[0] == threading.get_ident()]
        ended = (mine or self._open)[-1]
        self._open.remove(ended)
        _, number = ended
        for bound in self._handed:
            bound.stand_ins.pop(number, None)
        _bind_anew(self._reached)

    def __del__(self, warn: Callable[..., None] = warnings.warn_explicit) -> None:  # names go when Python ends
        if not self._is_entered:
            warn(OverrideNotEnteredWarning(self._component_id), None, self._where.file, self._where.line)


def _only_provider(component_id: str, offered: Iterable[BoundCell]) -> object:
    providers = [provider for bound in offered if (provider := bound.provider()) is not None]
    if not providers:
        raise CannotOverrideError(component_id, "it is gone, and so are its consumers", "Keep what the recipe built.")
    if any(provider is not providers[0] for provider in providers):
        raise CannotOverrideError(component_id, "several graphs inside have a component of that id", _ASK_ONE)
    return providers[0]


def _reached_by(handed: Iterable[BoundCell], everything: Iterable[BoundCell]) -> list[BoundCell]:
    """Return what is *handed*, and what its consumers hand on of it, to any depth: what comes first comes first."""
    handed_on: dict[tuple[int, str], list[BoundCell]] = defaultdict(list)
    for bound in everything:
        handed_on[id(bound.provider()), bound.cell].append(bound)
    reached = dict.fromkeys(handed)
    todo = list(reached)
    while todo:
        bound = todo.pop()
        consumer = bound.consumer()
        if consumer is not None and not is_in_interface(bound.cell, bound.interface):
            behind = [one for one in handed_on[id(consumer), bound.interface or bound.cell] if one not in reached]
            reached.update(dict.fromkeys(behind))
            todo += behind
    return list(reached)


def _why_not_everywhere(stand_in: object, reached: Iterable[BoundCell]) -> tuple[str, str] | None:
    """Return why the stand-in would not reach each consumer as what it is, and what to do about it, or None."""
    for bound in reached:
        consumer = bound.consumer_id
        if bound.consumer is _nothing:
            return f"its consumer {consumer} can't be referenced weakly", _REFERABLE
        if bound.is_untraceable:
            return f"it can't be referenced weakly, and its consumer {consumer} keeps no note of it", _REFERABLE
        if bound.consumer() is stand_in:
            reason = f"the stand-in is its own consumer {consumer}, which would be handed {bound.cell!r} by itself"
            return reason, "Pass another object."
    return None


def _why_no_class(stand_in: object, handed: Iterable[BoundCell]) -> tuple[str, str] | None:
    """Return why the stand-in can't be a class, if it is one, and what to do about it, or None."""
    if is_class(stand_in):
        for bound in handed:
            if needs_instance(stand_in, bound.cell):
                name = stand_in.__name__
                return f"{bound.cell!r} of the class {name} needs an instance", f"Pass an instance: {name}(...)."
    return None


def _why_unwired(stand_in: object) -> tuple[str, str] | None:
    """Return which cells the stand-in requires and was not handed, and what to do about it, or None."""
    required = requirements_of(type(stand_in))
    if missing := [cell for cell in sorted(required) if holder_of_name(stand_in, cell) is None]:
        name, cell = type(stand_in).__name__, missing[0]
        reason = f"the stand-in {name} requires {' and '.join(map(repr, missing))} itself, and was handed no such cell"
        return reason, f"Wire it before, with an orchestrator of its own; or take that back: {cell} = None in {name}."
    return None


def _renamed(bound_ids: Mapping[str, str], names: Mapping[str, str]) -> Mapping[str, str]:
    """Return the ids of binding time for a graph whose ids were changed; an id that none has now leads nowhere."""
    changed = {new: bound_ids.get(old, old) for old, new in names.items()}
    return {**bound_ids, **dict.fromkeys(names, ""), **changed}


def _bound_cell(link: Link, kind: CellKind, names: Names) -> BoundCell:
    consumer, provider = _reference(link.consumer.component), link.provider.component
    return BoundCell(
        _reference_to_provider(link, consumer),
        0 if is_weakly_referable(provider) else id(provider),
        consumer,
        names[link.provider],
        names[link.consumer],
        link.cell,
        link.interface,
        kind,
        link.where,
    )


def _reference(component: object) -> Reference:
    return weakref.ref(component) if is_weakly_referable(component) else _nothing


def _reference_to_provider(link: Link, consumer: Reference) -> Reference:
    """Return what finds the provider: by its consumer's note where it can't be referenced weakly itself."""
    if is_weakly_referable(link.provider.component) or consumer is _nothing:
        return _reference(link.provider.component)
    return partial(_noted_provider, consumer, link.cell, link.interface)


def _noted_provider(consumer: Reference, cell: str, interface: str) -> object | None:
    return original_provider(consumer(), cell, interface)


def _nothing() -> None:
    return None


def _faults(stand_in: object, handed: Iterable[BoundCell], where: Location) -> Iterator[WiremapError]:
    """Yield what *stand_in* lacks to provide all that is *handed*."""
    name, lacking = own_name(stand_in), set[str]()
    for bound in handed:
        if bound.cell in lacking:
            continue  # said of the first consumer
        if kind_of_cell(stand_in, bound.cell) is None:
            lacking.add(bound.cell)
            site = BindingSite(name, bound.cell, bound.consumer_id, str(where))
            defined_at = Declarations().of_class(type(stand_in))
            yield UnknownCellError(
                site, cell_names(stand_in), defined_at, wanted=(), mistake=_mistake(stand_in, bound.cell)
            )
            continue
        requirement = requirements_of(type(bound.consumer())).get(bound.interface or bound.cell)
        if requirement and (reason := misfit_of_cell(requirement, stand_in, bound.cell, bound.kind)):
            yield type_fault(requirement, bound.cell, bound.consumer_id, (name, where), reason)
        elif not requirement and (mismatch := _mismatch(stand_in, bound)):
            wanted, reason = mismatch
            required = (bound.consumer_id, wanted, str(bound.where))
            yield CellTypeError(bound.cell, required, (name, str(where)), reason)


def _mismatch(stand_in: object, bound: BoundCell) -> tuple[str, str] | None:
    """Return what a consumer that declares nothing surely takes the cell for, and what it is instead; or None."""
    is_method = kind_of_cell(stand_in, bound.cell) == "method"
    if bound.kind == "method":
        value = None if is_method else value_of_cell(stand_in, bound.cell)
        return None if is_method or callable(value) else ("a method", f"it is a value of type {type(value).__name__}")
    is_called = may_be_callable(bound.provider(), bound.cell)
    return ("a value", "it is a method, without @property") if is_method and not is_called else None


def _mistake(stand_in: object, cell: str) -> str:
    if isinstance(stand_in, type):
        return f"Pass an instance of {stand_in.__name__}, not the class."
    if cell == CALL:
        return NOT_CALLABLE
    return "" if nearest(cell, cell_names(stand_in), most=1) else _LACKING


def _replaced(handed: Iterable[BoundCell], why: Callable[[object, str], str | None]) -> Iterator[CellReplacedError]:
    """Yield, once for each name of each consumer, that it reads something else there than what it was handed."""
    seen = set[tuple[int, str]]()
    for bound in handed:
        consumer, name = bound.consumer(), bound.interface or bound.cell
        if consumer is None or (id(consumer), name) in seen:
            continue
        seen.add((id(consumer), name))
        if reason := why(consumer, name):
            yield CellReplacedError(name, bound.consumer_id, bound.provider_id, reason)


def _bind_anew(reached: Iterable[BoundCell]) -> None:
    """Let each of these cells come from its source of now; what is handed on comes after what it was handed by."""
    for bound in reached:
        consumer, source = bound.consumer(), bound.source()
        if consumer is not None and source is not None:
            rebind(Offer(source, bound.provider_id, bound.cell, bound.kind, bound.where), consumer, bound.interface)
