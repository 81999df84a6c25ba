"""The ids of components: given by hand, or made from what a maintainer would call the object.

An object that another component already held when that one was added is named after its place
(``Qwen3ForCausalLM.model.layers.0.self_attn``), any other after its class, or by its own name if it is a
class, a function or a module; so too where its place would take more than 200 characters to tell. Where two such
names clash, the later one gets ``#2``, ``#3``. An id given by hand holds for its object in every later orchestrator.
"""

from collections.abc import Collection, Iterable
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any, Final

from wiremap.errors import ConflictingIdError, DuplicateIdError, WiremapError
from wiremap.registry.ledger import Entry
from wiremap.registry.location import Location
from wiremap.registry.weak_table import WeakTable

Names = dict[Entry, str]

# Objects of these classes have a name of their own, which says more than their class.
_NAMED: Final = (type, FunctionType, BuiltinFunctionType, MethodType, ModuleType)

_LONGEST: Final = 200
"""Characters of the longest id made from a place. A list linked to any depth would else have ids of its length."""

# The ids given by hand to objects of orchestrators that have been finalized.
_given: WeakTable[tuple[str, Location]] = WeakTable()


def assign_ids(entries: Collection[Entry]) -> tuple[Names, list[WiremapError]]:
    """Return an id for every entry, and what is wrong with the ids given by hand.

    The ids are distinct, also where one was given twice, so that such a fault has no others in its train. They
    depend on the order of the entries only in their ``#n``.
    """
    names: Names = {}
    faults: list[WiremapError] = []
    holders: dict[str, list[tuple[Entry, Location]]] = {}
    for entry in entries:
        given = _given_ids(entry)
        if len(given) > 1:
            faults.append(ConflictingIdError(entry.type_name, [(name, str(at)) for name, at in given.items()]))
        else:  # whether one of several ids clashes can be said when it is known which of them holds
            for name, where in given.items():
                holders.setdefault(name, []).append((entry, where))
    for name, sharing in holders.items():
        names[sharing[0][0]] = name
        if len(sharing) > 1:
            faults.append(DuplicateIdError(name, [(entry.type_name, str(where)) for entry, where in sharing]))
    taken = set(holders)
    last_numbers: dict[str, int] = {}
    for entry in entries:
        if entry not in names:
            names[entry] = _unused(_suggested_id(entry, names), taken, last_numbers)
            taken.add(names[entry])
    return names, faults


def publish_given_ids(entries: Iterable[Entry]) -> None:
    """Let the ids given by hand hold for their objects from now on, in other orchestrators too."""
    for entry in entries:
        for name, where in entry.given_ids.items():
            _given.put(entry.component, (name, where))


def _given_ids(entry: Entry) -> dict[str, Location]:
    elsewhere = _given.get(entry.component)
    return entry.given_ids if elsewhere is None else {elsewhere[0]: elsewhere[1], **entry.given_ids}


def _suggested_id(entry: Entry, names: Names) -> str:
    """Return an id given by hand, if there is one after all, or the implicit one."""
    if given := _given_ids(entry):
        return next(iter(given))
    if entry.place is not None:
        owner, path = entry.place
        name = f"{names[owner]}.{path}"
        if len(name) <= _LONGEST:
            return name
    return own_name(entry.component)


def own_name(component: object) -> str:
    """Return the name of a class, a function or a module, and of anything else that of its class."""
    named: Any = component if issubclass(type(component), _NAMED) else type(component)
    return str(named.__name__)


def _unused(name: str, taken: set[str], last_numbers: dict[str, int]) -> str:
    """Return *name*, or the first ``name#n`` that is free; *last_numbers* remembers where to go on."""
    number, candidate = last_numbers.get(name, 1), name
    while candidate in taken:
        number += 1
        candidate = f"{name}#{number}"
    last_numbers[name] = number
    return candidate
