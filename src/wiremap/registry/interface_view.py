"""What a consumer keeps under the name of an interface, and how one that is kept elsewhere stays up to date."""

import weakref
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from wiremap.registry.attributes import instance_dict
from wiremap.registry.cell_table import CellTable, note
from wiremap.registry.requirements import Requires
from wiremap.registry.state_cell import TABLE, Handed, StateCell, wired_cells
from wiremap.registry.weak_table import is_weakly_referable


class InterfaceView:
    """What a consumer reads below the name of an interface: the cells of it, and nothing else of the provider."""

    def __repr__(self) -> str:
        cells = ", ".join(f"{cell} of {handed.provider_id}" for cell, handed in sorted(wired_cells(self).items()))
        return f"<{type(self).__name__}: {cells}>"


class Interface(NamedTuple):
    """What the note in a consumer says of an interface.

    A shallow copy of the consumer shares the view, and the note: so that says whose view it is, and what the
    copy was handed, whatever the view comes to read later.
    """

    view: InterfaceView
    owner: Callable[[], object]
    cells: Mapping[str, Handed]


class InterfaceCell(StateCell):
    """Gives each shallow copy of a consumer a view of its own, once it could read what the copy was not handed.

    It stands on the class from the first override on, not before: till then all views read the same, and a read
    through one costs no more than a read of an attribute.
    """

    __slots__ = ()

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        if instance is None:
            return super().__get__(instance, owner)
        handed = wired_cells(instance).get(self.name)
        if handed is not None and handed.value is None:
            return super().__get__(instance, owner)
        kept = self._read_unwired(instance, owner)
        shared = handed and handed.value
        if handed is None or not isinstance(shared, Interface) or kept is not shared.view:
            return kept  # this was assigned
        if shared.owner() is instance:
            return kept
        own = new_interface(instance, self.name, shared.cells)
        note(instance, {self.name: handed._replace(value=own)})
        instance_dict(instance)[self.name] = own.view
        return own.view

    def is_wired(self, instance: object) -> bool:
        """Tell whether *instance* was handed a state cell of this name, for a view can be assigned over."""
        return super().is_wired(instance) and wired_cells(instance)[self.name].value is None


def new_interface(consumer: object, name: str, cells: Mapping[str, Handed]) -> Interface:
    """Return a view of *cells* for *consumer*, with what is to be noted of it."""
    owner: Callable[[], object] = weakref.ref(consumer) if is_weakly_referable(consumer) else _nobody
    return _shown(_view_class(type(consumer), name)(), owner, cells)


def changed_interface(consumer: object, name: str, cells: Mapping[str, Handed]) -> Interface:
    """Let the view that *consumer* has under *name* show *cells* from now on, wherever it is kept."""
    noted = wired_cells(consumer).get(name)
    interface = noted and noted.value
    if not isinstance(interface, Interface) or interface.owner() is not consumer:
        return new_interface(consumer, name, cells)  # it keeps no note, or is a copy of what the note is about
    _install(type(consumer), name)
    return _shown(interface.view, interface.owner, cells)


def _shown(view: InterfaceView, owner: Callable[[], object], cells: Mapping[str, Handed]) -> Interface:
    cls = type(view)
    for cell, handed in cells.items():
        if handed.value is None and cell not in vars(cls):
            setattr(cls, cell, StateCell(cell))
    table = CellTable(cls.__name__, cells)
    methods = {cell: handed.value for cell, handed in cells.items() if handed.value is not None}
    vars(view).update({TABLE: table, **methods})
    return Interface(view, owner, table)


def _install(cls: type, name: str) -> None:
    """Put the descriptor on the class, for good, as that of a state cell is."""
    installed = next((klass.__dict__[name] for klass in cls.__mro__ if name in klass.__dict__), None)
    if isinstance(installed, StateCell) and not isinstance(installed, InterfaceCell):
        type.__setattr__(cls, name, InterfaceCell(name, installed.declared))
    elif isinstance(installed, Requires):
        type.__setattr__(cls, name, InterfaceCell(name, installed))


def _nobody() -> None:
    return None


_view_classes: "weakref.WeakKeyDictionary[type, dict[str, type[InterfaceView]]]" = weakref.WeakKeyDictionary()


def _view_class(consumer_class: type, interface: str) -> type[InterfaceView]:
    """Return the class whose instances are kept under *interface*: one per class, since it has its state cells."""
    known = _view_classes.setdefault(consumer_class, {})
    name = f"{consumer_class.__name__}.{interface}"
    return known.get(interface) or known.setdefault(interface, type(name, (InterfaceView,), {}))
