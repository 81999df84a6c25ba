"""The answer to "what is this change, in components". Schema `wiremap.diff/1`."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

from wiremap.graph import Graph
from wiremap.graph.differences import GraphDiff
from wiremap.selection.changes import Change, Kind, kinds_of, widest
from wiremap.selection.components import ComponentIndex, Place
from wiremap.selection.verdicts import Reason
from wiremap.source.units import MODULE_UNIT

SCHEMA = "wiremap.diff/1"

Why = Literal["reached", "widened", "unknown", "other"]
"""Why a test runs: it rests on something that the change touches; it builds or executes what may be wired otherwise; it
is not known what it rests on; or the change has nothing to do with it."""


@dataclass(frozen=True)
class WiringChange:
    """What became of the graph of a recipe, or of the wiring that is inferred where no recipe is named.

    Attributes:
        recipe: Its name; empty for what is inferred.
        before: The graph at the base; an empty one where the recipe is not there; None if it can't be compiled.
        after: The same of the head.
        fault_before: Why it can't be compiled at the base, in one line.
        fault_after: The same of the head.
    """

    recipe: str
    before: Graph | None
    after: Graph | None
    fault_before: str | None = None
    fault_after: str | None = None

    @cached_property
    def diff(self) -> GraphDiff | None:
        """What differs between the graphs; None if that is not known."""
        return None if self.before is None or self.after is None else self.before.diff(self.after)

    @property
    def graphs(self) -> tuple[Graph, ...]:
        """The graphs that there are, that of the head first."""
        return tuple(graph for graph in (self.after, self.before) if graph is not None)


@dataclass(frozen=True, slots=True)
class ComponentChange:
    """What a change does to one component.

    Attributes:
        component: Its id.
        kind: The widest kind of what follows.
        changes: The units that belong to it, with the cells that they are.
        wiring: What differs in the graphs, in lines.
        consumers: Who is handed a cell by it, sorted.
        tests: The tests to run that execute any of it, sorted.
    """

    component: str
    kind: Kind
    changes: tuple[Change, ...] = ()
    wiring: tuple[str, ...] = ()
    consumers: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, order=True)
class RunningTest:
    """One test, and why it runs."""

    test: str
    why: Why
    reasons: tuple[Reason, ...] = ()


@dataclass(frozen=True, slots=True)
class DiffTests:
    """The tests of a change.

    Attributes:
        found_by: `verdicts`, as `wiremap affected` gives them, where the head is the working tree; `recorded paths`,
            which are compared with the units that differ; `nothing` where no record tells.
        run: Those to run, sorted.
        skip: Those that the change does not reach, sorted.
    """

    found_by: Literal["verdicts", "recorded paths", "nothing"]
    run: tuple[RunningTest, ...] = ()
    skip: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DiffReport:
    """Everything that is known about a change between two states.

    Attributes:
        base: What the state before is called.
        head: What the state after is called.
        commits: The ids of both commits; None for the index and the working tree.
        changes: What differs, sorted.
        places: Where the units that changed stand.
        components: The components that it concerns, sorted.
        wirings: What became of each recipe.
        tests: The tests to run.
        notes: What could not be found out, and what it widened.
    """

    base: str
    head: str
    commits: tuple[str | None, str | None]
    changes: tuple[Change, ...]
    places: Mapping[str, Place]
    components: tuple[ComponentChange, ...]
    wirings: tuple[WiringChange, ...]
    tests: DiffTests
    notes: tuple[str, ...]

    @property
    def kind(self) -> Kind:
        """The widest kind of all."""
        return widest(self._with_wiring)

    @property
    def kinds(self) -> list[Kind]:
        """All kinds that there are, the widest last."""
        return kinds_of(self._with_wiring)

    @property
    def _with_wiring(self) -> list[Change]:
        rewired = (one.recipe for one in self.wirings if _is_rewired(one))
        return [*self.changes, *(Change("", "", "topology", recipe) for recipe in rewired)]

    @property
    def topology(self) -> Literal["changed", "unchanged", "unknown", "not compiled"]:
        """What became of the wiring; up to renaming it is unchanged. Not compiled where nothing tells of any."""
        if not self.wirings:
            return "not compiled"
        if any(one.diff is None for one in self.wirings):
            return "unknown"
        return "changed" if any(map(_is_rewired, self.wirings)) else "unchanged"

    @property
    def elsewhere(self) -> list[Change]:
        """The changes that belong to no component."""
        within = {change for one in self.components for change in one.changes}
        return [change for change in self.changes if change not in within]

    def as_document(self) -> dict[str, object]:
        """Return the report as plain data, ready for JSON."""
        return {
            "schema": SCHEMA,
            "base": {"name": self.base, "commit": self.commits[0]},
            "head": {"name": self.head, "commit": self.commits[1]},
            "kind": self.kind,
            "changes": [self._change(change) for change in self.changes],
            "components": [self._component(one) for one in self.components],
            "topology": self.topology,
            "wirings": [_wiring(one) for one in self.wirings],
            "tests": {
                "found_by": self.tests.found_by,
                "run": [_test(one) for one in self.tests.run],
                "skip": list(self.tests.skip),
            },
            "notes": list(self.notes),
        }

    def _change(self, change: Change) -> dict[str, object]:
        place = self.places.get(change.unit)
        return {
            "file": change.file,
            "unit": change.unit or None,
            "component": place.component if place else None,
            "cell": place.cell if place else None,
            "consumers": list(place.consumers) if place else [],
            "kind": change.kind,
            "detail": change.detail,
            "line": change.line or None,
        }

    def _component(self, one: ComponentChange) -> dict[str, object]:
        return {
            "component": one.component,
            "kind": one.kind,
            "units": [change.unit or change.file for change in one.changes],
            "wiring": list(one.wiring),
            "consumers": list(one.consumers),
            "tests": list(one.tests),
        }


class Components:
    """Finds components: those that were compiled or declared, else those that are inferred."""

    def __init__(self, known: ComponentIndex, inferred: ComponentIndex) -> None:
        self._indexes = (known, inferred)

    def place(self, unit: str) -> Place | None:
        """Return where `path::unit` stands."""
        return next((place for index in self._indexes if (place := index.place(unit)) is not None), None)

    def ids(self, unit: str) -> frozenset[str]:
        """Return all components that `path::unit` is part of."""
        return next((found for index in self._indexes if (found := index.ids(unit))), frozenset())

    def of_file(self, path: str) -> tuple[str, ...]:
        """Return the components that the file *path* defines."""
        return next((found for index in self._indexes if (found := index.of_file(path))), ())

    def consumers(self, component_id: str, file: str) -> set[str]:
        """Return who is handed a cell by that component, whose class the *file* defines."""
        return {one for index in self._indexes for one in index.consumers(component_id, file)}


def component_changes(
    changes: Sequence[Change], wirings: Iterable[WiringChange], components: Components
) -> list[ComponentChange]:
    """Return what *changes* and *wirings* do to components, sorted by their ids; tests are none yet."""
    units: dict[str, list[Change]] = {}
    for change in changes:
        for component in _components_of(change, components):
            units.setdefault(component, []).append(change)
    rewired: dict[str, dict[str, None]] = {}
    consumers = {
        component: {name for one in own for name in components.consumers(component, one.file)}
        for component, own in units.items()
    }
    for wiring in wirings:
        for component, line in _lines_by_component(wiring):
            rewired.setdefault(component, {})[line] = None
            consumers.setdefault(component, set()).update(
                name for graph in wiring.graphs for name in _consumers(graph, component)
            )
    return [
        ComponentChange(
            component,
            widest([*units.get(component, ()), *_as_changes(rewired.get(component, ()))]),
            tuple(units.get(component, ())),
            tuple(rewired.get(component, ())),
            tuple(sorted(consumers[component])),
        )
        for component in sorted(units.keys() | rewired.keys())
    ]


def _as_changes(lines: Iterable[str]) -> Iterator[Change]:
    # That a component is called otherwise is told, and is no change of the wiring.
    yield from (Change("", "", "none" if line.endswith(" renamed") else "topology", line) for line in lines)


def _consumers(graph: Graph, component_id: str) -> Iterator[str]:
    yield from (one.consumer for one in graph.bindings if one.provider == component_id)
    for local in graph.nested.values():
        yield from _consumers(local, component_id)


def components_of_graph(graph: Graph) -> set[str]:
    """Return the ids of all components of *graph*, those of local graphs included."""
    return set(graph.ids).union(*(components_of_graph(local) for local in graph.nested.values()))


def with_tests(found: Iterable[ComponentChange], tests: Mapping[str, AbstractSet[str]]) -> tuple[ComponentChange, ...]:
    """Return the changes with the tests that execute something of each component, by its id."""
    return tuple(replace(one, tests=tuple(sorted(tests.get(one.component, ())))) for one in found)


def _components_of(change: Change, components: Components) -> tuple[str, ...]:
    if change.unit and (place := components.place(change.unit)) is not None:
        return (place.component,)
    # What can't be told apart may be any of what the file defines.
    is_whole = change.kind == "unknown" or (change.kind == "topology" and not change.unit)
    return components.of_file(change.file) if is_whole or change.unit.endswith(f"::{MODULE_UNIT}") else ()


def _is_rewired(wiring: WiringChange) -> bool:
    diff = wiring.diff
    return diff is None or (bool(diff) and not diff.is_renaming)


def _lines_by_component(wiring: WiringChange) -> Iterable[tuple[str, str]]:
    diff = wiring.diff
    if diff is not None:
        return _lines_of(diff)
    side = "base" if wiring.before is None else "head"
    line = f"may be wired otherwise: {wiring.recipe} can't be compiled at the {side}"
    return [(id_, line) for graph in wiring.graphs for id_ in sorted(components_of_graph(graph))]


def _lines_of(diff: GraphDiff, owner: str = "") -> Iterable[tuple[str, str]]:
    for line, ids in diff.told(owner):
        for id_ in dict.fromkeys(ids):
            yield id_, line
    for local_owner, local in diff.nested.items():
        yield from _lines_of(local, local_owner)


def _wiring(one: WiringChange) -> dict[str, object]:
    diff = one.diff
    around = None if diff is None else _around(diff, one)
    return {
        "recipe": one.recipe or None,
        "fault_before": one.fault_before,
        "fault_after": one.fault_after,
        "diff": None if diff is None else diff.to_document(),
        "before": None if around is None else around[0].to_document(),
        "after": None if around is None else around[1].to_document(),
    }


def _around(diff: GraphDiff, wiring: WiringChange) -> tuple[Graph, Graph]:
    """Return what there is of both graphs beside what differs, one step away."""
    assert wiring.before is not None and wiring.after is not None  # noqa: S101, PT018 - there is a difference
    ids = {id_ for _, named in diff.told() for id_ in named} | diff.nested.keys() | set(diff.renamed)
    before = {new: old for old, new in diff.renamed.items()}
    olds = {before.get(id_, id_) for id_ in ids} | ids
    return (
        wiring.before.neighbourhood(sorted(olds & set(wiring.before.ids))),
        wiring.after.neighbourhood(sorted(ids & set(wiring.after.ids))),
    )


def _test(one: RunningTest) -> dict[str, object]:
    reasons = [{"rule": reason.rule, "detail": reason.detail, "unit": reason.unit} for reason in one.reasons]
    return {"test": one.test, "why": one.why, "reasons": reasons}
