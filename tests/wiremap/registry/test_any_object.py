"""Any object is a component: what each kind can give and take, and what is said where it can't."""

import array
import collections
import dataclasses
import enum
import functools
import threading
import types
import weakref
from collections.abc import Callable
from typing import Any, Generic, NamedTuple, Protocol, TypeVar
from unittest.mock import MagicMock, Mock

import pytest

from wiremap import RegistryOrchestrator

T = TypeVar("T")


class Giver:
    def __init__(self) -> None:
        self.level = 5

    def fetch(self) -> str:
        return "fetched"


class Taker:
    """Takes whatever it is handed."""


# Kinds of objects. All have the method `run` and the state `size`, as far as the kind allows.


class Plain:
    def __init__(self) -> None:
        self.size = 1

    def run(self) -> str:
        return "ran"


class Running:
    __slots__ = ()

    def run(self) -> str:
        return "ran"


@dataclasses.dataclass
class Data(Running):
    size: int = 1


@dataclasses.dataclass(frozen=True)
class FrozenData(Running):
    size: int = 1


@dataclasses.dataclass(slots=True)
class SlottedData(Running):
    size: int = 1


@dataclasses.dataclass(frozen=True, slots=True)
class FrozenSlottedData(Running):
    size: int = 1


class DictWithoutWeakref(Running):
    __slots__ = ("__dict__",)

    def __init__(self) -> None:
        self.size = 1


class Incomparable(Plain):
    def __eq__(self, other: object) -> bool:
        raise RuntimeError("compared")

    __hash__ = None  # type: ignore[assignment] # as Python has it for a class with __eq__ alone


class Answering(Plain):
    def __getattr__(self, name: str) -> str:
        return f"answer to {name}"


class AnsweringWithoutDict(Running):
    __slots__ = ()
    size = 1

    def __getattr__(self, name: str) -> str:
        return f"answer to {name}"


class HidingItsDict(Plain):
    def __getattribute__(self, name: str) -> object:
        if name == "__dict__":
            raise RuntimeError("asked for __dict__")
        return object.__getattribute__(self, name)


class Raising(Plain):
    @property
    def other(self) -> object:
        raise RuntimeError("asked for a property")

    def __bool__(self) -> bool:
        raise RuntimeError("asked for truth")

    def __len__(self) -> int:
        raise RuntimeError("asked for a length")

    def __dir__(self) -> list[str]:
        raise RuntimeError("asked for names")

    def __repr__(self) -> str:
        raise RuntimeError("asked for text")


class Refusing(Running):
    def __init__(self) -> None:
        object.__setattr__(self, "size", 1)

    def __setattr__(self, name: str, value: object) -> None:
        raise TypeError("set")


class RefusingMeta(type):
    def __setattr__(cls, name: str, value: object) -> None:
        raise TypeError("set on the class")


class OfRefusingMeta(Plain, metaclass=RefusingMeta):
    """A class that takes no attribute."""


class Pair(NamedTuple):
    size: int = 1

    def run(self) -> str:
        return "ran"


class Colour(enum.Enum):
    RED = 1

    @property
    def size(self) -> int:
        return 1

    def run(self) -> str:
        return "ran"


class OwnDeque(collections.deque[int], Running):
    size = 1


class OfType(Plain, Generic[T]):
    """Generic."""


class Sized(Protocol):
    size: int

    def run(self) -> str: ...


class Implementing(Sized):
    def __init__(self) -> None:
        self.size = 1

    def run(self) -> str:
        return "ran"


class Called(Plain):
    def __call__(self) -> None: ...


class PerThread(threading.local):
    def __init__(self) -> None:
        self.size = 1

    def run(self) -> str:
        return "ran"


def _with_run_and_size(component: Any) -> Any:
    component.run, component.size = lambda: "ran", 1
    return component


def _function() -> None: ...


_kept_alive: list[object] = []


def _proxy() -> Any:
    _kept_alive.append(Plain())
    return weakref.proxy(_kept_alive[-1])


def _class() -> type:
    return type("Made", (), {"size": 1, "run": staticmethod(lambda: "ran")})


WORKS = "works"
NO_ROOM = "has no place for new attributes"
BUILT_IN = "is built in and can't be extended"
UNKNOWN = "has no cell"
A_CLASS = "class-not-instance"

# For each kind: can it give `run`, give `size`, take a method, take a state?
KINDS: list[tuple[str, Callable[[], Any], tuple[str, str, str, str]]] = [
    ("plain class", Plain, (WORKS, WORKS, WORKS, WORKS)),
    ("dataclass", Data, (WORKS, WORKS, WORKS, WORKS)),
    ("frozen dataclass", FrozenData, (WORKS, WORKS, WORKS, WORKS)),
    ("slotted dataclass", SlottedData, (WORKS, WORKS, NO_ROOM, NO_ROOM)),
    ("frozen slotted dataclass", FrozenSlottedData, (WORKS, WORKS, NO_ROOM, NO_ROOM)),
    ("no __weakref__", DictWithoutWeakref, (WORKS, WORKS, WORKS, WORKS)),
    ("__eq__ that raises, no hash", Incomparable, (WORKS, WORKS, WORKS, WORKS)),
    ("__getattr__ that answers everything", Answering, (WORKS, WORKS, WORKS, WORKS)),
    ("the same without __dict__", AnsweringWithoutDict, (WORKS, WORKS, NO_ROOM, NO_ROOM)),
    ("special methods and properties that raise", Raising, (WORKS, WORKS, WORKS, WORKS)),
    ("__setattr__ that refuses", Refusing, (WORKS, WORKS, WORKS, WORKS)),
    ("metaclass that refuses", OfRefusingMeta, (WORKS, WORKS, WORKS, WORKS)),
    ("NamedTuple", Pair, (WORKS, WORKS, NO_ROOM, NO_ROOM)),
    ("member of an enumeration", lambda: Colour.RED, (WORKS, WORKS, WORKS, WORKS)),
    ("class derived from a C type", OwnDeque, (WORKS, WORKS, WORKS, WORKS)),
    ("generic", OfType[int], (WORKS, WORKS, WORKS, WORKS)),
    ("explicit implementer of a protocol", Implementing, (WORKS, WORKS, WORKS, WORKS)),
    ("callable object", Called, (WORKS, WORKS, WORKS, WORKS)),
    ("module", lambda: _with_run_and_size(types.ModuleType("plug")), (WORKS, WORKS, WORKS, BUILT_IN)),
    ("function", lambda: _with_run_and_size(functools.wraps(_function)(lambda: None)), (WORKS, WORKS, WORKS, BUILT_IN)),
    ("partial", lambda: _with_run_and_size(functools.partial(print)), (WORKS, WORKS, WORKS, BUILT_IN)),
    ("namespace", lambda: _with_run_and_size(types.SimpleNamespace()), (WORKS, WORKS, WORKS, BUILT_IN)),
    ("Mock", lambda: _with_run_and_size(Mock()), (WORKS, WORKS, WORKS, WORKS)),
    ("MagicMock", lambda: _with_run_and_size(MagicMock()), (WORKS, WORKS, WORKS, WORKS)),
    ("Mock with a spec", lambda: _with_run_and_size(Mock(spec=Data)), (WORKS, WORKS, WORKS, WORKS)),
    ("weak proxy", _proxy, (WORKS, WORKS, BUILT_IN, BUILT_IN)),
    ("threading.local", PerThread, (WORKS, WORKS, "in each thread", "in each thread")),
    ("class", _class, (WORKS, WORKS, A_CLASS, A_CLASS)),
    ("builtin function", lambda: len, (UNKNOWN, UNKNOWN, BUILT_IN, BUILT_IN)),
    ("bound method", lambda: Plain().run, (UNKNOWN, UNKNOWN, BUILT_IN, BUILT_IN)),
    ("deque", collections.deque, (UNKNOWN, UNKNOWN, BUILT_IN, BUILT_IN)),
    ("array", lambda: array.array("i"), (UNKNOWN, UNKNOWN, BUILT_IN, BUILT_IN)),
    ("lock", threading.Lock, (UNKNOWN, UNKNOWN, BUILT_IN, BUILT_IN)),
    ("generator", lambda: (_ for _ in ()), (UNKNOWN, UNKNOWN, BUILT_IN, BUILT_IN)),
    ("object", object, (UNKNOWN, UNKNOWN, BUILT_IN, BUILT_IN)),
]
CASES = pytest.mark.parametrize(("make", "can"), [kind[1:] for kind in KINDS], ids=[kind[0] for kind in KINDS])


def _bound(provider: object, cell: str, consumer: object) -> str:
    """Return that it works, or what is said."""
    orch = RegistryOrchestrator()
    try:
        orch.register(provider, cell, consumer)
        orch.finalize()
    except Exception as error:  # noqa: BLE001 -- whatever it is, the table has to tell
        return f"{type(error).__name__}: {error}"
    return WORKS


@CASES
def test_it_is_added_and_compiled(make: Callable[[], Any], can: object) -> None:  # noqa: ARG001 -- of the table
    orch = RegistryOrchestrator()
    orch.add(make())

    assert len(orch.finalize().components) == 1


@CASES
def test_it_gives_a_method(make: Callable[[], Any], can: tuple[str, ...]) -> None:
    taker: Any = Taker()

    said = _bound(make(), "run", taker)

    assert can[0] in said
    if said == WORKS:
        assert taker.run() == "ran"


@CASES
def test_it_gives_state(make: Callable[[], Any], can: tuple[str, ...]) -> None:
    taker: Any = Taker()

    said = _bound(make(), "size", taker)

    assert can[1] in said
    if said == WORKS:
        assert taker.size == 1


@CASES
def test_it_takes_a_method(make: Callable[[], Any], can: tuple[str, ...]) -> None:
    consumer = make()

    said = _bound(Giver(), "fetch", consumer)

    assert can[2] in said
    if said == WORKS:
        assert consumer.fetch() == "fetched"


@CASES
def test_it_takes_state_that_stays_current(make: Callable[[], Any], can: tuple[str, ...]) -> None:
    giver, consumer = Giver(), make()

    said = _bound(giver, "level", consumer)

    assert can[3] in said
    if said == WORKS:
        giver.level = 9
        assert consumer.level == 9


@CASES
def test_what_it_lacks_is_said_unless_it_answers_everything(
    make: Callable[[], Any],
    can: object,  # noqa: ARG001 -- of the table
) -> None:
    component = make()
    has_getattr = any("__getattr__" in vars(klass) for klass in type(component).__mro__)
    answers_all = has_getattr and not isinstance(component, Data)  # as the Mock with a spec pretends to be

    said = _bound(component, "zork", Taker())

    assert (WORKS if answers_all else UNKNOWN) in said


def test_a_class_that_hides_its_dict_gives_and_takes_methods() -> None:
    taker: Any = Taker()
    hiding: Any = HidingItsDict()

    assert _bound(hiding, "run", taker) == WORKS
    assert _bound(Giver(), "fetch", hiding) == WORKS

    assert (taker.run(), hiding.fetch()) == ("ran", "fetched")


def test_a_property_that_raises_raises_when_its_consumer_reads_it_and_no_earlier() -> None:
    consumer: Any = Taker()

    assert _bound(Raising(), "other", consumer) == WORKS

    with pytest.raises(RuntimeError, match="asked for a property"):
        _ = consumer.other


# Modules of torch, known by the shape of their class alone


def _modules() -> dict[str, Any]:
    torch: Any = pytest.importorskip("torch")

    class Plugged(torch.nn.Module):  # type: ignore[misc] # torch is Any here
        def __init__(self) -> None:
            super().__init__()
            self.size = 1
            self.weight = torch.nn.Parameter(torch.ones(1))
            self.register_buffer("buffer", torch.ones(2))

        def run(self) -> str:
            return "ran"

    class Guarded(Plugged):
        def __setattr__(self, name: str, value: object) -> None:
            if name in {"fetch", "level"}:
                raise TypeError("set")
            super().__setattr__(name, value)

        def __getattr__(self, name: str) -> Any:
            if name.startswith("x_"):
                return name
            return super().__getattr__(name)

    return {"nn.Module": Plugged(), "with __setattr__ and __getattr__": Guarded(), "Sequential": torch.nn.Sequential()}


@pytest.mark.parametrize("kind", ["nn.Module", "with __setattr__ and __getattr__"])
def test_a_module_gives_methods_state_parameters_and_buffers(kind: str) -> None:
    module, taker = _modules()[kind], Taker()

    for cell in ("run", "size", "weight", "buffer"):
        assert _bound(module, cell, taker) == WORKS

    assert (taker.run(), taker.size) == ("ran", 1)  # type: ignore[attr-defined] # cells
    assert taker.weight is module.weight  # type: ignore[attr-defined] # same
    assert UNKNOWN in _bound(module, "zork", taker)


@pytest.mark.parametrize("kind", ["nn.Module", "with __setattr__ and __getattr__", "Sequential"])
def test_a_module_takes_methods_and_state(kind: str) -> None:
    module, giver = _modules()[kind], Giver()

    assert _bound(giver, "fetch", module) == WORKS
    assert _bound(giver, "level", module) == WORKS

    giver.level = 9
    assert (module.fetch(), module.level) == ("fetched", 9)
    assert "name-taken" in _bound(
        _with_run_and_size(types.SimpleNamespace(weight=1)), "weight", _modules()["nn.Module"]
    )
