"""The orchestrator: where components and what they hand one another are registered, compiled and bound."""

from collections.abc import Container, Iterable
from typing import Any, TypeVar

from wiremap.errors import AlreadyFinalizedError, NotACellError
from wiremap.graph import Graph
from wiremap.registry import cells, observers
from wiremap.registry.arguments import check_addition, check_binding, check_containment
from wiremap.registry.compilation import Compilation, compile_ledger
from wiremap.registry.construction import UnderConstruction
from wiremap.registry.identity import publish_given_ids
from wiremap.registry.ledger import Entry, Ledger, Link
from wiremap.registry.location import Location, caller_location
from wiremap.registry.nesting import remember
from wiremap.registry.overriding import System
from wiremap.registry.recipe import compiling
from wiremap.registry.requirements import Requirement, announce
from wiremap.registry.unused import warn_of_unused
from wiremap.registry.validation import is_bound_already
from wiremap.registry.weak_table import WeakTable

T = TypeVar("T")

# The components whose hook has been called: a local and an outer orchestrator may share some. One that
# can't be referenced weakly is forgotten, and started by each.
_started: WeakTable[bool] = WeakTable()


class RegistryOrchestrator:
    """Collects components and their cells, and makes them one wired system.

    Registration only takes notes, so its order is free. Nothing about a component changes before
    ``finalize``, and after it nothing about the wiring does.
    """

    def __init__(self) -> None:
        self._ledger = Ledger()
        self._graph: Graph | None = None
        self._finalized_at = Location("", 0)

    def add(
        self,
        component: T,
        *,
        id: str | None = None,  # noqa: A002 -- the word that users know it by
        tags: Iterable[str] = (),
        extension: str = "core",
    ) -> T:
        """Register *component* and return it. Adding it again is harmless, and may add an id or tags.

        Args:
            component: Any object but a plain value, such as a number, a string or a tuple.
            id: Its name in the graph; by default its class's name, or its place in what holds it.
            tags: Labels to find it by; a plain string is one label.
            extension: The distribution or plug-in that it belongs to.

        Raises:
            AlreadyFinalizedError: The orchestrator is frozen.
            NotAComponentError, InvalidLabelError: An argument is not what it should be; nothing was noted.
        """
        where = self._open_for("add")
        labels = check_addition(component, id, tags, extension, where)
        entry = self._enroll(component, where)
        if id is not None:
            entry.given_ids.setdefault(id, where)
        entry.tags.update(labels)
        if extension != "core":
            entry.extension = extension
        return component

    def register(self, provider: object, cell: str, consumer: object) -> None:
        """Let *consumer* read the method or state *cell* of *provider* under that name, once finalized.

        Adds both if need be. Registering the same again is harmless.

        Raises:
            AlreadyFinalizedError: The orchestrator is frozen.
            NotAComponentError, InvalidCellNameError, ClassNotInstanceError, SelfBindingError: An argument is not
                what it should be; nothing was noted.
        """
        where = self._open_for("register")
        self._link(provider, [cell], consumer, where)

    def connect(self, child: object, parent: object) -> None:
        """Say that *parent* holds *child* where that can't be seen in its attributes; adds both if need be.

        Raises:
            AlreadyFinalizedError: The orchestrator is frozen.
            NotAComponentError, SelfContainmentError: An argument is not what it should be; nothing was noted.
        """
        where = self._open_for("connect")
        check_containment(child, parent, where)
        self._ledger.connect(self._enroll(child, where), self._enroll(parent, where), where)

    def compile(self) -> Graph:
        """Return the graph of what is registered so far, and bind nothing.

        Raises:
            WiringError: The wiring has faults; the error lists them all.
        """
        graph = self._graph
        if graph is None:
            compilation = compile_ledger(self._ledger, UnderConstruction(depth=1))
            warn_of_unused(self._ledger, compilation)
            graph = compilation.graph
        observers.notify(graph)
        return graph

    def finalize(self) -> Graph:
        """Check the wiring, bind all cells, freeze, and return the graph.

        Then ``__post_wire__()`` is called on each component that has it, providers before consumers and what
        is contained before its container, except in compile mode. If it raises, all cells are taken back.
        It is called once in the life of a component, and never while its ``__init__`` is running: a component
        that finalizes its own inside there is started by the orchestrator that it is added to afterwards.

        Raises:
            WiringError: The wiring has faults; the error lists them all, and nothing was bound.
            AlreadyFinalizedError: It was called before.
        """
        where = self._open_for("finalize")
        unfinished = UnderConstruction(depth=1)
        compilation = compile_ledger(self._ledger, unfinished)
        warn_of_unused(self._ledger, compilation)
        undo = _bind_all(compilation)
        if not compiling():
            try:
                _call_hooks(compilation, unfinished)
            except BaseException:
                _take_back(undo)
                raise
        graph = compilation.graph.living_in(System.of(compilation.kinds, compilation.names))
        self._graph, self._finalized_at = graph, where
        publish_given_ids(self._ledger.entries)
        remember(graph, compilation.components)
        observers.notify(graph)
        return graph

    def describe(self) -> str:
        """Return the graph of what is registered so far as text for people.

        Raises:
            WiringError: The wiring has faults.
        """
        from wiremap.render.text import render_text  # noqa: PLC0415 -- keeps `import wiremap` cheap

        return render_text(self._graph or compile_ledger(self._ledger, UnderConstruction(depth=1)).graph)

    def _note_requirement(self, requirement: Requirement[Any, Any], provided: Any, consumer: object) -> None:
        """Note what ``Requirement.register`` was told; called by nobody else."""
        where = self._open_for("register", depth=1)
        if members := requirement.members:
            self._link(provided, members, consumer, where, requirement.name)
        elif cells.is_method_called(requirement.name, provided):
            self._link(provided.__self__, [requirement.name], consumer, where)
        else:
            raise NotACellError(requirement.name, requirement.owner.__name__, f"{provided!r:.80}", str(where))

    def _link(
        self, provider: object, names: Iterable[str], consumer: object, where: Location, interface: str = ""
    ) -> None:
        checked = [check_binding(provider, name, consumer, where) for name in names]
        giver, taker = self._enroll(provider, where), self._enroll(consumer, where)
        for cell in checked:
            self._ledger.link(Link(giver, cell, taker, where, interface))

    def _enroll(self, component: object, where: Location) -> Entry:
        announce(type(component))
        return self._ledger.enroll(component, where)

    def _open_for(self, operation: str, depth: int = 0) -> Location:
        """Return the line that called *operation*, which must be the caller of this, or *depth* calls above it."""
        where = caller_location(depth=2 + depth)
        if self._graph is not None:
            raise AlreadyFinalizedError(operation, str(where), str(self._finalized_at))
        return where


def _bind_all(compilation: Compilation) -> list[cells.Undo]:
    """Bind every cell and return what takes each back; if one fails, none stays bound."""
    rank = {name: number for number, name in enumerate(compilation.graph.topological_order())}
    names = compilation.names
    # Providers first: a component may hand on what it is handed.
    links = sorted(compilation.kinds.items(), key=lambda item: rank[names[item[0].provider]])
    done: list[cells.Undo] = []
    try:
        for link, kind in links:
            if not is_bound_already(link):
                offer = cells.Offer(link.provider.component, names[link.provider], link.cell, kind, link.where)
                consumer = link.consumer.component
                if link.interface:
                    done.append(cells.bind_in_interface(offer, consumer, link.interface))
                else:
                    done.append(cells.bind(offer, consumer))
    except BaseException:
        _take_back(done)
        raise
    return done


def _call_hooks(compilation: Compilation, unfinished: Container[object]) -> None:
    for component_id in compilation.graph.topological_order():
        component = compilation.components[component_id]
        hook = getattr(type(component), "__post_wire__", None)
        if hook is None or component in unfinished or _started.get(component):
            continue
        try:
            hook(component)
        except Exception as error:
            error.add_note(f"while __post_wire__ of the component {component_id!r} ran")
            raise
        _started.put(component, value=True)


def _take_back(done: list[cells.Undo]) -> None:
    for undo in reversed(done):
        undo()
