"""The parts of a graph: components, and the two kinds of edges between them. Plain data, no objects."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final, Literal

CellKind = Literal["method", "state"]
Label = tuple[str, ...]
"""An edge without its ends, seen from one: ``(HANDS, cell, name, kind)``, ``(TAKES, cell, name, kind)``, HOLDS, HELD.

The name is that under which the consumer reads the cell."""
Link = tuple[Label, str]
"""An edge seen from one of its ends: its label there, and the id at its other end."""
LOCATION: Final = ("source_path", "source_line")
"""The fields of a component that say where its class is written; moving that changes no topology."""
VALUES: Final = "parameter_values"
"""The field of a component that says what its parameters are, for people."""
CALL: Final = "__call__"
"""The cell of a callable that hands itself over. No attribute is read by that name, so its consumer names it."""
HANDS: Final = "hands"
TAKES: Final = "takes"
HOLDS: Final[Label] = ("holds",)
HELD: Final[Label] = ("held",)


@dataclass(frozen=True, slots=True, order=True)
class Component:
    """One registered object, described by what outlives the process that registered it.

    Attributes:
        id: Unique in its graph; see ``wiremap.registry.identity`` for how defaults are made.
        type: Qualified name of the object's class; of a function, its own.
        module: Module that defines that.
        source_path: File of that below its import root, with ``/``; empty when unknown.
        source_line: Line of the ``class`` or ``def`` statement; 0 when unknown.
        tags: Free labels given at registration, sorted.
        extension: The distribution or plug-in that the component belongs to.
        provides: Cells that it hands to others in this graph, sorted.
        requires: Cells that its class declares with ``Requires``, sorted; bindings say what it is handed.
        parameters: Digest of its plain-data attributes, or None when they can't be digested;
            see ``wiremap.registry.parameters``.
        parameter_values: The same for people, as ``name=value``, sorted; none in what older versions wrote.
            They say which parameter differs. Whether one does the digest says; only without one they do.
    """

    id: str
    type: str
    module: str
    source_path: str = ""
    source_line: int = 0
    tags: tuple[str, ...] = ()
    extension: str = "core"
    provides: tuple[str, ...] = ()
    requires: tuple[str, ...] = ()
    parameters: str | None = None
    parameter_values: tuple[str, ...] = ()

    @property
    def traits(self) -> tuple[object, ...]:
        """What it is, whatever it is called, wherever its class is written and whoever is beside it.

        ``provides`` is not among them: it follows from the bindings.
        """
        traits = (self.type, self.module, self.extension, self.tags, self.requires, self.parameters)
        return (*traits, self.parameter_values) if self.values_count else traits

    @property
    def values_count(self) -> bool:
        """Whether topology depends on the values of the parameters, since they have no digest."""
        return self.parameters is None and bool(self.parameter_values)


@dataclass(frozen=True, slots=True, order=True)
class Binding:
    """*consumer* reads the cell of *provider* under its own name; both are component ids.

    Attributes:
        interface: The name below which it is read (``self.blocks.allocate``), where the consumer requires a
            protocol with members; for the cell ``__call__``, the name by which the consumer calls it
            (``self.sample(...)``); empty where the cell is read directly.
    """

    provider: str
    cell: str
    consumer: str
    kind: CellKind = "method"
    interface: str = ""

    @property
    def ends(self) -> tuple[str, str]:
        """The ids that it connects."""
        return (self.provider, self.consumer)

    def renamed(self, names: Mapping[str, str]) -> "Binding":
        """Return the binding of the same cell between the ids that *names* gives for these."""
        provider, consumer = (names.get(end, end) for end in self.ends)
        return self if self.ends == (provider, consumer) else replace(self, provider=provider, consumer=consumer)

    @property
    def name(self) -> str:
        """The name under which the consumer reads the cell, below that of the interface if there is one."""
        if self.interface and self.cell != CALL:
            return f"{self.interface}.{self.cell}"
        return self.interface or self.cell


@dataclass(frozen=True, slots=True, order=True)
class Containment:
    """*parent* holds *child*; both are component ids."""

    child: str
    parent: str

    @property
    def ends(self) -> tuple[str, str]:
        """The ids that it connects."""
        return (self.child, self.parent)

    def renamed(self, names: Mapping[str, str]) -> "Containment":
        """Return the containment of the ids that *names* gives for these."""
        return Containment(*(names.get(end, end) for end in self.ends))


def links_of(bindings: Iterable[Binding], containment: Iterable[Containment]) -> Mapping[str, list[Link]]:
    """Return, for every id at an edge, its edges as they look from there.

    An edge from a component to itself is seen twice, once from each end.
    """
    links: dict[str, list[Link]] = defaultdict(list)
    labels: dict[tuple[str, str, CellKind], tuple[Label, Label]] = {}
    for edge in bindings:
        cell = (edge.cell, edge.name, edge.kind)
        if cell not in labels:
            labels[cell] = ((HANDS, *cell), (TAKES, *cell))
        hands, takes = labels[cell]
        links[edge.provider].append((hands, edge.consumer))
        links[edge.consumer].append((takes, edge.provider))
    for pair in containment:
        links[pair.child].append((HELD, pair.parent))
        links[pair.parent].append((HOLDS, pair.child))
    return links
