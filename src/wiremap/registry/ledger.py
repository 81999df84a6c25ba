"""What was told to an orchestrator, in the order in which it was told: no check, no interpretation."""

import weakref
from dataclasses import dataclass, field

from wiremap.registry.cells import is_in_interface
from wiremap.registry.containment import held_objects
from wiremap.registry.location import Location
from wiremap.registry.weak_table import is_weakly_referable


@dataclass(slots=True, eq=False)
class Entry:
    """One component as registered.

    Attributes:
        component: The object; the entry keeps it alive, so its address stays its identity.
        where: The line that added it first.
        given_ids: The ids given by hand, each with the line that gave it. More than one is a fault.
        place: The entry of the component that held it when that was added, and the attribute path to it.
    """

    component: object
    where: Location
    place: "tuple[Entry, str] | None"
    given_ids: dict[str, Location] = field(default_factory=dict)
    tags: set[str] = field(default_factory=set)
    extension: str = "core"

    @property
    def type_name(self) -> str:
        """The qualified name of the component's class."""
        return type(self.component).__qualname__


@dataclass(frozen=True, slots=True, eq=False)
class Link:
    """One registered binding.

    Attributes:
        provider: Whose cell it is.
        cell: The name of the cell.
        consumer: Who reads it.
        where: The line that registered it first.
        interface: The name below which the consumer reads it, or by which it calls a callable; empty where it reads
            the cell itself.
    """

    provider: Entry
    cell: str
    consumer: Entry
    where: Location
    interface: str = ""

    @property
    def name(self) -> str:
        """The attribute of the consumer that the binding fills: the interface, or the cell itself."""
        return self.interface or self.cell

    @property
    def is_in_interface(self) -> bool:
        """Whether the consumer reads the cell below the name of an interface."""
        return is_in_interface(self.cell, self.interface)


@dataclass(frozen=True, slots=True, eq=False)
class Connection:
    """One containment told by hand."""

    child: Entry
    parent: Entry
    where: Location


class Ledger:
    """Entries, links and connections, each kept once."""

    def __init__(self) -> None:
        self._entries: dict[int, Entry] = {}
        self._links: dict[tuple[int, str, int, str], Link] = {}
        self._connections: dict[tuple[int, int], Connection] = {}
        # Weak, so that wiring prolongs no object's life; and an address that was used anew is found out.
        self._places: dict[int, tuple[weakref.ref[object], tuple[Entry, str]]] = {}

    @property
    def entries(self) -> tuple[Entry, ...]:
        """All entries, first added first."""
        return tuple(self._entries.values())

    @property
    def links(self) -> tuple[Link, ...]:
        """All links, first registered first."""
        return tuple(self._links.values())

    @property
    def connections(self) -> tuple[Connection, ...]:
        """All connections, first told first."""
        return tuple(self._connections.values())

    def entry_of(self, component: object) -> Entry | None:
        """Return the entry of *component*, or None if it was not added."""
        return self._entries.get(id(component))

    def enroll(self, component: object, where: Location) -> Entry:
        """Return the entry of *component*, made now if there is none."""
        entry = self._entries.get(id(component))
        if entry is None:
            entry = Entry(component, where, self._place_of(component))
            self._entries[id(component)] = entry
            self._note_places(entry)
        return entry

    def link(self, link: Link) -> None:
        """Note a binding; a second time changes nothing."""
        key = (id(link.provider.component), link.cell, id(link.consumer.component), link.interface)
        self._links.setdefault(key, link)

    def connect(self, child: Entry, parent: Entry, where: Location) -> None:
        """Note a containment; a second time changes nothing."""
        key = (id(child.component), id(parent.component))
        self._connections.setdefault(key, Connection(child, parent, where))

    def _place_of(self, component: object) -> tuple[Entry, str] | None:
        reference, place = self._places.get(id(component), (None, None))
        return place if reference is not None and reference() is component else None

    def _note_places(self, owner: Entry) -> None:
        for path, value in held_objects(owner.component):
            if path is not None and is_weakly_referable(value) and self._place_of(value) is None:
                self._places[id(value)] = (weakref.ref(value), (owner, path))
