"""Whether each cell fits the type that its consumer declares: the check of type checkers, once more at run time."""

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import cached_property, partial
from inspect import unwrap
from types import FunctionType, MethodType
from typing import Any, ClassVar, Final, Self, get_origin

from wiremap.errors import CellTypeError
from wiremap.graph import CALL, CellKind
from wiremap.registry.annotations import UNKNOWN, names_in_class, resolved
from wiremap.registry.attributes import instance_dict
from wiremap.registry.call_fit import misfits_of_call
from wiremap.registry.cells import class_attribute, value_of_cell
from wiremap.registry.identity import Names
from wiremap.registry.ledger import Entry, Ledger, Link
from wiremap.registry.location import Location
from wiremap.registry.requirements import Requirement, requirements_of
from wiremap.registry.signatures import (
    Shape,
    is_callable_type,
    shape_of_function,
    shape_of_method,
    shape_of_type,
    shape_with_arguments,
    type_name,
)
from wiremap.registry.type_arguments import arguments_in, with_arguments
from wiremap.registry.type_fit import fits, lists_values, value_fits

Declared = Mapping[str, Requirement[Any, Any]]


def cell_type_faults(ledger: Ledger, names: Names, kinds: Mapping[Link, CellKind]) -> Iterator[CellTypeError]:
    """Yield a fault for each cell that certainly does not fit what its consumer's class declares."""
    incoming = {(link.consumer, link.name): link for link in ledger.links if not link.is_in_interface}
    declared: dict[type, Declared] = {}
    by_value: dict[tuple[type, str], bool] = {}
    reasons: dict[Hashable, str | None] = {}
    for link, kind in kinds.items():
        cls = type(link.consumer.component)
        if cls not in declared:
            declared[cls] = requirements_of(cls)
        requirement = declared[cls].get(link.interface or link.cell)
        if requirement is None:
            continue
        first = _first_link(link, incoming)
        provider = first.provider.component
        asked = (cls, link.name)
        if asked not in by_value:
            by_value[asked] = lists_values(requirement.type)
        grounds = (cls, link.name, kind, _grounds(provider, first.cell, is_by_value=by_value[asked]))
        if grounds not in reasons:
            reasons[grounds] = misfit_of_cell(requirement, provider, first.cell, kind)
        if reason := reasons[grounds]:
            yield type_fault(requirement, link.cell, names[link.consumer], (names[link.provider], link.where), reason)


def _grounds(provider: object, cell: str, *, is_by_value: bool) -> Hashable:
    """Return what a verdict on that cell rests on, besides the requirement: equal grounds, equal verdicts."""
    if cell == CALL:
        return id(provider)
    stored = instance_dict(provider).get(cell)
    if stored is None and class_attribute(type(provider), cell) is None:
        return id(provider)  # computed by ``__getattr__``, each time as it likes
    # What can be called is judged by itself, and so is what may be listed; any other value by its type.
    return (type(provider), cell, id(stored) if is_by_value or callable(stored) else type(stored))


def _first_link(link: Link, incoming: Mapping[tuple[Entry, str], Link]) -> Link:
    """Return the link by which its owner hands the cell over: a component may hand on what it is handed."""
    seen = {link}
    while (handed := incoming.get((link.provider, link.cell))) and handed not in seen:
        link = handed
        seen.add(link)
    return link


def misfit_of_cell(requirement: Requirement[Any, Any], provider: object, cell: str, kind: CellKind) -> str | None:
    """Return in words why the cell can't be what the requirement says, or None if it may."""
    if _is_by_name(requirement, cell):
        return _misfit_of_interface(requirement, provider, cell, kind)
    wanted = _member(requirement.type, cell) if requirement.is_interface else requirement.type
    if isinstance(wanted, Shape) or is_callable_type(wanted):
        return _misfit_of_callable(wanted, provider, cell, kind)
    if kind == "method":
        is_possible = fits(type(value_of_cell(provider, cell)), wanted)
        return None if is_possible else f"it is {_sort(cell)}{_written_at(provider, cell)}"
    if requirement.is_interface and _is_writable(requirement.type, cell):
        return _misfit_of_state(wanted, provider, cell) or _misfit_for_assignment(
            requirement.type, wanted, provider, cell
        )
    return _misfit_of_state(wanted, provider, cell)


def _is_by_name(requirement: Requirement[Any, Any], cell: str) -> bool:
    """Tell whether one cell is handed over where a whole interface is required."""
    return requirement.is_interface and cell in (requirement.name, CALL) and cell not in requirement.members


def _sort(cell: str) -> str:
    return "a callable" if cell == CALL else "a method"


def _misfit_of_interface(requirement: Requirement[Any, Any], provider: object, cell: str, kind: CellKind) -> str | None:
    """Return why the value of the cell lacks what the interface says, or None if it may have all of it."""
    line = f"hand over the whole provider: {requirement.owner.__name__}.{requirement.name}.register(…)"
    if kind == "method":
        return f"it is {_sort(cell)}; {line}"
    value = _value_now(provider, cell)
    lacking = [] if value is None else [name for name in requirement.members if not hasattr(value, name)]
    return f"its value has no {lacking[0]!r}; {line}" if lacking else None


def _misfit_of_callable(wanted: Any, provider: object, cell: str, kind: CellKind) -> str | None:
    value = value_of_cell(provider, cell) if kind == "method" else _value_now(provider, cell)
    if value is None:  # a state that is computed, or set later
        declared = _declared_state(type(provider), cell)
        return None if isinstance(wanted, Shape) or fits(declared, wanted) else f"its type is {type_name(declared)}"
    if not callable(value):
        return f"it is a value of type {type_name(type(value))}"
    given = _shape_of(provider, cell, value)
    shape = wanted if isinstance(wanted, Shape) else shape_of_type(wanted)
    misfits = misfits_of_call(given, shape, fits) if given else ()
    return "\n".join([misfits[0] + _written_at(provider, cell), *misfits[1:]]) if misfits else None


def _shape_of(provider: object, cell: str, value: Any) -> Shape | None:
    """Return how *value* is called, where a cell has it that *provider* may inherit from a generic class."""
    shape = shape_of_function(value)
    owner = next((klass for klass in type(provider).__mro__ if cell in vars(klass)), None)
    if shape is None or owner is None or cell in instance_dict(provider):
        return shape
    if not isinstance(provider, type):
        shape = shape_with_arguments(shape, {Self: type(provider)})
    return shape_with_arguments(shape, arguments_in(owner, type(provider)))


def type_fault(
    requirement: Requirement[Any, Any], cell: str, consumer: str, provided: tuple[str, Location], reason: str
) -> CellTypeError:
    """Return the fault that says for what *reason* a cell does not fit; *provided* is by whom and at which line."""
    provider, where = provided
    written, cell = type_name(requirement.type), requirement.name if cell == CALL else cell
    if requirement.is_interface and not _is_by_name(requirement, cell):
        written, cell = f"{written}.{cell}", f"{requirement.name}.{cell}"
    return CellTypeError(cell, (consumer, written, str(requirement.where)), (provider, str(where)), reason)


def _written_at(provider: object, cell: str) -> str:
    """Return where the method is written, in brackets, or nothing where it is not written in Python."""
    function = _function_behind(value_of_cell(provider, cell))
    if function is None:
        return ""
    return f" ({Location(function.__code__.co_filename, function.__code__.co_firstlineno)})"


def _function_behind(called: Any) -> FunctionType | None:
    """Return the function that a call of *called* ends in, or None where that is not written in Python."""
    while isinstance(called, partial):
        called = called.func
    if isinstance(called, type):
        called = called.__init__  # type: ignore[misc] # read to be shown only
    elif not isinstance(called, FunctionType | MethodType) and not hasattr(called, "__wrapped__"):
        called = getattr(called, CALL)
    function = unwrap(called.__func__ if isinstance(called, MethodType) else called)
    return function if isinstance(function, FunctionType) else None


def _member(protocol: Any, name: str) -> Any:
    """Return what *protocol* says of its member: the shape of a method, or the type of a state."""
    plain = get_origin(protocol) or protocol
    if isinstance(class_attribute(plain, name), FunctionType | classmethod | staticmethod):
        return shape_of_method(protocol, name) or UNKNOWN
    return _declared_state(protocol, name)


def _is_writable(protocol: Any, name: str) -> bool:
    """Tell whether *protocol* lets its user assign the attribute, as a mere annotation does."""
    found = class_attribute(get_origin(protocol) or protocol, name)
    if isinstance(found, property):
        return found.fset is not None
    declared = _declared_state(protocol, name)
    is_told = declared is not UNKNOWN and not {declared, get_origin(declared)} & {ClassVar, Final}
    return is_told and not hasattr(type(found), "__get__")


def _misfit_for_assignment(protocol: Any, wanted: Any, provider: object, cell: str) -> str | None:
    """Return why not each value of type *wanted* can be assigned to a state that fits otherwise, or None."""
    cure = "declare it in the interface as a property, which is read only"
    if _is_read_only(provider, cell):
        return f"it can't be assigned; {cure}"
    declared = _declared_state(type(provider), cell)
    found = [class_attribute(plain, cell) for plain in (type(provider), get_origin(protocol) or protocol)]
    if any(isinstance(one, property) for one in found) or fits(wanted, declared):
        return None  # a setter may take more than its getter gives
    return f"its type is {type_name(declared)}, which not all that may be assigned is; {cure}"


def _is_read_only(provider: object, cell: str) -> bool:
    """Tell whether nobody can assign the attribute, for all that its class says."""
    cls = type(provider)
    found = class_attribute(cls, cell)
    if isinstance(found, property):
        return found.fset is None
    declared = _declared_state(cls, cell)
    return (
        isinstance(found, cached_property)
        or Final in (declared, get_origin(declared))
        or (is_dataclass(cls) and _is_frozen(cls) and cell in (field.name for field in fields(cls)))
        or (isinstance(provider, tuple) and cell in getattr(cls, "_fields", ()))
    )


def _is_frozen(cls: Any) -> bool:
    return bool(cls.__dataclass_params__.frozen)


def _misfit_of_state(wanted: Any, provider: object, cell: str) -> str | None:
    declared = _declared_state(type(provider), cell)
    value = _value_now(provider, cell)
    if declared is UNKNOWN and value is not None:
        return None if value_fits(value, wanted) else f"its type is {type_name(type(value))}"
    return None if fits(declared, wanted) else f"its type is {type_name(declared)}"


def may_be_callable(provider: object, cell: str) -> bool:
    """Tell whether the value of a state cell can be something to call, for all that is known without asking for it."""
    declared, value = _declared_state(type(provider), cell), _value_now(provider, cell)
    return fits(MethodType, declared) if declared is not UNKNOWN or value is None else callable(value)


def _value_now(provider: object, cell: str) -> Any:
    """Return the value as it is stored, or None where it may be set later or is computed at every read."""
    stored = instance_dict(provider)
    if cell in stored:
        return stored[cell]
    value = class_attribute(type(provider), cell)
    return None if hasattr(type(value), "__get__") else value


def _declared_state(declared: Any, name: str) -> Any:
    """Return the type that a property or an annotation of a class gives to its attribute."""
    plain = get_origin(declared) or declared
    found = class_attribute(plain, name)
    getter = found.func if isinstance(found, cached_property) else getattr(found, "fget", None)
    if getter:
        shape = shape_of_function(getter)
        owner = next(klass for klass in plain.__mro__ if name in vars(klass))
        return with_arguments(shape.result, arguments_in(owner, declared)) if shape else UNKNOWN
    for klass in plain.__mro__:
        annotations = getattr(klass, "__annotations__", {})
        if name in annotations:
            return with_arguments(resolved(annotations[name], names_in_class(klass)), arguments_in(klass, declared))
    return UNKNOWN
