"""Names by which code that is not the project's may read what it is handed.

A library looks for `flush` on the object that it was given, and that name stands nowhere in the project. Which
names libraries know is read off their functions and classes, once, at the end of a session.
"""

import gc
from collections.abc import Iterable
from types import CodeType, FunctionType

from wiremap.tracing.territory import OWN_FOLDER, Territory


def outside_names(territory: Territory) -> frozenset[str]:
    """Return the identifiers in the functions and classes of all libraries that this process has loaded."""
    outside = _OutsideFiles(territory)
    found: set[str] = set()
    for function in gc.get_objects():
        if type(function) is FunctionType and outside[function.__code__.co_filename]:
            _add_names(function.__code__, found)
    pending = list(type.__subclasses__(object))
    seen = {object}
    while pending:
        one = pending.pop()
        if one not in seen:
            seen.add(one)
            pending.extend(type.__subclasses__(one))
            members = vars(one)
            functions = [member for member in members.values() if type(member) is FunctionType]
            if all(outside[function.__code__.co_filename] for function in functions):
                found.update(members)
    return frozenset(filter(str.isidentifier, found))


class _OutsideFiles(dict[str, bool]):
    """Tells of the file name of a code object whether it is neither the project's nor ours; there are many of each."""

    def __init__(self, territory: Territory) -> None:
        super().__init__()
        self._territory = territory

    def __missing__(self, name: str) -> bool:
        self[name] = not name.startswith(OWN_FOLDER) and self._territory.code_path(name) is None
        return self[name]


def _add_names(code: CodeType, found: set[str]) -> None:
    found.update(code.co_names)
    _add_spelt(code.co_consts, found)


def _add_spelt(constants: Iterable[object], found: set[str]) -> None:
    for constant in constants:  # a hundred thousand, so no call for each
        if isinstance(constant, str):
            found.add(constant)
        elif isinstance(constant, CodeType):
            _add_names(constant, found)
        elif isinstance(constant, tuple | frozenset):
            _add_spelt(constant, found)
