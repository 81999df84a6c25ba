"""What an expression may stand for: sets of kinds, as far as the source tells.

The empty set is the unknown. Several kinds mean one or the other, as after a condition.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final, TypeAlias

from wiremap.inference.definitions import Class, Function, Module

_DEEPEST: Final = 3
_MOST_DOTS: Final = 6
_MOST_KINDS: Final = 24


class Origin(Enum):
    """How one came by an object. The last three are those of attributes.

    ``PART`` was made for the attribute, ``HELD`` was given when its holder was made, and of ``LOOSE`` one knows
    no more than that the attribute may refer to it some time.
    """

    SELF = auto()
    MADE = auto()
    DECLARED = auto()
    PART = auto()
    HELD = auto()
    LOOSE = auto()


@dataclass(frozen=True, slots=True)
class Instance:
    """An object of a class of the code base; ``holder`` is the class whose attribute it was read from, if so."""

    cls: Class
    origin: Origin
    holder: Class | None = None


@dataclass(frozen=True, slots=True)
class ClassValue:
    """The class itself; ``is_own`` in its own class methods, where a subclass may stand for it."""

    cls: Class
    is_own: bool = False


@dataclass(frozen=True, slots=True)
class FunctionValue:
    """A function, or a method together with what it was read from."""

    function: Function
    receiver: "Instance | ClassValue | None" = None


@dataclass(frozen=True, slots=True)
class ModuleValue:
    """A module of the code base."""

    module: Module


@dataclass(frozen=True, slots=True)
class Super:
    """What ``super()`` gives in a method of ``cls``, on an object of ``receiver``."""

    cls: Class
    receiver: Class


@dataclass(frozen=True, slots=True)
class Many:
    """A container. A keyed one, whose ``keys`` are not None, gives them when it is iterated."""

    element: "Value"
    keys: "Value | None" = None


@dataclass(frozen=True, slots=True)
class Several:
    """A tuple, by position."""

    items: "tuple[Value, ...]"


@dataclass(frozen=True, slots=True)
class Maker:
    """Something to call, of which only the result is known; ``is_declared`` if that is all that the source says."""

    makes: "Value"
    is_declared: bool = False


@dataclass(frozen=True, slots=True)
class TypeForm:
    """An alias in annotations: what it declares."""

    declares: "Value"


@dataclass(frozen=True, slots=True)
class Outside:
    """What is certainly none of ours: a constant, something from another distribution, by its full name if known."""

    name: str = ""


Kind: TypeAlias = (
    Instance
    | ClassValue
    | FunctionValue
    | ModuleValue
    | Super
    | Many
    | Several
    | Maker
    | TypeForm
    | Outside
)  # fmt: skip
Value: TypeAlias = frozenset[Kind]

UNKNOWN: Final[Value] = frozenset()
OUTSIDE: Final[Value] = frozenset({Outside()})
NONE: Final[Value] = frozenset({Outside("None")})
ANY: Final[Value] = frozenset({Outside("typing.Any")})
TYPE_VARIABLE: Final[Value] = frozenset({Outside("TypeVar")})


def union(values: Iterable[Value]) -> Value:
    """Return what is one or the other; too many are as good as unknown."""
    together = UNKNOWN
    for value in values:
        if value is not together:
            together = together | value if together else value
    return together if len(together) <= _MOST_KINDS else UNKNOWN


def instance(cls: Class, origin: Origin) -> Value:
    """Return an object of *cls*."""
    return frozenset({Instance(cls, origin)})


def many(element: Value, *, keys: Value | None = None) -> Value:
    """Return a container of *element*, as long as containers are not nested beyond reason."""
    if keys is not None and not ours(keys):
        keys = OUTSIDE
    return frozenset({Many(element, keys)}) if _depth(element | (keys or UNKNOWN)) < _DEEPEST else OUTSIDE


def several(items: Iterable[Value]) -> Value:
    """Return a tuple of *items*, as long as tuples are not nested beyond reason."""
    items = tuple(items)
    return frozenset({Several(items)}) if _depth(union(items)) < _DEEPEST else OUTSIDE


def maker(makes: Value, *, is_declared: bool = False) -> Value:
    """Return a function of unknown code whose result is *makes*."""
    return frozenset({Maker(makes, is_declared)}) if _depth(makes) < _DEEPEST else OUTSIDE


def member_of_outside(owner: Outside, name: str) -> Value:
    """Return the attribute *name* of something from elsewhere."""
    is_named = owner.name and owner.name.count(".") < _MOST_DOTS
    return frozenset({Outside(f"{owner.name}.{name}")}) if is_named else OUTSIDE


def outside_names(value: Value) -> set[str]:
    """Return the full names of what in *value* comes from elsewhere."""
    return {kind.name for kind in value if isinstance(kind, Outside)}


def changed(value: Value, change: Callable[[Instance], Instance]) -> Value:
    """Return *value* with each object in it replaced, in containers and results too."""
    return frozenset(_changed(kind, change) for kind in value)


def leaves(value: Value) -> Iterator[Kind]:
    """Yield each kind in *value*, of containers and makers what is in them."""
    for kind in value:
        match kind:
            case Many(element, keys):
                yield from leaves(element | (keys or UNKNOWN))
            case Maker(inner) | TypeForm(inner):
                yield from leaves(inner)
            case Several(items):
                yield from leaves(union(items))
            case _:
                yield kind


def instances(value: Value) -> Iterator[Instance]:
    """Yield each object in *value*, those in containers too, but not what makers make."""
    for kind in value:
        match kind:
            case Instance():
                yield kind
            case Many(element, keys):
                yield from instances(element | (keys or UNKNOWN))
            case Several(items):
                yield from instances(union(items))
            case _:
                continue


def ours(value: Value) -> frozenset[object]:
    """Return the classes and functions of the code base that *value* is about."""
    found = set[object]()
    for kind in leaves(value):
        match kind:
            case Instance(cls) | ClassValue(cls):
                found.add(cls)
            case FunctionValue(function):
                found.add(function)
            case _:
                continue
    return frozenset(found)


def _changed(kind: Kind, change: Callable[[Instance], Instance]) -> Kind:
    match kind:
        case Instance():
            return change(kind)
        case Many(element, keys):
            return Many(changed(element, change), None if keys is None else changed(keys, change))
        case Several(items):
            return Several(tuple(changed(item, change) for item in items))
        case Maker(makes, is_declared):
            return Maker(changed(makes, change), is_declared)
        case FunctionValue(function, Instance() as receiver):
            return FunctionValue(function, change(receiver))
        case _:
            return kind


def _depth(value: Value) -> int:
    return max((_depth_of(kind) for kind in value), default=0)


def _depth_of(kind: Kind) -> int:
    match kind:
        case Many(element, keys):
            return 1 + _depth(element | (keys or UNKNOWN))
        case Maker(inner) | TypeForm(inner):
            return 1 + _depth(inner)
        case Several(items):
            return 1 + max((_depth(item) for item in items), default=0)
        case _:
            return 0
