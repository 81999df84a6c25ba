"""Every error of Wiremap, each with a stable code that ``docs/errors.md`` explains.

An exception carries values; the sentence is made when somebody reads it. All values go through
``super().__init__`` so that an error survives a process boundary (pickling calls the class with ``args``).
"""

from collections.abc import Iterable
from typing import ClassVar, NamedTuple


class WiremapError(Exception):
    """Base of every error that Wiremap raises on purpose.

    Subclasses set ``code`` and write ``_text``: what happened, to what, where, and what to do about it.
    """

    code: ClassVar[str] = "wiremap"

    def _text(self) -> str:
        """Return what ``str`` shows before the code."""
        return " ".join(map(str, self.args))

    def __str__(self) -> str:
        return f"{self._text()} [{self.code}]"


def near_names(name: str, known: Iterable[str]) -> str:
    """Return `` Did you mean 'x' or 'y'?``, with its leading space, or nothing when no name is near."""
    near = nearest(name, known, most=2)
    return f" Did you mean {' or '.join(map(repr, near))}?" if near else ""


def nearest(name: str, known: Iterable[str], *, most: int, likeness: float = 0.6) -> list[str]:
    """Return the names that *name* may be a misspelling of, the likeliest first."""
    import difflib  # noqa: PLC0415 -- costs 5 ms and serves failures only

    return difflib.get_close_matches(name, sorted(known), n=most, cutoff=likeness)


# Wiring: what compile and finalize report, all together.

_MOST_PLACES = 6
_MOST_OF_ONE_CODE = 5
_MOST_STEPS = 5
_MOST_ON_ONE_ARROW = 3
_LINE_LENGTH = 92  # leaves room for the indent of a numbered fault on a terminal of 100 columns


class WiringError(WiremapError):
    """An orchestrator could not be compiled, or a component not swapped; ``faults`` holds every reason."""

    code = "wiring"

    def __init__(self, faults: Iterable[WiremapError], outcome: str = "Nothing was bound.") -> None:
        self.faults = tuple(faults)
        self.outcome = outcome
        super().__init__(self.faults, outcome)

    def _text(self) -> str:
        if len(self.faults) == 1:
            return f"{self.faults[0]}\n{self.outcome}"
        shown, hidden = self._shown_and_hidden()
        numbered = [f"\n  {number}. " + str(fault).replace("\n", "\n     ") for number, fault in shown]
        more = [f"\n  ... and {count} more [{code}], in error.faults" for code, count in hidden.items()]
        title = f"The wiring has {len(self.faults)} faults:"
        return "\n".join([title, *numbered, *more, f"\n{self.outcome}"])

    def _shown_and_hidden(self) -> tuple[list[tuple[int, WiremapError]], dict[str, int]]:
        """Return the first few faults of each code, numbered, and how many more there are of which code.

        One mistake in a loop over layers is as many faults as there are layers; it must not hide another.
        """
        shown: list[tuple[int, WiremapError]] = []
        counts: dict[str, int] = {}
        for number, fault in enumerate(self.faults, start=1):
            counts[fault.code] = counts.get(fault.code, 0) + 1
            if counts[fault.code] <= _MOST_OF_ONE_CODE:
                shown.append((number, fault))
        hidden = {code: count - _MOST_OF_ONE_CODE for code, count in counts.items() if count > _MOST_OF_ONE_CODE}
        return shown, hidden


def _laid_out(headline: str, places: Iterable[tuple[str, str]], cure: str) -> str:
    """Return the lines of a fault: what is wrong, then ``file:line: what is there`` for each place, then the cure.

    A place whose file is not known is left out; one with no file to it, such as a drawing, comes as ``("-", text)``.
    """
    lines = [f"    {what}" if where == "-" else f"    {where}: {what}" for where, what in places if where]
    if len(lines) > _MOST_PLACES:
        lines[_MOST_PLACES - 1 :] = [f"    ... and {len(lines) - _MOST_PLACES + 1} more"]
    return "\n".join([headline, *lines, cure])


def _drawn(start: str, steps: Iterable[tuple[str, str]]) -> str:
    """Return the path from *start* along (cell, consumer) steps, on one line if it is short."""
    steps = tuple(steps)
    if len(steps) > _MOST_STEPS:
        steps = (*steps[: _MOST_STEPS - 2], ("...", "..."), steps[-1])
    arrows = ["..." if cell == "..." else f"-[{cell}]-> {consumer}" for cell, consumer in steps]
    line = " ".join([start, *arrows])
    return line if len(line) <= _LINE_LENGTH else "\n        ".join([start, *arrows])


def _listed(names: Iterable[str]) -> str:
    """Return ``a, b and c``, shortened when there are many."""
    names = tuple(names)
    if len(names) > _MOST_PLACES:
        names = (*names[: _MOST_PLACES - 1], f"{len(names) - _MOST_PLACES + 1} more")
    return " and ".join([", ".join(names[:-1]), names[-1]] if names[1:] else names)


class BindingSite(NamedTuple):
    """A binding by the ids of its ends, and the line that registered it."""

    provider: str
    cell: str
    consumer: str
    where: str

    @property
    def place(self) -> tuple[str, str]:
        """The binding as one of the places of a fault."""
        return self.where, f"{self.provider} -[{self.cell}]-> {self.consumer}"


class UnknownCellError(WiremapError):
    """A provider was asked to hand over something that it does not have.

    Attributes:
        site: What was registered.
        known: The names that the provider has.
        defined_at: The line of the provider's class.
        wanted: What the consumer requires instead, under a similar name: the cell, and the line that says so.
        mistake: What to do about the mistake that it surely is; empty where only the name can be wrong.
    """

    code = "unknown-cell"

    def __init__(
        self, site: BindingSite, known: Iterable[str], defined_at: str, wanted: Iterable[tuple[str, str]], mistake: str
    ) -> None:
        self.site = site
        self.known = tuple(sorted(known))
        self.defined_at = defined_at
        self.wanted = tuple(wanted)
        self.mistake = mistake
        super().__init__(site, self.known, defined_at, self.wanted, mistake)

    def _text(self) -> str:
        provider, cell, consumer, _ = self.site
        return _laid_out(
            f"{provider} has no cell {cell!r} to hand to {consumer}.",
            [
                self.site.place,
                (self.defined_at, f"the class of {provider}"),
                *((where, f"{consumer} requires {wanted!r}") for wanted, where in self.wanted),
            ],
            self._cure(),
        )

    def _cure(self) -> str:
        return (
            self.mistake
            or near_names(self.site.cell, self.known).lstrip()
            or "Define it on the provider's class, or annotate it there if it gets its value later."
        )


class TwoProvidersError(WiremapError):
    """One consumer was promised one cell by several providers."""

    code = "two-providers"

    def __init__(self, sites: Iterable[BindingSite]) -> None:
        self.sites = tuple(sites)
        super().__init__(self.sites)

    def _text(self) -> str:
        first = self.sites[0]
        return _laid_out(
            f"{first.consumer} would get its cell {first.cell!r} from {_listed(site.provider for site in self.sites)}.",
            [site.place for site in self.sites],
            "Keep one of them.",
        )


class NameTakenError(WiremapError):
    """The consumer has an attribute of its own under the name of a cell; ``holder_at`` is where that comes from."""

    code = "name-taken"

    def __init__(self, site: BindingSite, holder: str, holder_at: str, cure: str = "") -> None:
        self.site = site
        self.holder = holder
        self.holder_at = holder_at
        self.cure = cure or "Remove or rename that; an annotation without a value may stay."
        super().__init__(site, holder, holder_at, self.cure)

    def _text(self) -> str:
        provider, cell, consumer, _ = self.site
        return _laid_out(
            f"{consumer} can't take the cell {cell!r} of {provider}, since the name is taken.",
            [self.site.place, (self.holder_at or "-", f"taken by {self.holder}")],
            self.cure,
        )


class CannotHoldCellError(WiremapError):
    """The consumer's type leaves no place for some cells, all for one reason."""

    code = "cannot-hold-cell"

    def __init__(self, sites: Iterable[BindingSite], reason: str, cure: str, defined_at: str) -> None:
        self.sites = tuple(sites)
        self.reason = reason
        self.cure = cure
        self.defined_at = defined_at
        super().__init__(self.sites, reason, cure, defined_at)

    def _text(self) -> str:
        consumer = self.sites[0].consumer
        what = "the cells" if self.sites[1:] else "the cell"
        return _laid_out(
            f"{consumer} can't hold {what} {_listed(repr(site.cell) for site in self.sites)}.",
            [*(site.place for site in self.sites), (self.defined_at or "-", self.reason)],
            self.cure,
        )


class CellTypeError(WiremapError):
    """A provider's cell does not fit the type that its consumer declares; ``reason`` has a line for each misfit."""

    code = "cell-type"

    def __init__(self, cell: str, required: tuple[str, str, str], provided: tuple[str, str], reason: str) -> None:
        self.cell = cell
        self.consumer, self.required, self.required_at = required
        self.provider, self.where = provided
        self.reason = reason
        super().__init__(cell, required, provided, reason)

    def _text(self) -> str:
        site = BindingSite(self.provider, self.cell, self.consumer, self.where)
        return _laid_out(
            f"{self.consumer} requires {self.cell!r} as {self.required}, and that of {self.provider} does not fit.",
            [
                (self.required_at, f"{self.cell!r} is required"),
                site.place,
                *(("-", line) for line in self.reason.split("\n")),
            ],
            "Change one of the two.",
        )


class BindingCycleError(WiremapError):
    """Components hand one another cells in a circle, so none can be ready first; ``sites`` are in its order."""

    code = "binding-cycle"

    def __init__(self, sites: Iterable[BindingSite]) -> None:
        self.sites = tuple(sites)
        super().__init__(self.sites)

    def _text(self) -> str:
        cells: dict[str, list[str]] = {}
        for site in self.sites:
            cells.setdefault(site.consumer, []).append(site.cell)
        drawn = _drawn(self.sites[0].provider, [(_together(names), consumer) for consumer, names in cells.items()])
        drop = "Drop one of them" if len(cells) == len(self.sites) else "Drop all from one component to the next"
        return _laid_out(
            f"The bindings form a cycle: {drawn}" if "\n" not in drawn else f"{len(self.sites)} bindings form a cycle.",
            [site.place for site in self.sites],
            f"{drop}, or move what both sides need into a component of its own.",
        )


def _together(names: list[str]) -> str:
    return ", ".join(names if len(names) <= _MOST_ON_ONE_ARROW else [*names[: _MOST_ON_ONE_ARROW - 1], "..."])


class MissingCellError(WiremapError):
    """A component declares a required cell that nobody hands to it.

    Attributes:
        path: The cell and its consumer, then who needs that consumer for which cell, and so on.
        where: The line that added the consumer.
        declared_at: The line that declares the requirement.
        candidates: Components with such a cell, or else with one of a similar name; and that name.
        cure: The line that hands it over.
    """

    code = "missing-cell"

    def __init__(
        self,
        path: Iterable[tuple[str, str]],
        where: str,
        declared_at: str,
        candidates: Iterable[tuple[str, str]],
        cure: str,
    ) -> None:
        self.path = tuple(path)
        self.where = where
        self.declared_at = declared_at
        self.candidates = tuple(candidates)
        self.cure = cure
        super().__init__(self.path, where, declared_at, self.candidates, cure)

    def _text(self) -> str:
        cell, consumer = self.path[0]
        return _laid_out(
            f"{consumer} requires the cell {cell!r}, and nobody hands it over.",
            [
                (self.declared_at, f"{cell!r} is required"),
                (self.where, f"{consumer} is added"),
                ("-", _drawn("???", self.path)),
            ],
            self._advice(cell),
        )

    def _advice(self, cell: str) -> str:
        having = [component for component, name in self.candidates if name == cell]
        if having:
            return f"{_listed(having)} {'have' if having[1:] else 'has'} it: {self.cure}."
        if self.candidates:
            near = _listed(f"{component} has {name!r}" for component, name in self.candidates)
            return f"{near}: use one name on both sides, and register it."
        return "No component has it: add one that does, and register it."


class AsyncHookError(WiremapError):
    """A hook is async, and whoever calls it awaits nothing."""

    code = "async-hook"

    def __init__(self, component_type: str, hook: str, where: str) -> None:
        self.component_type = component_type
        self.hook = hook
        self.where = where
        super().__init__(component_type, hook, where)

    def _text(self) -> str:
        return _laid_out(
            f"{self.component_type}.{self.hook} is async, and nothing would await it.",
            [(self.where, f"{self.hook} is defined")],
            "Make it a plain method. What has to be awaited, await where the event loop runs.",
        )


class DuplicateIdError(WiremapError):
    """Several components were given one id by hand."""

    code = "duplicate-id"

    def __init__(self, component_id: str, holders: Iterable[tuple[str, str]]) -> None:
        self.component_id = component_id
        self.holders = tuple(holders)
        super().__init__(component_id, self.holders)

    def _text(self) -> str:
        return _laid_out(
            f"The id {self.component_id!r} was given to {len(self.holders)} components.",
            [(where, f"id={self.component_id!r} for one of class {type_name}") for type_name, where in self.holders],
            "Give each an id of its own, or none: implicit ids never clash.",
        )


class ConflictingIdError(WiremapError):
    """One component was given several ids by hand, in one orchestrator or in more."""

    code = "conflicting-id"

    def __init__(self, type_name: str, names: Iterable[tuple[str, str]]) -> None:
        self.type_name = type_name
        self.names = tuple(names)
        super().__init__(type_name, self.names)

    def _text(self) -> str:
        given = _listed(repr(name) for name, _ in self.names)
        return _laid_out(
            f"One component of class {self.type_name} was given the ids {given}.",
            [(where, f"id={name!r}") for name, where in self.names],
            "Use one id for it wherever it is added.",
        )


# Arguments: what add, register and connect refuse at once.


class AlreadyFinalizedError(WiremapError):
    """Something was asked of an orchestrator after it had been frozen."""

    code = "already-finalized"

    def __init__(self, operation: str, where: str, finalized_at: str) -> None:
        self.operation = operation
        self.where = where
        self.finalized_at = finalized_at
        super().__init__(operation, where, finalized_at)

    def _text(self) -> str:
        return _laid_out(
            f"{self.operation}() came too late: the orchestrator was finalized.",
            [(self.where, f"{self.operation}()"), (self.finalized_at, "finalize()")],
            "Register everything before finalize(), or use a new orchestrator.",
        )


class NotAComponentError(WiremapError):
    """A plain value was passed where a component belongs, or a method of no object."""

    code = "not-a-component"

    def __init__(self, call: str, role: str, value: str, where: str, cure: str = "") -> None:
        self.call = call
        self.role = role
        self.value = value
        self.where = where
        self.cure = cure or "A component is an object that can be told from all others; put the value into one."
        super().__init__(call, role, value, where, self.cure)

    def _text(self) -> str:
        return _laid_out(
            f"{self.call}() was given {self.value} as the {self.role}.",
            [(self.where, f"{self.call}()")],
            self.cure,
        )


class ClassNotInstanceError(WiremapError):
    """A class was passed where only an instance of it can serve."""

    code = "class-not-instance"

    def __init__(self, type_name: str, role: str, reason: str, where: str, defined_at: str) -> None:
        self.type_name = type_name
        self.role = role
        self.reason = reason
        self.where = where
        self.defined_at = defined_at
        super().__init__(type_name, role, reason, where, defined_at)

    def _text(self) -> str:
        return _laid_out(
            f"register() was given the class {self.type_name} as the {self.role}: {self.reason}.",
            [(self.where, "register()"), (self.defined_at, f"class {self.type_name}")],
            f"Pass an instance: {self.type_name}(...).",
        )


class InvalidCellNameError(WiremapError):
    """What was passed as the name of a cell can't be one."""

    code = "invalid-cell-name"

    def __init__(self, cell: str, reason: str, where: str, cure: str = "") -> None:
        self.cell = cell
        self.reason = reason
        self.where = where
        self.cure = cure or "Pass the name of a method or an attribute: register(provider, 'name', consumer)."
        super().__init__(cell, reason, where, cure)

    def _text(self) -> str:
        return _laid_out(
            f"register() was given {self.cell} as the cell: {self.reason}.", [(self.where, "register()")], self.cure
        )


class NotACellError(WiremapError):
    """A typed wiring line was given something that its provider can't be told from."""

    code = "not-a-cell"

    def __init__(self, cell: str, consumer_type: str, given: str, where: str, class_required: str = "") -> None:
        self.cell = cell
        self.consumer_type = consumer_type
        self.given = given
        self.where = where
        self.class_required = class_required
        super().__init__(cell, consumer_type, given, where, class_required)

    def _text(self) -> str:
        return _laid_out(
            f"{self.consumer_type}.{self.cell} was given {self.given}, no method called {self.cell!r}.",
            [(self.where, f"{self.consumer_type}.{self.cell}.register()")],
            self._cure(),
        )

    def _cure(self) -> str:
        if self.class_required:
            return f"Require a Protocol with the members of {self.class_required}; state is registered by name."
        return f"Pass that method or a callable; for state use register(provider, {self.cell!r}, ...)."


class RequirementNotMadeError(WiremapError):
    """A class holds ``Requires[...]`` itself where one of its kind is meant, or a dataclass made a field of one."""

    code = "requirement-not-made"

    def __init__(self, owner: str, cell: str, where: str, dataclass: str = "") -> None:
        self.owner = owner
        self.cell = cell
        self.where = where
        self.dataclass = dataclass
        super().__init__(owner, cell, where, dataclass)

    def _text(self) -> str:
        if self.dataclass:
            return _laid_out(
                f"{self.dataclass} is a dataclass and makes a field of {self.cell!r}, so nothing is required.",
                [(self.where, f"{self.owner}.{self.cell} is annotated and has a value")],
                f"Write {self.cell} = Requires[...]() without an annotation.",
            )
        return _laid_out(
            f"{self.owner}.{self.cell} lacks its parentheses, so nothing is required.",
            [(self.where, f"the class of {self.owner}")],
            f"Write {self.cell} = Requires[...]().",
        )


class InvalidLabelError(WiremapError):
    """An id, a tag or an extension is no text that can be shown and asked for."""

    code = "invalid-label"

    def __init__(self, argument: str, value: str, where: str) -> None:
        self.argument = argument
        self.value = value
        self.where = where
        super().__init__(argument, value, where)

    def _text(self) -> str:
        return _laid_out(
            f"add() was given {self.value} in {self.argument}=.",
            [(self.where, "add()")],
            "Pass text: printable characters, and no space at either end.",
        )


class SelfBindingError(WiremapError):
    """A component was to hand a cell to itself."""

    code = "self-binding"

    def __init__(self, type_name: str, cell: str, where: str) -> None:
        self.type_name = type_name
        self.cell = cell
        self.where = where
        super().__init__(type_name, cell, where)

    def _text(self) -> str:
        return _laid_out(
            f"One component of class {self.type_name} is both the provider and the consumer of {self.cell!r}.",
            [(self.where, "register()")],
            "It has that already: pass the component that needs it as the consumer.",
        )


class SelfContainmentError(WiremapError):
    """A component was said to contain itself."""

    code = "self-containment"

    def __init__(self, type_name: str, where: str) -> None:
        self.type_name = type_name
        self.where = where
        super().__init__(type_name, where)

    def _text(self) -> str:
        return _laid_out(
            f"One component of class {self.type_name} is both the child and the parent.",
            [(self.where, "connect()")],
            "Pass the child first, then its parent.",
        )


# Warnings: what compile and finalize accept, and think odd.


class WiringWarning(UserWarning):
    """Base of what may be a mistake in a wiring and may be meant."""

    code: ClassVar[str] = "wiring-warning"

    def _text(self) -> str:
        return " ".join(map(str, self.args))

    def __str__(self) -> str:
        return f"{self._text()} [{self.code}]"


class UnusedComponentWarning(WiringWarning):
    """A component was added that takes no part in the wiring."""

    code = "unused-component"

    def __init__(self, component_id: str, is_class: bool) -> None:  # noqa: FBT001 -- same
        self.component_id = component_id
        self.is_class = is_class
        super().__init__(component_id, is_class)

    def _text(self) -> str:
        cure = "It is a class: did you mean an instance?" if self.is_class else "Register what it gives or takes."
        return f"{self.component_id} takes no part in the wiring. {cure}"


class LostGraphWarning(WiringWarning):
    """A component wires a graph that does not lead to it, so that nothing tells where the graph belongs.

    It does so in its ``__init__`` or its ``__post_wire__``, and takes no cell and holds nothing in that graph.
    """

    code = "lost-graph"

    def __init__(self, component_id: str) -> None:
        self.component_id = component_id
        super().__init__(component_id)

    def _text(self) -> str:
        what = f"{self.component_id} takes and holds nothing in what it wires, so no graph shows it."
        return _laid_out(what, [], "Call orch.connect(part, self) there.")


class NeverFinalizedWarning(WiringWarning):
    """A ``with`` block of an orchestrator ended, and what was registered in it was bound and compiled by nobody.

    ``where`` is the line that registered something first.
    """

    code = "never-finalized"

    def __init__(self, where: str) -> None:
        self.where = where
        super().__init__(where)

    def _text(self) -> str:
        return _laid_out(
            "The block of the orchestrator ended without finalize(), so nothing was bound.",
            [(self.where, "the first registration")],
            "Call finalize() in the block, or compile() for the graph alone.",
        )


class UnusedCellWarning(WiringWarning):
    """A cell was handed to consumers whose class never reads it."""

    code = "unused-cell"

    def __init__(self, cell: str, provider: str, consumers: Iterable[str], defined_at: str) -> None:
        self.cell = cell
        self.provider = provider
        self.consumers = tuple(consumers)
        self.defined_at = defined_at
        super().__init__(cell, provider, self.consumers, defined_at)

    def _text(self) -> str:
        first, *others = self.consumers
        who = f"{first} and {len(others)} more never read" if others else f"{first} never reads"
        return _laid_out(
            f"{who} {self.cell!r} of {self.provider}.",
            [(self.defined_at, f"the class of {first}")],
            "Drop the registration, unless others read it there.",
        )


class AlreadyClosedError(WiremapError):
    """Something was asked of an orchestrator after it had been closed."""

    code = "already-closed"

    def __init__(self, operation: str, where: str, closed_at: str) -> None:
        self.operation = operation
        self.where = where
        self.closed_at = closed_at
        super().__init__(operation, where, closed_at)

    def _text(self) -> str:
        return (
            f"{self.operation}() at {self.where} came too late: the orchestrator was closed at {self.closed_at}. "
            "Build a new one with the recipe."
        )


# Cells in use.


class _ReadTooEarlyError(Exception):
    """What the two errors about a cell that was read too early have in common."""

    def __init__(self, cell: str, consumer_type: str, where: str, read_at: str) -> None:
        self.cell = cell
        self.consumer_type = consumer_type
        self.where = where
        self.read_at = read_at
        super().__init__(cell, consumer_type, where, read_at)

    def _text(self) -> str:
        return (
            f"{self.consumer_type} read its cell {self.cell!r} (required at {self.where}) before it was handed "
            f"over (at {self.read_at}): register a provider and finalize the orchestrator first. "
            f"In __init__ it is too early; __post_wire__ is the place."
        )


class CellNotWiredError(_ReadTooEarlyError, WiremapError, AttributeError):
    """A required cell was read before its consumer was handed it."""

    code = "cell-not-wired"


class ModuleCellNotWiredError(_ReadTooEarlyError, WiremapError):
    """The same, for a class whose ``__getattr__`` would hide an ``AttributeError``."""

    code = "module-cell-not-wired"


class StateCellAssignmentError(WiremapError, AttributeError):
    """A consumer tried to assign a state cell, which only its owner may do."""

    code = "state-cell-assignment"

    def __init__(self, cell: str, consumer_type: str, owner: str) -> None:
        self.cell = cell
        self.consumer_type = consumer_type
        self.owner = owner
        super().__init__(cell, consumer_type, owner)

    def _text(self) -> str:
        return (
            f"{self.consumer_type} reads {self.cell!r} from {self.owner} and can't assign or delete it. "
            f"Change it on {self.owner}, or hand over a method of {self.owner} that does."
        )


class _NoValueError(Exception):
    """What the two errors about a state cell without a value have in common."""

    def __init__(self, cell: str, consumer_type: str, owner: str) -> None:
        self.cell = cell
        self.consumer_type = consumer_type
        self.owner = owner
        super().__init__(cell, consumer_type, owner)

    def _text(self) -> str:
        return (
            f"{self.consumer_type} read the cell {self.cell!r}, but {self.owner} has no value for it now.\n"
            f"Set it in {self.owner}, at the latest in its __post_wire__."
        )


class StateCellUnsetError(_NoValueError, WiremapError, AttributeError):
    """A state cell was read before its owner gave it a value."""

    code = "state-cell-unset"


class ModuleStateCellUnsetError(_NoValueError, WiremapError):
    """The same, for a class whose ``__getattr__`` would hide an ``AttributeError``."""

    code = "module-state-cell-unset"


class CellReplacedError(WiremapError):
    """Something else stands where a consumer was handed a cell."""

    code = "cell-replaced"

    def __init__(self, cell: str, consumer: str, provider: str, reason: str) -> None:
        self.cell = cell
        self.consumer = consumer
        self.provider = provider
        self.reason = reason
        super().__init__(cell, consumer, provider, reason)

    def _text(self) -> str:
        return (
            f"{self.consumer} reads {self.cell!r} from {self.provider} no more.\n    {self.reason}\n"
            f"Take that back; change it on {self.provider}, or swap that by graph.override()."
        )


class WiredCopyError(WiremapError):
    """A component that was handed cells was to be deep-copied or pickled."""

    code = "wired-copy"

    def __init__(self, consumer_type: str, owners: Iterable[str]) -> None:
        self.consumer_type = consumer_type
        self.owners = tuple(sorted(owners))
        super().__init__(consumer_type, self.owners)

    def _text(self) -> str:
        return (
            f"{self.consumer_type} is wired and can't be deep-copied or pickled: that would take a second "
            f"{' and '.join(self.owners)} along. Copy it before finalize(), or build another with the recipe."
        )


# Overriding.


class CannotOverrideError(WiremapError):
    """A component can't be swapped for another one."""

    code = "cannot-override"

    def __init__(self, component_id: str, reason: str, cure: str = "") -> None:
        self.component_id = component_id
        self.reason = reason
        self.cure = cure or "Override a component that hands cells to others, in the graph that finalize() returned."
        super().__init__(component_id, reason, self.cure)

    def _text(self) -> str:
        return f"{self.component_id} can't be overridden: {self.reason}.\n{self.cure}"


# Graphs as data.


class OverrideNotEnteredWarning(WiringWarning):
    """An override was asked for and never begun, so that the component was not swapped."""

    code = "override-not-entered"

    def __init__(self, component_id: str) -> None:
        self.component_id = component_id
        super().__init__(component_id)

    def _text(self) -> str:
        return f"{self.component_id} was not overridden: override() swaps it inside a `with` block only."


class UnknownComponentError(WiremapError):
    """A graph was asked for a component that it does not hold.

    ``inside`` says where it is in local graphs: its id there, and the expression that leads to the graph. ``id_of_it``
    is the id of the object that was given in place of one, where that is known.
    """

    code = "unknown-component"

    def __init__(
        self, component_id: object, known: Iterable[str], inside: Iterable[tuple[str, str]] = (), id_of_it: str = ""
    ) -> None:
        self.component_id = component_id
        self.known = tuple(sorted(known))
        self.inside = tuple(inside)
        self.id_of_it = id_of_it
        super().__init__(component_id, self.known, self.inside, id_of_it)

    def _text(self) -> str:
        if self.inside:
            places = _listed(f"{id_!r} in {graph}" for id_, graph in self.inside)
            return (
                f"No component of this graph has the id {self.component_id!r}; there is {places}. "
                "Ask that one; on the command line, --local with the id of the component that it lies inside."
            )
        if not isinstance(self.component_id, str):
            type_name = type(self.component_id).__qualname__
            told = f", with the id {self.id_of_it!r}" if self.id_of_it else ""
            return f"A graph is asked by ids, which are strings; this is an object of class {type_name}{told}."
        hint = near_names(self.component_id, self.known) or f" {self._all_of_them()}"
        return f"No component has the id {self.component_id!r}.{hint}"

    def _all_of_them(self) -> str:
        if not self.known:
            return "The graph is empty."
        if len(self.known) > _MOST_PLACES:
            return f"The graph holds {len(self.known)} components."
        return f"The graph holds {_listed(map(repr, self.known))}."


class CannotRenameError(WiremapError):
    """A component of a graph was to be called what it can't be called."""

    code = "cannot-rename"

    def __init__(self, component_id: str, wanted: object, reason: str) -> None:
        self.component_id = component_id
        self.wanted = wanted
        self.reason = reason
        super().__init__(component_id, wanted, reason)

    def _text(self) -> str:
        return f"{self.component_id!r} can't be renamed to {self.wanted!r}: {self.reason}. Choose another id."


class GraphFormatError(WiremapError):
    """Data does not describe a graph of a schema that this version reads."""

    code = "graph-format"

    def __init__(self, detail: str) -> None:
        self.detail = detail
        super().__init__(detail)

    def _text(self) -> str:
        return (
            f"This is no graph that Wiremap can read: {self.detail}. "
            "Write it anew with `wiremap graph SOURCE --format json`."
        )


class GraphDiffFormatError(WiremapError):
    """Data does not describe a difference of graphs of a schema that this version reads."""

    code = "graph-diff-format"

    def __init__(self, detail: str) -> None:
        self.detail = detail
        super().__init__(detail)

    def _text(self) -> str:
        return (
            f"This is no difference of graphs that Wiremap can read: {self.detail}. "
            "Write it anew with Graph.diff and GraphDiff.to_json."
        )


class GraphDiffMismatchError(WiremapError):
    """A difference was applied to a graph that it does not fit."""

    code = "graph-diff-mismatch"

    def __init__(self, detail: str) -> None:
        self.detail = detail
        super().__init__(detail)

    def _text(self) -> str:
        return f"The difference does not fit this graph: {self.detail}. Apply it to the graph that it was made from."


class PatternSyntaxError(WiremapError):
    """A text that should be a pattern of components and edges is none."""

    code = "pattern-syntax"

    def __init__(self, text: str, position: int, reason: str) -> None:
        self.text = text
        self.position = position
        self.reason = reason
        super().__init__(text, position, reason)

    def _text(self) -> str:
        before = self.text[: self.position].split("\n")
        line = self.text.split("\n")[len(before) - 1]
        return (
            f"The pattern can't be read at line {len(before)}, column {len(before[-1]) + 1}: {self.reason}.\n"
            f"    {line}\n"
            f"    {' ' * len(before[-1])}^\n"
            "Write components and edges as in 'A -[cell]-> B, C --> A'."
        )


class PatternTooHardError(WiremapError):
    """A pattern has too many matches, or too much was tried without finding one."""

    code = "pattern-too-hard"

    def __init__(self, num_tried: int, num_nodes: int) -> None:
        self.num_tried = num_tried
        self.num_nodes = num_nodes
        super().__init__(num_tried, num_nodes)

    def _text(self) -> str:
        return (
            f"Not all matches of the pattern of {self.num_nodes} components are known: "
            f"the search was given up after {self.num_tried:,} steps.\n"
            "Name some of its components by id or type, or ask for fewer at once."
        )


class PatternNameWarning(WiringWarning):
    """A pattern names something that is nowhere in the graph, and looks like a misspelling of what is."""

    code = "pattern-name"

    def __init__(self, what: str, name: str, near: Iterable[str]) -> None:
        self.what = what
        self.name = name
        self.near = tuple(near)
        super().__init__(what, name, self.near)

    def _text(self) -> str:
        near = " or ".join(map(repr, self.near))
        return f"The pattern matches nothing: no {self.what} is called {self.name!r}. Did you mean {near}?"


# Graphs from the command line.


class SourceNotFoundError(WiremapError):
    """A path was asked for a graph, and nothing is there."""

    code = "source-not-found"

    def __init__(self, source: str) -> None:
        self.source = source
        super().__init__(source)

    def _text(self) -> str:
        what = f"There is no file or folder {self.source!r}" if self.source else "No source is named"
        return (
            f"{what}. Name a module that holds a recipe (package.module or package.module:function), "
            "a graph as JSON, or a folder of source."
        )


class PythonFileError(WiremapError):
    """A file of Python was asked for a graph; a recipe is found by the name of its module.

    ``root`` is the folder that the module is looked up in, empty for the current one; ``folder`` is that of the file,
    where no recipe is in it and only its source can be asked.
    """

    code = "python-file"

    def __init__(self, path: str, module: str, root: str, folder: str = "") -> None:
        self.path = path
        self.module = module
        self.root = root
        self.folder = folder
        super().__init__(path, module, root, folder)

    def _text(self) -> str:
        if self.folder:
            return (
                f"{self.path!r} is a file of Python, and marks nothing with @wiremap.recipe. To infer the wiring from "
                f"source, ask for its folder: wiremap graph {self.folder}"
            )
        where = f" It is looked up in {self.root!r}: have that on PYTHONPATH, or install it." if self.root else ""
        return (
            f"{self.path!r} is a file of Python, not a graph. To compile a recipe in it, ask for the module: "
            f"wiremap graph {self.module}.{where}"
        )


class NoPythonFilesError(WiremapError):
    """A folder was asked for the wiring of its source, and there is none, tests left out."""

    code = "no-python-files"

    def __init__(self, folder: str, num_tests: int) -> None:
        self.folder = folder
        self.num_tests = num_tests
        super().__init__(folder, num_tests)

    def _text(self) -> str:
        but = f" but {self.num_tests} of tests, which are left out" if self.num_tests else ""
        return f"The folder {self.folder!r} holds no file of Python{but}. Name the folder that your packages lie in."


class ModuleNotImportableError(WiremapError):
    """The module that should hold a recipe could not be imported: it was not found, or its code failed.

    ``known`` holds names of modules beside one that was not found.
    """

    code = "module-not-importable"

    def __init__(self, module: str, reason: str, known: Iterable[str] | None = None) -> None:
        self.module = module
        self.reason = reason
        self.known = None if known is None else tuple(sorted(known))
        super().__init__(module, reason, self.known)

    def _text(self) -> str:
        what = f"The module {self.module!r} can't be imported: {self.reason}."
        if self.known is None:
            return f"{what} Mend that first: `python -c 'import {self.module}'` must work."
        hint = near_names(self.module, self.known) or (
            " The current directory is searched first; check the name, and that its distribution is installed."
        )
        return what + hint


class NoRecipeError(WiremapError):
    """A module has no function marked with ``@recipe``, or several and none that goes first."""

    code = "no-recipe"
    _SHOWN = 8

    def __init__(self, module: str, recipes: Iterable[str], functions: Iterable[str]) -> None:
        self.module = module
        self.recipes = tuple(sorted(recipes))
        self.functions = tuple(sorted(functions))
        super().__init__(module, self.recipes, self.functions)

    def _text(self) -> str:
        if self.recipes:
            choices = " or ".join(f"{self.module}:{name}" for name in self.recipes)
            return f"{self.module!r} has several recipes and none called 'combine'. Ask for {choices}."
        more = len(self.functions) - self._SHOWN
        shown = ", ".join(self.functions[: self._SHOWN]) + (f" and {more} more" if more > 0 else "")
        there = f"its functions are {shown}" if self.functions else "it defines no function"
        return f"{self.module!r} has no recipe; {there}. Mark the one that wires with @wiremap.recipe."


class NotARecipeError(WiremapError):
    """What was asked for by name is not there, or is not marked with ``@recipe``."""

    code = "not-a-recipe"

    def __init__(self, module: str, name: str, found: str | None, recipes: Iterable[str]) -> None:
        self.module = module
        self.name = name
        self.found = found
        self.recipes = tuple(sorted(recipes))
        super().__init__(module, name, found, self.recipes)

    def _text(self) -> str:
        if self.found is None:
            what = f"The module {self.module!r} has nothing called {self.name!r}"
        else:
            what = f"{self.module}:{self.name} is a {self.found} and not marked with @wiremap.recipe"
        if hint := near_names(self.name, self.recipes):
            return f"{what}.{hint}"
        return f"{what}. Its recipes: {', '.join(self.recipes) or 'none'}."


class RecipeFailedError(WiremapError):
    """A recipe raised an exception while it was compiled, or, if not ``is_called``, can't be called as it is marked.

    ``where`` is the line that raised and, where another one of the recipe led there, that too. ``cure`` is what to do
    where it is known what the matter is.
    """

    code = "recipe-failed"

    def __init__(self, recipe: str, reason: str, where: str, is_called: bool = True, cure: str = "") -> None:  # noqa: FBT001, FBT002 -- pickling passes it by position
        self.recipe = recipe
        self.reason = reason
        self.where = where
        self.is_called = is_called
        self.cure = cure
        super().__init__(recipe, reason, where, is_called, cure)

    def _text(self) -> str:
        if not self.is_called:
            return (
                f"The recipe {self.recipe} can't be called: {self.reason} (at {self.where}). "
                "Give the arguments that it needs, and no others, as @recipe(compile_kwargs={...})."
            )
        cure = self.cure or "If that comes of heavy work, keep it in __post_wire__, which compile mode does not call."
        return f"The recipe {self.recipe} failed in compile mode: {self.reason} (at {self.where}). {cure}"


class AsyncRecipeError(WiremapError):
    """A recipe is async: calling it would wire nothing."""

    code = "async-recipe"

    def __init__(self, recipe: str, where: str) -> None:
        self.recipe = recipe
        self.where = where
        super().__init__(recipe, where)

    def _text(self) -> str:
        return (
            f"The recipe {self.recipe} is async or a generator (at {self.where}), so that calling it "
            "would wire nothing. Make it a plain function: a recipe only wires, and has nothing to wait for."
        )


class RecipeDoesWorkError(WiremapError):
    """A recipe, while it was compiled, was about to do what is no wiring; it was stopped before."""

    code = "recipe-does-work"

    def __init__(self, recipe: str, operation: str, where: str) -> None:
        self.recipe = recipe
        self.operation = operation
        self.where = where
        super().__init__(recipe, operation, where)

    def _text(self) -> str:
        return (
            f"The recipe {self.recipe} {self.operation} (at {self.where}); compiling it stopped before that. "
            "A recipe only wires: move this into __post_wire__ of the component that needs it, "
            "which compile mode does not call."
        )


class NothingCompiledError(WiremapError):
    """A recipe ran to its end without finalizing an orchestrator."""

    code = "nothing-compiled"

    def __init__(self, recipe: str, where: str = "") -> None:
        self.recipe = recipe
        self.where = where
        super().__init__(recipe, where)

    def _text(self) -> str:
        left = (
            f"did not finalize the orchestrator that it wires at {self.where}"
            if self.where
            else ("finalized no orchestrator")
        )
        return f"The recipe {self.recipe} {left}. Call orch.finalize() at its end."


class UnreadableGraphError(WiremapError):
    """The file that should hold a graph could not be read or is no graph."""

    code = "unreadable-graph"

    def __init__(self, path: str, reason: str) -> None:
        self.path = path
        self.reason = reason
        super().__init__(path, reason)

    def _text(self) -> str:
        return f"The file {self.path!r} can't be read as a graph: {self.reason}"


class NoLocalGraphError(WiremapError):
    """A component was asked for the graph inside it and has none."""

    code = "no-local-graph"

    def __init__(self, component_id: str, owners: Iterable[str]) -> None:
        self.component_id = component_id
        self.owners = tuple(sorted(owners))
        super().__init__(component_id, self.owners)

    def _text(self) -> str:
        owners = ", ".join(self.owners) or "no component"
        hint = near_names(self.component_id, self.owners) or f" Here {owners} has one."
        return f"There is no local graph inside {self.component_id!r}.{hint}"


class UnwritableOutputError(WiremapError):
    """The file that should receive the output could not be written."""

    code = "unwritable-output"

    def __init__(self, path: str, reason: str) -> None:
        self.path = path
        self.reason = reason
        super().__init__(path, reason)

    def _text(self) -> str:
        return f"The output can't be written to {self.path!r}: {self.reason}. Choose a file that can be."


class UnknownFormatError(WiremapError):
    """The name of the file that should receive the output tells no format."""

    code = "unknown-format"

    def __init__(self, path: str, suffixes: Iterable[str]) -> None:
        self.path = path
        self.suffixes = tuple(suffixes)
        super().__init__(path, self.suffixes)

    def _text(self) -> str:
        return (
            f"The name {self.path!r} tells no format that can be written. "
            f"Let it end in {', '.join(self.suffixes[:-1])} or {self.suffixes[-1]}, or ask for one with --format."
        )


# The store, the settings and the commands.


class MapUnavailableError(WiremapError):
    """The store of traces can't be opened or created."""

    code = "map-unavailable"

    def __init__(self, folder: str, reason: str) -> None:
        self.folder = folder
        self.reason = reason
        super().__init__(folder, reason)

    def _text(self) -> str:
        return (
            f"The map in {self.folder} can't be used: {self.reason}. "
            "Make the folder writable, or delete it to begin a new map."
        )


class UntrustedMapError(WiremapError):
    """A map that comes from elsewhere is damaged, or is none; nothing of it was taken."""

    code = "untrusted-map"

    def __init__(self, source: str, reason: str) -> None:
        self.source = source
        self.reason = reason
        super().__init__(source, reason)

    def _text(self) -> str:
        return (
            f"The map {self.source} is refused: {self.reason}. Nothing was changed. "
            "Delete it there, or write it anew with `wiremap map export` or `push`."
        )


class ShareUnavailableError(WiremapError):
    """The place where maps are shared can't be read or written."""

    code = "share-unavailable"

    def __init__(self, place: str, reason: str) -> None:
        self.place = place
        self.reason = reason
        super().__init__(place, reason)

    def _text(self) -> str:
        return f"Maps can't be shared at {self.place}: {self.reason}."


class SettingsError(WiremapError):
    """`[tool.wiremap]` is not what it should be; ``faults`` names everything that is wrong."""

    code = "settings"

    def __init__(self, path: str, faults: Iterable[str]) -> None:
        self.path = path
        self.faults = tuple(faults)
        super().__init__(path, self.faults)

    def _text(self) -> str:
        return f"{self.path} can't be used: {'; '.join(self.faults)}."


class NoRecipesConfiguredError(WiremapError):
    """Recipes are to be locked or checked, and the configuration names none."""

    code = "no-recipes-configured"

    def __init__(self, path: str) -> None:
        self.path = path
        super().__init__(path)

    def _text(self) -> str:
        return (
            f"{self.path} names no recipes. Write below [tool.wiremap] those whose wiring counts:\n"
            '    recipes = ["package.recipes.dense", "package.recipes.moe:combine"]\n'
            "as `wiremap graph` takes them."
        )


class RecipesNotCompiledError(WiremapError):
    """Some of the recipes that the configuration names have no graph; ``faults`` tells why, by recipe."""

    code = "recipes-not-compiled"

    def __init__(self, faults: Iterable[tuple[str, str]]) -> None:
        self.faults = tuple(faults)
        super().__init__(self.faults)

    def _text(self) -> str:
        recipes = "A recipe" if len(self.faults) == 1 else f"{len(self.faults)} recipes"
        told = "".join(f"\n  {recipe}: {_indented(fault)}" for recipe, fault in self.faults)
        return f"{recipes} of [tool.wiremap] can't be compiled, so that nothing was locked or checked:{told}\n"


def _indented(text: str) -> str:
    return text.rstrip().replace("\n", "\n    ")


class UnwritableLockError(WiremapError):
    """The lock can't be written."""

    code = "unwritable-lock"

    def __init__(self, path: str, reason: str) -> None:
        self.path = path
        self.reason = reason
        super().__init__(path, reason)

    def _text(self) -> str:
        return f"The lock can't be written to {self.path!r}: {self.reason}. Make the file and its folder writable."


class CollectionFailedError(WiremapError):
    """pytest ended before it had collected the tests."""

    code = "collection-failed"

    def __init__(self, exit_code: int, output: str, error: str = "") -> None:
        """Make it of what pytest said; *error* is where and what of an exception in that, if it tells of one."""
        self.exit_code = exit_code
        self.output = output
        self.error = error
        super().__init__(exit_code, output, error)

    def _text(self) -> str:
        told = f"pytest could not collect the tests (exit code {self.exit_code})"
        if self.error:
            return f"{told}: {self.error}. `pytest --collect-only` shows the whole error."
        return f"{told}. It said:\n{self.output.rstrip()}\n"


class UnknownTestError(WiremapError):
    """A node id was asked for that pytest does not collect."""

    code = "unknown-test"

    def __init__(self, test: str, known: Iterable[str]) -> None:
        self.test = test
        self.known = tuple(known)
        super().__init__(test, self.known)

    def _text(self) -> str:
        return f"No test is called {self.test!r}.{near_names(self.test, self.known)}"


class UnrecordedTestError(WiremapError):
    """It was asked what a test executed of which there is no record."""

    code = "unrecorded-test"

    def __init__(self, test: str, known: Iterable[str]) -> None:
        self.test = test
        self.known = tuple(known)
        super().__init__(test, self.known)

    def _text(self) -> str:
        near = near_names(self.test, self.known)
        return f"No test called {self.test!r} was recorded.{near or ' `wiremap run` records what it runs.'}"


class UncollectedTestError(WiremapError):
    """A test was asked for in a file that pytest could not collect, so that its tests are not known."""

    code = "uncollected-test"

    def __init__(self, test: str, file: str, reason: str) -> None:
        self.test = test
        self.file = file
        self.reason = reason
        super().__init__(test, file, reason)

    def _text(self) -> str:
        return f"{self.file} could not be collected, so {self.test!r} is not known: {self.reason}. Mend the file first."


class NothingRecordedError(WiremapError):
    """A question needs records, and there are none; ``notes`` may say where they are gone."""

    code = "nothing-recorded"

    def __init__(self, notes: Iterable[str] = ()) -> None:
        self.notes = tuple(notes)
        super().__init__(self.notes)

    def _text(self) -> str:
        sentence = "Nothing was recorded yet. Run `pytest --wiremap-record` or `wiremap run` first."
        return " ".join([*self.notes, sentence])


class PlaceNotFoundError(WiremapError):
    """A place in the source was asked for that there is not."""

    code = "place-not-found"

    def __init__(self, place: str, reason: str) -> None:
        self.place = place
        self.reason = reason
        super().__init__(place, reason)

    def _text(self) -> str:
        return f"{self.place} is no place in the project's source: {self.reason}. Name one as FILE.py or FILE.py:LINE."


class RuleFileError(WiremapError):
    """A file of rules can't be read as one."""

    code = "rule-file"

    def __init__(self, file: str, line: int, reason: str) -> None:
        self.file = file
        self.line = line
        self.reason = reason
        super().__init__(file, line, reason)

    def _text(self) -> str:
        return (
            f"{self.file}:{self.line}: {self.reason}. Name a pipeline with `steps`, or a GitHub workflow with `on` and"
            " `jobs`."
        )


class YamlMissingError(WiremapError):
    """A file of rules is YAML, and the library that reads it is not installed."""

    code = "yaml-missing"

    def _text(self) -> str:
        return "Rules are read with PyYAML, which is not installed here: pip install 'wiremap[rules]'."


class UnknownRevisionError(WiremapError):
    """A commit was asked for that git does not know."""

    code = "unknown-revision"

    def __init__(self, revision: str, reason: str, is_shallow: bool = False) -> None:  # noqa: FBT001, FBT002 -- pickled by place
        self.revision = revision
        self.reason = reason
        self.is_shallow = is_shallow
        super().__init__(revision, reason, is_shallow)

    def _text(self) -> str:
        if self.is_shallow:
            cure = _DEEPEN
        elif self.reason:
            cure = "`wiremap affected` without --since needs none."
        else:
            cure = "Name one that `git log` shows."
        reason = f": {self.reason}" if self.reason else ""
        return f"No commit is called {self.revision!r} here{reason}. {cure}"


class NoCommonAncestorError(WiremapError):
    """Two commits have no commit from which both come, as far as the repository reaches back."""

    code = "no-common-ancestor"

    def __init__(self, one: str, other: str, is_shallow: bool = False) -> None:  # noqa: FBT001, FBT002 -- as above
        self.one = one
        self.other = other
        self.is_shallow = is_shallow
        super().__init__(one, other, is_shallow)

    def _text(self) -> str:
        cure = _DEEPEN if self.is_shallow else f"Compare them as they are: {self.one}..{self.other}."
        return f"{self.one} and {self.other} have no common ancestor here. {cure}"


_DEEPEN = "This clone is shallow: `git fetch --deepen=100` brings older commits, `git fetch --unshallow` all."


class RevisionRangeError(WiremapError):
    """The ends of a change don't go together."""

    code = "revision-range"

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason)

    def _text(self) -> str:
        return f"{self.reason}. Name BASE, BASE HEAD, BASE..HEAD or BASE...HEAD, or BASE with --staged."


class PytestMissingError(WiremapError):
    """A command needs pytest, and the interpreter has none."""

    code = "pytest-missing"

    def __init__(self, interpreter: str) -> None:
        self.interpreter = interpreter
        super().__init__(interpreter)

    def _text(self) -> str:
        return f"{self.interpreter} has no pytest. Install wiremap where your tests run: pip install 'wiremap[pytest]'."
