"""A change between two states of the project, told in components: its kinds, its wiring, its tests."""

import contextlib
import os
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from wiremap.checks.portable_parameters import with_portable_parameters
from wiremap.errors import CollectionFailedError, MapUnavailableError, PytestMissingError, SettingsError
from wiremap.graph import Graph
from wiremap.project.files import is_test, project_root
from wiremap.project.map_folder import find_map_folder
from wiremap.project.repository import Repository, State
from wiremap.project.revision_range import RevisionRange, revision_range
from wiremap.project.settings import SETTINGS_FILE, Settings, parse_settings, read_settings
from wiremap.project.sources import ProjectSources
from wiremap.selection import facts as kinds
from wiremap.selection.components import ComponentIndex
from wiremap.selection.diff_report import (
    Components,
    DiffReport,
    DiffTests,
    RunningTest,
    Why,
    WiringChange,
    component_changes,
    components_of_graph,
    with_tests,
)
from wiremap.selection.facts import Fact, Trace, matching, of_tests
from wiremap.selection.name_changes import NameChanges
from wiremap.selection.range_tests import tests_of_range
from wiremap.selection.touched import TouchedFacts
from wiremap.selection.verdicts import Reason
from wiremap.source.modules import ModuleIndex
from wiremap.store.map import FOLDER, Map
from wiremap.use_cases.changes_between import ChangedFiles, changed_files
from wiremap.use_cases.collecting import affected
from wiremap.use_cases.inferring import infer_sources
from wiremap.use_cases.recipe_compiling import Workplace, compile_recipes
from wiremap.use_cases.recipe_names import import_roots, names_at_both_ends, with_modules_renamed
from wiremap.use_cases.recipe_task import CompiledRecipe
from wiremap.use_cases.state_sources import StateSources

# Beyond that many files without tests, what takes seconds takes minutes.
_MOST_INFERRED = 400


def diff(base: str | None = None, head: str | None = None, *, staged: bool = False) -> DiffReport:
    """Return what differs between two states of the project in the current folder.

    Args:
        base: A commit, or both ends as `BASE..HEAD` or `BASE...HEAD`; the commit HEAD if not given.
        head: A commit; the working tree if not given.
        staged: Let the head be the index.

    Raises:
        RevisionRangeError: The arguments don't go together.
        UnknownRevisionError: A commit is not there.
        NoCommonAncestorError: For `BASE...HEAD` there is none.
        SettingsError: `[tool.wiremap]` is not what it should be.
    """
    here = Path.cwd()
    map_folder = find_map_folder(here, FOLDER)
    rootdir, root = map_folder.parent, project_root(here).resolve()
    repository = Repository(root)
    between = revision_range(repository, base, head, staged=staged)
    with contextlib.ExitStack() as stack:
        store = stack.enter_context(contextlib.closing(Map(map_folder))) if map_folder.is_dir() else None
        return _Project(repository, root, rootdir, store).report(between)


@dataclass(frozen=True, slots=True)
class _End:
    """What a recipe is at one end: it has a graph, which is empty where the recipe is not there, or a fault."""

    graph: Graph | None
    fault: str | None = None


_ABSENT = _End(Graph())


@dataclass(frozen=True, slots=True)
class _Found:
    """The wiring at both ends, and what must be said of it."""

    wirings: tuple[WiringChange, ...]
    inferred: tuple[Graph, ...] = ()
    notes: tuple[str, ...] = ()


class _Project:
    """What is needed of the project for any change of it."""

    def __init__(self, repository: Repository, root: Path, rootdir: Path, store: Map | None) -> None:
        self._repository = repository
        self._root = root
        self._below = os.path.relpath(rootdir, root).replace(os.sep, "/").removeprefix("./")
        self._rootdir = rootdir
        self._store = store
        self._settings = read_settings(rootdir)
        self._remembered = ProjectSources(root, store)

    def report(self, between: RevisionRange) -> DiffReport:
        """Return everything that is known of the change."""
        files = changed_files(self._repository, between)
        found = self._wirings(between, files) if files.paths else _Found(())
        graphs = [graph for one in found.wirings if one.recipe for graph in one.graphs]
        components = self._components(graphs, found.inferred)
        changes = files.changes
        concerned = component_changes(changes, found.wirings, components)
        executed = _Executed(self._traces, components)
        tests, notes = self._tests(between, files)
        tests = _widened(tests, self._widening(found.wirings, executed))
        running = {one.test for one in tests.run}
        places = {change.unit: place for change in changes if change.unit and (place := components.place(change.unit))}
        return DiffReport(
            base=between.base.name,
            head=between.head.name,
            commits=(between.base.commit or None, between.head.commit or None),
            changes=tuple(changes),
            places=places,
            components=with_tests(
                concerned, {one.component: executed.tests_of({one.component}) & running for one in concerned}
            ),
            wirings=found.wirings,
            tests=tests,
            notes=(*found.notes, *notes, *(self._store.notes if self._store else ())),
        )

    # Components

    def _components(self, graphs: Iterable[Graph], inferred: Iterable[Graph]) -> Components:
        recorded = self._store.graphs.all().values() if self._store else ()
        known = ComponentIndex([*graphs, *map(Graph.from_json, recorded)], self._settings.components)
        return Components(known, ComponentIndex(inferred))

    def _wirings(self, between: RevisionRange, files: ChangedFiles) -> _Found:
        named = {recipe for state in between for recipe in self._settings_of(state).recipes}
        recipes = named | set(self._settings.recipes)
        return self._compiled(recipes, between, files) if recipes else self._inferred(between)

    def _settings_of(self, state: State) -> Settings:
        if state.kind == "working tree":
            return self._settings
        path = f"{self._below}/{SETTINGS_FILE}" if self._below != "." else SETTINGS_FILE
        text = self._repository.read(state, [path]).get(path)
        try:
            return parse_settings(text) if text is not None else Settings()
        except SettingsError:
            return Settings()  # an earlier one may have keys that are not known any more

    def _compiled(self, recipes: set[str], between: RevisionRange, files: ChangedFiles) -> _Found:
        paths = [[path for path in self._repository.paths(state) if path.endswith(".py")] for state in between]
        indexes = ModuleIndex(paths[0]), ModuleIndex(paths[1])
        names = names_at_both_ends(recipes, *indexes, files.renamed)
        before = self._compiled_at(between.base, [one.before for one in names if one.before], indexes[0])
        after = self._compiled_at(between.head, [one.now for one in names if one.now], indexes[1])
        wirings, notes = [], []
        for one in names:
            ends = before.get(one.before or "", _ABSENT), after.get(one.now or "", _ABSENT)
            if ends[0] is _ABSENT and ends[1] is _ABSENT:
                notes.append(f"{one.latest} is at neither end: mend `recipes` in {SETTINGS_FILE}")
                continue
            old = ends[0].graph
            renamed = None if old is None else with_modules_renamed(old, files.renamed)
            wirings.append(WiringChange(one.latest, renamed, ends[1].graph, ends[0].fault, ends[1].fault))
            notes.extend(
                f"{one.latest} can't be compiled at {state.name}, so that its wiring may differ: {end.fault}"
                for end, state in zip(ends, between, strict=True)
                if end.fault is not None
            )
        return _Found(tuple(wirings), notes=tuple(notes))

    def _compiled_at(self, state: State, recipes: Sequence[str], index: ModuleIndex) -> Mapping[str, _End]:
        roots = import_roots(recipes, index)
        if not recipes or state.kind == "working tree":
            search_path = tuple(str(self._root / root) for root in roots)
            return _ends(recipes, Workplace(self._root / self._below, search_path), self._root)
        with tempfile.TemporaryDirectory() as aside:
            copy = Path(aside).resolve() / self._root.name
            self._repository.export(state, copy)
            folder = copy / self._below
            folder.mkdir(parents=True, exist_ok=True)
            search_path = tuple(str(copy / root) for root in roots)
            return _ends(recipes, Workplace(folder, search_path, copy=copy, original=self._root), copy, self._root)

    def _inferred(self, between: RevisionRange) -> _Found:
        texts = [self._python_texts(state) for state in between]
        if texts[0] == texts[1]:
            return _Found(())
        num_files = max(sum(not is_test(path) for path in side) for side in texts)
        if num_files > _MOST_INFERRED:
            note = f"no `recipes` are named in {SETTINGS_FILE}, and {num_files} files are too many to infer the wiring"
            return _Found((), notes=(note,))
        before, after = map(infer_sources, texts)
        if not before.components and not after.components:
            note = f"no `recipes` are named in {SETTINGS_FILE}, and the source tells of no wiring that could differ"
            return _Found((), notes=(note,))
        note = f"no `recipes` are named in {SETTINGS_FILE}: components and wiring are inferred from the source"
        return _Found((WiringChange("", before, after),), (after, before), (note,))

    def _python_texts(self, state: State) -> dict[str, bytes]:
        paths = self._repository.paths(state)
        return self._repository.read(state, [path for path in paths if path.endswith(".py")])

    # Tests

    def _tests(self, between: RevisionRange, files: ChangedFiles) -> tuple[DiffTests, list[str]]:
        if not files.paths:
            return DiffTests("nothing"), []
        if not self._traces:
            note = "nothing was recorded yet, so that any test may be reached; `wiremap run` records"
            return DiffTests("nothing"), [note]
        touched = _touched(files)
        if between.head.kind == "working tree":
            return self._verdicts(touched)
        return self._by_paths(between, files, touched), _notes_on_new_tests(files, self._traces)

    @cached_property
    def _traces(self) -> Mapping[str, Sequence[Trace]]:
        return of_tests(self._store.traces()) if self._store else {}

    def _verdicts(self, touched: TouchedFacts) -> tuple[DiffTests, list[str]]:
        """Return the verdicts of `wiremap affected`, and which of the tests the change has to do with."""
        with contextlib.chdir(self._rootdir):
            try:
                document = affected().document
            except (CollectionFailedError, MapUnavailableError, PytestMissingError) as error:
                reason = str(error).partition(". It said:")[0]
                return DiffTests("nothing"), [f"which tests run is not known: {' '.join(reason.split())}"]
        reached = {
            test for test, found in self._traces.items() if any(matching(trace.facts, touched) for trace in found)
        }
        run = []
        for entry in document["run"]:
            reasons = tuple(Reason(one["rule"], one["detail"], one["unit"]) for one in entry["reasons"])
            run.append(RunningTest(entry["test"], _why(entry["test"] in reached, reasons), reasons))
        return DiffTests("verdicts", tuple(run), tuple(document["skip"])), []

    def _by_paths(self, between: RevisionRange, files: ChangedFiles, touched: TouchedFacts) -> DiffTests:
        earlier = {path: files.units_before(path) for path in files.before}
        before = StateSources(self._repository, between.base, self._remembered, {})
        now = StateSources(self._repository, between.head, self._remembered, earlier)
        return tests_of_range(self._traces, touched, before.value, NameChanges(now).concern)

    def _widening(self, wirings: Sequence[WiringChange], executed: "_Executed") -> dict[str, str]:
        """Return the tests that may be wired otherwise by a recipe that can't be compiled, each with that recipe."""
        found: dict[str, str] = {}
        for wiring in wirings:
            if wiring.diff is None:
                ids = {id_ for graph in wiring.graphs for id_ in components_of_graph(graph)}
                found |= dict.fromkeys(executed.tests_of(ids) | self._building(ids), wiring.recipe)
        return found

    def _building(self, ids: set[str]) -> set[str]:
        """Return the tests that build a graph with one of these components, or any graph where none is known."""
        if self._store is None:
            return set()
        held = {digest: components_of_graph(Graph.from_json(text)) for digest, text in self._store.graphs.all().items()}
        builders = [*self._store.graphs.builders("run").items(), *self._store.graphs.builders("compiled").items()]
        return {test for test, digests in builders if any(not ids or ids & held[digest] for digest in digests)}


class _Executed:
    """Which components tests were seen to execute."""

    def __init__(self, traces: Mapping[str, Sequence[Trace]], components: Components) -> None:
        self._traces = traces
        self._components = components
        self._ids: dict[str, frozenset[str]] = {}

    def tests_of(self, ids: AbstractSet[str]) -> set[str]:
        """Return the tests that execute any of the components of these ids."""
        return {test for test, executed in self._by_test.items() if not ids.isdisjoint(executed)}

    @cached_property
    def _by_test(self) -> Mapping[str, frozenset[str]]:
        return {
            test: frozenset().union(
                *(self._ids_of(fact.key) for trace in found for fact in matching(trace.facts, self._is_of_component))
            )
            for test, found in self._traces.items()
        }

    def _is_of_component(self, fact: Fact) -> bool:
        return fact.kind == kinds.FUNCTION and bool(self._ids_of(fact.key))

    def _ids_of(self, unit: str) -> frozenset[str]:
        if unit not in self._ids:
            self._ids[unit] = self._components.ids(unit)
        return self._ids[unit]


def _ends(recipes: Iterable[str], workplace: Workplace, *folders: Path) -> dict[str, _End]:
    """Compile *recipes*; no fault names the *folders*: a copy lies elsewhere each time."""
    return {recipe: _end(compiled, folders) for recipe, compiled in compile_recipes(recipes, workplace).items()}


def _end(compiled: CompiledRecipe, folders: Sequence[Path]) -> _End:
    if compiled.graph is not None:
        return _End(with_portable_parameters(compiled.graph))
    return _End(None, compiled.error_line(*folders)) if compiled.is_there else _ABSENT


def _touched(files: ChangedFiles) -> TouchedFacts:
    before = {path: files.units_before(path) if path.endswith(".py") else None for path in files.before}
    now = {path: files.units_now(path) if path.endswith(".py") else None for path in files.now}
    return TouchedFacts(before, now, files.in_conflict)


def _why(is_reached: bool, reasons: Sequence[Reason]) -> Why:  # noqa: FBT001 - told of one test
    if is_reached:
        return "reached"
    return "unknown" if any(reason.rule in ("new", "unseen", "error") for reason in reasons) else "other"


def _widened(tests: DiffTests, widening: Mapping[str, str]) -> DiffTests:
    more = [
        RunningTest(test, "widened", (Reason("topology", f"{recipe} can't be compiled at both ends"),))
        for test, recipe in widening.items()
        if test in tests.skip
    ]
    skip = tuple(test for test in tests.skip if test not in widening)
    return replace(tests, run=tuple(sorted([*tests.run, *more])), skip=skip)


def _notes_on_new_tests(files: ChangedFiles, traces: Mapping[str, object]) -> list[str]:
    recorded = {test.partition("::")[0] for test in traces}
    new = [path for path in files.now if path.endswith(".py") and is_test(path) and path not in files.before]
    unknown = [path for path in sorted(new) if not any(path.endswith(one) for one in recorded)]
    return [f"the tests of {path} are not known: it is new, and nothing of it was recorded" for path in unknown]
