"""Which files belong to the project, and which to the interpreter and installed packages."""

import os
import stat
import sys
from collections.abc import Sequence

# Folders that tools fill and no test takes as its input.
TOOL_FOLDERS = frozenset(
    {
        ".git", ".hg", ".svn", ".wiremap", ".venv", ".tox", ".nox", ".eggs", ".idea", ".vscode",
        "__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".hypothesis", ".import_linter_cache",
        "node_modules", "site-packages",
    }
)  # fmt: skip

# Bound at import: tests patch attributes of `os.path`, and must not meet us there.
_realpath, _stat = os.path.realpath, os.stat

OWN_FOLDER = os.path.realpath(os.path.dirname(os.path.dirname(__file__))) + os.sep
"""The folder of this package, which is foreign to every project but its own."""


class Territory:
    """Tells project files from others, by path; remembers each answer."""

    def __init__(self, root: str | os.PathLike[str], interpreter_folders: Sequence[str] | None = None) -> None:
        """Take everything below *root* as the project's, but for environments and the folders of tools.

        Args:
            root: Where the project lies.
            interpreter_folders: Folders of the interpreter, where they are known; else they are found out.
        """
        self.root = str(_realpath(root))
        self._inside = self.root.rstrip(os.sep) + os.sep
        self.interpreter_folders = tuple(interpreter_folders or _interpreter_folders())
        self._foreign = self.interpreter_folders
        if not OWN_FOLDER.startswith(self._inside):
            self._foreign += (OWN_FOLDER,)
        self._code_paths: dict[str, str] = {}
        self._foreign_code: set[str] = set()

    def code_path(self, filename: str) -> str | None:
        """Return the project path of the file that a code object names, or None when it is foreign.

        Code outside the root counts too (an editable install, a sibling folder), unless it belongs to the
        interpreter or to an installed package. The path is relative to the root, with forward slashes.
        """
        if filename in self._code_paths:
            return self._code_paths[filename]
        if filename in self._foreign_code:
            return None
        real = _realpath(filename)
        if filename.startswith("<") or not _is_file(real):
            return None  # not remembered: the file may be on its way
        path = self._locate_code(real)
        if path is None:
            self._foreign_code.add(filename)
        else:
            self._code_paths[filename] = path
        return path

    def data_path(self, filename: str) -> str | None:
        """Return the project path of a data file or folder, or None for one outside of the root."""
        real = _realpath(filename)
        if real != self.root and not real.startswith(self._inside):
            return None
        relative = self.relative(real)
        if self._is_foreign(real) or not TOOL_FOLDERS.isdisjoint(relative.split("/")):
            return None
        return relative

    def relative(self, real: str) -> str:
        """Return the absolute *real* path relative to the root, with forward slashes."""
        if real.startswith(self._inside):
            return real[len(self._inside) :].replace(os.sep, "/")
        return os.path.relpath(real, self.root).replace(os.sep, "/")

    def absolute(self, path: str) -> str:
        """Return the absolute path of a project path."""
        return os.path.normpath(os.path.join(self.root, path))

    def may_hold(self, filename: str) -> bool:
        """Tell cheaply whether *filename*, as it is written, lies below the root."""
        return not os.path.isabs(filename) or filename.startswith(self._inside) or filename == self.root

    def _locate_code(self, real: str) -> str | None:
        if real.startswith(self._inside):
            return self.data_path(real)
        return None if self._is_foreign(real) else self.relative(real)

    def _is_foreign(self, real: str) -> bool:
        # A project below the interpreter's prefix (/usr/local/src/…) is still a project: then only what
        # lies below the root and below a foreign folder, such as a virtual environment, is foreign.
        in_root = real.startswith(self._inside)
        return any(
            real.startswith(folder) and not (in_root and self._inside.startswith(folder)) for folder in self._foreign
        )


def _is_file(real: str) -> bool:
    try:
        return stat.S_ISREG(_stat(real).st_mode)
    except (OSError, ValueError):
        return False


def _interpreter_folders() -> tuple[str, ...]:
    import sysconfig  # noqa: PLC0415 - slow to ask, and child processes are told

    folders = {sys.prefix, sys.base_prefix, sys.exec_prefix, *sysconfig.get_paths().values()}
    return tuple(sorted(os.path.realpath(folder).rstrip(os.sep) + os.sep for folder in folders if folder))
