"""All rules over the wiring and the source of a project, told together."""

import contextlib
import sqlite3
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from pathlib import Path

from wiremap.checks.allowances import Judged, judged
from wiremap.checks.call_paths import calls_without_cell
from wiremap.checks.drift import lock_drift
from wiremap.checks.findings import REACHES_INSIDE, Finding
from wiremap.checks.lock_file import FILE
from wiremap.checks.locked_form import locked_form
from wiremap.checks.reaching import reaching_inside
from wiremap.checks.registration import unregistered_components
from wiremap.checks.source_classes import SourceCode, SourceFile
from wiremap.checks.wiring import Wiring
from wiremap.project.files import is_test, scan
from wiremap.project.settings import SETTINGS_FILE
from wiremap.selection.components import ComponentIndex
from wiremap.store.map import FOLDER, Map
from wiremap.use_cases.compiled_recipes import (
    CompiledRecipes,
    ConfiguredProject,
    compiled_recipes,
    configured_project,
)
from wiremap.use_cases.locking import read_lock_text


@dataclass(frozen=True, slots=True)
class Checked:
    """What was found.

    Attributes:
        judged: The findings, and what is allowed; files are relative to the root.
        root: The repository, or the folder of the project where there is none.
        num_files: How many files of source were read.
        notes: What its reader must be told.
        talk: What recipes printed.
    """

    judged: Judged
    root: Path
    num_files: int
    notes: tuple[str, ...]
    talk: str


def check() -> Checked:
    """Check the project that the current folder is part of.

    Raises:
        SettingsError: `[tool.wiremap]` is not what it should be.
        NoRecipesConfiguredError: It names no recipes.
        RecipesNotCompiledError: Some of them have no graph.
    """
    project = configured_project()
    found = compiled_recipes(project)
    files = list(_sources(found.files, project.root))
    code = SourceCode(files)
    wiring = Wiring(found.graphs.values(), found.kin)
    callers, notes = _recorded_calls(project.folder / FOLDER)
    findings = [
        *_drift(project, found),
        *_unregistered(project, code, wiring),
        *_reaching(code, wiring, callers or {}),
    ]
    notes += [f"{path} was not read, since it does not parse: {reason}" for path, reason in code.unread.items()]
    half_judged = [REACHES_INSIDE] if callers is None else []
    configuration = project.below_root(SETTINGS_FILE)
    return Checked(
        judged(findings, project.settings.allow, half_judged, configuration),
        project.root,
        len(files),
        tuple(notes),
        found.talk,
    )


def _drift(project: ConfiguredProject, found: CompiledRecipes) -> Iterator[Finding]:
    graphs = {recipe: locked_form(graph) for recipe, graph in found.graphs.items()}
    return lock_drift(read_lock_text(project.folder / FILE), graphs, project.below_root(FILE))


def _unregistered(project: ConfiguredProject, code: SourceCode, wiring: Wiring) -> Iterator[Finding]:
    declared = ComponentIndex((), project.settings.components)
    return unregistered_components(code, wiring, lambda unit: declared.place(unit) is not None)


def _reaching(code: SourceCode, wiring: Wiring, callers: Mapping[str, AbstractSet[str]]) -> Iterator[Finding]:
    written = list(reaching_inside(code, wiring))
    yield from written
    # A call that the source shows is told at its line, and not once more.
    shown = {(finding.subjects[0], pair) for finding in written for pair in _pairs(finding)}
    for finding in calls_without_cell(callers, code, wiring):
        if not any((finding.subjects[0], pair) in shown for pair in _pairs(finding)):
            yield finding


def _pairs(finding: Finding) -> list[str]:
    return [subject for subject in finding.subjects if " -> " in subject]


# Source


def _sources(files: Mapping[str, Path], root: Path) -> Iterator[SourceFile]:
    """Yield the files of the packages that recipes and components come from, without tests.

    A module that lies in no package stands for those beside it.
    """
    scanned = scan(root)
    modules: dict[str, str] = {}
    for name, file in sorted(files.items()):
        if file.is_relative_to(root):
            modules |= _modules_around(name, file.relative_to(root).as_posix(), scanned)
    for path, name in sorted(modules.items()):
        with contextlib.suppress(OSError):  # gone in the meantime
            yield SourceFile(name, path, (root / path).read_bytes())


def _modules_around(name: str, path: str, scanned: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """Yield each file of the package around one module, with the name of its module."""
    parts = name.split(".")
    is_package = path.endswith("/__init__.py")
    folders = path.split("/")[:-1]
    import_root = folders[: len(folders) - len(parts) + (0 if is_package else 1)]
    is_alone = len(parts) == 1 and not is_package
    prefix = "".join(f"{folder}/" for folder in [*import_root, *([] if is_alone else parts[:1])])
    below_root = len("".join(f"{folder}/" for folder in import_root))
    for one in scanned:
        is_beside = "/" not in one[len(prefix) :]
        if one.startswith(prefix) and one.endswith(".py") and (is_beside or not is_alone) and not is_test(one):
            module = one[below_root:].removesuffix(".py").removesuffix("/__init__").replace("/", ".")
            yield one, module


# Records


def _recorded_calls(folder: Path) -> tuple[Mapping[str, AbstractSet[str]] | None, list[str]]:
    """Return who was seen to call whom, or None without any record; and what must be told of that."""
    nothing = "Nothing is recorded, so that reaching inside is found by source only; `wiremap run` records calls."
    if not folder.is_dir():
        return None, [nothing]
    with contextlib.closing(Map(folder)) as store:
        try:
            calls = store.calls()
        except sqlite3.Error as error:
            return None, [*store.notes, f"{nothing} The map can't be read: {error}"]
        return (calls or None), [*store.notes, *([] if calls else [nothing])]
