"""Calls of the standard library that tell of a dependency which no project function shows.

These are Python functions, so that the tracer sees them start, with their arguments; nothing is patched.
"""

import os
import sys
from collections.abc import Callable
from functools import reduce
from types import CodeType, FrameType

from wiremap.tracing.askers import foreign_asker, is_for_display, is_measuring, is_own_import, is_pytest
from wiremap.tracing.foreign_use import ForeignUse
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

# What C code reads when a program sets "the user's locale".
_LOCALE_VARIABLES = ("LANG", "LC_ALL", "LC_COLLATE", "LC_CTYPE", "LC_MESSAGES", "LC_MONETARY", "LC_NUMERIC", "LC_TIME")

ALL_DISTRIBUTIONS = "*"
"""Stands for the set of all distributions, for who goes through them."""
ENTRY_POINTS = "entry points"
"""Stands for the entry points of all distributions."""


class WatchedCalls:
    """The watched code objects by `id`, each with what to note when it starts.

    Modules are not imported for that: a function of one that comes later is known by its name and place when it
    starts first. Functions that are written in C in this version of Python can't be watched and are left out.
    """

    def __init__(self, variables: Variables, territory: Territory, foreign: ForeignUse) -> None:
        notes = _Notes(variables, territory, foreign)
        functions: list[tuple[str, str, Watcher]] = [
            ("importlib", "import_module", notes.module_as_object),
            ("importlib.util", "find_spec", notes.module),
            ("importlib.metadata", "Distribution.from_name", notes.distribution),
            ("importlib.metadata", "distributions", notes.all_distributions),
            ("locale", "setlocale", notes.locale),
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
        _, watcher = late
        self.by_id[id(code)] = (code, watcher)
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
    """Notes what calls tell of files, environment variables, modules and distributions."""

    def __init__(self, variables: Variables, territory: Territory, foreign: ForeignUse) -> None:
        self._variables = variables
        self._territory = territory
        self._foreign = foreign

    def module(self, arguments: tuple[object, ...], caller: FrameType | None, seen: Observation) -> None:
        name = self._imported(arguments, caller, seen)
        if name is not None and not is_own_import(caller, self._territory):
            self._foreign.modules.add(name)

    def module_as_object(self, arguments: tuple[object, ...], caller: FrameType | None, seen: Observation) -> None:
        name = self._imported(arguments, caller, seen)
        if name is not None and not is_pytest(caller):  # of which it is known what it looks for
            self._foreign.modules.add(name)

    def distribution(self, arguments: tuple[object, ...], caller: FrameType | None, seen: Observation) -> None:
        _class, name = arguments
        self._note_lookup(str(name), caller, seen)

    def all_distributions(self, _arguments: tuple[object, ...], caller: FrameType | None, seen: Observation) -> None:
        is_for_entry_points = caller is not None and caller.f_code.co_name == "entry_points"
        self._note_lookup(ENTRY_POINTS if is_for_entry_points else ALL_DISTRIBUTIONS, caller, seen)

    def locale(self, _arguments: tuple[object, ...], _caller: FrameType | None, seen: Observation) -> None:
        for name in _LOCALE_VARIABLES:
            self._variables.note_read(name, seen)

    def _imported(self, arguments: tuple[object, ...], caller: FrameType | None, seen: Observation) -> str | None:
        name = _absolute_name(*arguments)
        if name is not None:
            seen.imports.add(name)  # also when foreign code asks: by a computed name it may mean a file of the project
            asker = foreign_asker(caller, self._territory)
            if asker is not None:
                self._foreign.note_import(asker, name)
        return name

    def _note_lookup(self, distribution: str, caller: FrameType | None, seen: Observation) -> None:
        asker = foreign_asker(caller, self._territory)
        if asker is None:
            seen.distributions.add(distribution)
        else:
            self._foreign.note_lookup(asker, distribution)

    def variable(self, arguments: tuple[object, ...], _caller: FrameType | None, seen: Observation) -> None:
        _environ, name = arguments
        if isinstance(name, str):
            self._variables.note_read(name, seen)

    def all_variables(self, _arguments: tuple[object, ...], _caller: FrameType | None, seen: Observation) -> None:
        self._variables.note_names_read(seen)

    def presence(self, arguments: tuple[object, ...], caller: FrameType | None, seen: Observation) -> None:
        # What pytest looks for, conftest files and packages, is known by other means. It asks in each test.
        if self._is_tool(caller):
            return
        path = self._inner_path(arguments[0])
        if path is None or path in seen.presences:
            return
        if self._territory.data_path(path) is not None:
            seen.presences[path] = path_presence(path)

    def content(self, arguments: tuple[object, ...], caller: FrameType | None, seen: Observation) -> None:
        path = self._inner_path(arguments[0])
        if path is None or path in seen.files or is_measuring(caller, self._territory):
            return
        if self._territory.data_path(path) is not None:
            seen.files[path] = path_state(path)

    def source(self, arguments: tuple[object, ...], caller: FrameType | None, seen: Observation) -> None:
        # The text may be in the cache since an earlier test, and then no file is opened.
        if not is_for_display(caller, self._territory, through_cache=True):
            self.content(arguments, caller, seen)

    def _is_tool(self, caller: FrameType | None) -> bool:
        return is_pytest(caller) or is_measuring(caller, self._territory)

    def _inner_path(self, path: object) -> str | None:
        """Return the absolute path of what a call asks for, if it is written as one below the root."""
        if not isinstance(path, str | bytes | os.PathLike):
            return None
        name = _fsdecode(path)
        return _abspath(name) if self._territory.may_hold(name) else None


def _absolute_name(name: object, package: object = None) -> str | None:
    if not isinstance(name, str):
        return None
    level = len(name) - len(name.lstrip("."))
    if level:
        parts = package.rsplit(".", level - 1) if isinstance(package, str) else []
        if len(parts) < level:
            return None  # the import fails
        name = f"{parts[0]}.{name[level:]}".rstrip(".")
    return name
