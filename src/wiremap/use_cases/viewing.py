"""What the page shows: graphs, and what was recorded about the tests of their components."""

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from wiremap.graph import Graph
from wiremap.project.map_folder import find_map_folder
from wiremap.selection.executed_components import ExecutedComponents
from wiremap.selection.facts import newest, of_tests
from wiremap.store.map import FOLDER, Map
from wiremap.use_cases.compiled_recipes import compiled_recipes, configured_project
from wiremap.use_cases.graph_source import graph_with_notes


@dataclass(frozen=True, slots=True)
class Viewed:
    """What there is to see.

    Attributes:
        graphs: By the names of their recipes, or of what else they were made from.
        executed: The tests of their components; None where nothing was recorded.
        notes: What its reader must be told.
    """

    graphs: Mapping[str, Graph]
    executed: ExecutedComponents | None
    notes: tuple[str, ...] = ()


def view(source: str | None) -> Viewed:
    """Return what there is to see of *source*, as ``graph_with_notes`` takes it.

    Without one that is all recipes that the project names or, where it names none, what its source tells of.

    Raises:
        WiremapError: With a code of its own for each step that can fail.
    """
    graphs, notes = _graphs(source)
    executed, more = _executed(graphs)
    return Viewed(graphs, executed, (*notes, *more))


def _graphs(source: str | None) -> tuple[Mapping[str, Graph], tuple[str, ...]]:
    if source is None:
        project = configured_project()
        if project.settings.recipes:
            return compiled_recipes(project).graphs, ()
        source = str(project.folder)
    sourced = graph_with_notes(source)
    return {source: sourced.graph}, sourced.notes


def _executed(graphs: Mapping[str, Graph]) -> tuple[ExecutedComponents | None, tuple[str, ...]]:
    folder = find_map_folder(Path.cwd(), FOLDER)
    if not folder.is_dir():
        return None, ()
    with contextlib.closing(Map(folder)) as store:
        traces = [newest(found) for found in of_tests(store.traces()).values()]
        return (ExecutedComponents(traces, graphs.values()) if traces else None), tuple(store.notes)
