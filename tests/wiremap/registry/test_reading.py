import collections
import functools
import threading
from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, Generic, TypeVar
from unittest.mock import Mock

import pytest

from wiremap.registry import reading
from wiremap.registry.reading import may_read

T = TypeVar("T")


def _careless(function: Callable[..., Any]) -> Callable[..., Any]:
    def wrapper(*args: Any) -> Any:
        return function(*args)

    return wrapper


def _careful(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def wrapper(*args: Any) -> Any:
        return wrapper.__wrapped__(*args)

    del function
    return wrapper


class Reader:
    def plainly(self: Any) -> object:
        return self.in_method

    async def later(self: Any) -> object:
        return self.in_coroutine

    def inside(self: Any) -> list[object]:
        def nested() -> object:
            return self.in_nested

        return [self.in_comprehension for _ in range(2)] + [nested(), lambda: self.in_lambda]

    def named(self) -> set[str]:
        return {"in_text", *("in_tuple", "in_it_too")}

    @property
    def computed(self: Any) -> object:
        return self.in_property

    @computed.setter
    def computed(self: Any, value: object) -> None:
        self.in_setter(value)

    @classmethod
    def of_class(cls: Any) -> object:
        return cls.in_class_method

    @functools.cached_property
    def kept(self: Any) -> object:
        return self.in_cached_property

    @functools.lru_cache  # noqa: B019 -- what is tried here
    def cached(self: Any) -> object:
        return self.in_cached

    @_careless
    def unwrapped(self: Any) -> object:
        return self.in_careless

    @_careful
    def wrapped(self: Any) -> object:
        return self.in_careful

    partial = functools.partialmethod(lambda self, _: self.in_partial, 1)


READ = (
    "in_method in_coroutine in_nested in_comprehension in_lambda in_text in_tuple in_it_too in_property in_setter "
    "in_class_method in_cached_property in_cached in_careless in_careful in_partial"
)


@pytest.mark.parametrize("name", READ.split())
def test_what_code_mentions_may_be_read(name: str) -> None:
    class Derived(Reader):
        def more(self) -> None: ...

    assert may_read(Reader, name)
    assert may_read(Derived, name)


def test_what_no_code_mentions_is_not_read() -> None:
    class Derived(Reader, Generic[T]):
        def __init__(self: Any) -> None:
            self.in_init = 1

    assert not may_read(Reader, "absent")
    assert not may_read(Derived, "absent")
    assert may_read(Derived, "in_init")


class _OnlyInit:
    def __init__(self) -> None:
        self.size = 1


@dataclass
class _Data:
    size: int = 1


class _Computing:
    def read(self, name: str) -> object:
        return getattr(self, name)


class _Getting:
    get = attrgetter("size")

    def read(self) -> object:
        return attrgetter("si" + "ze")(self)


class _Descriptor:
    def __get__(self, instance: object, owner: type) -> object: ...


class _Hidden:
    secret = _Descriptor()

    def method(self) -> None: ...


@pytest.mark.parametrize("cls", [_OnlyInit, _Data, _Computing, _Getting, _Hidden, Mock, type(Mock()), dict, type(len)])
def test_what_can_not_be_told_counts_as_read(cls: type) -> None:
    assert may_read(cls, "anything")


@pytest.mark.parametrize("base", [threading.Thread, collections.UserDict, Exception, dict])
def test_a_base_class_from_elsewhere_does_not_make_it_untellable(base: type) -> None:
    derived = type("Derived", (base,), {"__module__": __name__, "method": lambda self: self.size})

    assert may_read(derived, "size")
    assert not may_read(derived, "absent")


def test_a_class_is_looked_through_once(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_through: list[type] = []
    read = reading._read

    def note_and_read(klass: type) -> Any:
        looked_through.append(klass)
        return read(klass)

    monkeypatch.setattr(reading, "_read", note_and_read)

    class Once:
        def method(self) -> None: ...

    assert not may_read(Once, "a")
    assert not may_read(Once, "b")
    assert looked_through == [Once]
