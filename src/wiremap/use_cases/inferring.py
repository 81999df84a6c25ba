"""The graph of a folder of source whose components are registered nowhere. Nothing is imported or run."""

import ast
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from wiremap.errors import NoPythonFilesError
from wiremap.graph import Graph
from wiremap.inference import Inference, infer_graph, infer_registries
from wiremap.project.entry_points import declared_entry_points
from wiremap.project.files import is_test, scan
from wiremap.project.map_folder import find_map_folder
from wiremap.project.settings import Settings, read_settings
from wiremap.store.map import FOLDER
from wiremap.use_cases.module_names import module_name
from wiremap.wording import counted

# Folders that builds leave in a project; a package of that name is none.
_BUILT = ("build", "dist")
_SHOWN = 5


def infer_folder(folder: Path) -> tuple[Graph, tuple[str, ...]]:
    """Return the graph that the source in *folder* tells of, and notes on what is not in it.

    Raises:
        NoPythonFilesError: There is no source.
    """
    root = folder.resolve()
    paths = [path for path in scan(root) if path.endswith(".py") and not _is_aside(root, path)]
    tests = [path for path in paths if is_test(path)]
    sources = sorted(set(paths) - set(tests))
    if not sources:
        raise NoPythonFilesError(str(folder), len(tests))
    files, unreadable = _read([*(root / path for path in sources), *_packages_around(root)])
    here = Path.cwd()
    home = find_map_folder(here if root.is_relative_to(here) else root, FOLDER).parent
    inference = infer_graph(files, read_settings(home).adapters, declared_entry_points(home))
    faults = {**unreadable, **inference.faults}
    below = {path.removeprefix(f"{root.as_posix()}/"): reason for path, reason in faults.items()}
    recipes = _notes_on_recipes(root, {path: files.get((root / path).as_posix(), b"") for path in sources})
    return inference.graph, (*recipes, *_notes(inference, below, len(tests)), *_notes_on_registries(inference))


def registry_graph(root: Path, home: Path, settings: Settings) -> Graph:
    """Return the registries of the project at *root*, of which *home* has the settings, with what is in them."""
    paths = [path for path in scan(root) if path.endswith(".py") and not _is_aside(root, path) and not is_test(path)]
    files, _ = _read([root / path for path in sorted(paths)])
    return infer_registries(files, settings.adapters, declared_entry_points(home))


def infer_sources(texts: Mapping[str, bytes]) -> Graph:
    """Return the graph that the Python files *texts* tell of, by their paths from the project's root; without tests."""
    sources = {path: text for path, text in texts.items() if not is_test(path) and not _is_hidden(path)}
    # Names are told from where files lie, for which any folder will do.
    return infer_graph({f"/project/{path}": text for path, text in sources.items()}).graph


def _is_aside(root: Path, path: str) -> bool:
    first, separator, _ = path.partition("/")
    is_built = bool(separator) and first in _BUILT and not (root / first / "__init__.py").exists()
    return is_built or _is_hidden(path)


def _is_hidden(path: str) -> bool:
    return any(name.startswith(".") for name in path.split("/"))


def _packages_around(root: Path) -> Iterator[Path]:
    """Yield the ``__init__.py`` of each package that *root* lies in: they tell what its files are called."""
    folder = root
    while (folder / "__init__.py").is_file() and (folder.parent / "__init__.py").is_file():
        folder = folder.parent
        yield folder / "__init__.py"


def _read(paths: Iterable[Path]) -> tuple[Mapping[str, bytes], Mapping[str, str]]:
    files, unreadable = {}, {}
    for path in paths:
        try:
            files[path.as_posix()] = path.read_bytes()
        except OSError as error:
            unreadable[path.as_posix()] = error.strerror or str(error)
    return files, unreadable


def _notes_on_recipes(root: Path, files: Mapping[str, bytes]) -> Iterator[str]:
    """Yield how to compile what is registered: a recipe tells its wiring, where the source lets only guess."""
    found = [(path, name) for path, text in files.items() for name in _recipes_in(text)]
    for path, name in found[:_SHOWN]:
        module, lookup = module_name(root / path)
        where = f", with {lookup} on PYTHONPATH" if lookup else ""
        yield f"{path} has the recipe {name}. What it wires, `wiremap graph {module}:{name}` shows{where}."
    if len(found) > _SHOWN:
        yield f"{len(found) - _SHOWN} more recipes are there."


def _recipes_in(text: bytes) -> Iterator[str]:
    """Yield the names of the functions of a module that are marked with ``@recipe`` or ``@wiremap.recipe``."""
    if b"wiremap" not in text or b"recipe" not in text:
        return
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an invalid escape in somebody's string
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return  # told of elsewhere
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            marks = (mark.func if isinstance(mark, ast.Call) else mark for mark in node.decorator_list)
            if any(ast.unparse(mark) in ("recipe", "wiremap.recipe") for mark in marks):
                yield node.name


def _notes(inference: Inference, faults: Mapping[str, str], num_tests: int) -> Iterator[str]:
    if num_tests:
        yield f"{_left_out(num_tests, 'test file')}, since tests build what they like."
    for path, reason in sorted(faults.items())[:_SHOWN]:
        yield f"{path} was not read: {reason}."
    if len(faults) > _SHOWN:
        yield f"{len(faults) - _SHOWN} more files were not read."
    if inference.unknown_calls:
        calls = _left_out(sum(inference.unknown_calls.values()), "call")
        most = sorted(inference.unknown_calls, key=lambda name: (-inference.unknown_calls[name], name))
        yield f"{calls}, made through attributes of unknown class: {_few(most)}."
    if inference.handed_on:
        yield f"Classes are passed as values, and who makes objects of them is not seen: {_few(inference.handed_on)}."
    if inference.registrations:
        marks = [f"@{one}" for one in inference.registrations]
        yield f"What is registered by decorator and looked up by name is not followed: {_few(marks)}."
    if inference.loaders:
        yield f"What is loaded by a name that is a string is not followed: {_few(inference.loaders)}."
    if not inference.graph.components:
        yield _why_empty(inference.num_classes, inference.passing)


def _notes_on_registries(inference: Inference) -> Iterator[str]:
    for one in inference.registries:
        if one.unmatched:
            yield f"Of the description of the registry {one.name}, this was found nowhere: {_few(one.unmatched)}."
        if one.unresolved:
            yield f"What the registry {one.name} is given was not found here: {_few(sorted(one.unresolved))}."


def _why_empty(num_classes: int, passing: Sequence[str]) -> str:
    if num_classes == 0:
        return "There is no class here. Components are classes, and what functions call of one another is not drawn."
    if passing:
        return (
            "No class here is a component. What is kept in attributes and called there is made in the course of calls "
            f"and handed on or put in containers, which counts as data: {_few(passing)}."
        )
    who = f"None of the {num_classes} classes here was seen" if num_classes > 1 else "The class here was not seen"
    return (
        f"{who} to keep an object of another in an attribute and call a method of it. Such objects are "
        "known by a constructor call, an annotation, what a function returns or what callers pass; not by a registry, "
        "a container of services or a configuration file."
    )


def _left_out(number: int, noun: str) -> str:
    return f"{counted(number, noun)} {'was' if number == 1 else 'were'} left out"


def _few(names: Sequence[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more
