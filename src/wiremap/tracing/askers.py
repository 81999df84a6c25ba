"""Who asks for a file: not every look at one is a test's.

Each function takes the frame that asks and climbs from there through libraries that ask for others.
"""

import os
import sys
from types import FrameType

from wiremap.tracing.territory import Territory

_PATH_LIBRARIES = (f"{os.sep}pathlib.py", f"{os.sep}glob.py", f"{os.sep}os.py", f"{os.sep}genericpath.py")
_DISPLAYS = ("warnings.py", "traceback.py", "doctest.py", os.path.join("wiremap", "registry", "origin.py"))
_DISPLAY_DEPTH = 12
_MEASURING = (f"{os.sep}coverage{os.sep}", f"{os.sep}pytest_cov{os.sep}")
_ASK_FOR_OTHERS = ("_pytest.outcomes", "__main__", "__mp_main__")
_OWN_TRACING = os.path.dirname(os.path.abspath(__file__)) + os.sep
_CONSTANT_READER = os.path.join("hypothesis", "internal", "constants_ast.py")


def is_import_machinery(frame: FrameType | None) -> bool:
    """Tell whether the import system asks: names and import observations speak for it."""
    name = frame.f_code.co_filename if frame is not None else ""
    return "importlib._bootstrap" in name or name == "<frozen zipimport>"


def is_start_of_interpreter(frame: FrameType | None) -> bool:
    """Tell whether the interpreter asks while it sets itself up, and no code of somebody else in between."""
    while frame is not None and frame.f_code.co_filename.startswith("<"):
        if frame.f_code.co_filename == "<frozen site>":
            return True
        frame = frame.f_back
    return frame is not None and frame.f_code.co_filename.endswith(f"{os.sep}site.py")


def is_own_import(frame: FrameType | None, territory: Territory) -> bool:
    """Tell whether the project's code asks for an import, or pytest, of which it is known what it looks for.

    A library that imports a module of the project may read it by names that stand nowhere in the project.
    """
    while frame is not None and _is_importing(frame.f_code.co_filename):
        frame = frame.f_back
    if frame is None:
        return False
    name = frame.f_code.co_filename
    return f"{os.sep}_pytest{os.sep}" in name or territory.code_path(name) is not None


def _is_importing(filename: str) -> bool:
    return (
        "importlib" in filename
        or filename.endswith(f"{os.sep}contextlib.py")
        or filename.startswith(_OWN_TRACING)
        or f"{os.sep}_pytest{os.sep}assertion{os.sep}" in filename
    )


def is_pytest(frame: FrameType | None) -> bool:
    """Tell whether pytest itself asks, for test files and their neighbours, also by way of `pathlib` or `glob`."""
    while frame is not None and _is_library_of_paths(frame.f_code.co_filename):
        frame = frame.f_back
    return frame is not None and f"{os.sep}_pytest{os.sep}" in frame.f_code.co_filename


def is_measuring(frame: FrameType | None, territory: Territory) -> bool:
    """Tell whether coverage measurement asks, for its own data and for what it reports on: no outcome rests on that."""
    while frame is not None and _is_library_of_paths(frame.f_code.co_filename):
        frame = frame.f_back
    if frame is None:
        return False
    name = frame.f_code.co_filename
    return any(folder in name for folder in _MEASURING) and territory.code_path(name) is None


def is_for_display(frame: FrameType | None, territory: Territory, *, through_cache: bool = False) -> bool:
    """Tell whether source is read only to be shown or counted in lines: by a traceback, a warning, doctest.

    The project's own code that asks for source (`inspect.getsource`) reads it for good. Hypothesis reads all
    of the project's sources for constants to try: they widen what it draws from, and no outcome rests on them.
    """
    for _ in range(_DISPLAY_DEPTH):
        if frame is None:
            return False
        name = frame.f_code.co_filename
        if name.endswith(_CONSTANT_READER):
            return True
        through_cache = through_cache or name.endswith("linecache.py")
        if through_cache and (name.endswith(_DISPLAYS) or f"_pytest{os.sep}_code" in name):
            return True
        if name.startswith("<doctest") or territory.code_path(name) is not None:
            return False
        frame = frame.f_back
    return False


def foreign_asker(frame: FrameType | None, territory: Territory) -> str | None:
    """Return the top-level name of the foreign code that asks for a module or a distribution; None for the project.

    The standard library, pytest in `importorskip`, and code that was made from a text ask for whoever calls them; what
    is started as a program asks for whoever starts it.
    """
    while frame is not None and territory.code_path(frame.f_code.co_filename) is None:
        module = str(frame.f_globals.get("__name__", ""))
        name = module.partition(".")[0]
        is_of_a_file = name and not frame.f_code.co_filename.startswith("<")
        if is_of_a_file and name not in sys.stdlib_module_names and module not in _ASK_FOR_OTHERS:
            return name
        frame = frame.f_back
    return None


def is_standard_library(frame: FrameType) -> bool:
    """Tell whether a module of the standard library asks."""
    return str(frame.f_globals.get("__name__", "")).partition(".")[0] in sys.stdlib_module_names


def _is_library_of_paths(filename: str) -> bool:
    return (
        filename.startswith("<frozen ") or filename.endswith(_PATH_LIBRARIES) or f"{os.sep}pathlib{os.sep}" in filename
    )
