"""Assignments that never come to a state cell, since the class has a ``__setattr__`` of its own that goes round it.

``nn.Module`` is the case in point: it puts a child module or a parameter into tables of its own before anybody asks
what stands on the class, so that the consumer would save one value and read another; ``register_buffer`` and its like
lead there too. Only classes that hold a state cell get the check, and only those whose assignments Python does not do
itself. A module is known by its methods, so that no array library is imported.
"""

from functools import wraps
from typing import Any, Final

from wiremap.registry.state_cell import TABLE, StateCell

_MARK: Final = "__wiremap_guard__"
_REGISTERING: Final = ("register_buffer", "register_parameter", "add_module")


def guard_assignment(cls: type) -> None:
    """Let the state cells of *cls* be asked first when an attribute of an instance is assigned or registered."""
    written: Any = cls.__setattr__
    if written is object.__setattr__ or hasattr(written, _MARK):
        return
    _put(cls, "__setattr__", _around_own(written) if "__setattr__" in vars(cls) else _around_inherited(cls))
    if all(hasattr(cls, method) for method in _REGISTERING):
        for method in _REGISTERING:
            _put(cls, method, _around_registering(getattr(cls, method)))


def _put(cls: type, method: str, guarded: Any) -> None:
    setattr(guarded, _MARK, True)
    type.__setattr__(cls, method, guarded)


def _around_inherited(cls: type[Any]) -> Any:
    def __setattr__(self: Any, name: str, value: object) -> None:  # noqa: N807 -- it becomes that method
        if name in self.__dict__.get(TABLE, ()):
            _refuse(self, name)
        super(cls, self).__setattr__(name, value)  # spelt so, torch.compile knows it again

    return __setattr__


def _around_own(written: Any) -> Any:
    def __setattr__(self: Any, name: str, value: object) -> None:  # noqa: N807 -- it becomes that method
        if name in self.__dict__.get(TABLE, ()):
            _refuse(self, name)
        written(self, name, value)

    return __setattr__


def _around_registering(written: Any) -> Any:
    @wraps(written)
    def register(self: Any, name: str, *args: Any, **kwargs: Any) -> None:
        if name in self.__dict__.get(TABLE, ()):
            _refuse(self, name)
        written(self, name, *args, **kwargs)

    return register


def _refuse(instance: object, name: str) -> None:
    for klass in type(instance).__mro__:
        found = klass.__dict__.get(name)
        if isinstance(found, StateCell):
            found.refuse_if_wired(instance)
