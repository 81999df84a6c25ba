"""The descriptor behind a state cell, and the note in a consumer of what it was handed."""

from collections.abc import Iterable, Iterator
from inspect import isdatadescriptor
from typing import Any, Final, NamedTuple, Protocol

from wiremap.errors import ModuleStateCellUnsetError, StateCellAssignmentError, StateCellUnsetError
from wiremap.registry.attributes import answers_itself, instance_dict
from wiremap.registry.location import Location

NOTHING: Final = object()
TABLE: Final = "__wiremap__"
"""Key in a consumer's ``__dict__``: from the name of a cell to the note of who hands it over."""


class Handed(NamedTuple):
    """Who hands a cell over, and the line that registered it.

    ``value`` is what the consumer keeps under the name of the cell; None for a state cell, of which it keeps nothing.
    ``original`` is the provider for which another one stands in; None where none does.
    """

    provider: object
    provider_id: str
    where: Location
    value: object = None
    original: object = None


class Declaration(Protocol):
    """What a class may have declared under the name of a cell; see ``wiremap.registry.requirements``."""

    @property
    def is_written(self) -> bool:
        """Whether that is a value; see ``Announcement``."""
        ...

    def __get__(self, instance: Any, owner: type | None = None) -> Any: ...


class Announcement:
    """What stands on a class under the name of a cell and is nothing of its own: a requirement or a state cell.

    Attributes:
        is_written: Whether the class says so by a value. That hides what is defined further up, as any value does;
            whatever else was put there lets it show.
    """

    __slots__ = ()
    is_written: bool


def defined_by(classes: Iterable[type], name: str) -> Iterator[tuple[type, Any]]:
    """Yield, with its class, what *classes* define under *name*, unbound, down to a requirement that hides the rest."""
    for klass in classes:
        if name in klass.__dict__:
            value = klass.__dict__[name]
            if not isinstance(value, Announcement):
                yield klass, value
            elif value.is_written:
                return


def behind(announcement: Announcement, cls: type, name: str) -> Any:
    """Return what *cls* would have under *name* without *announcement*, unbound; ``NOTHING`` if there is nothing."""
    classes = iter(cls.__mro__)
    any(klass.__dict__.get(name) is announcement for klass in classes)  # goes on behind it
    return next((value for _, value in defined_by(classes, name)), NOTHING)


def bound(defined: Any, instance: object, owner: type | None) -> Any:
    """Return what Python gives to who reads *defined*, an attribute of a class, from *instance*."""
    get = getattr(type(defined), "__get__", None)
    return defined if get is None else get(defined, instance, owner)


class StateCell(Announcement):
    """Reads attribute ``name`` from the provider of the instance that is asked.

    It stands on the consumer's class; only instances that were handed the cell notice it. ``declared`` is
    the requirement that the class declares under that name, if it does: it answers for the class.
    """

    __slots__ = ("declared", "is_written", "name")

    def __init__(self, name: str, declared: Declaration | None = None) -> None:
        self.name = name
        self.declared = declared
        self.is_written = declared is not None and declared.is_written

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        if instance is None:
            return self._read_of_class(owner)
        try:
            provider = instance.__dict__[TABLE][self.name][0]  # by number: this is every read
        except Exception:  # noqa: BLE001 -- it is not wired, or its class hides the __dict__ in whatever way
            handed = wired_cells(instance).get(self.name)
            if handed is None:
                return self._read_unwired(instance, owner)
            provider = handed.provider
        try:
            return getattr(provider, self.name)
        except AttributeError as error:
            raise self._unset(instance) from error

    def __set__(self, instance: Any, value: object) -> None:
        self.refuse_if_wired(instance)
        defined = behind(self, type(instance), self.name)
        if hasattr(type(defined), "__set__"):
            defined.__set__(instance, value)
        else:
            instance_dict(instance)[self.name] = value

    def __delete__(self, instance: Any) -> None:
        self.refuse_if_wired(instance)
        defined = behind(self, type(instance), self.name)
        if hasattr(type(defined), "__delete__"):
            defined.__delete__(instance)
            return
        stored = instance_dict(instance)
        if self.name not in stored:
            raise self._no_such_attribute(instance)
        del stored[self.name]

    def is_wired(self, instance: object) -> bool:
        """Tell whether *instance* was handed this cell."""
        return self.name in wired_cells(instance)

    def refuse_if_wired(self, instance: object) -> None:
        """Raise, naming the owner, if *instance* was handed this cell.

        Raises:
            StateCellAssignmentError: It was.
        """
        if self.is_wired(instance):
            raise StateCellAssignmentError(self.name, type(instance).__name__, self._owner(instance))

    def _read_of_class(self, owner: type | None) -> Any:
        if self.declared is not None:
            return self.declared.__get__(None, owner)
        if owner is not None and (defined := behind(self, owner, self.name)) is not NOTHING:
            return bound(defined, None, owner)
        raise AttributeError(f"type object {owner and owner.__name__!r} has no attribute {self.name!r}")

    def _read_unwired(self, instance: Any, owner: type | None) -> Any:
        defined = NOTHING if self.is_written else behind(self, type(instance), self.name)
        stored = instance_dict(instance)
        if self.name in stored and not isdatadescriptor(defined):
            return stored[self.name]
        if defined is not NOTHING:
            return bound(defined, instance, owner)
        if self.declared is not None:
            return self.declared.__get__(instance, owner)
        raise self._no_such_attribute(instance)

    def _unset(self, instance: object) -> Exception:
        cls = type(instance)
        # A class with __getattr__, such as nn.Module, would answer an AttributeError with one of its own.
        kind = ModuleStateCellUnsetError if answers_itself(cls) else StateCellUnsetError
        return kind(self.name, cls.__name__, self._owner(instance))

    def _no_such_attribute(self, instance: object) -> AttributeError:
        text = f"{type(instance).__name__!r} object has no attribute {self.name!r}"
        return AttributeError(text, name=self.name, obj=instance)

    def _owner(self, instance: object) -> str:
        return wired_cells(instance)[self.name].provider_id


def wired_cells(consumer: object) -> dict[str, Handed]:
    """Return, for each cell that *consumer* was handed, who hands it over."""
    table: dict[str, Handed] = instance_dict(consumer).get(TABLE, {})
    return table
