"""Assignments that never come to a state cell, since the class has a ``__setattr__`` of its own that goes round it.

``nn.Module`` is the case in point: it puts a child module or a parameter into tables of its own before anybody asks
what stands on the class, so that the consumer would save one value and read another. Only classes that hold a state
cell get the check, and only those whose assignments Python does not do itself.
"""

from typing import Any, Final

from wiremap.registry.state_cell import TABLE, StateCell

_MARK: Final = "__wiremap_guard__"


def guard_assignment(cls: type) -> None:
    """Let the state cells of *cls* be asked first when an attribute of an instance is assigned."""
    written: Any = cls.__setattr__
    if written is object.__setattr__ or hasattr(written, _MARK):
        return
    guarded = _around_own(written) if "__setattr__" in vars(cls) else _around_inherited(cls)
    setattr(guarded, _MARK, True)
    type.__setattr__(cls, "__setattr__", guarded)


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


def _refuse(instance: object, name: str) -> None:
    for klass in type(instance).__mro__:
        found = klass.__dict__.get(name)
        if isinstance(found, StateCell):
            found.refuse_if_wired(instance)
