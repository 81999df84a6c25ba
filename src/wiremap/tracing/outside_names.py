"""Names by which code that is not the project's may read what it is handed.

A library looks for `flush` on the object that it was given, and that name stands nowhere in the project. Which
names libraries know is read off their functions and classes, once, at the end of a session.
"""

import gc
import sysconfig
from collections.abc import Iterable
from types import CodeType, FunctionType
from typing import Final, Literal

from wiremap.tracing.territory import OWN_FOLDER, Territory

SUBCLASSES: Final = "__subclasses__"
"""Who reads it gives classes that nobody named. The standard library does so only to compare them: that it knows this
name is not told.
"""


def outside_names(territory: Territory) -> frozenset[str]:
    """Return the identifiers in the functions and classes of all libraries that this process has loaded."""
    owners = _Owners(territory)
    found: set[str] = set()
    of_packages: set[str] = set()
    for function in gc.get_objects():
        if type(function) is FunctionType and (owner := owners[function.__code__.co_filename]) != "project":
            _add_names(function.__code__, of_packages if owner == "package" else found)
    pending = list(type.__subclasses__(object))
    seen = {object}
    while pending:
        one = pending.pop()
        if one not in seen:
            seen.add(one)
            pending.extend(type.__subclasses__(one))
            members = vars(one)
            functions = [member for member in members.values() if type(member) is FunctionType]
            if all(owners[function.__code__.co_filename] != "project" for function in functions):
                found.update(members)
    found.discard(SUBCLASSES)
    return frozenset(filter(str.isidentifier, found | of_packages))


_Owner = Literal["project", "interpreter", "package"]


class _Owners(dict[str, _Owner]):
    """Whose a code object is, by the name of its file; ours counts as the project's. There are many of each."""

    def __init__(self, territory: Territory) -> None:
        super().__init__()
        self._territory = territory
        self._standard = sysconfig.get_path("stdlib")

    def __missing__(self, name: str) -> _Owner:
        self[name] = self._find(name)
        return self[name]

    def _find(self, name: str) -> _Owner:
        if name.startswith(OWN_FOLDER) or self._territory.code_path(name) is not None:
            return "project"
        is_standard = name.startswith(("<frozen ", self._standard)) and "-packages" not in name
        return "interpreter" if is_standard else "package"


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
