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
from collections.abc import Callable, Iterator
from contextlib import suppress
from types import BuiltinMethodType, MemberDescriptorType, MethodType, ModuleType
from typing import Any, Final, NamedTuple

from wiremap.graph import CALL, CellKind
from wiremap.registry.assignment import guard_assignment
from wiremap.registry.attributes import instance_dict
from wiremap.registry.cell_table import CellTable
from wiremap.registry.location import Location
from wiremap.registry.requirements import Requires, annotated_names, required_cells
from wiremap.registry.state_cell import TABLE, Handed, StateCell, wired_cells

_MODULE_TABLES: Final = ("_parameters", "_buffers", "_modules")
_IMMUTABLE_TYPE: Final = 1 << 8  # Py_TPFLAGS_IMMUTABLETYPE

NOT_CALLABLE: Final = "Pass what can be called: a function, or an object whose class defines __call__."

Undo = Callable[[], None]


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

    What only announces a cell, a requirement or a state cell, is nothing of its own.
    """
    return next((value for _, value in _class_attributes(cls, name)), None)


def _class_attributes(cls: type, name: str) -> Iterator[tuple[type, object]]:
    for klass in cls.__mro__:
        if name in klass.__dict__ and not isinstance(klass.__dict__[name], StateCell | Requires):
            yield klass, klass.__dict__[name]


def _is_function(value: object) -> bool:
    return isinstance(value, classmethod) or (callable(value) and hasattr(type(value), "__get__"))


def is_bound(value: object) -> bool:
    """Tell whether *value* is a method with the object that it belongs to."""
    if type(value) is BuiltinMethodType:  # `[].append`, but also `len`, which is bound to its module
        return not issubclass(type(value.__self__), ModuleType)
    return type(value) is MethodType


def is_method_called(name: str, value: Any) -> bool:
    """Tell whether *value* is the method that its own object has under *name*."""
    owner = getattr(value, "__self__", None)
    return is_bound(value) and not isinstance(owner, type) and getattr(owner, name, None) == value


# What the consumer has room for


def holder_of_name(consumer: object, cell: str) -> str | None:
    """Return, in words, what makes *cell* an attribute of *consumer* already, or None if the name is free."""
    if cell in wired_cells(consumer):
        return f"{wired_cells(consumer)[cell].provider_id}'s cell in another orchestrator"
    for klass, defined in _class_attributes(type(consumer), cell):
        if isinstance(defined, MemberDescriptorType):
            return "the value in its slot" if _is_slot_filled(defined, consumer) else None
        return f"{klass.__qualname__}.{cell} of its class"
    stored = instance_dict(consumer)
    if cell in stored:
        return "an attribute of the instance"
    if any(cell in stored[table] for table in _MODULE_TABLES if isinstance(stored.get(table), dict)):
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
    has_dict = cls.__dictoffset__ != 0
    is_slot = isinstance(class_attribute(cls, cell), MemberDescriptorType)
    if cls.__flags__ & _IMMUTABLE_TYPE and (kind == "state" or not has_dict):
        return (
            f"its class {cls.__qualname__} is built in and can't be extended",
            "Derive a class of your own from it.",
        )
    if not has_dict and (kind == "state" or not is_slot):
        cure = _cure_for_slots(cls, kind)
        return f"its class {cls.__qualname__} has no place for new attributes", cure
    if kind == "state" and is_slot:
        return "a state cell is looked up at every read, and a slot would keep one value", (
            "Take slots=True out of its @dataclass."
            if _has_generated_slots(cls)
            else f"Take {cell!r} out of the __slots__ of {cls.__qualname__}."
        )
    return None


def _cure_for_slots(cls: type, kind: CellKind) -> str:
    if _has_generated_slots(cls):
        return "Take slots=True out of its @dataclass."
    return "Add '__dict__' to its __slots__" + (", or the name of the cell." if kind == "method" else ".")


def _has_generated_slots(cls: type) -> bool:
    """Tell whether ``@dataclass(slots=True)`` wrote the slots of *cls*, which then nobody can add to."""
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


def bind(offer: Offer, consumer: object, name: str) -> Undo:
    """Hand the cell over under *name*, which is its own unless it is a callable; return what takes it back.

    *consumer* must have room for it and the name must be free.
    """
    if offer.kind == "state":
        _install_state_cell(type(consumer), name)
    else:
        method = value_of_cell(offer.provider, offer.cell)
        _open_table(consumer)  # first, so that whoever copies the consumer meets it before a provider
        _store(consumer, name, method)
    _note(consumer, name, offer)

    def undo() -> None:
        _strike(consumer, name)
        if offer.kind == "method":  # after the note: a state cell of the same name on the class would refuse
            _forget(consumer, name)

    return undo


def bind_in_interface(offer: Offer, consumer: object, interface: str) -> Undo:
    """Hand the cell over below the name *interface* of *consumer*, and return what takes it back."""
    if interface not in wired_cells(consumer):
        _open_table(consumer)
        _store(consumer, interface, _view_class(type(consumer), interface)())
        _note(consumer, interface, offer)
    view = instance_dict(consumer)[interface]
    take_back = bind(offer, view, offer.cell)

    def undo() -> None:
        take_back()
        if not wired_cells(view):
            _strike(consumer, interface)
            _forget(consumer, interface)

    return undo


def _forget(consumer: object, name: str) -> None:
    # A hook may have deleted it, or assigned a child module, which torch keeps elsewhere.
    with suppress(AttributeError):
        object.__delattr__(consumer, name)


def rebind(offer: Offer, consumer: object, interface: str = "") -> None:
    """Let a cell that *consumer* was handed come from another provider from now on."""
    holder, name = _place(consumer, offer.cell, interface)
    if offer.kind == "method":
        _store(holder, name, value_of_cell(offer.provider, offer.cell))
    _note(holder, name, offer)
    if interface:
        _note(consumer, interface, offer)


def handed_by(consumer: object, cell: str, interface: str = "") -> object | None:
    """Return the provider of a cell that *consumer* was handed, or None."""
    holder, name = _place(consumer, cell, interface)
    handed = wired_cells(holder).get(name)
    return handed and handed.provider


def is_in_interface(cell: str, interface: str) -> bool:
    """Tell whether a cell is read below *interface*, which otherwise is empty or what a callable is called by."""
    return bool(interface) and cell != CALL


def _place(consumer: object, cell: str, interface: str) -> tuple[object, str]:
    """Return what holds a cell for *consumer*, if anything does yet, and under which name."""
    if is_in_interface(cell, interface):
        return instance_dict(consumer).get(interface), cell
    return consumer, interface or cell


class InterfaceView:
    """What a consumer reads below the name of an interface: the cells of it, and nothing else of the provider."""

    def __repr__(self) -> str:
        cells = ", ".join(f"{cell} of {handed.provider_id}" for cell, handed in sorted(wired_cells(self).items()))
        return f"<{type(self).__name__}: {cells}>"


_view_classes: "weakref.WeakKeyDictionary[type, dict[str, type[InterfaceView]]]" = weakref.WeakKeyDictionary()


def _view_class(consumer_class: type, interface: str) -> type[InterfaceView]:
    """Return the class whose instances are kept under *interface*: one per class, since it has its state cells."""
    known = _view_classes.setdefault(consumer_class, {})
    name = f"{consumer_class.__name__}.{interface}"
    return known.get(interface) or known.setdefault(interface, type(name, (InterfaceView,), {}))


def _store(consumer: object, name: str, value: object) -> None:
    # Past the class's own __setattr__: a frozen dataclass refuses there, others may do work. And past a state cell
    # of that name, which stands on the class for other instances and refuses whatever is handed over already.
    if type(consumer).__dictoffset__ and not isinstance(class_attribute(type(consumer), name), MemberDescriptorType):
        instance_dict(consumer)[name] = value
    else:
        object.__setattr__(consumer, name, value)


def _open_table(consumer: object) -> None:
    stored = instance_dict(consumer)
    if TABLE not in stored and type(consumer).__dictoffset__:
        stored[TABLE] = CellTable(type(consumer).__name__)


def _note(consumer: object, name: str, offer: Offer) -> None:
    if type(consumer).__dictoffset__:  # one with slots only has no place for notes, and holds no state cell
        _open_table(consumer)
        wired_cells(consumer)[name] = Handed(offer.provider, offer.provider_id, offer.where)


def _strike(consumer: object, cell: str) -> None:
    table = wired_cells(consumer)
    table.pop(cell, None)
    if not table:
        instance_dict(consumer).pop(TABLE, None)


def _install_state_cell(cls: type, cell: str) -> None:
    """Put the descriptor on the class, for good: unwired it is inert, and others may be wired by then."""
    installed = next((klass.__dict__[cell] for klass in cls.__mro__ if cell in klass.__dict__), None)
    if not isinstance(installed, StateCell):
        type.__setattr__(cls, cell, StateCell(cell, installed if isinstance(installed, Requires) else None))
    guard_assignment(cls)
