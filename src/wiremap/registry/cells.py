"""How a cell is handed over: what kind it is, whether the consumer has room for it, and the binding itself.

A **method cell** is the provider's bound method, kept in the instance of the consumer under the name of
the cell: a call costs what a call of any bound method kept in an attribute costs. A **state cell** is a
data descriptor on the consumer's class that asks the provider at every read; only instances that were
wired notice it. Both note the provider in the consumer's ``__dict__`` under ``TABLE``, so a provider lives
as long as its consumers, and nothing outlives them.
"""

from collections.abc import Callable
from types import BuiltinMethodType, MemberDescriptorType, MethodType, ModuleType
from typing import Any, Final

from wiremap.errors import StateCellAssignmentError, StateCellUnsetError
from wiremap.graph import CellKind
from wiremap.registry.attributes import instance_dict
from wiremap.registry.cell_table import CellTable
from wiremap.registry.requirements import annotated_names, required_cells

TABLE: Final = "__wiremap__"
"""Key in a consumer's ``__dict__``: from the name of a cell to its provider and the provider's id."""

_MODULE_TABLES: Final = ("_parameters", "_buffers", "_modules")
_IMMUTABLE_TYPE: Final = 1 << 8  # Py_TPFLAGS_IMMUTABLETYPE

Undo = Callable[[], None]


class StateCell:
    """Reads attribute ``name`` from the provider of the instance that is asked; see the module."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        if instance is None:
            raise AttributeError(f"type object {owner and owner.__name__!r} has no attribute {self.name!r}")
        try:
            provider = instance.__dict__[TABLE][self.name][0]
        except KeyError:
            return self._read_unwired(instance)
        try:
            return getattr(provider, self.name)
        except AttributeError as error:
            raise StateCellUnsetError(self.name, type(instance).__name__, self._owner(instance)) from error

    def __set__(self, instance: Any, value: object) -> None:
        self._refuse_if_wired(instance)
        instance.__dict__[self.name] = value

    def __delete__(self, instance: Any) -> None:
        self._refuse_if_wired(instance)
        if self.name not in instance.__dict__:
            raise self._no_such_attribute(instance)
        del instance.__dict__[self.name]

    def is_wired(self, instance: object) -> bool:
        """Tell whether *instance* was handed this cell."""
        return self.name in wired_cells(instance)

    def _read_unwired(self, instance: Any) -> Any:
        try:
            return instance.__dict__[self.name]
        except KeyError:
            raise self._no_such_attribute(instance) from None

    def _no_such_attribute(self, instance: object) -> AttributeError:
        text = f"{type(instance).__name__!r} object has no attribute {self.name!r}"
        return AttributeError(text, name=self.name, obj=instance)

    def _refuse_if_wired(self, instance: object) -> None:
        if self.is_wired(instance):
            raise StateCellAssignmentError(self.name, type(instance).__name__, self._owner(instance))

    def _owner(self, instance: object) -> str:
        return wired_cells(instance)[self.name][1]


def wired_cells(consumer: object) -> dict[str, tuple[object, str]]:
    """Return, for each cell that *consumer* was handed, the provider and the provider's id."""
    table: dict[str, tuple[object, str]] = instance_dict(consumer).get(TABLE, {})
    return table


# What the provider has


def kind_of_cell(provider: object, cell: str) -> CellKind | None:
    """Return what *provider* would hand over under the name *cell*, or None if it has nothing there.

    A name that the provider's class only annotates counts as state: its value may come later, from
    ``__post_wire__`` for example. A method replaced on the instance stays a method.
    """
    stored = instance_dict(provider)
    defined = class_attribute(type(provider), cell)
    if isinstance(defined, StateCell) and not defined.is_wired(provider):
        defined = None
    if cell in stored:
        is_method = _is_bound(stored[cell]) or (_is_function(defined) and callable(stored[cell]))
        return "method" if is_method else "state"
    if defined is not None:
        return "method" if _is_function(defined) else "state"
    return _kind_of_computed(provider, cell)


def _kind_of_computed(provider: object, cell: str) -> CellKind | None:
    try:
        value = getattr(provider, cell)  # a buffer of a module, or whatever else its __getattr__ answers
    except AttributeError:
        annotated = annotated_names(type(provider)) - required_cells(type(provider))
        return "state" if cell in annotated else None
    return "method" if _is_bound(value) else "state"


def owns_cell(component: object, cell: str) -> bool:
    """Tell whether *component* stores *cell* or its class defines it, and nobody handed it over."""
    if cell in wired_cells(component):
        return False
    defined = class_attribute(type(component), cell)
    return cell in instance_dict(component) or not (defined is None or isinstance(defined, StateCell))


def class_attribute(cls: type, name: str) -> object | None:
    """Return what the class or one that it derives from stores under *name*, without binding it."""
    return next((klass.__dict__[name] for klass in cls.__mro__ if name in klass.__dict__), None)


def _is_function(value: object) -> bool:
    return isinstance(value, classmethod) or (callable(value) and hasattr(type(value), "__get__"))


def _is_bound(value: object) -> bool:
    if isinstance(value, BuiltinMethodType):  # `[].append`, but also `len`, which is bound to its module
        return not isinstance(value.__self__, ModuleType)
    return isinstance(value, MethodType)


# What the consumer has room for


def holder_of_name(consumer: object, cell: str) -> str | None:
    """Return, in words, what makes *cell* an attribute of *consumer* already, or None if the name is free."""
    if cell in wired_cells(consumer):
        return f"the cell that {wired_cells(consumer)[cell][1]} hands it in another orchestrator"
    for klass in type(consumer).__mro__:
        defined = klass.__dict__.get(cell)
        if isinstance(defined, MemberDescriptorType):
            return "the value in its slot" if _is_slot_filled(defined, consumer) else None
        if cell in klass.__dict__ and not isinstance(defined, StateCell):
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
    if isinstance(consumer, type):
        return "it is a class, not an instance", "Register an instance of it."
    cls = type(consumer)
    has_dict = cls.__dictoffset__ != 0
    is_slot = isinstance(class_attribute(cls, cell), MemberDescriptorType)
    if cls.__flags__ & _IMMUTABLE_TYPE and (kind == "state" or not has_dict):
        return (
            f"its class {cls.__qualname__} is built in and can't be extended",
            "Derive a class of your own from it.",
        )
    if not has_dict and (kind == "state" or not is_slot):
        cure = "Add '__dict__' to its __slots__" + (f", or {cell!r}." if kind == "method" else ".")
        return f"its class {cls.__qualname__} has no place for new attributes", cure
    if kind == "state" and is_slot:
        return "a state cell is looked up at every read, and a slot would keep one value", (
            f"Take {cell!r} out of the __slots__ of {cls.__qualname__}."
        )
    return None


# The binding


def bind(provider: object, provider_id: str, cell: str, consumer: object, kind: CellKind) -> Undo:
    """Hand the cell over, and return what takes it back.

    *consumer* must have room for it and the name must be free.
    """
    stored = instance_dict(consumer)
    if TABLE not in stored and type(consumer).__dictoffset__:
        # Before the first cell, so that whoever copies a consumer meets it before a provider.
        stored[TABLE] = CellTable(type(consumer).__name__)
    if kind == "state":
        _install_state_cell(type(consumer), cell)
    else:
        # Past the class's own __setattr__: a frozen dataclass refuses there, others may do work.
        object.__setattr__(consumer, cell, getattr(provider, cell))
    wired_cells(consumer)[cell] = (provider, provider_id)

    def undo() -> None:
        table = wired_cells(consumer)
        table.pop(cell, None)
        if not table:
            instance_dict(consumer).pop(TABLE, None)
        if kind == "method":  # after the table: a state cell of the same name on the class would refuse
            object.__delattr__(consumer, cell)

    return undo


def _install_state_cell(cls: type, cell: str) -> None:
    """Put the descriptor on the class, for good: unwired it is inert, and others may be wired by then."""
    if not isinstance(class_attribute(cls, cell), StateCell):
        type.__setattr__(cls, cell, StateCell(cell))
