"""Module-level names end to end: who may read a name that changed runs, and who can't does not.

Each case records a project of `app.py`, `test_app.py` and perhaps more, changes it, and asks for the verdicts.
"""

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.wiremap.test_safety import answer_after


@dataclass(frozen=True)
class Case:
    """A change of some files.

    Attributes:
        title: What it shows.
        app: The text of `app.py`.
        then: Its text after the change.
        test: The text of `test_app.py`.
        other: Further files.
        change: What else changes, by path.
    """

    title: str
    app: str
    then: str
    test: str
    other: dict[str, str] = field(default_factory=dict)
    change: dict[str, str] = field(default_factory=dict)

    def runs(self, root: Path) -> set[str]:
        """Return the names of the test functions that run after the change."""
        files = {"app.py": self.app, "test_app.py": self.test, **self.other}
        answer = answer_after(root, files, {"app.py": self.then, **self.change})
        return {test.rpartition("::")[2].partition("[")[0] for test in answer.run}


_USE_F = "import app\ndef test_it(): assert app.f() == 1\n"
_F = "def f(): return 1\n"

# What changes is read by nobody: `test_it` is unaffected.
UNCONCERNED = [
    Case("a function that is added", _F, _F + "def new_one(a, b=1): return a\n", _USE_F),
    Case("a function that is added first", _F, "def new_one(a, b=1): return a\n" + _F, _USE_F),
    Case("a function that is removed", _F + "def old_one(): pass\n", _F, _USE_F),
    Case("a constant that is added", _F, _F + "NEW_ONE = {'a': (1, -2)}\n", _USE_F),
    Case("a constant that is changed", _F + "OLD_ONE = 1\n", _F + "OLD_ONE = 2\n", _USE_F),
    Case("a constant that is removed", _F + "OLD_ONE = 1\n", _F, _USE_F),
    Case("a class that is added", _F, _F + "class NewOne:\n    size = 1\n    def m(self): pass\n", _USE_F),
    Case("an error that is added", _F, _F + "class NewOneError(ValueError):\n    pass\n", _USE_F),
    Case(
        "a dataclass that is added",
        "from dataclasses import dataclass, field\n" + _F,
        "from dataclasses import dataclass, field\n"
        + _F
        + "@dataclass(frozen=True)\nclass NewOne:\n    a: int\n    b: list = field(default_factory=list)\n",
        _USE_F,
    ),
    Case(
        "an enumeration that is changed",
        "import enum\n" + _F + "class Colour(enum.Enum):\n    RED = 1\n",
        "import enum\n" + _F + "class Colour(enum.Enum):\n    RED = 1\n    BLUE = 2\n",
        _USE_F,
    ),
    Case("an import from the standard library that is added", _F, "import json\n" + _F, _USE_F),
    Case("an import that is removed", "import json\n" + _F, _F, _USE_F),
    Case(
        "another name imported from a module that is imported already",
        "from lib import one\n" + _F,
        "from lib import one, two\n" + _F,
        _USE_F,
        {"lib.py": "def one(): pass\ndef two(): pass\n"},
    ),
    Case("a default that is changed", _F + "def g(a=1): pass\n", _F + "def g(a=2): pass\n", _USE_F),
    Case("an annotation that is changed", _F + "def g(a: int): pass\n", _F + "def g(a: str): pass\n", _USE_F),
    Case(
        "a decorator that is added",
        _F + "class C:\n    def g(self): pass\n",
        _F + "class C:\n    @property\n    def g(self): pass\n",
        _USE_F,
    ),
    Case("the module's docstring", '"""Before."""\n' + _F, '"""After."""\n' + _F, _USE_F),
    Case(
        "a method of a class that is used otherwise",
        "class C:\n    def f(self): return 1\n",
        "class C:\n    def f(self): return 1\n    def unheard_of(self): return 2\n",
        "import app\ndef test_it(): assert app.C().f() == 1\n",
    ),
    Case(
        "a class attribute that nobody reads",
        "class C:\n    colour_of_it = 1\n    def f(self): return 1\n",
        "class C:\n    colour_of_it = 2\n    def f(self): return 1\n",
        "import app\ndef test_it(): assert app.C().f() == 1\n",
    ),
    Case(
        "an import for type checkers",
        "from typing import TYPE_CHECKING\n" + _F,
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import json\n" + _F,
        _USE_F,
    ),
]

_RATE = "RATE = 1\n"
_CLASS = "class C:\n    value = 1\n    def f(self): return self.value\n"

# `test_it` is concerned, in one way or another.
CONCERNED = [
    # Reading.
    Case("read in the test", _RATE, "RATE = 2\n", "import app\ndef test_it(): assert app.RATE == 1\n"),
    Case("read under another name", _RATE, "RATE = 2\n", "from app import RATE as r\ndef test_it(): assert r == 1\n"),
    Case(
        "read by way of a module that hands it on",
        _RATE,
        "RATE = 2\n",
        "import hub\ndef test_it(): assert hub.R == 1\n",
        {"hub.py": "from app import RATE as R\n"},
    ),
    Case("read by way of a star", _RATE, "RATE = 2\n", "from app import *\ndef test_it(): assert RATE == 1\n"),
    Case(
        "hidden by a star that brings a name more",
        "X = 1\n",
        "X = 1\nRATE = 2\n",
        "import hub\ndef test_it(): assert hub.f() == 1\n",
        {"hub.py": "RATE = 1\nfrom app import *\ndef f(): return RATE\n"},
    ),
    Case(
        "__all__ changed",
        "RATE = 1\n_X = 1\n__all__ = ['RATE', '_X']\n",
        "RATE = 1\n_X = 1\n__all__ = ['RATE']\n",
        "import hub\ndef test_it(): assert hub._X == 1\n",
        {"hub.py": "from app import *\n"},
    ),
    Case(
        "read when another module is imported",
        _RATE,
        "RATE = 2\n",
        "import hub\ndef test_it(): assert hub.TWICE == 2\n",
        {"hub.py": "import app\nTWICE = app.RATE * 2\n"},
    ),
    Case(
        "read when a function is defined",
        _RATE,
        "RATE = 2\n",
        "import hub\ndef test_it(): assert hub.f() == 1\n",
        {"hub.py": "from app import RATE\ndef f(a=RATE): return a\n"},
    ),
    Case("read by a lambda", _RATE + "f = lambda: RATE\n", "RATE = 2\nf = lambda: RATE\n", _USE_F),
    Case(
        "read by a class body",
        _RATE + "class C:\n    value = RATE\n",
        "RATE = 2\nclass C:\n    value = RATE\n",
        "import app\ndef test_it(): assert app.C().value == 1\n",
    ),
    Case(
        "read in a comprehension",
        _RATE + "ALL = [RATE for _ in 'a']\n",
        "RATE = 2\nALL = [RATE for _ in 'a']\n",
        "import app\ndef test_it(): assert app.ALL == [1]\n",
    ),
    Case(
        "read by getattr with a literal",
        _RATE,
        "RATE = 2\n",
        "import app\ndef test_it(): assert getattr(app, 'RATE', 1) == 1\n",
    ),
    Case(
        "read by a computed name",
        _RATE,
        "RATE = 2\n",
        "import app\nNAME = 'RA' + 'TE'\ndef test_it(): assert getattr(app, NAME) == 1\n",
    ),
    Case(
        "read by a computed name in another module",
        _RATE,
        "RATE = 2\n",
        "import app, hub\ndef test_it(): assert hub.get(app, 'ra') == 1\n",
        {"hub.py": "def get(o, n): return getattr(o, (n + 'te').upper())\n"},
    ),
    Case(
        "read by an attrgetter under another name",
        _RATE,
        "RATE = 2\n",
        "from operator import attrgetter as ag\nimport app\ndef test_it(): assert ag('ra'.upper() + 'TE')(app) == 1\n",
    ),
    Case(
        "read by vars", _RATE, "RATE = 2\n", "import app\ndef test_it(): assert vars(app)['ra'.upper() + 'TE'] == 1\n"
    ),
    Case(
        "read by globals",
        _RATE + "def f(): return globals()['ra'.upper() + 'TE']\n",
        "RATE = 2\ndef f(): return globals()['ra'.upper() + 'TE']\n",
        _USE_F,
    ),
    Case(
        "read by eval",
        _RATE,
        "RATE = 2\n",
        "import app\ndef test_it(): assert eval('app.' + 'ra'.upper() + 'TE') == 1\n",
    ),
    Case(
        "read by way of sys.modules",
        _RATE,
        "RATE = 2\n",
        "import app, sys\ndef test_it():\n    m = sys.modules['app']\n    assert getattr(m, 'ra'.upper() + 'TE') == 1\n",
    ),
    Case(
        "read by way of a module imported by name",
        _RATE,
        "RATE = 2\n",
        "import importlib\ndef test_it():\n    m = importlib.import_module('app')\n"
        "    assert dict(m.__dict__)['ra'.upper() + 'TE'] == 1\n",
    ),
    Case(
        "read by foreign code that was handed the module",
        _RATE,
        "RATE = 2\n",
        "import app, operator\ndef test_it():\n    g = operator.attrgetter\n    assert g('ra'.upper() + 'TE')(app) == 1\n",
    ),
    Case(
        "read by foreign code that was handed a submodule",
        "",
        "",
        "import pkg.mod, inspect\ndef test_it(): assert dict(inspect.getmembers_static(pkg.mod))['ra'.upper() + 'TE'] == 1\n",
        {"pkg/__init__.py": "", "pkg/mod.py": _RATE},
        {"pkg/mod.py": "RATE = 2\n"},
    ),
    Case(
        "read by str.format",
        "class C:\n    value = 1\n",
        "class C:\n    value = 2\n",
        "import app\ndef test_it(): assert '{0.value}'.format(app.C()) == '1'\n",
    ),
    Case(
        "read by a template file",
        "class C:\n    value = 1\n",
        "class C:\n    value = 2\n",
        "import app, pathlib\ndef test_it():\n    t = pathlib.Path(__file__).with_name('t.txt').read_text()\n"
        "    assert t.format(app.C()) == '1'\n",
        {"t.txt": "{0.value}"},
    ),
    Case(
        "replaced by its dotted name",
        "RATE = 1\ndef f(): return 1\n",
        "def f(): return 1\n",
        "import app\ndef test_it(monkeypatch):\n    monkeypatch.setattr('app.RATE', 5)\n",
    ),
    Case(
        "matched by keyword",
        "class C:\n    value = 1\n",
        "class C:\n    value = 2\n",
        "import app\ndef test_it():\n    match app.C():\n        case app.C(value=1): pass\n        case _: assert 0\n",
    ),
    Case(
        "matched by position",
        "class C:\n    a = 1\n    b = 2\n    __match_args__ = ('a',)\n",
        "class C:\n    a = 1\n    b = 2\n    __match_args__ = ('b',)\n",
        "import app\ndef test_it():\n    match app.C():\n        case app.C(1): pass\n        case _: assert 0\n",
    ),
    # Bound again, or elsewhere.
    Case(
        "shadows a built-in", "def f(): return len('a')\n", "def f(): return len('a')\ndef len(x): return 2\n", _USE_F
    ),
    Case(
        "shadows a built-in for the module's own import",
        "X = max(1, 1)\n",
        "def max(a, b): return 2\nX = max(1, 1)\n",
        "import app\ndef test_it(): assert app.X == 1\n",
    ),
    Case(
        "takes the place of what an effect bound",
        "A, B = 1, 1\n",
        "A, B = 1, 1\nA = 2\n",
        "import app\ndef test_it(): assert app.A == 1\n",
    ),
    Case(
        "takes the place of what a star brought",
        "from lib import *\n",
        "from lib import *\nRATE = 2\n",
        "import app\ndef test_it(): assert app.RATE == 1\n",
        {"lib.py": _RATE},
    ),
    Case(
        "takes the place of what __getattr__ answers",
        "def __getattr__(name): return 1\n",
        "def __getattr__(name): return 1\nRATE = 2\n",
        "import app\ndef test_it(): assert app.RATE == 1\n",
    ),
    Case(
        "takes the place of a submodule",
        "",
        "",
        "import pkg.sub, pkg\ndef test_it(): assert pkg.sub.X == 1\n",
        {"pkg/__init__.py": "", "pkg/sub.py": "X = 1\n", "hub.py": ""},
        {"pkg/__init__.py": "from types import SimpleNamespace\ndef sub(): pass\n"},
    ),
    Case("defined again", "def f(): return 1\n", "def f(): return 1\ndef f(): return 2\n", _USE_F),
    Case(
        "bound in another order",
        "A = 1\nB = A\nA = 2\n",
        "A = 1\nA = 2\nB = A\n",
        "import app\ndef test_it(): assert app.B == 1\n",
    ),
    Case(
        "bound in another order in a class",
        "class C:\n    a = 1\n    b = a\n    a = 2\n",
        "class C:\n    a = 1\n    a = 2\n    b = a\n",
        "import app\ndef test_it(): assert app.C.b == 1\n",
    ),
    Case(
        "bound after what reads it at import",
        "RATE = 1\ndef f(): return RATE\nX, Y = f(), 1\n",
        "def f(): return RATE\nX, Y = f(), 1\nRATE = 1\n",
        "def test_it(): import app\n",
    ),
    Case(
        "bound after a module that imports it back",
        "RATE = 1\nimport hub\n",
        "import hub\nRATE = 1\n",
        "def test_it(): import app\n",
        {"hub.py": "from app import RATE\n"},
    ),
    Case(
        "imported from a module that is not through yet",
        "import hub\ndef late(): pass\n",
        "import hub\ndef late(): pass\n",
        "def test_it(): import app\n",
        {"hub.py": "import app\nfrom app import __name__ as n\n"},
        {"hub.py": "import app\nfrom app import __name__ as n, late\n"},
    ),
    # Noticed by its absence.
    Case("appears to hasattr", _F, _F + "RATE = 1\n", "import app\ndef test_it(): assert not hasattr(app, 'RATE')\n"),
    Case(
        "appears to a failing import",
        _F,
        _F + "RATE = 1\n",
        "try:\n    from app import RATE\nexcept ImportError:\n    RATE = None\ndef test_it(): assert RATE is None\n",
    ),
    Case(
        "appears to an error that is expected",
        _F,
        _F + "RATE = 1\n",
        "import app, pytest\ndef test_it():\n    with pytest.raises(AttributeError): app.RATE\n",
    ),
    Case(
        "appears to an error that another function swallows",
        _F,
        _F + "RATE = 1\n",
        "import app, hub\ndef test_it(): assert hub.safe(lambda: app.RATE) is None\n",
        {"hub.py": "def safe(f):\n    try: return f()\n    except Exception: return None\n"},
    ),
    Case(
        "appears to a test that is expected to fail",
        _F,
        _F + "RATE = 1\n",
        "import app, pytest\n@pytest.mark.xfail(strict=True)\ndef test_it(): app.RATE\n",
    ),
    Case(
        "appears to a type hint",
        "def g(a: 'Late'): pass\n",
        "def g(a: 'Late'): pass\nclass Late: pass\n",
        "import app, typing, pytest\ndef test_it():\n    with pytest.raises(NameError): typing.get_type_hints(app.g)\n",
    ),
    # Classes.
    Case(
        "a base class changed",
        "class A:\n    x = 1\nclass B:\n    x = 2\nclass C(A): pass\n",
        "class A:\n    x = 1\nclass B:\n    x = 2\nclass C(B): pass\n",
        "import app\ndef test_it(): assert app.C().x == 1\n",
    ),
    Case(
        "a method overrides one that is inherited",
        "class A:\n    def f(self): return 1\nclass C(A): pass\n",
        "class A:\n    def f(self): return 1\nclass C(A):\n    def f(self): return 2\n",
        "import app\ndef test_it(): assert app.C().f() == 1\n",
    ),
    Case(
        "a value read by way of an instance",
        _CLASS,
        _CLASS.replace("1", "2"),
        "import app\ndef test_it(): assert app.C().f() == 1\n",
    ),
    Case(
        "a value read by way of a class elsewhere",
        _CLASS,
        _CLASS.replace("1", "2"),
        "import hub\ndef test_it(): assert hub.D().f() == 1\n",
        {"hub.py": "import app\nclass D(app.C): pass\n"},
    ),
    Case(
        "a value read by a computed name of self",
        _CLASS,
        _CLASS.replace("1", "2"),
        "import app\nclass D(app.C):\n    def g(self, n): return getattr(self, n.lower())\n"
        "def test_it(): assert D().g('VALUE') == 1\n",
    ),
    Case(
        "a value made of another, read by a computed name",
        "SIZE = 1\nclass C:\n    value = SIZE\n    def g(self, n): return getattr(self, n.lower())\n",
        "SIZE = 2\nclass C:\n    value = SIZE\n    def g(self, n): return getattr(self, n.lower())\n",
        "import app\ndef test_it(): assert app.C().g('VALUE') == 1\n",
    ),
    Case(
        "a method that foreign code looks for",
        "class C:\n    def write(self, s): pass\n",
        "class C:\n    def write(self, s): pass\n    def flush(self): raise OSError\n",
        "import app, logging\ndef test_it(): logging.StreamHandler(app.C()).flush()\n",
    ),
    Case(
        "a value that foreign code looks for",
        "class E(SystemExit):\n    pass\n",
        "class E(SystemExit):\n    code = 3\n",
        "import app, pytest, _thread\ndef test_it():\n    with pytest.raises(SystemExit) as e: raise app.E(1)\n"
        "    assert repr(vars(type(e.value))).count('3') == 0\n",
    ),
    Case(
        "a protocol that is asked at run time",
        "from typing import Protocol, runtime_checkable\n@runtime_checkable\nclass P(Protocol):\n    def quack(self): ...\n"
        "class C:\n    pass\n",
        "from typing import Protocol, runtime_checkable\n@runtime_checkable\nclass P(Protocol):\n    def quack(self): ...\n"
        "class C:\n    def quack(self): ...\n",
        "import app\ndef test_it(): assert not isinstance(app.C(), app.P)\n",
    ),
    Case(
        "an implementation of an abstract method",
        "class M:\n    def quack(self): ...\n",
        "class M:\n    pass\n",
        "import hub\ndef test_it(): hub.C()\n",
        {
            "hub.py": "import abc, app\nclass A(abc.ABC):\n    @abc.abstractmethod\n    def quack(self): ...\n"
            "class C(app.M, A): pass\n"
        },
    ),
    Case(
        "a descriptor's hook",
        "class D:\n    def __set_name__(self, o, n): o.seen = n\nd, _ = D(), 1\nclass C:\n    x = 1\n",
        "class D:\n    def __set_name__(self, o, n): o.seen = n\nd, _ = D(), 1\nclass C:\n    x = 1\n    y = d\n",
        "import app\ndef test_it(): assert not hasattr(app.C, 'se' + 'en')\n",
    ),
    Case(
        "a hook for subclasses",
        "SEEN = []\nclass A:\n    def __init_subclass__(cls): SEEN.append(cls.__name__)\n",
        "SEEN = []\nclass A:\n    def __init_subclass__(cls): SEEN.append(cls.__name__)\nclass B(A): pass\n",
        "import app\ndef test_it(): assert app.SEEN == []\n",
    ),
    Case(
        "an annotation that is asked for",
        "class C:\n    x: int = 1\n",
        "class C:\n    x: str = 1\n",
        "import app, typing\ndef test_it(): assert typing.get_type_hints(app.C) == {'x': int}\n",
    ),
    Case(
        "a module's annotation that is asked for",
        "x: int = 1\n",
        "x: str = 1\n",
        "import app\ndef test_it(): assert app.__annotations__ == {'x': int}\n",
    ),
    Case(
        "subclasses are listed",
        "class A: pass\n",
        "class A: pass\nclass B(A): pass\n",
        "import app\ndef test_it(): assert app.A.__subclasses__() == []\n",
    ),
    Case(
        "__eq__ is added",
        "class C: pass\ndef make(): return C()\n",
        "class C:\n    def __eq__(self, o): return True\ndef make(): return C()\n",
        "import app\ndef test_it(): assert app.make() != app.make()\n",
    ),
    # The import can't succeed any more, or does something else.
    Case(
        "a dataclass that can't be made",
        "from dataclasses import dataclass\n@dataclass\nclass C:\n    a: int = 1\n",
        "from dataclasses import dataclass\n@dataclass\nclass C:\n    a: int = 1\n    b: int\n",
        "def test_it(): import app\n",
    ),
    Case(
        "a dataclass with a mutable default",
        "from dataclasses import dataclass\n@dataclass\nclass C:\n    a: list = ()\n",
        "from dataclasses import dataclass\n@dataclass\nclass C:\n    a: list = []\n",
        "def test_it(): import app\n",
    ),
    Case(
        "an enumeration that can't be made",
        "import enum\n@enum.unique\nclass C(enum.Enum):\n    A = 1\n",
        "import enum\n@enum.unique\nclass C(enum.Enum):\n    A = 1\n    B = 1\n",
        "def test_it(): import app\n",
    ),
    Case(
        "a named tuple that can't be made",
        "from typing import NamedTuple\nclass C(NamedTuple):\n    a: int\n",
        "from typing import NamedTuple\nclass C(NamedTuple):\n    a: int\n    _b: int\n",
        "def test_it(): import app\n",
    ),
    Case(
        "bases that don't fit",
        "class A: pass\nclass B(A): pass\nclass C(B): pass\n",
        "class A: pass\nclass B(A): pass\nclass C(A, B): pass\n",
        "def test_it(): import app\n",
    ),
    Case(
        "slots that collide",
        "class A:\n    __slots__ = ('a',)\n",
        "class A:\n    __slots__ = ('a',)\n    a = 1\n",
        "def test_it(): import app\n",
    ),
    Case(
        "a cache that can't be made",
        "from functools import lru_cache\n@lru_cache(maxsize=1)\ndef g(): pass\n",
        "from functools import lru_cache\n@lru_cache(maxsize='1')\ndef g(): pass\n",
        "def test_it(): import app\n",
    ),
    Case(
        "decorators in an order that fails",
        "from abc import abstractmethod\nclass C:\n    @property\n    @abstractmethod\n    def g(self): pass\n",
        "from abc import abstractmethod\nclass C:\n    @abstractmethod\n    @property\n    def g(self): pass\n",
        "def test_it(): import app\n",
    ),
    Case(
        "a type variable that can't be made",
        "from typing import TypeVar\nT = TypeVar('T')\n",
        "from typing import TypeVar\nT = TypeVar('T', int)\n",
        "def test_it(): import app\n",
    ),
    Case(
        "an annotation that fails",
        "import typing\ndef g(a: typing.Any): pass\n",
        "import typing\ndef g(a: typing.Anything): pass\n",
        "def test_it(): import app\n",
    ),
    Case(
        "an annotation of something that is no type",
        "from lib import T\ndef g(a: T | None): pass\n",
        "from lib import U as T\ndef g(a: T | None): pass\n",
        "def test_it(): import app\n",
        {"lib.py": "class T: pass\nU = 5\n"},
    ),
    Case(
        "the type in an annotation is one no more",
        "class T: pass\n",
        "T = 5\n",
        "def test_it(): import hub\n",
        {"hub.py": "from app import T\ndef g(a: T | None): pass\n"},
    ),
    Case(
        "a name that is not there",
        "import json\n",
        "from json import nothing_of_that_name\n",
        "def test_it(): import app\n",
    ),
    Case(
        "a module that warns",
        "X = 1\n",
        "import imghdr\nX = 1\n",
        "def test_it(): import app\n",
        {"pytest.ini": "[pytest]\npythonpath = .\nfilterwarnings = error\n"},
    ),
    Case(
        "a project file in the place of a library",
        "X = 1\n",
        "import statistics_ as json\nimport colorsys\nX = 1\n",
        "def test_it(): import app\n",
        {"colorsys.py": "raise OSError\n", "statistics_.py": ""},
    ),
    Case(
        "a name imported elsewhere is gone",
        _F + _RATE,
        _F,
        "def test_it(): import hub\n",
        {"hub.py": "from app import RATE\n"},
    ),
    Case(
        "a submodule is imported no more",
        "from pkg import a, b\n",
        "from pkg import a\n",
        "import app, pkg\ndef test_it(): assert pkg.SEEN == [1]\n",
        {"pkg/__init__.py": "SEEN = []\n", "pkg/a.py": "", "pkg/b.py": "import pkg\npkg.SEEN.append(1)\n"},
    ),
    Case(
        "a submodule of the standard library is imported no more",
        "import wsgiref.util as x\n",
        "x = 1\n",
        "import app, wsgiref\ndef test_it(): wsgiref.util\n",
    ),
    # What pytest reads.
    Case(
        "the mark of a test that is skipped",
        "",
        "",
        "import pytest\n@pytest.mark.skip\ndef test_it(): assert 0\n",
        {},
        {"test_app.py": "import pytest\ndef test_it(): assert 0\n"},
    ),
    Case(
        "the condition of a test that is skipped",
        "",
        "",
        "import pytest\nOFF = True\n@pytest.mark.skipif(OFF, reason='')\ndef test_it(): assert 0\n",
        {},
        {"test_app.py": "import pytest\nOFF = False\n@pytest.mark.skipif(OFF, reason='')\ndef test_it(): assert 0\n"},
    ),
    Case(
        "a set-up that a test class gets",
        "",
        "",
        "from base import Base\nclass TestB(Base):\n    pass\n",
        {"base.py": "class Base:\n    def test_it(self): pass\n"},
        {"test_app.py": "from base import Base\nclass TestB(Base):\n    def setup_method(self): raise OSError\n"},
    ),
    Case(
        "a set-up that a plain test class gets",
        "",
        "",
        "class Base:\n    def test_it(self): pass\nclass TestB(Base):\n    pass\n",
        {},
        {
            "test_app.py": "class Base:\n    def test_it(self): pass\nclass TestB(Base):\n"
            "    def setup_method(self): raise OSError\n"
        },
    ),
    Case(
        "the base of a test class",
        "",
        "",
        "class A:\n    def test_it(self): pass\nclass B:\n    def test_it(self): assert 0\nclass TestB(A):\n    pass\n",
        {},
        {
            "test_app.py": "class A:\n    def test_it(self): pass\nclass B:\n    def test_it(self): assert 0\n"
            "class TestB(B):\n    pass\n"
        },
    ),
    Case(
        "what unittest looks for",
        "",
        "",
        "import unittest\nclass TestB(unittest.TestCase):\n    def test_it(self): pass\n",
        {},
        {
            "test_app.py": "import unittest\nclass TestB(unittest.TestCase):\n    def test_it(self): pass\n"
            "    def run(self, result): raise OSError\n"
        },
    ),
    Case(
        "a set-up for the module",
        "",
        "",
        "def test_it(): pass\n",
        {},
        {"test_app.py": "def test_it(): pass\ndef setup_module(): raise OSError\n"},
    ),
    Case(
        "the data of a parametrized test",
        "",
        "",
        "import pytest\nONE = [1]\n@pytest.mark.parametrize('a', [ONE])\ndef test_it(a): assert a == [1]\n",
        {},
        {
            "test_app.py": "import pytest\nONE = [2]\n@pytest.mark.parametrize('a', [ONE])\ndef test_it(a): assert a == [1]\n"
        },
    ),
    Case(
        "a constant that a fixture reads",
        _RATE,
        "RATE = 2\n",
        "import app, pytest\n@pytest.fixture(autouse=True)\ndef one():\n    assert app.RATE == 1\ndef test_it(): pass\n",
    ),
    Case(
        "a constant that a conftest reads",
        _RATE,
        "RATE = 2\n",
        "def test_it(one): assert one == 1\n",
        {"conftest.py": "import app, pytest\n@pytest.fixture\ndef one(): return app.RATE\n"},
    ),
]


@pytest.mark.parametrize("case", UNCONCERNED, ids=lambda case: case.title)
def test_what_nobody_reads_runs_nothing(case: Case, tmp_path: Path) -> None:
    assert case.runs(tmp_path) == set()


@pytest.mark.parametrize("case", CONCERNED, ids=lambda case: case.title)
def test_who_may_read_it_runs(case: Case, tmp_path: Path) -> None:
    assert case.runs(tmp_path) == {"test_it"}
