from collections.abc import Mapping
from dataclasses import dataclass, field
from textwrap import dedent

import pytest

from wiremap.selection import facts as kinds
from wiremap.selection.facts import Fact, Trace
from wiremap.selection.name_changes import NameChanges
from wiremap.source.identifiers import words
from wiremap.source.modules import ModuleIndex
from wiremap.source.units import SourceUnits, parse_units


@dataclass
class Sources:
    """A project that is only text, before and now."""

    before: Mapping[str, str]
    now: Mapping[str, str]
    outside: frozenset[str] = frozenset()
    _parsed: dict[str, SourceUnits] = field(default_factory=dict)

    def units(self, path: str) -> SourceUnits:
        return self._parse(self.now[path]) if path in self.now else SourceUnits({})

    def candidates(self, module: str) -> tuple[str, ...]:
        return ModuleIndex(self.now).candidates(module)

    def source_of_module(self, fingerprint: str) -> SourceUnits | None:
        found = (self._parse(text) for text in self.before.values())
        return next((one for one in found if one.top is not None and one.top.fingerprint == fingerprint), None)

    def words(self, path: str) -> frozenset[str] | None:
        return words(self.now[path].encode())

    def is_known_outside(self, name: str) -> bool:
        return name in self.outside

    def fact(self, kind: str, key: str) -> Fact:
        """Return the fact as it was before."""
        path, _, unit = key.partition("::")
        source = self._parse(self.before[path])
        return Fact(kind, key, source.units[unit].fingerprint if unit else self._fingerprint(source))

    def changed(self, path: str) -> bool:
        return self._fingerprint(self.units(path)) != self._fingerprint(self._parse(self.before[path]))

    def _fingerprint(self, source: SourceUnits) -> str:
        return source.top.fingerprint if source.top is not None else ""

    def _parse(self, text: str) -> SourceUnits:
        if text not in self._parsed:
            self._parsed[text] = parse_units(dedent(text).encode())
        return self._parsed[text]


TEST = "import app\ndef test_it(): assert app.f()\n"


def why(  # noqa: PLR0913 - each is what a case may vary
    before: str | Mapping[str, str],
    now: str | Mapping[str, str],
    *,
    test: str = TEST,
    ran: tuple[str, ...] = ("test_app.py::test_it",),
    kind: str = kinds.NAMES,
    opaque: tuple[str, ...] = (),
    outside: frozenset[str] = frozenset(),
    files: tuple[str, ...] = (),
) -> str:
    """Return why a change of `app.py`, or of several files, concerns the test that executed *ran*; nothing if not."""
    old = {"app.py": before} if isinstance(before, str) else before
    new = {"app.py": now} if isinstance(now, str) else now
    sources = Sources({"test_app.py": test, **old}, {"test_app.py": test, **old, **new}, outside)
    modules = [path for path in sources.before if path.endswith(".py")]
    facts = {sources.fact(kinds.MODULE if path in opaque else kind, path) for path in modules}
    facts |= {sources.fact(kinds.FUNCTION, key) for key in ran}
    facts |= {Fact(kinds.FILE, path, "file:1") for path in files}
    stale = [fact for fact in sorted(facts) if fact.kind in kinds.MODULES and sources.changed(fact.key)]
    assert stale, "something changed"
    found = NameChanges(sources).concern(Trace("test_app.py::test_it", frozenset(facts), "passed", 0.0), stale)
    return "; ".join(found.values())


# Names.


@pytest.mark.parametrize(
    ("before", "now"),
    [
        ("def f(): ...\n", "def f(): ...\ndef new(): ...\n"),
        ("def f(): ...\nOLD = 1\n", "def f(): ...\nOLD = 2\n"),
        ("def f(): ...\nOLD = 1\n", "def f(): ...\n"),
        ("def f(): ...\nclass C: ...\n", "def f(): ...\nclass C:\n    x = 1\n"),
        ("def f(): ...\n", "import json\ndef f(): ...\n"),
    ],
)
def test_a_name_that_a_test_does_not_read_is_none_of_its_concern(before: str, now: str) -> None:
    assert why(before, now) == ""


@pytest.mark.parametrize("now", ["def f(a=1): ...\n", "", "f = 1\n", "def f(): ...\ndef f(): ...\n"])
def test_a_name_that_it_reads_is(now: str) -> None:
    assert why("def f(): ...\n", now) == "it may read f"


def test_a_name_that_a_function_reads_concerns_who_executed_it() -> None:
    before, now = "RATE = 1\ndef f(): return RATE\n", "RATE = 2\ndef f(): return RATE\n"

    assert why(before, now, ran=("test_app.py::test_it", "app.py::f")) == "it may read RATE"
    assert why(before, now) == ""


def test_a_name_counts_wherever_it_stands() -> None:
    test = "import app\ndef test_it(m): m.patch('app.RATE', 1)\n"

    assert why("RATE = 1\n", "RATE = 2\n", test=test) == "it may read RATE"


def test_a_name_that_is_added_counts_as_one_that_changed() -> None:
    test = "import app\ndef test_it(): assert not hasattr(app, 'RATE')\n"

    assert why("X = 1\n", "X = 1\nRATE = 1\n", test=test) == "it may read RATE"


def test_a_name_in_a_file_that_it_read_counts() -> None:
    before, now = {"app.py": "RATE = 1\n", "t.txt": "{app.RATE}"}, {"app.py": "RATE = 2\n"}

    assert why(before, now, files=("t.txt",)) == "it may read RATE"
    assert why(before, now) == ""


def test_the_names_in_the_id_of_a_test_are_read() -> None:
    test = "import pytest\nOFF = 1\n@pytest.mark.skipif(OFF, reason='')\ndef test_it(): ...\n"

    assert why({"test_app.py": test}, {"test_app.py": test.replace("1", "2")}, ran=()) == "it may read test_it"


def test_a_docstring_is_of_the_name_of_its_function() -> None:
    before, now = "def f():\n    '''Before.'''\n", "def f():\n    '''After.'''\n"

    assert why(before, now, test="import app\ndef test_it(): app.f.__doc__\n") == "it may read f"


# What is made of a name.


def test_what_is_made_of_a_name_changes_with_it() -> None:
    files = {"app.py": "RATE = 1\n", "hub.py": "from app import RATE as r\nALL = [r]\n"}
    test = "import hub\ndef test_it(): assert hub.ALL\n"

    assert why(files, {"app.py": "RATE = 2\n"}, test=test) == "it may read ALL"


def test_an_effect_that_reads_it_concerns_who_imports_that_module() -> None:
    files = {"app.py": "RATE = 1\n", "hub.py": "import app\nregister(app.RATE)\n"}

    assert why(files, {"app.py": "RATE = 2\n"}) == "the import of a module reads what changed"


def test_a_module_that_is_read_as_a_whole_hands_on_all_that_it_is_made_of() -> None:
    files = {"app.py": "RATE = 1\n", "hub.py": "from app import RATE\n"}

    assert why(files, {"app.py": "RATE = 2\n"}, opaque=("hub.py",)) == "the import of a module reads what changed"
    assert why(files, {"app.py": "RATE = 2\n"}) == ""


# Classes.

CLASS = "class C:\n    x = 1\n    def f(self): ...\n"
USES = "import app\ndef test_it():\n    app.C().f()\n"


def test_a_member_concerns_who_reads_its_name() -> None:
    assert why(CLASS, CLASS.replace("1", "2"), test=USES) == ""
    assert why(CLASS, CLASS.replace("1", "2"), test=USES + "    app.C.x\n") == "it may read x"


TWO = "class A:\n    x = 1\nclass B:\n    x = 1\n    def f(self): ...\n"
OF_B = TWO.replace("    def", "    y = 1\n    def").replace("class B:\n    x = 1", "class B:\n    x = 2")


def test_a_member_concerns_who_comes_by_its_class() -> None:
    test = "import app\ndef test_it(): assert app.A().x\n"

    assert why(TWO, OF_B, test=test) == ""
    assert why(TWO, OF_B, test=test, ran=("test_app.py::test_it", "app.py::B.f")) == "it may read x"


@pytest.mark.parametrize("hub", ["class C(B): ...\n", "C = B\n", "def C(a=B): ...\n", "C = {B: 1}\n"])
def test_who_has_what_is_made_of_a_class_comes_by_it(hub: str) -> None:
    files = {"app.py": TWO, "hub.py": f"from app import B\n{hub}"}
    test = "import hub\ndef test_it(): assert hub.{}.x\n"

    assert why(files, {"app.py": OF_B}, test=test.format("C")) == "it may read x"
    if "{" not in hub:
        assert why(files, {"app.py": OF_B}, test=test.format("D")) == ""


def test_an_effect_that_reads_a_class_gives_it_to_everybody() -> None:
    files = {"app.py": TWO, "hub.py": "import app\none = app.B()\n"}

    assert why(files, {"app.py": OF_B}, test="import hub\ndef test_it(): assert hub.one.x\n") == "it may read x"


def test_who_has_a_base_comes_by_what_derives_from_it_where_libraries_list_subclasses() -> None:
    before = "class A:\n    x = 1\nclass B(A):\n    x = 1\n"
    now = "class A:\n    x = 1\nclass B(A):\n    x = 2\n"
    test = "import app\ndef test_it(): assert app.A().x\n"

    assert why(before, now, test=test) == ""
    assert why(before, now, test=test, outside=frozenset({"__subclasses__"})) == "it may read x"


def test_a_member_that_is_added_concerns_who_reads_its_name() -> None:
    assert why(CLASS, CLASS + "    def g(self): ...\n", test=USES) == ""
    assert why(CLASS, CLASS + "    def f(self, a): ...\n", test=USES) == "it may read f"


def test_a_class_counts_as_a_whole_for_who_computes_names_of_members() -> None:
    assert why(CLASS, CLASS.replace("1", "2"), test=USES, kind=kinds.CLASSES) == "it may read C"


@pytest.mark.parametrize(
    "hub", ["list_all(app.C)\n", "class D(app.C): ...\nlist_all([D])\n", "A = {1: app.C}\nlist_all(A)\n"]
)
def test_a_class_counts_as_a_whole_for_an_effect_that_hands_it_on(hub: str) -> None:
    files = {"app.py": CLASS, "hub.py": f"import app\n{hub}"}

    assert why(files, {"app.py": CLASS.replace("1", "2")}) == "the import of a module reads what changed"


@pytest.mark.parametrize("hub", ["f(app.C())\n", "f(app.C.f)\n"])
def test_a_class_that_an_effect_calls_or_asks_for_a_member_is_not_handed_on(hub: str) -> None:
    files = {"app.py": CLASS, "hub.py": f"import app\n{hub}"}

    assert why(files, {"app.py": CLASS.replace("1", "2")}) == ""


def test_a_class_that_something_else_derives_from_counts_as_a_whole_where_that_is_made() -> None:
    files = {"app.py": CLASS, "hub.py": "import app\nfrom library import Base\nclass D(app.C, Base): ...\n"}

    assert why(files, {"app.py": CLASS.replace("1", "2")}) == "the import of a module reads what changed"


def test_a_member_that_libraries_look_for_counts_as_the_class() -> None:
    assert why(CLASS, CLASS + "    flush = 1\n", test=USES, outside=frozenset({"flush"})) == "it may read C"


def test_a_class_is_reached_through_each_of_its_methods() -> None:
    test = "import app\ndef test_it(): app.make().f()\n"
    now = CLASS + "    def __eq__(self, other): ...\n"

    assert why(CLASS, now, test=test, ran=("test_app.py::test_it", "app.py::C.f")) == "it may read C"


def test_members_of_a_class_with_a_base_elsewhere_are_told_apart_if_the_base_is_plain() -> None:
    app = "from base import Base\nclass C(Base):\n    x = 1\n    def f(self): ...\n"
    changed = {"app.py": app.replace("1", "2")}

    assert why({"app.py": app, "base.py": "class Base: ...\n"}, changed, test=USES) == ""
    assert "abc" not in why({"app.py": app, "base.py": "import abc\nclass Base(abc.ABC): ...\n"}, changed, test=TEST)


@pytest.mark.parametrize(
    "base",
    [
        "class Base(metaclass=M): ...\n",
        "class Base:\n    def __init_subclass__(cls): ...\n",
        "from library import Base\n",
        "Base = make()\n",
        "import enum\nclass Base(enum.Enum): ...\n",
    ],
)
def test_a_base_that_may_look_at_members_makes_them_everybodys_concern(base: str) -> None:
    app = "from base import Base\nclass C(Base):\n    x = 1\n"

    assert "may look at its members" in why({"app.py": app, "base.py": base}, {"app.py": app.replace("1", "2")})


def test_a_class_that_comes_to_be_made_otherwise_concerns_everybody() -> None:
    files = {"app.py": "class A: ...\n", "hub.py": "from app import A\nclass C(A): ...\n"}

    assert "made in another way" in why(files, {"app.py": "class A:\n    def __init_subclass__(cls): ...\n"})


def test_a_class_with_an_abstract_base_elsewhere_counts_as_a_whole() -> None:
    app = "from base import Base\nclass C(Base):\n    def f(self): ...\n"
    files = {"app.py": app, "base.py": "from abc import ABC\nclass Base(ABC): ...\n"}

    assert why(files, {"app.py": app + "    def new(self): ...\n"}, test=USES) == "it may read C"


# What may concern everybody who imports the module.


@pytest.mark.parametrize(
    ("before", "now", "expected"),
    [
        ("f()\n", "g()\n", "what it does when it is imported changed"),
        ("A = 1\nf()\n", "f()\nA = 1\n", "the order of what it does when it is imported changed"),
        ("f()\nA = lambda x: 1\n", "f()\nA = lambda x: eval(x)\n", "it reads names by computing them"),
        ("def g(): ...\n", "from shop import T\ndef g(): ...\n", "what it does when it is imported changed"),
        ("import json\n", "import json\nimport antigravity\n", "it imports antigravity"),
        ("import json\n", "from json import unheard_of\n", "it imports unheard_of from json"),
        ("import app\n", "", "what it does when it is imported changed"),
        ("import this\n", "", "it no longer imports this"),
        ("from antigravity import fly\n", "", "it no longer imports fly from antigravity"),
    ],
)
def test_a_change_that_can_not_be_told_by_names_concerns_everybody(before: str, now: str, expected: str) -> None:
    assert why(before, now) == expected


def test_a_name_that_another_module_imports_must_not_go() -> None:
    files = {"app.py": "RATE = 1\n", "hub.py": "from app import RATE\n"}

    assert why(files, {"app.py": ""}) == "the import of a module reads what changed"


@pytest.mark.parametrize(
    ("hub", "lib", "fails"),
    [
        ("from lib import RATE\n", "RATE = 1\n", False),
        ("from lib import RATE\n", "from app import RATE\n", True),
        ("from lib import RATE\n", "from app import *\n", True),
        ("from lib import RATE\n", "if x:\n    RATE = 1\n", True),
        ("from math import RATE\n", "", False),
        ("from library import RATE\n", "", True),
    ],
)
def test_a_name_that_is_imported_from_what_binds_it_itself_may_go_elsewhere(hub: str, lib: str, fails: bool) -> None:  # noqa: FBT001
    files = {"app.py": "RATE = 1\n", "lib.py": lib, "hub.py": hub}

    assert bool(why(files, {"app.py": ""})) == fails


def test_a_type_may_get_other_slots_unless_it_is_derived_from_beside_others() -> None:
    before, now = "class T:\n    __slots__ = ()\n", "class T:\n    __slots__ = ('a',)\n"
    annotated = {"hub.py": "from app import T\ndef g(a: T | None): ...\n"}
    derived = {"hub.py": "from app import T\nclass U(T, int): ...\n"}

    assert why({"app.py": before, **annotated}, {"app.py": now}) == ""
    assert why({"app.py": before, **derived}, {"app.py": now}) == "the import of a module reads what changed"


READERS = {"hub.py": "from app import A, KEY\nREADERS = {A: [A], KEY: 1}\nCOPY = READERS\n"}
KEYS = "class A:\n    x = 1\nclass K:\n    y = 1\nKEY = K.y\n"


@pytest.mark.parametrize("now", [KEYS.replace("x = 1", "x = 2"), KEYS.replace("x = 1", "def __eq__(self, o): ...")])
def test_a_class_in_a_table_concerns_who_reads_the_table(now: str) -> None:
    uses = "import hub\ndef test_it(): assert hub.COPY.x\n"

    assert why({"app.py": KEYS, **READERS}, {"app.py": now}) == ""
    assert why({"app.py": KEYS, **READERS}, {"app.py": now}, test=uses) != ""


@pytest.mark.parametrize("now", [KEYS.replace("y = 1", "y = []"), KEYS.replace("KEY = K.y", "def KEY(): ...")])
def test_a_key_that_may_not_be_hashed_any_more_concerns_who_imports_the_table(now: str) -> None:
    assert why({"app.py": KEYS, **READERS}, {"app.py": now}) == "the import of a module reads what changed"


def test_a_table_that_gets_another_key_may_fail() -> None:
    files = {"app.py": "from lib import A, B\nT = {A: 1}\n", "lib.py": "A = 1\nB = []\n"}

    assert why(files, {"app.py": files["app.py"].replace("A: 1", "B: 1")}) == "{B} is new"


def test_what_derives_from_a_protocol_is_made_without_a_look_at_its_members() -> None:
    before = "from typing import Protocol\nclass P(Protocol):\n    def f(self, a=1): ...\nclass C(P): ...\n"
    derived = {"hub.py": "from app import P\nclass D(P): ...\nlist_all(D)\n"}
    uses = "import app\ndef test_it(): assert app.C\n"

    assert why(before, before.replace("1", "2")) == ""
    assert why(before, before.replace("1", "2"), test=uses) == "it may read C"
    assert why({"app.py": before, **derived}, {"app.py": before.replace("1", "2")}) != ""


def test_an_annotation_that_was_evaluated_before_can_be_written_again() -> None:
    lib = {"lib.py": "class T: ...\nclass U: ...\n"}
    app = "from lib import T, U\ndef g(a: T | None): ...\n"

    assert why({"app.py": app, **lib}, {"app.py": app + "def h(a: T | None): ...\n"}) == ""
    assert why({"app.py": app, **lib}, {"app.py": app + "def h(a: U | None): ...\n"}) == "| U is new"


def test_what_an_annotation_names_must_stay_a_type() -> None:
    hub = {"hub.py": "from app import T\ndef g(a: T | None): ...\n"}

    assert why({"app.py": "class T: ...\n", **hub}, {"app.py": "class T:\n    x = 1\n"}) == ""
    assert why({"app.py": "T = dict\n", **hub}, {"app.py": "T = 5\n"}) == "the import of a module reads what changed"


# Imports that come and go.

LIB = {"lib.py": "def one(): ...\ndef two(): ...\n"}


def test_another_name_of_a_module_that_is_imported_already_is_harmless() -> None:
    assert why({"app.py": "from lib import one\n", **LIB}, {"app.py": "from lib import one, two\n"}) == ""


@pytest.mark.parametrize(
    "lib", ["def one(): ...\n", "def one(): ...\nif x:\n    def two(): ...\n", "import app\ndef one(): ...\ntwo = 1\n"]
)
def test_a_name_that_may_not_be_there_is_not(lib: str) -> None:
    found = why({"app.py": "from lib import one\n", "lib.py": lib}, {"app.py": "from lib import one, two\n"})

    assert found == "it imports two from lib"


def test_a_submodule_that_comes_or_goes_is_not_harmless() -> None:
    files = {"pkg/__init__.py": "", "pkg/a.py": "", "pkg/b.py": ""}
    one, both = {"app.py": "from pkg import a\n"}, {"app.py": "from pkg import a, b\n"}

    assert why({**files, **one}, both) == "it imports b from pkg"
    assert why({**files, **both}, one) == "it no longer imports b from pkg"


def test_a_submodule_that_is_imported_for_another_name_too_is_an_attribute_of_its_package_as_before() -> None:
    files = {"pkg/__init__.py": "", "pkg/a.py": "X = 1\nY = 1\n"}
    test = "import pkg, app\ndef test_it(): assert pkg.a\n"
    both = {"app.py": "from pkg.a import X\nfrom pkg.a import Y\n"}

    assert why({**files, **both}, {"app.py": "from pkg.a import X\n"}, test=test) == ""


# What is not known.


def test_a_module_whose_earlier_source_was_forgotten_concerns_everybody() -> None:
    sources = Sources({}, {"app.py": "X = 1\n"})
    fact = Fact(kinds.NAMES, "app.py", "forgotten")
    trace = Trace("test_app.py::test_it", frozenset({fact}), "passed", 0.0)

    assert NameChanges(sources).concern(trace, [fact]) == {fact: "its earlier parts are not known any more"}


def test_a_module_that_is_gone_concerns_everybody() -> None:
    sources = Sources({"app.py": "X = 1\n"}, {})
    fact = sources.fact(kinds.NAMES, "app.py")
    trace = Trace("test_app.py::test_it", frozenset({fact}), "passed", 0.0)

    assert NameChanges(sources).concern(trace, [fact]) == {fact: "it is gone, or does not parse"}


def test_a_module_that_is_taken_as_a_whole_is_not_judged() -> None:
    fact = Fact(kinds.MODULE, "app.py", "before")
    trace = Trace("test_app.py::test_it", frozenset({fact}), "passed", 0.0)

    assert NameChanges(Sources({}, {})).concern(trace, [fact]) == {}
