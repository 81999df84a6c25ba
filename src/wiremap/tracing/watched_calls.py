"""Calls of the standard library that tell of a dependency which no project function shows.

These are Python functions, so that the tracer sees them start, with their arguments; nothing is patched.
"""

import os
import sys
from collections.abc import Callable
from functools import reduce
from types import CodeType, FrameType

from wiremap.tracing.askers import is_for_display, is_own_import, is_pytest
from wiremap.tracing.observation import Observation
from wiremap.tracing.path_state import path_presence, path_state
from wiremap.tracing.territory import Territory
from wiremap.tracing.variables import Variables

Watcher = Callable[[tuple[object, ...], FrameType | None, Observation], None]
"""Takes the positional arguments of a call, the frame that calls, and where to note what it tells."""

_LIBRARY = os.path.dirname(os.__file__) + os.sep

# Bound at import: tests patch attributes of these modules, and must not meet us there.
_abspath, _fsdecode = os.path.abspath, os.fsdecode

# Whoever asks whether a path exists rests on the answer. Times are not followed.
_QUESTIONS = ("stat", "exists", "is_file", "is_dir")


class WatchedCalls:
    """The watched code objects by `id`, each with what to note when it starts.

    Modules are not imported for that: a function of one that comes later is known by its name and place when it
    starts first. Functions that are written in C in this version of Python can't be watched and are left out.
    """

    def __init__(self, variables: Variables, territory: Territory, handed_names: set[str] | None = None) -> None:
        """Prepare to watch.

        Args:
            variables: The environment.
            territory: Which files are the project's.
            handed_names: Where to note modules that somebody asks for by name, who then has them as objects.
        """
        notes = _Notes(variables, territory, set() if handed_names is None else handed_names)
        functions: list[tuple[str, str, Watcher]] = [
            ("importlib", "import_module", notes.module_as_object),
            ("importlib.util", "find_spec", notes.module),
            ("os", "_Environ.__getitem__", notes.variable),
            ("os", "_Environ.__iter__", notes.all_variables),
            ("linecache", "getlines", notes.source),
            ("genericpath", "getsize", notes.content),
            *(("genericpath", name, notes.presence) for name in ("exists", "isfile", "isdir", "lexists")),
            ("posixpath", "lexists", notes.presence),
            *(("pathlib", f"{owner}.{name}", notes.presence) for owner in ("Path", "PathBase") for name in _QUESTIONS),
        ]
        self.by_id: dict[int, tuple[CodeType, Watcher]] = {}
        self._late: dict[str, tuple[str, Watcher]] = {}
        for module, name, watcher in functions:
            code = _code_of(module, name)
            if code is not None:
                self.by_id[id(code)] = (code, watcher)
            elif module not in sys.modules:
                self._late[name] = (module, watcher)

    def holds(self, code: CodeType) -> bool:
        """Tell whether *code* is watched."""
        if id(code) in self.by_id:
            return True
        late = self._late.get(code.co_qualname)
        if late is None or not _is_of(late[0], code.co_filename):
            return False
        self.by_id[id(code)] = (code, late[1])
        return True


def _is_of(module: str, filename: str) -> bool:
    """Tell whether *filename* is one that code of this standard library module or package names."""
    place = _LIBRARY + module.replace(".", os.sep)
    return filename == f"<frozen {module}>" or filename.startswith((f"{place}.py", f"{place}{os.sep}"))


def _code_of(module: str, name: str) -> CodeType | None:
    try:
        function = reduce(getattr, name.split("."), sys.modules[module])
    except (KeyError, AttributeError):
        return None
    code = getattr(function, "__code__", None)
    return code if isinstance(code, CodeType) else None


class _Notes:
    """Notes what calls tell of files and environment variables."""

    def __init__(self, variables: Variables, territory: Territory, handed_names: set[str]) -> None:
        self._variables = variables
        self._territory = territory
        self._handed_names = handed_names

    def module(self, arguments: tuple[object, ...], caller: FrameType | None, seen: Observation) -> None:
        name = _name_of_import(arguments)
        if name is not None:
            seen.imports.add(name)
            if not is_own_import(caller, self._territory):
                self._handed_names.add(name)

    def module_as_object(self, arguments: tuple[object, ...], caller: FrameType | None, seen: Observation) -> None:
        name = _name_of_import(arguments)
        if name is not None:
            seen.imports.add(name)
            if not is_pytest(caller):  # of which it is known what it looks for
                self._handed_names.add(name)

    def variable(self, arguments: tuple[object, ...], _caller: FrameType | None, seen: Observation) -> None:
        _environ, name = arguments
        if isinstance(name, str):
            self._variables.note_read(name, seen)

    def all_variables(self, _arguments: tuple[object, ...], _caller: FrameType | None, seen: Observation) -> None:
        self._variables.note_names_read(seen)

    def presence(self, arguments: tuple[object, ...], caller: FrameType | None, seen: Observation) -> None:
        path = self._own_path(arguments[0])
        # What pytest looks for, conftest files and packages, is known by other means.
        if path is not None and path not in seen.presences and not is_pytest(caller):
            seen.presences[path] = path_presence(path)

    def content(self, arguments: tuple[object, ...], _caller: FrameType | None, seen: Observation) -> None:
        path = self._own_path(arguments[0])
        if path is not None and path not in seen.files:
            seen.files[path] = path_state(path)

    def source(self, arguments: tuple[object, ...], caller: FrameType | None, seen: Observation) -> None:
        # The text may be in the cache since an earlier test, and then no file is opened.
        if not is_for_display(caller, self._territory, through_cache=True):
            self.content(arguments, caller, seen)

    def _own_path(self, path: object) -> str | None:
        """Return the absolute path of what a call asks for, if it is the project's."""
        if not isinstance(path, str | bytes | os.PathLike) or not self._territory.may_hold(_fsdecode(path)):
            return None
        absolute = _abspath(_fsdecode(path))
        return absolute if self._territory.data_path(absolute) is not None else None


def _name_of_import(arguments: tuple[object, ...]) -> str | None:
    name, package = arguments
    if not isinstance(name, str):
        return None
    level = len(name) - len(name.lstrip("."))
    if level == 0:
        return name
    parts = package.rsplit(".", level - 1) if isinstance(package, str) else []
    if len(parts) < level:
        return None  # the import fails
    return f"{parts[0]}.{name[level:]}".rstrip(".")
