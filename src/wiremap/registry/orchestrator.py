"""The orchestrator: where components and what they hand one another are registered, compiled and bound."""

from collections import defaultdict
from collections.abc import Container, Iterable
from dataclasses import replace
from inspect import isabstract
from types import TracebackType
from typing import Any, Self, TypeVar

from wiremap.errors import AlreadyClosedError, AlreadyFinalizedError, NotACellError
from wiremap.graph import CALL, Graph
from wiremap.registry import cells, nesting, observers
from wiremap.registry.arguments import check_addition, check_binding, check_containment, check_name, shown
from wiremap.registry.cell_table import wiring_lock
from wiremap.registry.collector import paused_collector
from wiremap.registry.compilation import Compilation, compile_ledger
from wiremap.registry.construction import UnderConstruction
from wiremap.registry.identity import publish_given_ids
from wiremap.registry.ledger import Entry, Ledger, Link
from wiremap.registry.lifecycle import Lifecycle, raise_together
from wiremap.registry.location import Location, caller_location
from wiremap.registry.overriding import System
from wiremap.registry.recipes import compiling
from wiremap.registry.requirements import Requirement, announce
from wiremap.registry.unfinished import note_begun, note_compiled
from wiremap.registry.unused import warn_of_lost, warn_of_never_finalized, warn_of_unused
from wiremap.registry.validation import is_bound_already

T = TypeVar("T")


class RegistryOrchestrator:
    """Collects components and their cells, and makes them one wired system.

    Registration only takes notes, so its order is free. Nothing about a component changes before
    ``finalize``, and after it nothing about the wiring does. What ``finalize`` starts, ``close`` ends; as a
    context manager, an orchestrator closes itself at the end of the ``with`` block. An error or an interrupt of the
    block passes on then, with what closing raises in its notes.
    """

    def __init__(self) -> None:
        self._ledger = Ledger()
        self._announced: set[type] = set()
        self._lifecycle = Lifecycle()
        self._graph: Graph | None = None
        self._system = System()
        self._is_frozen = False
        self._is_judged = False
        self._finalized_at = Location("", 0)
        self._closed_at: Location | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _: type[BaseException] | None, error: BaseException | None, __: TracebackType | None) -> None:
        where = caller_location(depth=1)
        self._begin_closing(where)
        # Python swallows a GeneratorExit, and would what is noted on it.
        if error is not None and not isinstance(error, GeneratorExit):
            self._lifecycle.fail(error)
            return
        raise_together(self._lifecycle.close())
        if error is None and not self._is_judged:
            warn_of_never_finalized(self._ledger, where)

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

    def register(self, provider: object, cell: str, consumer: object, *, name: str = "") -> None:
        """Let *consumer* read the method or state *cell* of *provider* under that name, once finalized.

        Adds both if need be. Registering the same again is harmless. A function, or whatever else can be called,
        hands itself over as the cell ``"__call__"``.

        Args:
            provider: Whose cell it is.
            cell: Its name, on both sides.
            consumer: Who reads it.
            name: For the cell ``"__call__"``, and for no other: what *consumer* calls it by.

        Raises:
            AlreadyFinalizedError: The orchestrator is frozen.
            NotAComponentError, InvalidCellNameError, ClassNotInstanceError, SelfBindingError: An argument is not
                what it should be; nothing was noted.
        """
        where = self._open_for("register")
        check_name(cell, name, where)
        self._link(provider, [cell], consumer, where, str(name))

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

        After ``finalize`` it says, too, which cells were lost since then by an assignment to a class.

        Raises:
            WiringError: The wiring has faults; the error lists them all.
        """
        graph = self._graph
        if graph is None:
            unfinished = UnderConstruction(depth=1)
            with wiring_lock:
                graph = self._compiled(unfinished).graph
        else:
            self._system.check()
        note_compiled(self._ledger)
        observers.notify(graph)
        return graph

    def finalize(self) -> Graph:
        """Check the wiring, bind all cells, freeze, and return the graph.

        Then ``__post_wire__()`` is called on each component that has it, providers before consumers and what
        is contained before its container, except in compile mode. If it raises, what had been started is closed
        in reverse and all cells are taken back; the orchestrator is as before, and may be finalized again.
        A component of several orchestrators is started by the first, and never while its ``__init__`` is running:
        one that finalizes its own inside there is started by the orchestrator that it is added to afterwards.

        A component may also wire its own inside in ``__post_wire__``. That local graph is nested in the graph
        returned here, but compile mode and ``compile`` can't know of it: what is to be seen by them is wired in
        ``__init__``.

        Raises:
            WiringError: The wiring has faults; the error lists them all, and nothing was bound.
            AlreadyFinalizedError: It was called before.
            AlreadyClosedError: It was closed.
        """
        where = self._open_for("finalize")
        unfinished = UnderConstruction(depth=1)
        # From here on: what a hook would register would not be bound any more.
        self._is_frozen, self._finalized_at = True, where
        try:
            return self._finalize(where, unfinished)
        finally:
            self._is_frozen = self._graph is not None

    def _finalize(self, where: Location, unfinished: UnderConstruction) -> Graph:
        with wiring_lock:
            compilation = self._compiled(unfinished)
            undo = _bind_all(compilation)
        if not compiling():
            try:
                self._start(compilation, unfinished)
            except BaseException:
                _take_back(undo)
                raise
        system = System.of(compilation.kinds, compilation.names)
        graph = self._with_local_graphs(compilation).living_in(system)
        self._graph, self._system = graph, system
        publish_given_ids(self._ledger.entries)
        nesting.remember(graph, compilation.components, self._lifecycle, system, (unfinished.maker, where))
        note_compiled(self._ledger)
        observers.notify(graph)
        return graph

    def _compiled(self, unfinished: Container[object]) -> Compilation:
        self._is_judged = True
        compilation = compile_ledger(self._ledger, unfinished)
        warn_of_unused(self._ledger, compilation)
        return compilation

    def close(self) -> None:
        """Call ``__pre_close__()`` on each component that ``finalize`` started, in the reverse order.

        So a consumer is closed before its providers and a container before what it contains. After each
        component, what an orchestrator inside it has started is closed. A hook that raises keeps no other from
        being called. Cells stay bound and the graph stays readable: closing ends what components hold, not their
        wiring. To call it again is harmless. In compile mode nothing is started, so nothing is closed.

        Closing before ``finalize`` closes what orchestrators inside the components have started.

        Raises:
            BaseExceptionGroup: Hooks raised; it holds what they raised, and is an ``ExceptionGroup`` as a rule.
        """
        self._begin_closing(caller_location(depth=1))
        raise_together(self._lifecycle.close())

    def describe(self) -> str:
        """Return the graph of what is registered so far as text for people.

        Raises:
            WiringError: The wiring has faults.
        """
        from wiremap.render.text import render_text  # noqa: PLC0415 -- keeps `import wiremap` cheap

        unfinished = UnderConstruction(depth=1)
        self._is_judged = True
        with wiring_lock:
            graph = self._graph or compile_ledger(self._ledger, unfinished).graph
        return render_text(graph)

    def _note_requirement(self, requirement: Requirement[Any, Any], provided: Any, consumer: object) -> None:
        """Note what ``Requirement.register`` was told; called by nobody else."""
        where = self._open_for("register", depth=1)
        if members := requirement.members:
            self._link(provided, members, consumer, where, requirement.name)
        elif cells.is_method_called(requirement.name, provided):
            self._link(provided.__self__, [requirement.name], consumer, where)
        elif requirement.is_callable and cells.kind_of_cell(provided, CALL):
            self._link(provided, [CALL], consumer, where, requirement.name)
        else:
            wanted = requirement.type
            is_meant_whole = isabstract(wanted) and issubclass(type(provided), wanted)
            name = wanted.__name__ if is_meant_whole else ""
            raise NotACellError(requirement.name, requirement.owner.__name__, shown(provided), str(where), name)

    def _link(
        self, provider: object, names: Iterable[str], consumer: object, where: Location, interface: str = ""
    ) -> None:
        checked = [check_binding(provider, name, consumer, interface or name, where) for name in names]
        giver, taker = self._enroll(provider, where), self._enroll(consumer, where)
        for cell in checked:
            self._ledger.link(Link(giver, cell, taker, where, interface))

    def _enroll(self, component: object, where: Location) -> Entry:
        cls = type(component)
        if cls not in self._announced:
            with wiring_lock:
                announce(cls)
            self._announced.add(cls)
        note_begun(self._ledger, where)
        return self._ledger.enroll(component, where)

    def _open_for(self, operation: str, depth: int = 0) -> Location:
        """Return the line that called *operation*, which must be the caller of this, or *depth* calls above it."""
        where = caller_location(depth=2 + depth)
        if self._closed_at is not None:
            raise AlreadyClosedError(operation, str(where), str(self._closed_at))
        if self._is_frozen:
            raise AlreadyFinalizedError(operation, str(where), str(self._finalized_at))
        return where

    def _start(self, compilation: Compilation, unfinished: Container[object]) -> None:
        components = compilation.components
        began = nesting.now()
        try:
            self._lifecycle.start(compilation.graph.topological_order(), components, unfinished)
            warn_of_lost(components, since=began)
        except BaseException as error:
            # What components wired inside before stays as it was: they may be started again.
            self._lifecycle.adopt(nesting.lifecycles_inside(components, since=began))
            self._lifecycle.fail(error)
            raise

    def _with_local_graphs(self, compilation: Compilation) -> Graph:
        """Return the compiled graph, with those too that hooks have wired; and close what is inside with this."""
        self._lifecycle.adopt(nesting.lifecycles_inside(compilation.components))
        nested = {owner: local.graph for owner, local in nesting.local_graphs(compilation.components).items()}
        graph = compilation.graph
        return graph if graph.nested == nested else replace(graph, nested=nested)

    def _begin_closing(self, where: Location) -> None:
        if self._closed_at is None:
            self._closed_at = where
        if self._graph is None:
            unnamed = {str(number): entry.component for number, entry in enumerate(self._ledger.entries)}
            self._lifecycle.adopt(nesting.lifecycles_inside(unnamed))


@paused_collector()
def _bind_all(compilation: Compilation) -> list[cells.Undo]:
    """Bind every cell and return what takes each back; if one fails, none stays bound."""
    rank = {name: number for number, name in enumerate(compilation.graph.topological_order())}
    names = compilation.names
    given: dict[Entry, list[tuple[cells.Offer, str]]] = defaultdict(list)
    for link, kind in compilation.kinds.items():
        if not is_bound_already(link):
            offer = cells.Offer(link.provider.component, names[link.provider], link.cell, kind, link.where)
            given[link.consumer].append((offer, link.interface))
    done: list[cells.Undo] = []
    try:
        # Providers first: a component may hand on what it is handed.
        for consumer in sorted(given, key=lambda entry: rank[names[entry]]):
            done.append(cells.bind(consumer.component, given[consumer]))  # noqa: PERF401 -- one may fail
    except BaseException:
        _take_back(done)
        raise
    return done


def _take_back(done: list[cells.Undo]) -> None:
    for undo in reversed(done):
        undo()
