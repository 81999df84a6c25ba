"""Declared needs: which cells a class says that it must be handed."""

import sys
from collections.abc import Iterator
from typing import Annotated, Any, Final, TypeVar


class _RequiredCell:
    """Marks an annotation as a required cell."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "required cell"


T = TypeVar("T")
_MARKER: Final = _RequiredCell()

Requires = Annotated[T, _MARKER]
"""``name: Requires[T]`` on a class body: instances must be handed that cell; type checkers see a ``T``."""


def required_cells(cls: type) -> frozenset[str]:
    """Return the names that *cls* or a class it derives from annotates with ``Requires``.

    A class that annotates the name anew without ``Requires``, or gives it a value, takes that back.
    """
    required: set[str] = set()
    for klass in reversed(cls.__mro__):
        required -= vars(klass).keys()
        for name, annotation in _annotations(klass):
            if _is_required(annotation, klass):
                required.add(name)
            else:
                required.discard(name)
    return frozenset(required)


def annotated_names(cls: type) -> frozenset[str]:
    """Return every name that *cls* or a class it derives from annotates, whatever the annotation."""
    return frozenset(name for klass in cls.__mro__ for name, _ in _annotations(klass))


def _annotations(klass: type) -> Iterator[tuple[str, Any]]:
    yield from getattr(klass, "__annotations__", {}).items()


def _is_required(annotation: object, klass: type) -> bool:
    if isinstance(annotation, str):
        annotation = _head(annotation, klass)
    return _MARKER in getattr(annotation, "__metadata__", ())


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
