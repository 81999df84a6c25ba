"""The graphs of the recipes, written to `wiremap.lock`."""

import contextlib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from wiremap.checks.lock_file import FILE, lock_text
from wiremap.checks.locked_form import locked_form
from wiremap.errors import UnwritableLockError
from wiremap.graph import Graph
from wiremap.use_cases.compiled_recipes import compiled_recipes, configured_project


@dataclass(frozen=True, slots=True)
class Locked:
    """What was done.

    Attributes:
        path: The lock, from the current folder.
        is_new: Whether it says something else than before.
        graphs: What the recipes wire.
        talk: What recipes printed.
    """

    path: str
    is_new: bool
    graphs: Mapping[str, Graph]
    talk: str


def lock() -> Locked:
    """Write the lock of the project that the current folder is part of; one that is right is not touched.

    Raises:
        SettingsError: `[tool.wiremap]` is not what it should be.
        NoRecipesConfiguredError: It names no recipes.
        RecipesNotCompiledError: Some of them have no graph; the lock is left as it was.
        UnwritableLockError: The file can't be written.
    """
    project = configured_project()
    found = compiled_recipes(project)
    path = project.folder / FILE
    text = lock_text({recipe: locked_form(graph) for recipe, graph in found.graphs.items()})
    is_new = read_lock_text(path) != text
    shown = os.path.relpath(path)
    if is_new:
        try:
            _replace(path, text)
        except OSError as error:
            raise UnwritableLockError(shown, error.strerror or str(error)) from error
    return Locked(shown, is_new, found.graphs, found.talk)


def read_lock_text(path: Path) -> str | None:
    """Return the text of the lock; None where there is none. What is no text is replaced, and so is damaged."""
    try:
        return path.read_bytes().decode(errors="replace")
    except FileNotFoundError:
        return None
    except OSError:
        return ""


def _replace(path: Path, text: str) -> None:
    """Write *text* so that the file is always whole: it is the old one until it is the new one."""
    target = path.resolve()  # a link stays a link
    draft = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        draft.write_bytes(text.encode())
        if target.exists():
            draft.chmod(target.stat().st_mode)
        draft.replace(target)
    except BaseException:
        with contextlib.suppress(OSError):
            draft.unlink()
        raise
