"""Where a line of source stands: its unit, its component and cells, and the tests that reach it. Runs nothing."""

import contextlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from wiremap.errors import PlaceNotFoundError
from wiremap.graph import Graph
from wiremap.project.files import project_root
from wiremap.project.map_folder import find_map_folder
from wiremap.project.settings import Settings, read_settings
from wiremap.selection import facts as kinds
from wiremap.selection.components import ComponentIndex, Place, Wiring
from wiremap.selection.facts import Fact, Trace, matching, newest, of_tests
from wiremap.source.places import Site, site_at, site_by_layout, sites, sites_by_layout
from wiremap.source.units import one_line
from wiremap.store.map import FOLDER, Map
from wiremap.use_cases.component_index import component_index


@dataclass(frozen=True, slots=True)
class Located:
    """One definition.

    Attributes:
        file: Its file, relative to the project's root.
        site: What it is and its lines.
        place: Its component, if it has one, and the cell that it is.
        wiring: What its component hands over and is handed, where it is the component's class.
        executed_by: Tests that executed it; a class, any of its methods. Sorted.
        imported_by: Tests that rest on the import of its file. Sorted.
    """

    file: str
    site: Site
    place: Place | None
    wiring: Wiring
    executed_by: tuple[str, ...]
    imported_by: tuple[str, ...]

    @property
    def unit(self) -> str:
        """`path::name`."""
        return f"{self.file}::{self.site.name}"

    @property
    def is_executed(self) -> bool:
        """Whether tests execute it by calls; else it runs when its file is imported."""
        return self.site.kind in ("function", "class")

    @property
    def tests(self) -> tuple[str, ...]:
        """The tests that reach it, sorted."""
        return self.executed_by if self.is_executed else self.imported_by


@dataclass(frozen=True, slots=True)
class Answer:
    """What is known of a place, or of all places in a file.

    Attributes:
        found: One definition, or all of the file, first by first line.
        num_recorded: How many tests have a record.
        notes: What its reader must be told.
    """

    found: tuple[Located, ...]
    num_recorded: int
    notes: tuple[str, ...]


def locate(file: Path, line: int | None) -> Answer:
    """Return what stands in *file* at *line*, 1-based; all functions and classes of the file without one.

    The project is that of the file. One that does not parse is read by its indentation, and its tests are told by
    what was recorded of its last good state.

    Raises:
        PlaceNotFoundError: There is no such file or line, or it is no Python source.
    """
    folder = find_map_folder(file.resolve().parent, FOLDER)
    root = project_root(folder.parent)
    path, text = _source(file, root)
    num_lines = len(text.splitlines())
    if line is not None and not 1 <= line <= max(num_lines, 1):
        raise PlaceNotFoundError(f"{file}:{line}", f"the file has {num_lines} lines")
    found, notes = _sites(path, text, line)
    settings = read_settings(folder.parent)
    registries = _registries(root, folder.parent, settings)
    if not folder.is_dir():
        index = component_index(None, settings, registries)
        return _answer(path, found, index, _Reached(path, ()), notes)
    with contextlib.closing(Map(folder)) as store:
        index = component_index(store, settings, registries)
        reached = _Reached(path, map(newest, of_tests(store.traces()).values()))
        return _answer(path, found, index, reached, [*notes, *store.notes])


def _registries(root: Path, home: Path, settings: Settings) -> Graph | None:
    if not settings.adapters:
        return None
    from wiremap.use_cases.inferring import registry_graph  # noqa: PLC0415 -- only who describes registries waits for it

    return registry_graph(root, home, settings)


def _source(file: Path, root: Path) -> tuple[str, bytes]:
    """Return the project path and the text of *file*."""
    absolute = file.resolve()
    if absolute.suffix != ".py":
        raise PlaceNotFoundError(str(file), "only Python source has units")
    try:
        return absolute.relative_to(root).as_posix(), absolute.read_bytes()
    except OSError as error:
        raise PlaceNotFoundError(str(file), (error.strerror or str(error)).lower()) from error


def _sites(path: str, text: bytes, line: int | None) -> tuple[list[Site], list[str]]:
    try:
        return ([one for one in sites(text) if one.kind != "name"] if line is None else [site_at(text, line)]), []
    except (SyntaxError, ValueError, RecursionError) as error:
        found = sites_by_layout(text) if line is None else [site_by_layout(text, line)]
        return found, [f"{path} does not parse ({one_line(error)}): its units are told by indentation"]


def _answer(path: str, found: list[Site], index: ComponentIndex, reached: "_Reached", notes: list[str]) -> Answer:
    if not reached.num_recorded:
        notes = [*notes, "nothing was recorded yet, so it is not known which tests reach it; `wiremap run` records"]
    return Answer(tuple(_located(path, site, index, reached) for site in found), reached.num_recorded, tuple(notes))


def _located(path: str, site: Site, index: ComponentIndex, reached: "_Reached") -> Located:
    unit = f"{path}::{site.name}"
    return Located(
        file=path,
        site=site,
        place=index.place(unit),
        wiring=index.wiring(unit),
        executed_by=reached.executed_by(site),
        imported_by=reached.imported_by,
    )


class _Reached:
    """Which tests reached what of one file."""

    def __init__(self, path: str, traces: Iterable[Trace]) -> None:
        def is_here(fact: Fact) -> bool:
            return fact.path == path

        self._tests: dict[Fact, set[str]] = {}
        self.num_recorded = 0
        for trace in traces:
            self.num_recorded += 1
            for fact in matching(trace.facts, is_here):
                self._tests.setdefault(fact, set()).add(trace.test)
        self.imported_by = self._of(lambda fact: fact.kind in (*kinds.MODULES, kinds.SOURCE))

    def executed_by(self, site: Site) -> tuple[str, ...]:
        """Return the tests that executed the function, or a method of the class, as far as that was observed."""

        def is_of_site(fact: Fact) -> bool:
            name = fact.key.partition("::")[2]
            return fact.kind == kinds.FUNCTION and (name == site.name or name.startswith(f"{site.name}."))

        return self._of(lambda fact: fact.kind == kinds.SOURCE or is_of_site(fact))

    def _of(self, predicate: Callable[[Fact], bool]) -> tuple[str, ...]:
        return tuple(sorted({test for fact, tests in self._tests.items() if predicate(fact) for test in tests}))
