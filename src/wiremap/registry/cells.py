"""How a cell is handed over: what kind it is, whether the consumer has room for it, and the binding itself.

A **method cell** is the provider's bound method, kept in the instance of the consumer under the name of
the cell: a call costs what a call of any bound method kept in an attribute costs. A **state cell** is a
data descriptor on the consumer's class that asks the provider at every read; only instances that were
wired notice it. The cells of an **interface**, which is a protocol that the consumer requires under one name,
are bound in the same way on a small object that the consumer keeps under that name. A callable that hands itself
over, by the cell ``__call__``, is a method cell under the name that the consumer calls it by. All note the provider in
the ``__dict__`` of their holder under ``TABLE``, so a provider lives as long as its consumers, and nothing
outlives them.
"""

import threading
import weakref
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from inspect import isdatadescriptor
from types import BuiltinMethodType, MemberDescriptorType, MethodType, MethodWrapperType, ModuleType
from typing import Any, Final, NamedTuple

from wiremap.graph import CALL, CellKind
from wiremap.registry.assignment import guard_assignment
from wiremap.registry.attributes import has_instance_dict, instance_dict, module_tables
from wiremap.registry.cell_table import note, strike
from wiremap.registry.interface_view import Interface, InterfaceView, changed_interface, new_interface
from wiremap.registry.location import Location
from wiremap.registry.requirements import Requires, annotated_names, required_cells
from wiremap.registry.state_cell import Handed, StateCell, defined_by, wired_cells
from wiremap.registry.weak_table import WeakTable, is_weakly_referable

_IMMUTABLE_TYPE: Final = 1 << 8  # Py_TPFLAGS_IMMUTABLETYPE

NOT_CALLABLE: Final = "Pass what can be called: a function, or an object whose class defines __call__."

Undo = Callable[[], None]

# What a consumer with slots only was handed, which has no place for a note. Its slot keeps it, and nothing here does.
_put_in_slots: Final[WeakTable[dict[str, Callable[[], object]]]] = WeakTable()


# What the provider has


def kind_of_cell(provider: object, cell: str) -> CellKind | None:
    """Return what *provider* would hand over under the name *cell*, or None if it has nothing there.

    A name that the provider's class only annotates counts as state: its value may come later, from
    ``__post_wire__`` for example. A method replaced on the instance stays a method; a bound method that is kept
    under a name of its own is state, since another may be kept there at any time.
    """
    if cell == CALL:  # a bound method is a cell of its object, and made anew each time it is read
        return "method" if callable(provider) and not is_bound(provider) else None
    stored = instance_dict(provider)
    defined = class_attribute(type(provider), cell)
    if cell in stored:
        return "method" if _is_function(defined) and callable(stored[cell]) else "state"
    if defined is not None:
        return "method" if _is_function(defined) else "state"
    return _kind_of_computed(provider, cell)


def _kind_of_computed(provider: object, cell: str) -> CellKind | None:
    required = required_cells(type(provider))
    if cell in required:
        return "state" if cell in wired_cells(provider) else None
    try:
        value = getattr(provider, cell)  # a buffer of a module, or whatever else its __getattr__ answers
    except AttributeError:
        return "state" if cell in annotated_names(type(provider)) else None
    return "method" if is_bound(value) else "state"


def value_of_cell(provider: Any, cell: str) -> Any:
    """Return what a consumer is handed for a cell that *provider* has."""
    return provider if cell == CALL else getattr(provider, cell)


def owns_cell(component: object, cell: str) -> bool:
    """Tell whether *component* stores *cell* or its class defines it, and nobody handed it over."""
    if cell in wired_cells(component):
        return False
    return cell in instance_dict(component) or class_attribute(type(component), cell) is not None


def cell_names(component: object) -> list[str]:
    """Return the names that *component* could hand over, private ones left out."""
    names = dict.fromkeys(instance_dict(component))
    for klass in reversed(type(component).__mro__[:-1]):
        names.update(dict.fromkeys(klass.__dict__))
    names.update(dict.fromkeys(annotated_names(type(component))))
    return [name for name in names if not name.startswith("_") and kind_of_cell(component, name)]


def class_attribute(cls: type, name: str) -> object | None:
    """Return what the class or one that it derives from stores under *name*, without binding it.

    What only announces a cell, a requirement or a state cell, is nothing of its own; a requirement that is written
    as a value hides what is behind it.
    """
    return next((value for _, value in defined_by(cls.__mro__, name)), None)


def _is_function(value: object) -> bool:
    return isinstance(value, classmethod) or (callable(value) and hasattr(type(value), "__get__"))


def is_bound(value: object) -> bool:
    """Tell whether *value* is a method with the object that it belongs to."""
    if type(value) is BuiltinMethodType:  # `[].append`, but also `len`, which is bound to its module
        return not issubclass(type(value.__self__), ModuleType)
    return type(value) is MethodType or type(value) is MethodWrapperType


def is_method_called(name: str, value: Any) -> bool:
    """Tell whether *value* is the method that its own object has under *name*."""
    owner = getattr(value, "__self__", None)
    return is_bound(value) and not isinstance(owner, type) and getattr(owner, name, None) == value


# What the consumer has room for


def holder_of_name(consumer: object, cell: str) -> str | None:
    """Return, in words, what makes *cell* an attribute of *consumer* already, or None if the name is free."""
    if cell in wired_cells(consumer):
        return f"{wired_cells(consumer)[cell].provider_id}'s cell in another orchestrator"
    for klass, defined in defined_by(type(consumer).__mro__, cell):
        if isinstance(defined, MemberDescriptorType):
            return "the value in its slot" if _is_slot_filled(defined, consumer) else None
        return f"{klass.__qualname__}.{cell} of its class"
    if cell in instance_dict(consumer):
        return "an attribute of the instance"
    if any(cell in table for table in module_tables(consumer)):
        return "a parameter, buffer or child of the module"
    return None


def _is_slot_filled(slot: MemberDescriptorType, consumer: object) -> bool:
    try:
        slot.__get__(consumer)
    except AttributeError:
        return False
    return True


def lack_of_room(consumer: object, cell: str, kind: CellKind) -> tuple[str, str] | None:
    """Return why *consumer* can't hold a cell of that kind and what to do about it, or None if it can."""
    if issubclass(type(consumer), threading.local):
        return "a threading.local has attributes of its own in each thread", "Register the component that keeps it."
    cls = type(consumer)
    has_dict = has_instance_dict(cls)
    is_slot = isinstance(class_attribute(cls, cell), MemberDescriptorType)
    if cls.__flags__ & _IMMUTABLE_TYPE and (kind == "state" or not has_dict):
        return (
            f"its class {cls.__qualname__} is built in and can't be extended",
            "Derive a class of your own from it.",
        )
    if not has_dict and cls.__dictoffset__:
        return f"its class {cls.__qualname__} hides the __dict__ of its instances", (
            "Give the attribute that hides it another name."
        )
    if not has_dict and (kind == "state" or not is_slot):
        cure = _cure_for_slots(cls, kind)
        return f"its class {cls.__qualname__} has no place for new attributes", cure
    if kind == "state" and is_slot:
        return "a state cell is looked up at every read, and a slot would keep one value", (
            _cure_for_generated_slots(cls) or f"Take {cell!r} out of the __slots__ of {cls.__qualname__}."
        )
    return None


def _cure_for_slots(cls: type, kind: CellKind) -> str:
    if cure := _cure_for_generated_slots(cls):
        return cure
    if issubclass(cls, tuple) and hasattr(cls, "_fields"):
        return "Make it a dataclass: nothing can be added to a NamedTuple."
    return "Add '__dict__' to its __slots__" + (", or the name of the cell." if kind == "method" else ".")


def _cure_for_generated_slots(cls: type) -> str:
    """Return what to do where a decorator wrote the slots of *cls*, which then nobody can add to; else nothing."""
    if "__attrs_attrs__" in cls.__dict__:
        return "Pass slots=False to its decorator of attrs, as in @define(slots=False)."
    return "Take slots=True out of its @dataclass." if _is_dataclass_with_slots(cls) else ""


def _is_dataclass_with_slots(cls: type) -> bool:
    parameters: Any = cls.__dict__.get("__dataclass_params__")
    if hasattr(parameters, "slots"):
        return bool(parameters.slots)
    fields = cls.__dict__.get("__dataclass_fields__", {})  # Python 3.11 doesn't keep what it was told
    return parameters is not None and set(cls.__dict__.get("__slots__", ())) <= set(fields)


# The binding


class Offer(NamedTuple):
    """One cell of one provider, as it is handed over."""

    provider: object
    provider_id: str
    cell: str
    kind: CellKind
    where: Location


def bind(consumer: object, given: Iterable[tuple[Offer, str]]) -> Undo:
    """Hand all of *given* over, each with the name of its interface or an empty one; return what takes all back.

    *consumer* must have room for them and the names must be free. If it fails, nothing stays bound.
    """
    notes: dict[str, Handed] = {}
    interfaces: dict[str, dict[str, Handed]] = defaultdict(dict)
    for offer, interface in given:
        if is_in_interface(offer.cell, interface):
            interfaces[interface][offer.cell] = _handed(offer)
        else:
            notes[interface or offer.cell] = _handed(offer)
    for interface, cells in interfaces.items():
        first = next(iter(cells.values()))
        notes[interface] = first._replace(value=new_interface(consumer, interface, cells))

    def undo() -> None:
        strike(consumer, notes)
        for name, handed in notes.items():
            if handed.value is not None:  # after the note: a state cell of that name on the class would refuse
                _forget(consumer, name)

    try:
        _put(consumer, notes)
    except BaseException:
        undo()
        raise
    return undo


def _handed(offer: Offer) -> Handed:
    value = value_of_cell(offer.provider, offer.cell) if offer.kind == "method" else None
    return Handed(offer.provider, offer.provider_id, offer.where, value)


def _put(consumer: object, notes: Mapping[str, Handed]) -> None:
    for name, handed in notes.items():
        if handed.value is None:
            _install_state_cell(type(consumer), name)
    note(consumer, notes)  # first, so that whoever copies the consumer meets it before a provider
    for name, handed in notes.items():
        if handed.value is not None:
            _store(consumer, name, _kept(handed))


def _kept(handed: Handed) -> object:
    """Return what the consumer keeps under the name of a cell or an interface."""
    return handed.value.view if isinstance(handed.value, Interface) else handed.value


def _forget(consumer: object, name: str) -> None:
    # A hook may have deleted it, or assigned a child module, which torch keeps elsewhere.
    with suppress(AttributeError):
        object.__delattr__(consumer, name)


def rebind(offer: Offer, consumer: object, interface: str = "") -> None:
    """Let a cell that *consumer* was handed come from another provider from now on.

    What the consumer has put in its place meanwhile stays there.
    """
    name = interface or offer.cell
    is_replaced = _is_assigned_over(consumer, name)
    original = original_provider(consumer, offer.cell, interface)
    handed = _handed(offer)._replace(original=None if original is offer.provider else original)
    if is_in_interface(offer.cell, interface):
        cells = {**_cells_of_interface(consumer, interface), offer.cell: handed}
        handed = handed._replace(value=changed_interface(consumer, interface, cells))
    note(consumer, {name: handed})
    if handed.value is not None and not is_replaced:
        _store(consumer, name, _kept(handed))


def is_handed_by(provider: object, consumer: object, cell: str, interface: str = "") -> bool:
    """Tell whether *consumer* was handed a cell by *provider*; of one with slots only, whether it keeps just that."""
    handed = _note_of(consumer, cell, interface)
    if handed is not None:
        return handed.provider is provider
    kept = None if has_instance_dict(type(consumer)) else _in_slot(consumer, interface or cell)
    given = provider if cell == CALL else getattr(provider, cell, None) if callable(kept) else None
    return kept is not None and (kept is given or (is_bound(kept) and is_bound(given) and kept == given))


def original_provider(consumer: object, cell: str, interface: str = "") -> object | None:
    """Return the provider of a cell that *consumer* was handed, whoever stands in for it now; or None."""
    handed = _note_of(consumer, cell, interface)
    return handed and (handed.provider if handed.original is None else handed.original)


def _note_of(consumer: object, cell: str, interface: str) -> Handed | None:
    if is_in_interface(cell, interface):
        return _cells_of_interface(consumer, interface).get(cell)
    return wired_cells(consumer).get(interface or cell)


def _cells_of_interface(consumer: object, interface: str) -> Mapping[str, Handed]:
    handed = wired_cells(consumer).get(interface)
    if handed is not None:
        return handed.value.cells if isinstance(handed.value, Interface) else {}
    kept = _in_slot(consumer, interface)  # one with slots only keeps no note, but the view
    return wired_cells(kept) if isinstance(kept, InterfaceView) else {}


def is_in_interface(cell: str, interface: str) -> bool:
    """Tell whether a cell is read below *interface*, which otherwise is empty or what a callable is called by."""
    return bool(interface) and cell != CALL


# What is in the place of a cell


def cell_lost_on_class(consumer: object, name: str) -> str | None:
    """Return, in words, what on its class keeps *consumer* from reading a cell that it was handed, or None.

    Python lets nobody know when an attribute of a class is assigned; so it is looked at where cells matter.
    """
    handed = wired_cells(consumer).get(name)
    if handed is None:
        return None
    for klass in type(consumer).__mro__:
        if name in klass.__dict__:
            is_lost = _is_lost_behind(klass.__dict__[name], handed)
            return f"{klass.__qualname__}.{name} was assigned, for all instances" if is_lost else None
    return f"{type(consumer).__qualname__}.{name} was deleted, for all instances" if handed.value is None else None


def _is_lost_behind(defined: object, handed: Handed) -> bool:
    if isinstance(defined, StateCell | MemberDescriptorType):
        return False
    return handed.value is None or isdatadescriptor(defined)  # else what the instance keeps is read


def replaced_cell(consumer: object, name: str) -> str | None:
    """Return, in words, what stands in the place of a cell that *consumer* was handed, or None if the cell does."""
    if _is_assigned_over(consumer, name):
        return "another value was assigned in its place, or it was deleted"
    return cell_lost_on_class(consumer, name)


def _is_assigned_over(consumer: object, name: str) -> bool:
    handed = wired_cells(consumer).get(name)
    if handed is None:
        reference = (_put_in_slots.get(consumer) or {}).get(name)
        return reference is not None and reference() is not _in_slot(consumer, name)
    if handed.value is None:
        return False
    is_slot = isinstance(class_attribute(type(consumer), name), MemberDescriptorType)
    kept = _in_slot(consumer, name) if is_slot else instance_dict(consumer).get(name)
    return kept is not _kept(handed)


def _in_slot(consumer: object, name: str) -> Any:
    """Return what the slot of that name holds; None if it is empty, or there is none."""
    slot = class_attribute(type(consumer), name)
    return (
        slot.__get__(consumer) if isinstance(slot, MemberDescriptorType) and _is_slot_filled(slot, consumer) else None
    )


def _store(consumer: object, name: str, value: object) -> None:
    # Past the class's own __setattr__: a frozen dataclass refuses there, others may do work. And past a state cell
    # of that name, which stands on the class for other instances and refuses whatever is handed over already.
    if has_instance_dict(type(consumer)) and not isinstance(
        class_attribute(type(consumer), name), MemberDescriptorType
    ):
        instance_dict(consumer)[name] = value
        return
    object.__setattr__(consumer, name, value)
    if is_weakly_referable(value):
        _put_in_slots.put(consumer, {**(_put_in_slots.get(consumer) or {}), name: weakref.ref(value)})


def _install_state_cell(cls: type, cell: str) -> None:
    """Put the descriptor on the class, for good: unwired it is inert, and others may be wired by then."""
    installed = next((klass.__dict__[cell] for klass in cls.__mro__ if cell in klass.__dict__), None)
    if not isinstance(installed, StateCell):
        type.__setattr__(cls, cell, StateCell(cell, installed if isinstance(installed, Requires) else None))
    guard_assignment(cls)
