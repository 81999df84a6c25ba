"""Names by which code that is not the project's may read what it is handed.

A library looks for `flush` on the object that it was given, and that name stands nowhere in the project. Which
names libraries know is read off their functions and classes, once, at the end of a session.
"""

import gc
from types import CodeType, FunctionType

from wiremap.tracing.territory import OWN_FOLDER, Territory


def outside_names(territory: Territory) -> frozenset[str]:
    """Return the identifiers in the functions and classes of all libraries that this process has loaded."""
    found: set[str] = set()
    for function in gc.get_objects():
        if type(function) is FunctionType and _is_outside(function.__code__, territory):
            _add_names(function.__code__, found)
    pending = list(type.__subclasses__(object))
    seen = {object}
    while pending:
        one = pending.pop()
        if one not in seen:
            seen.add(one)
            pending.extend(type.__subclasses__(one))
            if not any(_is_project_function(member, territory) for member in vars(one).values()):
                found.update(vars(one))
    return frozenset(filter(str.isidentifier, found))


def _is_outside(code: CodeType, territory: Territory) -> bool:
    name = code.co_filename
    return not name.startswith(OWN_FOLDER) and territory.code_path(name) is None


def _is_project_function(member: object, territory: Territory) -> bool:
    return type(member) is FunctionType and not _is_outside(member.__code__, territory)


def _add_names(code: CodeType, found: set[str]) -> None:
    found.update(code.co_names)
    for constant in code.co_consts:
        _add_constant(constant, found)


def _add_constant(constant: object, found: set[str]) -> None:
    match constant:
        case str():
            if constant.isidentifier():
                found.add(constant)
        case CodeType():
            _add_names(constant, found)
        case tuple() | frozenset():
            for part in constant:
                _add_constant(part, found)
        case _:
            pass
