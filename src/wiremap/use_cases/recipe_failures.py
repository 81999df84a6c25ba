"""What to say of an exception that somebody's module or recipe raised: where in their code, and what to do."""

import inspect
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from wiremap.errors import RecipeFailedError
from wiremap.registry.ledger import Ledger
from wiremap.registry.location import Location
from wiremap.tracing.territory import OWN_FOLDER, Territory

# Python refuses a call whose arguments do not fit in these words, before any of ours runs.
_CALL_OF_OURS: Final = re.compile(r"((?:RegistryOrchestrator|Requirement)\.\w+)\(\) ")
_RIGHT_CALLS: Final = {
    "RegistryOrchestrator.add": "Pass the component, and its name as id=: add(component, id='name').",
    "RegistryOrchestrator.register": (
        "Pass the provider, the name of its cell, and the consumer: register(provider, 'name', consumer)."
    ),
    "RegistryOrchestrator.connect": "Pass the child, then its parent: connect(child, parent).",
    "Requirement.register": "Pass the orchestrator, what is handed over, and the consumer.",
}


def recipe_failure(
    error: BaseException, title: str, function: Callable[..., Any], begun: Iterable[Ledger]
) -> RecipeFailedError:
    """Return what to raise where the recipe *function* raised *error* and *begun* is what it had registered."""
    where, own_line = raised_at(error), _last_line_in(function, error)
    lines = str(where) if own_line in (None, where) else f"{where}, called at {own_line}"
    return RecipeFailedError(title, in_one_line(error), lines, cure=_cure(error, begun))


def in_one_line(error: BaseException) -> str:
    """Return the class of *error* and what it says."""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def raised_at(error: BaseException) -> Location:
    """Return the innermost line of the user's own code; of other code only where there is none."""
    lines = [line for _, line in _trace(error)]
    foreign = [line for line in lines if not line.file.startswith(OWN_FOLDER)]
    territory = Territory(Path.cwd())
    own = [line for line in foreign if territory.code_path(line.file) is not None]
    return (own or foreign or lines or [Location("?", 0)])[-1]


def _trace(error: BaseException) -> Iterator[tuple[object, Location]]:
    """Yield each code object that *error* came through, the outermost first, with the line in it."""
    trace = error.__traceback__
    while trace:
        code = trace.tb_frame.f_code
        yield code, Location(code.co_filename, trace.tb_lineno)
        trace = trace.tb_next


def _last_line_in(function: Callable[..., Any], error: BaseException) -> Location | None:
    wanted = inspect.unwrap(function).__code__
    return next((line for code, line in reversed([*_trace(error)]) if code is wanted), None)


# What to do about it


def _cure(error: BaseException, begun: Iterable[Ledger]) -> str:
    """Return what to do where it surely, or likely, is a mistake in the wiring; nothing where it is something else."""
    if isinstance(error, TypeError):
        call = _CALL_OF_OURS.match(str(error))
        return _RIGHT_CALLS.get(call[1], f"{call[1]}() takes no arguments.") if call else ""
    if isinstance(error, AttributeError) and error.name is not None:
        return _cure_for_early_reading(error.obj, error.name, begun)
    return ""


def _cure_for_early_reading(reader: object, name: str, begun: Iterable[Ledger]) -> str:
    cls = type(reader).__name__
    links = (link for ledger in begun for link in ledger.links)
    link = next((link for link in links if link.consumer.component is reader and link.name == name), None)
    if link is not None:
        told = f"{cls} gets its cell {name!r} (registered at {link.where}) only at finalize()"
    elif _is_of_own_class(reader):
        told = f"If {name!r} is a cell, {cls} gets it only at finalize()"
    else:
        return ""
    return f"{told}: read it in __post_wire__ or later."


def _is_of_own_class(value: object) -> bool:
    """Tell whether the class of *value* is written in the user's own code; a class or a module gets no cells."""
    file = getattr(sys.modules.get(type(value).__module__), "__file__", None)
    is_object = not isinstance(value, type | ModuleType)
    return is_object and file is not None and Territory(Path.cwd()).code_path(file) is not None
