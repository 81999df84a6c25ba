"""Declared needs: which cells a class says that it must be handed, and of what type.

``Requires[T]`` has two spellings. As a value, ``allocate = Requires[Callable[[Request], None]]()``, it also
answers for the class: ``Scheduler.allocate`` is the requirement, whose ``register`` is a wiring line that
type checkers check. As an annotation without a value, ``allocate: Requires[...]``, it declares and no more;
that is the spelling for a class with ``__slots__``, where a value can't stand under the name of a slot.
"""

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Generic, Protocol, TypeVar, get_args, get_origin, overload

from wiremap.errors import CellNotWiredError, ModuleCellNotWiredError, RequirementNotMadeError
from wiremap.registry.annotations import UNKNOWN, names_in_class, resolved
from wiremap.registry.attributes import answers_itself, module_tables
from wiremap.registry.location import Location
from wiremap.registry.origin import origin_of
from wiremap.registry.signatures import is_callable_type, is_protocol, names_in_protocol
from wiremap.registry.state_cell import NOTHING, Announcement, StateCell, behind, bound
from wiremap.registry.type_arguments import arguments_in, with_arguments

_PACKAGE: Final = f"{__name__.rpartition('.')[0]}."

T = TypeVar("T")
C = TypeVar("C")
Consumer = TypeVar("Consumer", contravariant=True)  # noqa: PLC0105 -- users read it in the messages of type checkers
Provided = TypeVar("Provided", contravariant=True)  # noqa: PLC0105 -- same


class Notebook(Protocol):
    """Where a wiring line is noted: a ``RegistryOrchestrator``."""

    def _note_requirement(self, requirement: "Requirement[Any, Any]", provided: Any, consumer: object) -> None: ...


@dataclass(frozen=True, slots=True)
class Requirement(Generic[Consumer, Provided]):
    """What one class requires under one name; reading a ``Requires`` from the class gives it.

    Attributes:
        owner: The class that declares it.
        name: The name under which instances read it.
        where: The line that declares it; line 0 where that is unknown.
        is_annotation: Whether it is only annotated, and so has no wiring line of its own.
    """

    owner: type
    name: str
    where: Location
    _written: Any = None
    is_annotation: bool = False

    @property
    def type(self) -> Any:
        """The type between the brackets, or ``typing.Any`` where none can be told at run time."""
        return _resolved(self._written, self.owner)

    @property
    def is_interface(self) -> bool:
        """Whether the type is a protocol with members, so that a whole provider is handed over."""
        return bool(self.members)

    @property
    def is_callable(self) -> bool:
        """Whether anything that can be called may be handed over itself; so too where the type can't be told."""
        return self.type is UNKNOWN or is_callable_type(self.type)

    @property
    def members(self) -> tuple[str, ...]:
        """The cells of an interface, sorted; none for any other type."""
        return _members_of(self.type)

    @property
    def line(self) -> str:
        """The typed wiring line, as messages show it."""
        made = f"write {self.name} = Requires[...]() in {self.owner.__name__}, then\n" if self.is_annotation else ""
        return f"{made}{self.owner.__name__}.{self.name}.register(orch, provider, consumer)"

    def register(self, orchestrator: Notebook, provided: Provided, consumer: Consumer) -> None:
        """Let *consumer* have *provided*, as ``orchestrator.register`` does, in a line that type checkers check.

        Args:
            orchestrator: Takes the note.
            provided: A bound method of the provider, whose name is that of the requirement. Or a function, or
                another object that can be called: that is the provider, and the consumer calls it by the name of
                the requirement. Or, where the requirement is a protocol with members, the provider itself. Each
                member is then a cell, and the consumer reads them below the name of the requirement
                (``self.blocks.allocate``).
            consumer: An instance of the class that declares the requirement.

        Raises:
            AlreadyFinalizedError: The orchestrator is frozen.
            NotACellError: *provided* is none of these.
        """
        orchestrator._note_requirement(self, provided, consumer)  # noqa: SLF001 -- the other half of this method


class Requires(Announcement, Generic[T]):
    """Declares a required cell on a consumer's class; instances read it as a ``T``, see the module.

    Reading it from an instance before ``finalize`` raises ``CellNotWiredError``.
    """

    def __init__(self) -> None:
        self.is_written = True
        self._declared: Requirement[Any, T] = Requirement(object, "", _line_outside_typing())

    def __set_name__(self, owner: type, name: str) -> None:
        written = _argument(getattr(self, "__orig_class__", None))  # set by typing after __init__
        self._declared = Requirement(owner, name, self._declared.where, written)

    @classmethod
    def announcing(cls, requirement: Requirement[Any, T]) -> "Requires[T]":
        """Return what stands on a class for a requirement that it annotates."""
        self = cls.__new__(cls)
        self.is_written = False
        self._declared = requirement
        return self

    @overload
    def __get__(self, instance: None, owner: type[C]) -> Requirement[C, T]: ...

    @overload
    def __get__(self, instance: object, owner: type | None = None) -> T: ...

    def __get__(self, instance: object, owner: Any = None) -> Any:
        if instance is None:
            return self._declared
        if not self.is_written and (defined := behind(self, type(instance), self._declared.name)) is not NOTHING:
            return bound(defined, instance, owner)
        for table in module_tables(instance):  # Python asks the class before the __getattr__ that would look there
            if self._declared.name in table:
                return table[self._declared.name]
        raise _not_wired(instance, self._declared)

    @property
    def requirement(self) -> Requirement[Any, T]:
        """What is declared."""
        return self._declared


def requirements_of(cls: type) -> Mapping[str, Requirement[Any, Any]]:
    """Return what *cls* and the classes that it derives from require, by name.

    A class that annotates the name anew without ``Requires``, or gives it a value, takes that back.
    """
    required: dict[str, Requirement[Any, Any]] = {}
    for klass in reversed(cls.__mro__):
        for name, requirement in _declared_by(klass):
            required.pop(name, None)
            if requirement is not None:
                required[name] = _seen_from(cls, requirement)
    return required


def _seen_from(cls: type, requirement: Requirement[Any, Any]) -> Requirement[Any, Any]:
    """Return what *cls* requires, which may derive from an owner that is generic, as in ``Owner[int]``."""
    owner = requirement.owner
    known = arguments_in(owner, cls) if getattr(owner, "__parameters__", ()) else {}
    return replace(requirement, _written=with_arguments(requirement.type, known)) if known else requirement


def required_cells(cls: type) -> frozenset[str]:
    """Return the names that *cls* or a class it derives from declares with ``Requires``."""
    return frozenset(requirements_of(cls))


def annotated_names(cls: type) -> frozenset[str]:
    """Return every name that *cls* or a class it derives from annotates, whatever the annotation."""
    return frozenset(name for klass in cls.__mro__ for name in _annotations(klass))


def announce(cls: type) -> None:
    """Let instances of *cls* that read a required cell too early be told so, however it was declared.

    A class that only annotates has nothing under the name, and a reader would get Python's own message.

    Raises:
        RequirementNotMadeError: The class holds ``Requires[...]`` without the parentheses, or is a dataclass and
            has made a field of a requirement.
    """
    _refuse_bare_requirements(cls)
    _refuse_requirements_as_fields(cls)
    if answers_itself(cls):
        return  # it answers itself; and selecting modules by ``hasattr`` must go on working
    for name, requirement in requirements_of(cls).items():
        if not any(name in vars(klass) for klass in cls.__mro__):
            type.__setattr__(requirement.owner, name, Requires.announcing(requirement))


def _refuse_bare_requirements(cls: type) -> None:
    for klass in cls.__mro__:
        for name, value in vars(klass).items():
            if value is Requires or get_origin(value) is Requires:
                raise RequirementNotMadeError(klass.__name__, name, str(_from_annotation(klass, name, value).where))


def _refuse_requirements_as_fields(cls: type) -> None:
    # An annotated name with a value is a field with a default: each instance would keep the requirement itself.
    for field in getattr(cls, "__dataclass_fields__", {}).values():
        if isinstance(field.default, Requirement):
            owner, where = field.default.owner.__name__, str(field.default.where)
            raise RequirementNotMadeError(owner, field.name, where, cls.__name__)


def _not_wired(instance: object, requirement: Requirement[Any, Any]) -> Exception:
    cls = type(instance)
    # A class with __getattr__, such as nn.Module, would answer an AttributeError with one of its own.
    kind = ModuleCellNotWiredError if answers_itself(cls) else CellNotWiredError
    return kind(requirement.name, cls.__name__, str(requirement.where), str(_line_outside_registry()))


# Reading a class


def _declared_by(klass: type) -> Iterator[tuple[str, Requirement[Any, Any] | None]]:
    """Yield each name that *klass* itself mentions, with what it requires there, or None."""
    for name, annotation in _annotations(klass).items():
        is_required = _is_required(annotation, klass)
        yield name, _from_annotation(klass, name, annotation) if is_required else None
    for name, value in vars(klass).items():
        # A state cell was put there by a binding: behind it stands what the class wrote, if anything.
        written = value.declared if isinstance(value, StateCell) else value
        if isinstance(written, Requires):
            yield name, written.requirement
        elif not isinstance(value, StateCell):
            yield name, None


def _annotations(klass: type) -> Mapping[str, Any]:
    found: Mapping[str, Any] = getattr(klass, "__annotations__", {})
    return found


def _is_required(annotation: object, klass: type) -> bool:
    if isinstance(annotation, str):
        annotation = _head(annotation, klass)
    return annotation is Requires or get_origin(annotation) is Requires


def _head(text: str, klass: type) -> object:
    """Return what the part of a string annotation before its ``[`` names.

    Only the head is looked up. ``typing.get_type_hints`` would evaluate all of every annotation of the
    class: one name that exists for type checkers only, and every requirement would be lost.
    """
    first, *rest = text.partition("[")[0].strip().split(".")
    found = getattr(sys.modules.get(klass.__module__), first, None)
    if found is None:
        # Imported inside a function, or under TYPE_CHECKING: all that is left is the name itself.
        return Requires if [first, *rest][-1] == "Requires" else None
    for name in rest:
        found = getattr(found, name, None)
    return found


def _from_annotation(klass: type, name: str, annotation: object) -> Requirement[Any, Any]:
    origin = origin_of(klass)
    file = getattr(sys.modules.get(klass.__module__), "__file__", None) or origin.source_path
    written = annotation if isinstance(annotation, str) else _argument(annotation)
    return Requirement(klass, name, Location(file, origin.source_line), written, is_annotation=True)


def _line_outside_typing() -> Location:
    """Return the line that wrote ``Requires[...]()``: typing stands between it and ``__init__``."""
    frame = sys._getframe(2)  # noqa: SLF001 -- documented, and far cheaper than inspect.stack()
    while frame.f_back is not None and frame.f_globals.get("__name__") == "typing":
        frame = frame.f_back
    return Location(frame.f_code.co_filename, frame.f_lineno)


def _line_outside_registry() -> Location:
    """Return the line that reads a cell: descriptors of this package stand between it and the message."""
    frame = sys._getframe(1)  # noqa: SLF001 -- documented, and far cheaper than inspect.stack()
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith(_PACKAGE):
        frame = frame.f_back
    return Location(frame.f_code.co_filename, frame.f_lineno)


# Types


def _members_of(declared: Any) -> tuple[str, ...]:
    """Return the members that a protocol asks for, sorted; none if it is callable, or no protocol."""
    plain = get_origin(declared) or declared
    if not is_protocol(plain) or is_callable_type(plain):
        return ()
    return tuple(sorted(name for name in names_in_protocol(plain) if not _is_of_language(name)))


def _is_of_language(name: str) -> bool:
    return name.startswith(("__", "_abc_", "_is_"))


def _argument(alias: Any) -> Any:
    return next(iter(get_args(alias)), UNKNOWN)


def _resolved(written: Any, owner: type) -> Any:
    """Return the type that was *written* between the brackets, or around them where all of it is a string."""
    found = resolved(written, names_in_class(owner))
    return _argument(found) if Requires in (found, get_origin(found)) else found
