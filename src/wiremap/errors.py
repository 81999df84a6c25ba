"""Every error of Wiremap, each with a stable code that ``docs/errors.md`` explains.

An exception carries values; the sentence is made when somebody reads it. All values go through
``super().__init__`` so that an error survives a process boundary (pickling calls the class with ``args``).
"""

from collections.abc import Iterable
from typing import ClassVar


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
    import difflib  # noqa: PLC0415 -- costs 5 ms and serves failures only

    near = difflib.get_close_matches(name, sorted(known), n=2)
    return f" Did you mean {' or '.join(map(repr, near))}?" if near else ""


# Wiring: what compile and finalize report, all together.


class WiringError(WiremapError):
    """An orchestrator could not be compiled; ``faults`` holds every reason."""

    code = "wiring"

    def __init__(self, faults: Iterable[WiremapError]) -> None:
        self.faults = tuple(faults)
        super().__init__(self.faults)

    def _text(self) -> str:
        if len(self.faults) == 1:
            return f"{self.faults[0]}\nNothing was bound."
        numbered = [f"  {number}. {fault}" for number, fault in enumerate(self.faults, start=1)]
        return "\n".join([f"The wiring has {len(self.faults)} faults:", *numbered, "Nothing was bound."])


class UnknownCellError(WiremapError):
    """A provider was asked to hand over something that it does not have."""

    code = "unknown-cell"

    def __init__(self, provider: str, cell: str, consumer: str, where: str, known: Iterable[str]) -> None:
        self.provider = provider
        self.cell = cell
        self.consumer = consumer
        self.where = where
        self.known = tuple(sorted(known))
        super().__init__(provider, cell, consumer, where, self.known)

    def _text(self) -> str:
        hint = near_names(self.cell, self.known) or (
            " Define it on the provider's class, or annotate it there if it gets its value later."
        )
        return (
            f"{self.provider} has no cell {self.cell!r} to hand to {self.consumer} (registered at {self.where}).{hint}"
        )


class TwoProvidersError(WiremapError):
    """One consumer was promised one cell by several providers."""

    code = "two-providers"

    def __init__(self, cell: str, consumer: str, providers: Iterable[tuple[str, str]]) -> None:
        self.cell = cell
        self.consumer = consumer
        self.providers = tuple(providers)
        super().__init__(cell, consumer, self.providers)

    def _text(self) -> str:
        offers = " and ".join(f"{provider} (registered at {where})" for provider, where in self.providers)
        return f"{self.consumer} would get its cell {self.cell!r} from {offers}. Keep one of them."


class NameTakenError(WiremapError):
    """The consumer has an attribute of its own under the name of a cell."""

    code = "name-taken"

    def __init__(self, cell: str, consumer: str, provider: str, holder: str, where: str) -> None:
        self.cell = cell
        self.consumer = consumer
        self.provider = provider
        self.holder = holder
        self.where = where
        super().__init__(cell, consumer, provider, holder, where)

    def _text(self) -> str:
        return (
            f"{self.consumer} can't take the cell {self.cell!r} of {self.provider} "
            f"(registered at {self.where}): the name is taken by {self.holder}. "
            "Remove or rename that; an annotation without a value may stay."
        )


class CannotHoldCellError(WiremapError):
    """The consumer's type leaves no place for the cell."""

    code = "cannot-hold-cell"

    def __init__(self, cell: str, consumer: str, reason: str, cure: str, where: str) -> None:
        self.cell = cell
        self.consumer = consumer
        self.reason = reason
        self.cure = cure
        self.where = where
        super().__init__(cell, consumer, reason, cure, where)

    def _text(self) -> str:
        return (
            f"{self.consumer} can't hold the cell {self.cell!r} (registered at {self.where}): "
            f"{self.reason}. {self.cure}"
        )


class NotACellError(WiremapError):
    """A typed wiring line was given something that its provider can't be told from."""

    code = "not-a-cell"

    def __init__(self, cell: str, consumer_type: str, given: str, where: str) -> None:
        self.cell = cell
        self.consumer_type = consumer_type
        self.given = given
        self.where = where
        super().__init__(cell, consumer_type, given, where)

    def _text(self) -> str:
        return (
            f"{self.consumer_type}.{self.cell} was given {self.given} (registered at {self.where}), which is no "
            f"method that its object calls {self.cell!r}. Pass provider.{self.cell}; hand anything else over by "
            f"name: orch.register(provider, {self.cell!r}, consumer)."
        )


class CellTypeError(WiremapError):
    """A provider's cell does not fit the type that its consumer declares."""

    code = "cell-type"

    def __init__(self, cell: str, required: tuple[str, str, str], provided: tuple[str, str], reason: str) -> None:
        self.cell = cell
        self.consumer, self.required, self.required_at = required
        self.provider, self.where = provided
        self.reason = reason
        super().__init__(cell, required, provided, reason)

    def _text(self) -> str:
        return (
            f"{self.consumer} requires {self.cell!r} as {self.required} (at {self.required_at}), and that of "
            f"{self.provider} (registered at {self.where}) does not fit: {self.reason}. "
            f"Change one of the two."
        )


class BindingCycleError(WiremapError):
    """Components hand one another cells in a circle, so none can be ready first."""

    code = "binding-cycle"

    def __init__(self, steps: Iterable[tuple[str, str, str]]) -> None:
        self.steps = tuple(steps)
        super().__init__(self.steps)

    def _text(self) -> str:
        drawn = "".join(f"{provider} -[{cell}]-> " for provider, cell, _ in self.steps) + self.steps[0][0]
        places = ", ".join(f"{cell!r} at {where}" for _, cell, where in self.steps)
        return (
            f"The bindings form a cycle: {drawn} (registered: {places}). "
            "Drop one of them, or move what both sides need into a component of its own."
        )


class MissingCellError(WiremapError):
    """A component declares a required cell that nobody hands to it."""

    code = "missing-cell"

    def __init__(self, cell: str, consumer: str, where: str, candidates: Iterable[str]) -> None:
        self.cell = cell
        self.consumer = consumer
        self.where = where
        self.candidates = tuple(sorted(candidates))
        super().__init__(cell, consumer, where, self.candidates)

    def _text(self) -> str:
        who = f"{' or '.join(self.candidates)} has one: register it" if self.candidates else "Register a provider"
        return (
            f"{self.consumer} (added at {self.where}) requires the cell {self.cell!r}, "
            f"and nobody hands it over. {who} with orch.register(provider, {self.cell!r}, consumer)."
        )


class DuplicateIdError(WiremapError):
    """Two components were given one id by hand."""

    code = "duplicate-id"

    def __init__(self, component_id: str, holders: Iterable[tuple[str, str]]) -> None:
        self.component_id = component_id
        self.holders = tuple(holders)
        super().__init__(component_id, self.holders)

    def _text(self) -> str:
        holders = " and ".join(f"a {type_name} (added at {where})" for type_name, where in self.holders)
        return f"The id {self.component_id!r} was given to {holders}. Give each an id of its own."


class ConflictingIdError(WiremapError):
    """One component was given two ids by hand, in one orchestrator or in two."""

    code = "conflicting-id"

    def __init__(self, type_name: str, names: Iterable[tuple[str, str]]) -> None:
        self.type_name = type_name
        self.names = tuple(names)
        super().__init__(type_name, self.names)

    def _text(self) -> str:
        given = " and ".join(f"{name!r} (at {where})" for name, where in self.names)
        return f"One {self.type_name} was given the ids {given}. Use one id for it wherever it is added."


class SelfContainmentError(WiremapError):
    """A component was said to contain itself."""

    code = "self-containment"

    def __init__(self, component_id: str, where: str) -> None:
        self.component_id = component_id
        self.where = where
        super().__init__(component_id, where)

    def _text(self) -> str:
        return f"{self.component_id} was connected to itself (at {self.where}). Pass the child first, then its parent."


class AlreadyFinalizedError(WiremapError):
    """Something was asked of an orchestrator after it had been frozen."""

    code = "already-finalized"

    def __init__(self, operation: str, where: str, finalized_at: str) -> None:
        self.operation = operation
        self.where = where
        self.finalized_at = finalized_at
        super().__init__(operation, where, finalized_at)

    def _text(self) -> str:
        return (
            f"{self.operation}() at {self.where} came too late: the orchestrator was finalized at "
            f"{self.finalized_at}. Register everything before finalize(), or use a new orchestrator."
        )


# Cells in use.


class CellNotWiredError(WiremapError, AttributeError):
    """A required cell was read before its consumer was handed it."""

    code = "cell-not-wired"

    def __init__(self, cell: str, consumer_type: str, where: str) -> None:
        self.cell = cell
        self.consumer_type = consumer_type
        self.where = where
        super().__init__(cell, consumer_type, where)

    def _text(self) -> str:
        return (
            f"A {self.consumer_type} read its cell {self.cell!r} (required at {self.where}) before it was handed "
            f"over: register a provider and finalize the orchestrator first."
        )


class ModuleCellNotWiredError(WiremapError):
    """The same, for a class whose ``__getattr__`` would hide an ``AttributeError``."""

    code = "module-cell-not-wired"

    def __init__(self, cell: str, consumer_type: str, where: str) -> None:
        self.cell = cell
        self.consumer_type = consumer_type
        self.where = where
        super().__init__(cell, consumer_type, where)

    def _text(self) -> str:
        return (
            f"A {self.consumer_type} read its cell {self.cell!r} (required at {self.where}) before it was handed "
            f"over: register a provider and finalize the orchestrator first."
        )


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
            f"A {self.consumer_type} reads {self.cell!r} from {self.owner} and can't assign or delete it. "
            f"Change it on {self.owner}, or hand over a method of {self.owner} that does."
        )


class StateCellUnsetError(WiremapError, AttributeError):
    """A state cell was read before its owner gave it a value."""

    code = "state-cell-unset"

    def __init__(self, cell: str, consumer_type: str, owner: str) -> None:
        self.cell = cell
        self.consumer_type = consumer_type
        self.owner = owner
        super().__init__(cell, consumer_type, owner)

    def _text(self) -> str:
        return (
            f"A {self.consumer_type} read the cell {self.cell!r}, but {self.owner} has no value for it now. "
            f"Set it in {self.owner}, at the latest in its __post_wire__."
        )


# Overriding.


class CannotOverrideError(WiremapError):
    """A component can't be swapped for another one."""

    code = "cannot-override"

    def __init__(self, component_id: str, reason: str) -> None:
        self.component_id = component_id
        self.reason = reason
        super().__init__(component_id, reason)

    def _text(self) -> str:
        return (
            f"{self.component_id} can't be overridden: {self.reason}. Override a component that hands cells to "
            "others, in the graph that finalize() returned."
        )


# Graphs as data.


class UnknownComponentError(WiremapError):
    """A graph was asked for a component that it does not hold."""

    code = "unknown-component"

    def __init__(self, component_id: str, known: Iterable[str]) -> None:
        self.component_id = component_id
        self.known = tuple(sorted(known))
        super().__init__(component_id, self.known)

    def _text(self) -> str:
        hint = near_names(self.component_id, self.known) or f" The graph holds {len(self.known)} components."
        return f"No component has the id {self.component_id!r}.{hint}"


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


# Graphs from the command line.


class ModuleNotImportableError(WiremapError):
    """The module that should hold a recipe could not be imported."""

    code = "module-not-importable"

    def __init__(self, module: str, reason: str) -> None:
        self.module = module
        self.reason = reason
        super().__init__(module, reason)

    def _text(self) -> str:
        return (
            f"The module {self.module!r} can't be imported: {self.reason}. "
            "The current directory is searched first; check the name, and that its distribution is installed."
        )


class NoRecipeError(WiremapError):
    """A module has no function marked with ``@recipe``, or several and none that goes first."""

    code = "no-recipe"

    def __init__(self, module: str, recipes: Iterable[str], functions: Iterable[str]) -> None:
        self.module = module
        self.recipes = tuple(sorted(recipes))
        self.functions = tuple(sorted(functions))
        super().__init__(module, self.recipes, self.functions)

    def _text(self) -> str:
        if self.recipes:
            choices = " or ".join(f"{self.module}:{name}" for name in self.recipes)
            return f"{self.module!r} has several recipes and none called 'combine'. Ask for {choices}."
        there = f"its functions are {', '.join(self.functions)}" if self.functions else "it defines no function"
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
    """A recipe raised an exception while it was compiled."""

    code = "recipe-failed"

    def __init__(self, recipe: str, reason: str, where: str) -> None:
        self.recipe = recipe
        self.reason = reason
        self.where = where
        super().__init__(recipe, reason, where)

    def _text(self) -> str:
        return (
            f"The recipe {self.recipe} failed in compile mode: {self.reason} (at {self.where}). "
            "Give the arguments that it needs as @recipe(compile_kwargs={...}), "
            "and keep heavy work in __post_wire__, which compile mode does not call."
        )


class NothingCompiledError(WiremapError):
    """A recipe ran to its end without finalizing an orchestrator."""

    code = "nothing-compiled"

    def __init__(self, recipe: str) -> None:
        self.recipe = recipe
        super().__init__(recipe)

    def _text(self) -> str:
        return f"The recipe {self.recipe} finalized no orchestrator. Call orch.finalize() at its end."


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


class CollectionFailedError(WiremapError):
    """pytest ended before it had collected the tests."""

    code = "collection-failed"

    def __init__(self, exit_code: int, output: str) -> None:
        self.exit_code = exit_code
        self.output = output
        super().__init__(exit_code, output)

    def _text(self) -> str:
        return f"pytest could not collect the tests (exit code {self.exit_code}). It said:\n{self.output.rstrip()}\n"


class UnknownTestError(WiremapError):
    """A node id was asked for that pytest does not collect."""

    code = "unknown-test"

    def __init__(self, test: str, known: Iterable[str]) -> None:
        self.test = test
        self.known = tuple(known)
        super().__init__(test, self.known)

    def _text(self) -> str:
        return f"No test is called {self.test!r}.{near_names(self.test, self.known)}"


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


class PytestMissingError(WiremapError):
    """A command needs pytest, and the interpreter has none."""

    code = "pytest-missing"

    def __init__(self, interpreter: str) -> None:
        self.interpreter = interpreter
        super().__init__(interpreter)

    def _text(self) -> str:
        return f"{self.interpreter} has no pytest. Install wiremap where your tests run: pip install 'wiremap[pytest]'."
