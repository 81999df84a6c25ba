"""Assignments that never come to a state cell, since the class has a ``__setattr__`` of its own that goes round it.

``nn.Module`` is the case in point: it puts a child module or a parameter into tables of its own before anybody asks
what stands on the class, so that the consumer would save one value and read another; ``register_buffer`` and its like
lead there too. Only classes that hold a state cell get the check, and only those whose assignments Python does not do
itself. A module is known by its methods, so that no array library is imported.
"""

from functools import wraps
from types import FunctionType
from typing import Any, Final
from weakref import WeakSet

from wiremap.registry.state_cell import TABLE, StateCell, wired_cells

# Not a mark on the function: ``functools.wraps`` would copy it to a method that goes round the guard.
_guards: Final[WeakSet[Any]] = WeakSet()
_REGISTERING: Final = ("register_buffer", "register_parameter", "add_module")


def guard_assignment(cls: type) -> None:
    """Let the state cells of *cls* be asked first when an attribute of an instance is assigned or registered."""
    written: Any = cls.__setattr__
    if written is object.__setattr__:
        return
    if not _is_guard(written):
        _put(cls, "__setattr__", _around_own(written) if "__setattr__" in vars(cls) else _around_inherited(cls))
    if all(hasattr(cls, method) for method in _REGISTERING):
        for method in _REGISTERING:
            registering = getattr(cls, method)
            if not _is_guard(registering):
                _put(cls, method, _around_registering(registering))


def _is_guard(method: Any) -> bool:
    return isinstance(method, FunctionType) and method in _guards


def _put(cls: type, method: str, guarded: Any) -> None:
    _guards.add(guarded)
    type.__setattr__(cls, method, guarded)


def _around_inherited(cls: type[Any]) -> Any:
    def __setattr__(self: Any, name: str, value: object) -> None:  # noqa: N807 -- it becomes that method
        if _is_handed(self, name):
            _refuse(self, name)
        super(cls, self).__setattr__(name, value)  # spelt so, torch.compile knows it again

    return __setattr__


def _around_own(written: Any) -> Any:
    def __setattr__(self: Any, name: str, value: object) -> None:  # noqa: N807 -- it becomes that method
        if _is_handed(self, name):
            _refuse(self, name)
        written(self, name, value)

    return __setattr__


def _around_registering(written: Any) -> Any:
    @wraps(written)
    def register(self: Any, name: str, *args: Any, **kwargs: Any) -> None:
        if _is_handed(self, name):
            _refuse(self, name)
        written(self, name, *args, **kwargs)

    return register


def _is_handed(instance: Any, name: str) -> bool:
    try:
        return name in instance.__dict__.get(TABLE, ())
    except Exception:  # noqa: BLE001 -- the class of the instance hides the __dict__ in whatever way
        return name in wired_cells(instance)


def _refuse(instance: object, name: str) -> None:
    for klass in type(instance).__mro__:
        found = klass.__dict__.get(name)
        if isinstance(found, StateCell):
            found.refuse_if_wired(instance)
