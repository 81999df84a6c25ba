"""What the module in a file is called, as the command line asks for it: from the current directory."""

import os
from pathlib import Path


def module_name(path: Path) -> tuple[str, str]:
    """Return the name of the module in the file *path*, and the folder that it is looked up in.

    That is empty for the current directory, which the command line searches by itself.
    """
    parts = [] if path.stem == "__init__" else [path.stem]
    folder = path.resolve().parent
    is_package = (folder / "__init__.py").is_file()
    # Without any `__init__.py`, folders below the current one are packages too.
    while folder != Path.cwd() and ((folder / "__init__.py").is_file() if is_package else Path.cwd() in folder.parents):
        parts.insert(0, folder.name)
        folder = folder.parent
    return ".".join(parts), "" if folder == Path.cwd() else os.path.relpath(folder)
