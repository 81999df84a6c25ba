"""The parts of a graph: components, and the two kinds of edges between them. Plain data, no objects."""

from dataclasses import dataclass
from typing import Literal

CellKind = Literal["method", "state"]


@dataclass(frozen=True, slots=True, order=True)
class Component:
    """One registered object, described by what outlives the process that registered it.

    Attributes:
        id: Unique in its graph; see ``wiremap.registry.identity`` for how defaults are made.
        type: Qualified name of the object's class.
        module: Module that defines the class.
        source_path: File of the class below its import root, with ``/``; empty when unknown.
        source_line: Line of the ``class`` statement; 0 when unknown.
        tags: Free labels given at registration, sorted.
        extension: The distribution or plug-in that the component belongs to.
        provides: Cells that it hands to others in this graph, sorted.
        requires: Cells that its class declares with ``Requires``, sorted; bindings say what it is handed.
        parameters: Digest of its plain-data attributes, or None when they can't be digested;
            see ``wiremap.registry.parameters``.
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


@dataclass(frozen=True, slots=True, order=True)
class Binding:
    """*consumer* reads the cell of *provider* under its own name; both are component ids.

    Attributes:
        interface: The name below which it is read (``self.blocks.allocate``), where the consumer requires a
            protocol with members; empty where the cell is read directly.
    """

    provider: str
    cell: str
    consumer: str
    kind: CellKind = "method"
    interface: str = ""


@dataclass(frozen=True, slots=True, order=True)
class Containment:
    """*parent* holds *child*; both are component ids."""

    child: str
    parent: str
