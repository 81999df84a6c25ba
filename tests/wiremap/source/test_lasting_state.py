from textwrap import indent

import pytest
from hypothesis import given

from tests.wiremap.source.programs import programs
from wiremap.source.keepers import PROCESS, Keepers
from wiremap.source.units import parse_units


def keepers(body: str, others: str = "") -> Keepers:
    """Return who keeps what a function `f(self, other)` of this body fills."""
    source = parse_units(f"{others}\ndef f(self, other):\n{indent(body, '    ')}\n".encode())
    assert source.fault is None
    return source.units["f"].keepers


@pytest.mark.parametrize(
    "body",
    [
        "global x\nif x is None: x = make()\nreturn x",
        "if key not in cache: cache[key] = make()\nreturn cache[key]",
        "try: return cache[key]\nexcept KeyError: cache[key] = make()",
        "if not holder.value: holder.value = make()",
        "if not cache: cache.update(a=make())",
        "if not cache: cache.append(make())",
        "return cache.get(key) or cache.setdefault(key, make())",
        "found = cache.get(key)\nif found is None: cache[key] = make()",
        "while not ready: ready.append(make())",
        "match cache:\n    case []: cache.append(make())",
    ],
)
def test_what_is_filled_when_it_is_found_empty_is_kept_in_the_process(body: str) -> None:
    assert keepers(body) == (PROCESS,)


@pytest.mark.parametrize(
    "body",
    [
        "if self.x is None: self.x = make()\nreturn self.x",
        "if self.x: return self.x\nself.x = make()\nreturn self.x",
        "if not hasattr(self, 'x'): self.x = make()",
        "try: return self.x\nexcept AttributeError: self.x = make()",
        "if 'x' not in self.__dict__: self.__dict__['x'] = make()",
        "same = self\nif not same.x: same.x = make()",
    ],
)
def test_what_an_object_fills_of_itself_is_kept_by_it(body: str) -> None:
    assert keepers(body) == (0,)


FILLS_AN_ATTRIBUTE = [
    "if key not in self.cache: self.cache[key] = make()",
    "if not self.cache: self.cache.extend(make())",
    "if not self.cache.x: self.cache.x = make()",
    "cache = self.cache\nif key not in cache: cache[key] = make()",
    "if key not in (cache := self.cache): cache[key] = make()",
    "cache = self.cache if self else self.cache\nif key not in cache: cache[key] = make()",
]


@pytest.mark.parametrize("body", FILLS_AN_ATTRIBUTE)
@pytest.mark.parametrize(
    "made", ["{}", "[]", "dict()", "Table()", "tables.Table(1)", "self.table_class()", "other.cache.copy()"]
)
def test_what_an_object_fills_of_what_it_made_is_kept_by_it(body: str, made: str) -> None:
    assert keepers(body, f"class C:\n    def __init__(self, other): self.cache = {made}\n") == (0,)


@pytest.mark.parametrize("body", FILLS_AN_ATTRIBUTE)
@pytest.mark.parametrize(
    "others",
    [
        "",
        "class C:\n    cache = {}\n",
        "class C:\n    cache: dict = {}\n",
        "class C:\n    @property\n    def cache(self): return CACHE\n",
        "class C:\n    def __init__(self, cache): self.cache = cache\n",
        "class C:\n    def __init__(self): self.cache = CACHE\n",
        "class C:\n    def __init__(self): self.cache = get_cache()\n",
        "class C:\n    def __init__(self): self.cache = CACHE or {}\n",
        "class C:\n    def __init__(self): self.cache, self.x = CACHE, 1\n",
        "class C:\n    def __init__(self): self.cache = {}\n    def share(self): setattr(self, 'cache', CACHE)\n",
    ],
)
def test_what_an_object_fills_of_what_others_may_have_too_is_kept_in_the_process(body: str, others: str) -> None:
    assert keepers(body, others) == (PROCESS,)


@pytest.mark.parametrize("value", ["None", "0"])
def test_a_constant_of_the_class_is_nothing_that_its_objects_share(value: str) -> None:
    others = f"class C:\n    cache = {value}\n    def __init__(self): self.cache = {{}}\n"

    assert keepers("if key not in self.cache: self.cache[key] = make()", others) == (0,)


def test_a_field_of_a_dataclass_is_made_for_each_object() -> None:
    others = "class C:\n    cache: dict = field(default_factory=dict)\n    def clear(self): self.cache = {}\n"

    assert keepers("if key not in self.cache: self.cache[key] = make()", others) == (0,)


@pytest.mark.parametrize(
    "body",
    [
        "cache = get_cache()\nif key not in cache: cache[key] = make()",
        "if not get_pool().made: get_pool().made = make()",
        "if not self.x: type(self).x = make()",
        "entry = self.entries.get(key)\nif entry.value is None: entry.value = make()",
        "entry = self.entries[key]\nif entry.value is None: entry.value = make()",
        "cache = self.cache or CACHE\nif key not in cache: cache[key] = make()",
        "for one in self.entries:\n    if one.value is None: one.value = make()",
    ],
)
def test_what_is_filled_of_something_that_the_call_did_not_make_is_kept_in_the_process(body: str) -> None:
    assert keepers(body, "class C:\n    def __init__(self): self.entries = {}\n") == (PROCESS,)


def test_objects_that_share_all_that_they_have_keep_nothing_for_themselves() -> None:
    others = "class C:\n    shared = {}\n    def __init__(self): self.__dict__ = self.shared\n"

    assert keepers("if self.x is None: self.x = make()", others) == (PROCESS,)


def test_what_is_filled_of_an_argument_is_kept_by_that() -> None:
    assert keepers("if not other.value: other.value = make()") == (1,)


@pytest.mark.parametrize(
    "body",
    [
        "x = make()\nreturn x",
        "self.x = make()\nreturn self.x",
        "if a: x = make()",
        "found = []\nif not found: found.append(make())\nreturn found",
        "return make()",
    ],
)
def test_what_every_call_makes_anew_is_kept_by_nobody(body: str) -> None:
    assert keepers(body) == ()


def test_a_test_and_a_store_in_a_function_that_it_calls_count() -> None:
    others = "def fill():\n    global x\n    x = make()\n"

    assert keepers("if x is None: fill()\nreturn x", others) == (PROCESS,)


@given(programs())
def test_every_program_has_an_answer(program: str) -> None:
    source = parse_units(program.encode())

    assert source.fault is None
    assert all(place >= PROCESS for unit in source.units.values() for place in unit.keepers)
