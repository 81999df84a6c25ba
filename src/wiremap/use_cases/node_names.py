"""Tests by the names that people give them: a node id, a class, a file, a folder, seen from where they stand."""

from pathlib import Path


def node_named(name: str, root: Path) -> str:
    """Return *name*, given in the current folder or one below *root*, as pytest would tell it from *root*."""
    path, separator, rest = name.partition("::")
    place = place_of(path)
    if place is not None and place.is_relative_to(root):
        path = place.relative_to(root).as_posix()
    return f"{path}{separator}{rest}"


def place_of(path: str) -> Path | None:
    """Return the file or folder that *path* names, seen from the current folder or from one above it."""
    here = Path.cwd()
    found = (folder / path for folder in (here, *here.parents))
    return next((place.resolve() for place in found if path and place.exists()), None)


def is_within(test: str, node: str) -> bool:
    """Tell whether *test* is *node* itself, with any parameters, or stands in it."""
    if node in ("", "."):
        return True
    return test == node or test.startswith((f"{node}::", f"{node}[", f"{node.rstrip('/')}/"))
