from textwrap import dedent

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wiremap.source.module_names import ModuleNames
from wiremap.source.units import parse_units


def top(text: str) -> ModuleNames:
    found = parse_units(dedent(text).encode()).top
    assert found is not None
    return found


def names(text: str) -> set[str]:
    return set(top(text).names)


def changed(before: str, after: str) -> set[str]:
    """Return the names whose definition differs, or `effects` among them."""
    old, new = top(before), top(after)
    found = {
        name
        for name in old.names.keys() | new.names.keys()
        if name not in old.names or name not in new.names or old.names[name].fingerprint != new.names[name].fingerprint
    }
    return found | ({"effects"} if old.effects != new.effects else set())


def is_plain(text: str, *, after: str = "") -> bool:
    """Tell whether *text* adds no effect to a module that begins with *after*."""
    return top(after + text).effects == top(after).effects


# Names and effects.


def test_a_plain_statement_gives_a_name_and_no_effect() -> None:
    assert names("RATE = 1\ndef f(): ...\nclass C: ...\n") == {"RATE", "f", "C"}
    assert is_plain("RATE = 1\ndef f(): ...\nclass C: ...\n")


@pytest.mark.parametrize(
    "statement",
    [
        "print(1)",
        "X = f()",
        "X = a.b",
        "X = [f() for f in ()]",
        "x += 1",
        "x.y = 1",
        "x[0] = 1",
        "del x",
        "assert x",
        "for x in (): ...",
        "with x: ...",
        "if x: ...",
        "try: ...\nexcept E: ...",
        "X = (y := 1)",
        "X = 1 / 0",
        "X = unknown",
        "@unknown\ndef f(): ...",
        "def f(a=g()): ...",
        "def f(a: unknown): ...",
        "class C(metaclass=M): ...",
        "class C(f()): ...",
        "class C:\n    print(1)",
        "class C:\n    x = f()",
        "class C:\n    if x: ...",
        "@unknown\nclass C: ...",
        "from x import *",
    ],
)
def test_what_may_do_more_is_an_effect(statement: str) -> None:
    assert not is_plain(statement)


@pytest.mark.parametrize(
    "statement",
    [
        "'''Text.'''",
        "pass",
        "import json",
        "X = {'a': (1, [2.0, -3]), 'b': {4}}",
        "X = 60 * 60 + 2 ** 10",
        "X = 'a' + 'b'",
        "X = Y = None",
        "X, Y = 1, 2",
        "X: int = 1",
        "X: int",
        "X = lambda a=1: a.b()",
        "X = frozenset({'a', 'b'})",
        "X = dict[str, list[int]]",
        "def f(a: int | None = None, *b: 'unknown', **c: dict[str, int]) -> tuple[int, ...]: ...",
        "async def f(): ...",
        "class C(ValueError):\n    '''Text.'''\n    x = 1\n    def f(self): ...\n",
        "class C:\n    @property\n    def f(self): ...\n    @f.setter\n    def f(self, value): ...\n",
        "class C(dict): ...",
        "import typing\nif typing.TYPE_CHECKING:\n    import anything\n    anything()",
        "import os\n_stat = os.stat",
        "import re\nX = re.compile('a|b', re.I | re.A)",
        "from functools import lru_cache\n@lru_cache(maxsize=None)\ndef f(): ...",
        "from typing import TypeVar\nT = TypeVar('T', bound='C')",
        "import enum\nclass C(enum.Enum):\n    A = 1\n    B = 2\n",
        "import enum\nclass C(enum.Flag):\n    A = enum.auto()\n    B = enum.auto()\n",
        "from typing import NamedTuple\nclass C(NamedTuple):\n    a: int\n    b: str = ''\n    def f(self): ...\n",
        "from typing import Protocol\nclass C(Protocol):\n    def f(self) -> int: ...\n",
        "import abc\nclass C(abc.ABC):\n    @property\n    @abc.abstractmethod\n    def f(self): ...\n",
        "import dataclasses as d\n@d.dataclass(frozen=True, order=True)\nclass C:\n    a: int\n    b: tuple = (1, 2)\n",
        "import dataclasses as d\n@d.dataclass\nclass C:\n    a: list = d.field(default_factory=list)\n",
    ],
)
def test_what_only_binds_names_is_no_effect(statement: str) -> None:
    assert is_plain(statement)


@pytest.mark.parametrize(
    "statement",
    [
        "from dataclasses import dataclass\n@dataclass\nclass C:\n    a: int = 1\n    b: int\n",
        "from dataclasses import dataclass\n@dataclass\nclass C:\n    a: list = []\n",
        "from dataclasses import dataclass\n@dataclass(order=True)\nclass C:\n    def __lt__(self, other): ...\n",
        "from dataclasses import dataclass\n@dataclass(frozen=True)\nclass C:\n    def __setattr__(self, n, v): ...\n",
        "import dataclasses as d\n@d.dataclass\nclass C:\n    a: int = d.field(default=1, default_factory=int)\n",
        "import enum\n@enum.unique\nclass C(enum.Enum):\n    A = 1\n    B = 1\n",
        "import enum\nclass C(enum.Enum):\n    A = 1\n    A = 2\n",
        "import enum\nclass C(enum.IntEnum):\n    A = 'a'\n",
        "import enum\nclass C(enum.Enum):\n    def __init__(self, a): ...\n    A = 1\n",
        "from typing import NamedTuple\nclass C(NamedTuple):\n    _a: int\n",
        "from typing import NamedTuple\nclass C(NamedTuple):\n    a: 5\n",
        "from typing import NamedTuple\nclass C(NamedTuple):\n    a: int\n    def _replace(self): ...\n",
        "from typing import TypedDict\nclass C(TypedDict):\n    def f(self): ...\n",
        "class C:\n    __slots__ = ('a',)\n    a = 1\n",
        "class C(int):\n    __slots__ = ('a',)\n",
        "class C:\n    __classcell__ = 1\n",
        "class C:\n    x = 1\n    @x.setter\n    def x(self, value): ...\n",
        "from abc import abstractmethod\nclass C:\n    @abstractmethod\n    @property\n    def f(self): ...\n",
        "from functools import lru_cache\n@lru_cache(maxsize='1')\ndef f(): ...",
        "import typing\ndef f(a: typing.Optional[int, str]): ...",
        "import typing\ndef f(a: typing.Anything): ...",
        "def f(a: 'int' | None): ...",
        "X = 5\ndef f(a: X | None): ...",
        "import re\nX = re.compile('(')",
        "import re\nX = re.compile('a', re.DEBUG)",
        "from typing import TypeVar\nT = TypeVar('T', int)",
        "import logging\nX = logging.getLogger(5)",
    ],
)
def test_what_can_fail_is_an_effect(statement: str) -> None:
    assert not is_plain(statement)


@pytest.mark.parametrize(
    "statement",
    [
        "def pytest_configure(config): ...",
        "pytestmark = 1",
        "def setup_module(): ...",
        "setUpModule = None",
        "def load_tests(): ...",
        "def __getattr__(name): ...",
        "__path__ = []",
        "collect_ignore = []",
    ],
)
def test_what_pytest_or_python_looks_up_is_an_effect(statement: str) -> None:
    assert not is_plain(statement)


def test_a_mark_is_none_where_pytest_is_imported() -> None:
    test = "@pytest.mark.parametrize('a', [1, pytest.param(2, marks=pytest.mark.slow)])\ndef test_it(a): ...\n"

    assert is_plain(test, after="import pytest\n")
    assert not is_plain(test)


def test_the_body_of_a_function_is_none_of_its_name() -> None:
    assert changed("def f(): return 1\n", "def f(): return 2\n") == set()
    assert changed("def f(a=1): ...\n", "def f(a=2): ...\n") == {"f"}


# What a name means depends on where it is bound.


def test_a_name_that_an_effect_may_have_bound_is_not_known() -> None:
    assert not is_plain("Y = X\n", after="X = 1\ndel X\n")


def test_a_name_that_an_effect_surely_bound_is_known() -> None:
    assert is_plain("Y = X\n", after="X = f()\n")
    assert is_plain("Y = X\n", after="try:\n    X = f()\nexcept E:\n    X = None\n")
    assert not is_plain("Y = X\n", after="try:\n    X = f()\nexcept E:\n    pass\n")


def test_a_shadowed_built_in_is_no_built_in() -> None:
    assert not is_plain("class C:\n    @property\n    def f(self): ...\n", after="property = f()\n")


def test_after_a_star_no_name_is_what_it_seems() -> None:
    assert not is_plain("class C:\n    @property\n    def f(self): ...\n", after="from x import *\n")
    assert top("globals().update(x)\nclass C(ValueError): ...\n").names["C"].kind == "derived"


def test_a_project_module_of_a_familiar_name_is_not_the_standard_one() -> None:
    assert top("from .enum import Enum\nclass C(Enum):\n    A = 1\n").names["C"].kind == "derived"
    assert top("from enum import Enum\nclass C(Enum):\n    A = 1\n").names["C"].kind == "sealed"


# Imports.


def test_an_import_of_the_standard_library_is_a_name_and_of_another_module_an_effect_too() -> None:
    assert is_plain("import json\nfrom os import path\n")
    assert not is_plain("import shop\n")


def test_another_name_of_the_same_module_is_no_new_effect() -> None:
    assert changed("from shop import a\n", "from shop import a, b\n") == {"b"}
    assert changed("from shop import a\n", "from shop import a\nfrom shop.late import b\n") == {"b", "effects"}


def test_imports_are_told_with_where_they_lead() -> None:
    found = top("import a.b\nimport c.d as e\nfrom ..f import g as h\n")

    assert {name: one.imported for name, one in found.names.items()} == {
        "a": (("a.b", ""),),
        "e": (("c.d", ""),),
        "h": (("..f", "g"),),
    }
    assert found.aliases == {"a": "a", "e": "c.d", "h": "..f.g"}


def test_stars_are_told() -> None:
    assert top("from .shop import *\n").stars == {".shop"}


# Order.


def test_the_order_of_plain_statements_does_not_matter_but_to_what_reads_them() -> None:
    assert changed("A = 1\nB = 2\n", "B = 2\nA = 1\n") == set()
    assert changed("A = 1\nB = A\nA = 2\n", "A = 1\nA = 2\nB = A\n") == {"B"}


def test_the_order_of_effects_matters() -> None:
    assert changed("f()\ng()\n", "g()\nf()\n") == {"effects"}


def test_a_name_tells_how_many_effects_come_before_it() -> None:
    assert top("A = 1\nf()\nB = 2\n").names["B"].places == (1,)
    assert top("A = 1\nf()\nA = 2\n").names["A"].places == (0, 1)


# Classes.


def test_members_are_told_apart() -> None:
    before = "class C:\n    x = 1\n    def f(self): ...\n"

    assert names(before) == {"C", "C.x", "C.f"}
    assert changed(before, before.replace("1", "2")) == {"C.x"}
    assert changed(before, before + "    def g(self): ...\n") == {"C.g"}


@pytest.mark.parametrize(
    "member",
    ["def __eq__(self, other): ...", "__slots__ = ()", "def setup_method(self): ...", "pytestmark = 1", "x: int"],
)
def test_a_member_that_others_look_up_is_of_the_class_itself(member: str) -> None:
    assert changed("class C:\n    y = 1\n", f"class C:\n    y = 1\n    {member}\n") == {"C"}


def test_an_annotation_of_a_member_is_of_the_class_itself() -> None:
    assert changed("class C:\n    x: int = 1\n", "class C:\n    x: str = 1\n") == {"C", "C.x"}


def test_a_base_is_of_the_class_itself() -> None:
    assert changed("class C(ValueError):\n    x = 1\n", "class C(TypeError):\n    x = 1\n") == {"C"}


def test_a_class_that_is_seen_as_a_whole_is_one_name() -> None:
    text = "from dataclasses import dataclass\n@dataclass\nclass C:\n    a: int\n"

    assert names(text) == {"dataclass", "C"}
    assert "a" in top(text).names["C"].reads


def test_a_class_in_a_class_is_a_member_as_a_whole() -> None:
    text = "class C:\n    class Link:\n        x = 1\n        def f(self): ...\n    def g(self): ...\n"

    assert names(text) == {"C", "C.Link", "C.g"}
    assert changed(text, text.replace("1", "2")) == {"C.Link"}


@pytest.mark.parametrize(
    "inner",
    [
        "class Link(Unknown): ...",
        "@unknown\n    class Link: ...",
        "class Link:\n        y = RATE",
        "class Link(x): ...",
    ],
)
def test_a_class_in_a_class_that_may_do_more_is_an_effect_and_so_is_the_other(inner: str) -> None:
    assert not is_plain(f"class C:\n    RATE = 1\n    {inner}\n", after="from shop import x\n")


def test_an_attribute_of_a_class_is_as_plain_as_what_it_is_bound_to() -> None:
    text = "class A:\n    x = 1\n    def f(self): ...\nclass B(A):\n    def f(self, base=A.f, x=A.x): ...\n"

    assert is_plain(text)
    assert {"A", "f", "x"} <= top(text).names["B.f"].reads


@pytest.mark.parametrize(
    "text",
    [
        "class A: ...\nX = A.x\n",
        "class A:\n    @classmethod\n    def x(cls): ...\nX = A.x\n",
        "class A:\n    __x = 1\nX = A.__x\n",
        "import dataclasses as d\n@d.dataclass\nclass A:\n    x: list = d.field(default_factory=list)\nX = A.x\n",
        "from shop import B\nclass A(B):\n    x = 1\nX = A.x\n",
        "class A:\n    x = 1\ndel A.x\nX = A.x\n",
    ],
)
def test_an_attribute_that_may_not_be_there_or_may_be_computed_is_an_effect(text: str) -> None:
    before, _, last = text.rpartition("X = ")

    assert not is_plain(f"X = {last}", after=before)


def test_a_tuple_with_names_is_a_class_and_a_base() -> None:
    text = (
        "from collections import namedtuple\nP = namedtuple('P', 'x y')\nclass Q(namedtuple('Q', ['x'])):\n    y = 1\n"
    )

    assert is_plain(text)
    assert top(text).names["Q"].kind == "plain"


@pytest.mark.parametrize("arguments", ["'P', 'x x'", "'P', 'class'", "'P', {'x', 'y'}", "'P', x", "'P', 'x', rename=1"])
def test_a_tuple_of_which_the_names_are_refused_or_computed_is_an_effect(arguments: str) -> None:
    assert not is_plain(f"P = namedtuple({arguments})\n", after="from collections import namedtuple\nfrom a import x\n")


def test_an_order_that_is_made_of_one_comparison_looks_at_the_whole_class() -> None:
    text = "from functools import total_ordering\n@total_ordering\nclass C:\n    x = 1\n"

    assert not is_plain(text)
    assert names(text + "    def __lt__(self, other): ...\n") == {"total_ordering", "C"}


@pytest.mark.parametrize(
    "decorator",
    [
        "@pytest.fixture",
        "@pytest.fixture()",
        "@pytest.fixture(scope='module', params=[1, 'two', (A, pytest.param(3, id='three'))])",
        "@pytest.fixture(params=(A, partial(A, key=1)))",
    ],
)
def test_a_fixture_is_a_name(decorator: str) -> None:
    before = "import pytest\nfrom functools import partial\nfrom shop import A\n"
    text = f"{decorator}\ndef made(request): ...\nclass TestA:\n    {decorator}\n    def other(self): ...\n"

    assert is_plain(text, after=before)
    assert names(before + text) >= {"made", "TestA", "TestA.other"}


@pytest.mark.parametrize(
    "text",
    [
        "@pytest.fixture(autouse=True)\ndef made(): ...\n",
        "@pytest.fixture(name='other')\ndef made(): ...\n",
        "@pytest.fixture(params=[unknown()])\ndef made(): ...\n",
        "@pytest.fixture(params=[partial(1)])\ndef made(): ...\n",
        "@pytest.fixture(params=A)\n@pytest.mark.slow\ndef made(): ...\n",
        "@pytest.fixture(ids=A)\ndef made(): ...\n",
        "@pytest.fixture\ndef made(): ...\nother = made\n",
    ],
)
def test_a_fixture_that_somebody_gets_without_asking_for_its_name_is_an_effect(text: str) -> None:
    assert not is_plain(text, after="import pytest\nfrom functools import partial\nfrom shop import A\n")


def test_what_is_called_later_must_stay_what_can_be_called() -> None:
    text = "import pytest\nfrom functools import partial\nfrom shop import A\n"

    assert top(f"{text}@pytest.fixture(params=[partial(A)])\ndef made(): ...\n").names["made"].rests_on == {"A()"}


def test_what_derives_from_a_class_with_a_hook_is_an_effect() -> None:
    base = "class A:\n    def __init_subclass__(cls): ...\n"

    assert is_plain(base)
    assert not is_plain("class C(A): ...\n", after=base)


def test_a_class_that_derives_from_an_imported_one_leaves_open_how_it_is_made() -> None:
    found = top("import app\nfrom shop import A\nclass C(A, app.B):\n    x = 1\n").names

    assert (found["C"].kind, found["C"].bases) == ("derived", ("A", "app.B"))
    assert found["C"].rests_on == {"class(A, app.B)"}
    assert "C.x" in found


def test_a_value_that_may_be_a_descriptor_is_one_on_which_the_class_rests() -> None:
    assert top("from shop import A\nclass C:\n    x = A\n").names["C"].rests_on == {"= A"}
    assert not is_plain("class C:\n    @property\n    def x(self): ...\n    y = x\n")


# Annotations.


def test_an_annotation_of_an_imported_name_tells_that_it_must_be_a_type() -> None:
    text = "from shop import A\nimport app\ndef f(a: A, b: A | None, c: list[A], d: app.B, e: A[int]): ...\n"

    assert top(text).names["f"].rests_on == {"| A", "[ A", ". B", "A[int]"}


def test_annotations_that_are_not_evaluated_rest_on_nothing() -> None:
    found = top("from __future__ import annotations\ndef f(a: unknown.X | 5) -> not_there: ...\n").names["f"]

    assert found.rests_on == set()
    assert {"unknown", "X", "not_there"} <= found.reads


# What is read.


def test_a_name_tells_what_it_is_made_of() -> None:
    assert {"A", "b", "c", "D"} <= top("A = 1\nX = lambda: A.b(c=1, d='D')\n").names["X"].reads


def test_a_docstring_reads_nothing() -> None:
    assert "word" not in top("@unknown\ndef f():\n    '''A word.'''\n").effect_reads
    assert "word" in top("f('A word.')\n").effect_reads


# Whatever stands in a module.

STATEMENTS = st.sampled_from(
    ["A = 1", "B = A", "def f(a=1): ...", "class C:\n    x = 1", "import json", "g()", "for i in (): ...", "A = 2"]
)


@given(st.lists(STATEMENTS, max_size=6), st.integers(0, 6))
def test_a_name_that_is_added_changes_no_other(statements: list[str], place: int) -> None:
    added = [*statements[:place], "UNHEARD_OF = 1", *statements[place:]]

    assert changed("\n".join(statements), "\n".join(added)) == {"UNHEARD_OF"}
