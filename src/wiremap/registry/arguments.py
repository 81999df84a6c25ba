"""What an orchestrator may be told: each argument is judged at the call, before anything is noted.

What only shows when all is registered (a cell that the provider lacks, a name that is taken) is no matter of
this module but of ``wiremap.registry.validation``.
"""

import keyword
from collections.abc import Iterable
from inspect import unwrap
from types import FunctionType
from typing import Any, Final

from wiremap.errors import (
    ClassNotInstanceError,
    InvalidCellNameError,
    InvalidLabelError,
    NotAComponentError,
    SelfBindingError,
    SelfContainmentError,
)
from wiremap.graph import CALL
from wiremap.registry.attributes import is_class
from wiremap.registry.cells import class_attribute, is_bound
from wiremap.registry.declarations import Declarations
from wiremap.registry.location import Location
from wiremap.registry.requirements import Requirement

# Values, not objects: two that are equal may be one. Only these very types: an object of a class derived
# from one of them was made by somebody who can tell it from others.
_VALUE_TYPES: Final = frozenset(
    {type(None), bool, int, float, complex, str, bytes, tuple, frozenset, range, slice, type(...), type(NotImplemented)}
)
_MOST_CHARACTERS: Final = 40

RIGHT_ORDER: Final = "pass the provider first, then the cell, then the consumer."


def check_addition(
    component: object, component_id: object, tags: object, extension: object, where: Location
) -> tuple[str, ...]:
    """Judge the arguments of ``add`` and return the tags.

    Raises:
        NotAComponentError: *component* is a plain value.
        InvalidLabelError: The id, a tag or the extension is no proper text.
    """
    check_component(component, "add", "component", where)
    if component_id is not None:
        _checked_label(component_id, "id", where)
    _checked_label(extension, "extension", where)
    labels = (tags,) if isinstance(tags, str) or not isinstance(tags, Iterable) else tuple(tags)
    return tuple(_checked_label(label, "tags", where) for label in labels)


def check_binding(provider: object, cell: object, consumer: object, read_as: str, where: Location) -> str:
    """Judge the arguments of ``register`` and return the name of the cell as a plain string.

    Raises:
        NotAComponentError: The provider or the consumer is a plain value, or the provider is a method that was taken
            from a class, and *consumer* is to read it by its name, *read_as*.
        InvalidCellNameError: Nobody could read a cell of that name.
        SelfBindingError: Both are one object.
        ClassNotInstanceError: A class was passed where only an instance can serve.
    """
    if not isinstance(cell, str) and (isinstance(provider, str) or isinstance(consumer, str)):
        raise InvalidCellNameError(
            shown(cell), "the name of a cell is a string", str(where), f"Mind the order: {RIGHT_ORDER}"
        )
    check_component(provider, "register", "provider", where)
    if owner := _class_of_method(provider, read_as):
        given, by_name = (
            f"{owner}.{read_as}, which needs an instance,",
            f"register({owner}(...), {read_as!r}, consumer)",
        )
        cure = f"By name write {by_name};\nin a typed line pass {owner}(...).{read_as}."
        raise NotAComponentError("register", "provider", given, str(where), cure)
    check_component(consumer, "register", "consumer", where)
    name = CALL if cell == CALL else _checked_name(cell, where)
    if provider is consumer:
        raise SelfBindingError(type(provider).__name__, name, str(where))
    if is_class(consumer):
        raise _class_not_instance(consumer, "consumer", "its instances would get nothing", where)
    if is_class(provider) and needs_instance(provider, name):
        raise _class_not_instance(provider, "provider", f"{name!r} needs an instance", where)
    return name


def check_name(cell: object, name: object, where: Location) -> None:
    """Judge the name by which a consumer is to call a callable.

    Raises:
        InvalidCellNameError: It is none, it is missing, or it is given for a cell that has a name.
    """
    if cell == CALL and name == "":
        raise InvalidCellNameError(
            shown(cell),
            "Python looks it up on the class, not on the object",
            str(where),
            "Add what the consumer calls it: register(..., '__call__', ..., name='sample').",
        )
    if cell == CALL:
        _checked_name(name, where)
    elif name != "":
        raise InvalidCellNameError(
            shown(cell),
            f"its consumer can't call it {shown(name)}",
            str(where),
            "Leave name= out, which only a callable takes, handed over as '__call__'. For another name,\n"
            + below_another_name(str(cell)),
        )


def check_containment(child: object, parent: object, where: Location) -> None:
    """Judge the arguments of ``connect``.

    Raises:
        NotAComponentError: One of them is a plain value.
        SelfContainmentError: Both are one object.
    """
    check_component(child, "connect", "child", where)
    check_component(parent, "connect", "parent", where)
    if child is parent:
        raise SelfContainmentError(type(child).__name__, str(where))


def check_component(value: object, call: str, role: str, where: Location) -> None:
    """Judge what *call* was given as *role*.

    Raises:
        NotAComponentError: It is a plain value.
    """
    if type(value) in _VALUE_TYPES:
        cure = "Pass the object itself: a function without `return` gives None." if value is None else ""
        raise NotAComponentError(call, role, shown(value), str(where), cure)


def below_another_name(cell: str) -> str:
    """Return what to do for a cell to be read where its own name will not do."""
    return f"require a protocol, peer = Requires[Peer](), and read self.peer.{cell}."


def _class_of_method(value: Any, name: str) -> str:
    """Return the name of the class from which *value* was taken, where it is a method of that name; else nothing.

    Under another name it may be meant: ``Request.priority`` is a callable that takes a request.
    """
    if type(value) is not FunctionType or value.__name__ != name:
        return ""
    owner = value.__qualname__.rpartition("<locals>.")[2].rpartition(".")[0]
    return owner if unwrap(value).__code__.co_varnames[:1] == ("self",) else ""


def _checked_name(cell: object, where: Location) -> str:
    if not isinstance(cell, str):
        name = _name_of(cell)
        cure = f"Pass its name: register(provider, {name!r}, consumer)." if name else ""
        raise InvalidCellNameError(shown(cell), "the name of a cell is a string", str(where), cure)
    if reason := _why_unreadable(cell):
        raise InvalidCellNameError(shown(cell), reason, str(where))
    return str.__str__(cell)  # a member of a string enumeration counts as its value


def _why_unreadable(name: str) -> str | None:
    """Return why no consumer could write ``self.name``, or None."""
    if not name:
        return "it is empty"
    if not name.isidentifier():
        return "it is no identifier"
    if keyword.iskeyword(name):
        return "it is a keyword of Python"
    if name.startswith("__") and name.endswith("__"):
        return "Python looks it up on the class, not on the object"
    if name.startswith("__"):
        return "inside a class, Python reads another name there"
    return None


def _checked_label(value: object, argument: str, where: Location) -> str:
    if not isinstance(value, str) or not value or value != value.strip() or not value.isprintable():
        raise InvalidLabelError(argument, shown(value), str(where))
    return str(value)


def needs_instance(cls: type, name: str) -> bool:
    """Tell whether the class holds a descriptor there that it gives back as it is: a method, a property, a slot."""
    defined = class_attribute(cls, name)
    return hasattr(type(defined), "__get__") and getattr(cls, name, None) is defined


def _class_not_instance(cls: type, role: str, reason: str, where: Location) -> ClassNotInstanceError:
    return ClassNotInstanceError(cls.__name__, role, reason, str(where), Declarations().of_class(cls))


def _name_of(value: Any) -> str:
    """Return by which name a method, a function or a requirement is known; nothing for all else."""
    if isinstance(value, Requirement):
        return value.name
    return str(value.__name__) if is_bound(value) or type(value) is FunctionType else ""


def shown(value: Any) -> str:
    """Return a value as written in Python, cut to a fair length; a method or function by name; else the class."""
    if is_bound(value) or type(value) is FunctionType:
        return f"the {'method' if is_bound(value) else 'function'} {value.__qualname__.rpartition('<locals>.')[2]}"
    if type(value) not in _VALUE_TYPES - {tuple, frozenset}:
        return f"an object of class {type(value).__name__}"
    text = repr(value)
    return text if len(text) <= _MOST_CHARACTERS else f"{text[:_MOST_CHARACTERS]}..."
