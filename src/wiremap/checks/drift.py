"""Rule `lock-drift`: the graphs of the recipes are those in the lock."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from wiremap.checks.findings import LOCK_DRIFT, Finding
from wiremap.checks.lock_file import FILE, DamagedLockError, Lock, lock_text, read_lock
from wiremap.graph import Graph

_RELOCK = "If that is meant, run `wiremap lock` and commit the change of wiremap.lock."
_MAX_LINES = 40


def lock_drift(text: str | None, graphs: Mapping[str, Graph], file: str = FILE) -> Iterator[Finding]:
    """Yield how the lock differs from the code.

    Args:
        text: The lock, or None if there is none.
        graphs: What recipes wire now, in locked form, by recipe.
        file: Where the lock stands, relative to the root.
    """
    yield from (replace(finding, file=file) for finding in _found(text, graphs))


def _found(text: str | None, graphs: Mapping[str, Graph]) -> Iterator[Finding]:
    if text is None:
        yield _of_file(1, "There is no wiremap.lock.", "Run `wiremap lock` and commit the file.")
        return
    text = text.replace("\r\n", "\n")  # git may write it so
    try:
        lock = read_lock(text)
    except DamagedLockError as error:
        yield _of_file(error.line, f"The lock can't be used: {error.reason}.", "Run `wiremap lock`, and see its diff.")
        return
    found = list(_of_recipes(lock, graphs))
    if not found and text != lock_text(graphs):
        message = "The lock says the same as the code, and not as `wiremap lock` writes it."
        found = [_of_file(1, message, "Run `wiremap lock`: the file is not edited by hand.")]
    yield from found


def _of_recipes(lock: Lock, graphs: Mapping[str, Graph]) -> Iterator[Finding]:
    for recipe in sorted(lock.graphs.keys() | graphs.keys()):
        line = lock.lines.get(recipe, 1)
        if recipe not in lock.graphs:
            message = f"The recipe {recipe} is not in the lock."
            yield _of_file(line, message, "Run `wiremap lock` and commit the change of wiremap.lock.", recipe)
        elif recipe not in graphs:
            message = f"The lock holds the recipe {recipe}, which [tool.wiremap] does not name."
            yield _of_file(line, message, "Add it to `recipes`, or run `wiremap lock` to drop it.", recipe)
        elif difference := lock.graphs[recipe].diff(graphs[recipe]):
            lines = difference.describe().splitlines()
            what = "only in ids: nothing is wired otherwise" if difference.is_renaming else "from its lock"
            message = f"What the recipe {recipe} wires differs {what}."
            yield _of_file(line, "\n".join([message, *_first(lines)]), _RELOCK, recipe)


def _first(lines: list[str]) -> list[str]:
    more = len(lines) - _MAX_LINES
    return lines if more <= 0 else [*lines[:_MAX_LINES], f"… and {more} more"]


def _of_file(line: int, message: str, fix: str, *subjects: str) -> Finding:
    return Finding(FILE, line, LOCK_DRIFT, message, fix, subjects)
