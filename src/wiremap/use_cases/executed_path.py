"""What a test executed when it was recorded, over the graphs that it built. Runs nothing."""

import contextlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from wiremap.errors import NothingRecordedError, UnrecordedTestError
from wiremap.graph import Graph
from wiremap.project.map_folder import find_map_folder
from wiremap.project.settings import read_settings
from wiremap.selection import facts as kinds
from wiremap.selection.components import ComponentIndex
from wiremap.selection.facts import Trace, newest, of_tests
from wiremap.store.map import FOLDER, Map
from wiremap.use_cases.node_names import is_within, node_named


@dataclass(frozen=True, slots=True)
class ExecutedCell:
    """A cell whose function ran.

    Attributes:
        cell: Its name.
        consumers: Who is handed it, in the graphs of the test.
        unit: The function, `path::unit`.
    """

    cell: str
    consumers: tuple[str, ...]
    unit: str


@dataclass(frozen=True, slots=True)
class ExecutedPart:
    """Components of which code ran: those of one class, which share it.

    Attributes:
        components: Their ids. Which of them ran is not recorded.
        cells: Functions that are cells.
        units: The other functions, `path::unit`.
    """

    components: tuple[str, ...]
    cells: tuple[ExecutedCell, ...]
    units: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ExecutedPath:
    """What one test executed, set-up and tear-down included. In which order, how often and how long is not recorded.

    Attributes:
        test: The node id.
        outcome: How the run ended that was recorded last.
        duration: How long it took, in seconds.
        parts: Components of which code ran.
        untouched: Components of its graphs of which none did. A state that was read of one leaves no record.
        units: Functions in no component, `path::unit`.
        files: Files of which it is not known which parts ran.
        graphs: What it built.
    """

    test: str
    outcome: str
    duration: float
    parts: tuple[ExecutedPart, ...]
    untouched: tuple[str, ...]
    units: tuple[str, ...]
    files: tuple[str, ...]
    graphs: tuple[Graph, ...]

    def executed_graphs(self) -> tuple[Graph, ...]:
        """Return the graphs without the components of which no code ran."""
        ran = {one for part in self.parts for one in part.components}
        return tuple(found for graph in self.graphs if (found := _only(graph, ran)).components)


@dataclass(frozen=True, slots=True)
class Answer:
    """The path of each test that was asked for, by node id, and what must be told of the map."""

    paths: tuple[ExecutedPath, ...]
    notes: tuple[str, ...]


def executed_paths(name: str) -> Answer:
    """Return what each test executed that *name* stands for: a test, a class, a file or a folder.

    Raises:
        NothingRecordedError: No test was ever recorded.
        UnrecordedTestError: None was of that name.
    """
    folder = find_map_folder(Path.cwd(), FOLDER)
    if not folder.is_dir():
        raise NothingRecordedError
    with contextlib.closing(Map(folder)) as store:
        traces = {test: newest(found) for test, found in of_tests(store.traces()).items()}
        if not traces:
            raise NothingRecordedError
        node = node_named(name, folder.parent.resolve())
        tests = [test for test in sorted(traces) if is_within(test, node)]
        if not tests:
            raise UnrecordedTestError(node, traces)
        texts, builders = store.graphs.all(), store.graphs.builders("run")
        declared = read_settings(folder.parent).components
        graphs = {
            test: tuple(Graph.from_json(texts[digest]) for digest in builders.get(test, ()) if digest in texts)
            for test in tests
        }
        return Answer(tuple(_path(traces[test], graphs[test], declared) for test in tests), tuple(store.notes))


def _path(trace: Trace, graphs: tuple[Graph, ...], declared: Mapping[str, tuple[str, ...]]) -> ExecutedPath:
    index = ComponentIndex(graphs, declared)
    by_components: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for unit in sorted(fact.key for fact in trace.facts if fact.kind == kinds.FUNCTION):
        by_components[tuple(sorted(index.ids(unit)))].append(unit)
    outside = by_components.pop((), [])
    ran = {one for ids in by_components for one in ids}
    return ExecutedPath(
        test=trace.test,
        outcome=trace.outcome,
        duration=trace.duration,
        parts=tuple(_part(ids, units, index) for ids, units in sorted(by_components.items())),
        untouched=tuple(sorted({one for graph in graphs for one in _all_ids(graph)} - ran)),
        units=tuple(outside),
        files=tuple(sorted(fact.key for fact in trace.facts if fact.kind == kinds.SOURCE)),
        graphs=graphs,
    )


def _part(ids: tuple[str, ...], units: Iterable[str], index: ComponentIndex) -> ExecutedPart:
    cells, others = list[ExecutedCell](), list[str]()
    for unit in units:
        place = index.place(unit)
        if place is None or place.cell is None:
            others.append(unit)
        else:
            cells.append(ExecutedCell(place.cell, place.consumers, unit))
    return ExecutedPart(ids, tuple(cells), tuple(others))


def _all_ids(graph: Graph) -> Iterator[str]:
    yield from graph.ids
    for local in graph.nested.values():
        yield from _all_ids(local)


def _only(graph: Graph, ids: set[str]) -> Graph:
    """Return *graph* with these components, in all its levels."""
    inner = {owner: _only(local, ids | {owner}) for owner, local in graph.nested.items()}
    kept = {one for one in graph.ids if one in ids} | {owner for owner, local in inner.items() if len(local.ids) > 1}
    part = graph.subgraph(kept)
    nested = {owner: inner[owner] for owner in part.nested}
    return Graph(part.components, part.bindings, part.containment, nested)
