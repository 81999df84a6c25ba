"""What a test rests on, end to end: after a change, the tests that it reaches run and the others do not.

Each test lays out a tiny project, records it, changes it and asks for the verdicts.
"""

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from textwrap import dedent

import pytest

from tests.wiremap.projects import Answer, new_project

_NO_STAT = pytest.mark.xfail(strict=True, reason="the interpreter raises no audit event for stat")

Files = Mapping[str, str | bytes | None]


def answer_after(root: Path, files: Files, change: Files, *arguments: str) -> Answer:
    """Record the project of *files*, apply *change*, and return the verdicts."""
    project = new_project(root, files)
    project.record(*arguments)
    project.write(change)
    return project.affected(*arguments)


def runs(root: Path, files: Files, change: Files) -> set[str]:
    """Return the names of the test functions that run after *change*."""
    return {test.rpartition("::")[2] for test in answer_after(root, files, change).run}


# Functions.


def test_a_changed_function_runs_who_executed_it(tmp_path: Path) -> None:
    files = {
        "app.py": "def f(): return 1\ndef g(): return 1\n",
        "test_a.py": "import app\ndef test_f(): app.f()\ndef test_g(): app.g()\n",
    }

    assert runs(tmp_path, files, {"app.py": "def f(): return 2\ndef g(): return 1\n"}) == {"test_f"}


def test_a_changed_test_runs_itself_only(tmp_path: Path) -> None:
    before = "def test_f(): assert 1\ndef test_g(): assert 1\n"

    assert runs(tmp_path, {"test_a.py": before}, {"test_a.py": before.replace("f(): assert 1", "f(): assert 2")}) == {
        "test_f"
    }


def test_comments_and_layout_run_nothing(tmp_path: Path) -> None:
    files = {"app.py": "def f(): return 1\n", "test_a.py": "import app\ndef test_f(): app.f()\n"}

    assert runs(tmp_path, files, {"app.py": "# why\ndef f():\n    return (1)\n"}) == set()


def test_a_method_that_is_added_to_a_class_runs_who_may_dispatch_to_it(tmp_path: Path) -> None:
    files = {
        "app.py": "class A:\n    def f(self): return 1\nclass B(A): pass\n",
        "test_a.py": "import app\ndef test_f(): assert app.B().f() == 1\n",
    }

    assert runs(tmp_path, files, {"app.py": files["app.py"].replace("pass", "\n    def f(self): return 2")}) == {
        "test_f"
    }


def test_a_changed_default_runs_who_calls_the_function(tmp_path: Path) -> None:
    files = {
        "app.py": "def f(a=1): return a\n",
        "test_a.py": "import app\ndef test_f(): app.f()\n",
    }

    assert runs(tmp_path, files, {"app.py": "def f(a=2): return a\n"}) == {"test_f"}


def test_a_changed_decorator_runs_who_calls_the_function(tmp_path: Path) -> None:
    files = {
        "deco.py": "def deco(f): return lambda: f() + 1\n",
        "app.py": "from deco import deco\n@deco\ndef f(): return 1\n",
        "test_a.py": "import app\ndef test_f(): app.f()\n",
    }

    assert runs(tmp_path, files, {"deco.py": "def deco(f): return lambda: f() + 2\n"}) == {"test_f"}


def test_an_asynchronous_function_counts(tmp_path: Path) -> None:
    files = {
        "app.py": "async def f(): return 1\n",
        "test_a.py": "import app, asyncio\ndef test_f(): asyncio.run(app.f())\ndef test_g(): pass\n",
    }

    assert runs(tmp_path, files, {"app.py": "async def f(): return 2\n"}) == {"test_f"}


def test_the_setup_of_a_class_counts_for_each_of_its_tests(tmp_path: Path) -> None:
    files = {
        "app.py": "def f(): return 1\n",
        "test_a.py": """
            import app, unittest
            class TestA(unittest.TestCase):
                @classmethod
                def setUpClass(cls): cls.x = app.f()
                def test_one(self): assert self.x
                def test_two(self): assert self.x
            class TestB(unittest.TestCase):
                def test_other(self): pass
            """,
    }

    assert runs(tmp_path, files, {"app.py": "def f(): return 2\n"}) == {"test_one", "test_two"}


# Imports.


def test_a_changed_constant_runs_who_imports_it_indirectly(tmp_path: Path) -> None:
    files = {
        "base.py": "LIMIT = 1\n",
        "app.py": "from base import LIMIT\n",
        "test_a.py": "import app\ndef test_f(): assert app.LIMIT\n",
        "test_b.py": "def test_g(): pass\n",
    }

    assert runs(tmp_path, files, {"base.py": "LIMIT = 2\n"}) == {"test_f"}


def test_a_module_that_an_earlier_test_file_imported_first_counts_for_both(tmp_path: Path) -> None:
    files = {
        "base.py": "print(1)\n",
        "test_a.py": "import base\ndef test_f(): pass\n",
        "test_b.py": "import base\ndef test_g(): pass\n",
    }

    assert runs(tmp_path, files, {"base.py": "print(2)\n"}) == {"test_f", "test_g"}


def test_a_function_that_ran_during_an_import_counts_for_who_imports(tmp_path: Path) -> None:
    files = {
        "base.py": "def build(): return 1\n",
        "app.py": "import base\nTABLE = base.build()\n",
        "test_a.py": "import app\ndef test_f(): assert app.TABLE\n",
        "test_b.py": "import base\ndef test_g(): pass\n",
    }

    assert runs(tmp_path, files, {"base.py": "def build(): return 2\n"}) == {"test_f"}


def test_an_import_inside_a_function_counts_for_the_second_who_calls_it(tmp_path: Path) -> None:
    files = {
        "late.py": "X = 1\n",
        "app.py": "def f():\n    import late\n    return late.X\n",
        "test_a.py": "import app\ndef test_f(): app.f()\ndef test_g(): app.f()\ndef test_h(): pass\n",
    }

    assert runs(tmp_path, files, {"late.py": "X = 2\n"}) == {"test_f", "test_g"}


def test_an_optional_module_that_appears_runs_who_looked_for_it(tmp_path: Path) -> None:
    files = {
        "app.py": "try:\n    import fast\nexcept ImportError:\n    fast = None\n",
        "test_a.py": "import app\ndef test_f(): assert app.fast is None\n",
        "test_b.py": "def test_g(): pass\n",
    }

    assert runs(tmp_path, files, {"fast.py": ""}) == {"test_f"}


def test_a_module_that_a_test_was_skipped_for_runs_it_when_it_appears(tmp_path: Path) -> None:
    files = {"test_a.py": "import pytest\ndef test_f():\n    pytest.importorskip('fast')\n"}

    assert runs(tmp_path, files, {"fast.py": ""}) == {"test_f"}


def test_a_file_that_takes_the_place_of_an_installed_module_runs_who_imports_it(tmp_path: Path) -> None:
    files = {
        "test_a.py": "import colorsys\ndef test_f(): colorsys.rgb_to_hsv(0, 0, 0)\n",
        "test_b.py": "def test_g(): pass\n",
    }

    assert runs(tmp_path, files, {"colorsys.py": "rgb_to_hsv = print\n"}) == {"test_f"}


def test_a_removed_module_runs_who_imported_it(tmp_path: Path) -> None:
    files = {
        "late.py": "",
        "test_a.py": "def test_f():\n    import late\ndef test_g(): pass\n",
    }

    assert runs(tmp_path, files, {"late.py": None}) == {"test_f"}


def test_a_submodule_that_somebody_else_imported_counts_for_who_reaches_it_through_its_package(tmp_path: Path) -> None:
    files = {
        "pkg/__init__.py": "",
        "pkg/sub.py": "VALUE = 1\n",
        "test_a.py": "import pkg.sub\ndef test_1(): assert pkg.sub.VALUE == 1\n",
        "test_b.py": "import pkg\ndef test_2(): assert pkg.sub.VALUE == 1\n",
    }

    assert runs(tmp_path, files, {"pkg/sub.py": "VALUE = 2\n"}) == {"test_1", "test_2"}


# Fixtures and conftest files.


@pytest.mark.parametrize("scope", ["class", "module", "package", "session"])
def test_a_wider_fixture_counts_for_every_test_that_uses_it(tmp_path: Path, scope: str) -> None:
    files = {
        "app.py": "def f(): return 1\n",
        "test_a.py": f"""
            import app, pytest
            @pytest.fixture(scope="{scope}")
            def value(): return app.f()
            @pytest.fixture
            def inner(value): return value
            class TestA:
                def test_one(self, value): pass
                def test_two(self, inner): pass
                def test_three(self, request): request.getfixturevalue("value")
                def test_other(self): pass
            """,
    }

    assert runs(tmp_path, files, {"app.py": "def f(): return 2\n"}) == {"test_one", "test_two", "test_three"}


def test_a_fixture_of_a_fixture_counts(tmp_path: Path) -> None:
    files = {
        "app.py": "def f(): return 1\n",
        "conftest.py": """
            import app, pytest
            @pytest.fixture(scope="session")
            def base(): return app.f()
            @pytest.fixture(scope="module")
            def value(base): return base
            """,
        "test_a.py": "def test_f(value): pass\ndef test_g(value): pass\ndef test_h(): pass\n",
    }

    assert runs(tmp_path, files, {"app.py": "def f(): return 2\n"}) == {"test_f", "test_g"}


def test_what_a_fixture_does_after_its_test_counts(tmp_path: Path) -> None:
    files = {
        "app.py": "def f(): return 1\n",
        "test_a.py": """
            import app, pytest
            @pytest.fixture
            def value():
                yield
                app.f()
            def test_f(value): pass
            def test_g(): pass
            """,
    }

    assert runs(tmp_path, files, {"app.py": "def f(): return 2\n"}) == {"test_f"}


def test_a_conftest_counts_for_its_folder_only(tmp_path: Path) -> None:
    files = {
        "a/conftest.py": "print(1)\n",
        "a/test_a.py": "def test_f(): pass\n",
        "b/test_b.py": "def test_g(): pass\n",
    }

    assert runs(tmp_path, files, {"a/conftest.py": "print(2)\n"}) == {"test_f"}


def test_a_conftest_that_appears_counts_for_its_folder(tmp_path: Path) -> None:
    files = {
        "a/test_a.py": "def test_f(): pass\n",
        "b/test_b.py": "def test_g(): pass\n",
    }
    conftest = "import pytest\n@pytest.fixture(autouse=True)\ndef fail(): assert 0\n"

    assert runs(tmp_path, files, {"a/conftest.py": conftest}) == {"test_f"}


def test_a_hook_of_a_conftest_counts_for_the_tests_that_it_ran_for(tmp_path: Path) -> None:
    files = {
        "app.py": "def f(): return 1\n",
        "a/conftest.py": "import app\ndef pytest_runtest_setup(item): app.f()\n",
        "a/test_a.py": "def test_f(): pass\n",
        "b/test_b.py": "def test_g(): pass\n",
    }

    assert "test_f" in runs(tmp_path, files, {"app.py": "def f(): return 2\n"})


def test_a_plugin_of_the_project_counts_for_all(tmp_path: Path) -> None:
    files = {
        "plug.py": "import pytest\n@pytest.fixture\ndef value(): return 1\n",
        "conftest.py": "pytest_plugins = ['plug']\n",
        "test_a.py": "def test_f(value): pass\ndef test_g(): pass\n",
    }

    assert "test_f" in runs(tmp_path, files, {"plug.py": files["plug.py"].replace("1", "2")})


def test_data_of_the_parameters_counts(tmp_path: Path) -> None:
    files = {
        "data.py": "def cases(): return [1, 2]\n",
        "test_a.py": "import data, pytest\n@pytest.mark.parametrize('x', data.cases())\ndef test_f(x): pass\n",
        "test_b.py": "def test_g(): pass\n",
    }

    assert runs(tmp_path, files, {"data.py": "def cases(): return [1, 3]\n"}) == {"test_f[1]", "test_f[3]"}


# Files and variables.


@pytest.mark.parametrize(
    "read",
    [
        "open('data.txt').close()",
        "__import__('pathlib').Path('data.txt').read_text()",
        "__import__('shutil').copy('data.txt', tmp_path)",
        "__import__('runpy').run_path('data.txt')",
        "__import__('pkgutil').get_data('pkg', 'data.txt')",
        "__import__('importlib.resources').resources.files('pkg').joinpath('data.txt').read_text()",
    ],
)
def test_a_file_that_was_read_counts(tmp_path: Path, read: str) -> None:
    files = {
        "data.txt": "X = 1\n",
        "pkg/__init__.py": "",
        "pkg/data.txt": "X = 1\n",
        "test_a.py": f"def test_f(tmp_path): {read}\ndef test_g(): pass\n",
    }

    assert runs(tmp_path, files, {"data.txt": "X = 2\n", "pkg/data.txt": "X = 2\n"}) == {"test_f"}


def test_a_file_that_a_module_read_counts_for_who_imports_it(tmp_path: Path) -> None:
    files = {
        "data.txt": "1",
        "app.py": "TEXT = open('data.txt').read()\n",
        "test_a.py": "import app\ndef test_f(): pass\n",
        "test_b.py": "import app\ndef test_g(): pass\n",
        "test_c.py": "def test_h(): pass\n",
    }

    assert runs(tmp_path, files, {"data.txt": "2"}) == {"test_f", "test_g"}


@pytest.mark.parametrize(
    "look",
    [
        "open('flag.txt')",
        pytest.param("__import__('os').stat('flag.txt')", marks=_NO_STAT),
        "assert __import__('os').path.exists('flag.txt')",
        "assert __import__('pathlib').Path('flag.txt').is_file()",
    ],
)
def test_a_file_that_was_looked_for_in_vain_counts_when_it_appears(tmp_path: Path, look: str) -> None:
    files = {
        "test_a.py": f"""
            import pytest
            def test_f():
                with pytest.raises((OSError, AssertionError)):
                    {look}
            def test_g(): pass
            """,
    }

    assert runs(tmp_path, files, {"flag.txt": ""}) == {"test_f"}


@pytest.mark.parametrize(
    "listing", ["__import__('os').listdir('d')", "list(__import__('pathlib').Path('d').rglob('*'))"]
)
def test_a_folder_that_was_listed_counts_when_a_file_is_added(tmp_path: Path, listing: str) -> None:
    files = {"d/a.txt": "", "test_a.py": f"def test_f(): {listing}\ndef test_g(): pass\n"}

    assert runs(tmp_path, files, {"d/b.txt": ""}) == {"test_f"}


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")
def test_a_link_that_leads_elsewhere_now_counts(tmp_path: Path) -> None:
    project = new_project(
        tmp_path, {"one.txt": "1", "two.txt": "2", "test_a.py": "def test_f(): open('link.txt').close()\n"}
    )
    (tmp_path / "link.txt").symlink_to("one.txt")
    project.record()

    (tmp_path / "link.txt").unlink()
    (tmp_path / "link.txt").symlink_to("two.txt")

    assert project.affected().run == {"test_a.py::test_f"}


@pytest.mark.skipif(sys.platform != "linux", reason="other systems want names of text")
def test_a_file_whose_name_is_no_text_is_recorded(tmp_path: Path) -> None:
    project = new_project(tmp_path, {"test_a.py": "def test_f(): open(b'\\xff.txt').close()\n"})
    odd = Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.txt"))
    odd.write_text("1")
    project.record()

    odd.write_text("2")

    assert project.affected().run == {"test_a.py::test_f"}


def test_a_variable_that_was_read_counts(tmp_path: Path) -> None:
    project = new_project(
        tmp_path, {"test_a.py": "import os\ndef test_f(): os.environ.get('MODE')\ndef test_g(): pass\n"}
    )
    project.record(env={"MODE": "1"})

    answer = project.affected(env={"MODE": "2"})

    assert answer.run == {"test_a.py::test_f"}
    assert answer.document["kind"] == "environment"


def test_a_variable_that_the_test_sets_for_itself_is_its_own(tmp_path: Path) -> None:
    text = """
        import os
        def test_f(monkeypatch):
            monkeypatch.setenv("MODE", "1")
            assert os.environ["MODE"] == "1"
        """

    assert runs(tmp_path, {"test_a.py": text}, {}) == set()


def test_a_program_that_is_not_python_makes_its_test_rest_on_the_whole_project(tmp_path: Path) -> None:
    files = {
        "test_a.py": """
            import subprocess, sys
            def test_f(): subprocess.run(["sh", "-c", f"true; {sys.executable} x.py"])
            def test_g(): pass
            """,
        "x.py": "1\n",
    }

    answer = answer_after(tmp_path, files, {"x.py": "2\n"})

    assert answer.run == {"test_a.py::test_f"}
    assert answer.rules("test_a.py::test_f") == {"unseen"}
    assert answer.document["notes"]


def test_building_a_graph_is_no_reading_of_the_source(tmp_path: Path) -> None:
    shop = """
        from wiremap import RegistryOrchestrator
        class Till: ...
        def build():
            orch = RegistryOrchestrator()
            orch.add(Till())
            return orch.finalize()
        """
    files = {"shop.py": shop, "test_a.py": "import shop\ndef test_f(): assert shop.build().ids == ('Till',)\n"}

    assert runs(tmp_path, files, {"shop.py": shop + "# why\n"}) == set()


# State that is carried from test to test.

CARRIED = "import app\ndef test_f(): assert app.get() == 1\ndef test_g(): assert app.get() == 1\ndef test_h(): pass\n"


@pytest.mark.parametrize(
    "get",
    [
        pytest.param(
            """
            _x = None
            def get():
                global _x
                if _x is None: _x = build()
                return _x
            """,
            id="a global",
        ),
        pytest.param(
            """
            _x = {}
            def get():
                if "a" not in _x: _x["a"] = build()
                return _x["a"]
            """,
            id="an item",
        ),
        pytest.param(
            """
            _x = {}
            def get():
                try: return _x["a"]
                except KeyError: _x["a"] = build()
                return _x["a"]
            """,
            id="an item, tried",
        ),
        pytest.param(
            """
            import functools
            @functools.cache
            def get(): return build()
            """,
            id="functools.cache",
        ),
        pytest.param(
            """
            import functools
            get = functools.cache(build)
            """,
            id="functools.cache, assigned",
        ),
        pytest.param(
            """
            import functools
            class Holder:
                @functools.cached_property
                def x(self): return build()
            holder = Holder()
            def get(): return holder.x
            """,
            id="functools.cached_property",
        ),
        pytest.param(
            """
            class Holder:
                x = None
                def get(self):
                    if self.x is None: self.x = build()
                    return self.x
            get = Holder().get
            """,
            id="an attribute",
        ),
        pytest.param(
            """
            class Holder:
                x = None
                def get(self):
                    if self.x is not None: return self.x
                    self.x = build()
                    return self.x
            get = Holder().get
            """,
            id="an attribute, after an early return",
        ),
        pytest.param(
            """
            class Holder:
                x = {}
                def get(self):
                    if "a" not in self.x: self.x["a"] = build()
                    return self.x["a"]
            def get(): return Holder().get()
            """,
            id="an item of an attribute of the class",
        ),
        pytest.param(
            """
            SHARED = {}
            class Holder:
                def __init__(self, x): self.x = x
                def get(self):
                    if "a" not in self.x: self.x["a"] = build()
                    return self.x["a"]
            def get(): return Holder(SHARED).get()
            """,
            id="an item of what objects were handed",
        ),
        pytest.param(
            """
            class Pool:
                x = None
            POOL = Pool()
            class Holder:
                def __init__(self): self.pool = POOL
                def get(self):
                    pool = self.pool
                    if pool.x is None: pool.x = build()
                    return pool.x
            def get(): return Holder().get()
            """,
            id="an attribute of an object that others have",
        ),
        pytest.param(
            """
            class Holder:
                shared = {}
                def __init__(self): self.__dict__ = self.shared
                def get(self):
                    if not hasattr(self, "x"): self.x = build()
                    return self.x
            def get(): return Holder().get()
            """,
            id="objects that share their attributes",
        ),
        pytest.param(
            """
            class Holder:
                x = None
                def get(self):
                    if self.x is None: type(self).x = build()
                    return self.x
            def get(): return Holder().get()
            """,
            id="an attribute of the class, set through the object",
        ),
        pytest.param(
            """
            class Base:
                x = None
                @classmethod
                def get(cls):
                    if cls.x is None: cls.x = build()
                    return cls.x
            class Derived(Base): pass
            classes = iter([Base, Derived])
            def get(): return next(classes).get()
            """,
            id="an attribute of a class that others derive from",
        ),
        pytest.param(
            """
            class Pool:
                x = None
            POOL = Pool()
            def pool(): return POOL
            def get():
                found = pool()
                if found.x is None: found.x = build()
                return found.x
            """,
            id="what a function gives",
        ),
        pytest.param(
            """
            class Holder:
                def __getattr__(self, name):
                    setattr(self, name, build())
                    return self.x
            holder = Holder()
            def get(): return holder.x
            """,
            id="setattr",
        ),
        pytest.param(
            """
            _x = {}
            def get():
                if not _x: _x.update(a=build())
                return _x["a"]
            """,
            id="update",
        ),
        pytest.param(
            """
            _x = []
            def get():
                if not _x: _x.append(build())
                return _x[0]
            """,
            id="append",
        ),
        pytest.param(
            """
            _x = {}
            def get(): return _x.get("a") or _x.setdefault("a", build())
            """,
            id="setdefault",
        ),
    ],
)
def test_what_an_earlier_test_left_counts_for_who_finds_it(tmp_path: Path, get: str) -> None:
    before = "def build(): return 1\n" + dedent(get)

    found = runs(
        tmp_path, {"app.py": before, "test_a.py": CARRIED}, {"app.py": before.replace("return 1", "return 2", 1)}
    )

    assert {"test_f", "test_g"} <= found


def test_the_body_of_a_memoised_function_counts_for_who_finds_its_answer(tmp_path: Path) -> None:
    files = {"app.py": "import functools\n@functools.cache\ndef get(): return 1\n", "test_a.py": CARRIED}

    assert {"test_f", "test_g"} <= runs(tmp_path, files, {"app.py": files["app.py"].replace("return 1", "return 2")})


@pytest.mark.xfail(strict=True, reason="what a call puts into a container of another module is not followed")
def test_what_a_test_changed_in_a_module_counts_for_a_later_one(tmp_path: Path) -> None:
    """A test that reads what another stored there does not execute what computed it."""
    files = {
        "app.py": """
            registry = []
            def build(): return 1
            def fill(): registry.append(build())
            def last(): return registry[-1]
            """,
        "test_a.py": "import app\ndef test_f(): app.fill()\ndef test_g(): assert app.last() == 1\n",
    }

    assert runs(tmp_path, files, {"app.py": files["app.py"].replace("return 1", "return 2")}) == {"test_f", "test_g"}


def test_a_cache_that_was_filled_by_another_way_through_the_same_function_counts(tmp_path: Path) -> None:
    files = {
        "app.py": """
            _x = None
            def get():
                global _x
                if _x is None: _x = load("big")
                return _x
            def load(kind): return parse() if kind == "big" else 0
            def parse(): return 1
            """,
        "test_a.py": """
            import app
            def test_f(): app.get()
            def test_g():
                app.load("small")
                assert app.get() == 1
            """,
    }

    assert runs(tmp_path, files, {"app.py": files["app.py"].replace("return 1", "return 2")}) == {"test_f", "test_g"}


def test_an_import_that_finds_a_cache_full_rests_on_what_filled_it(tmp_path: Path) -> None:
    files = {
        "app.py": """
            CACHE = {}
            def compute(): return 1
            def get():
                if "x" not in CACHE:
                    CACHE["x"] = compute()
                return CACHE["x"]
            """,
        "late.py": "import app\nVALUE = app.get()\n",
        "test_a.py": """
            import app
            def test_1(): app.get()
            def test_2():
                import late
                assert late.VALUE == 1
            def test_3(): pass
            """,
    }

    assert runs(tmp_path, files, {"app.py": files["app.py"].replace("return 1", "return 2")}) == {"test_1", "test_2"}


def test_a_thread_that_a_fixture_left_running_counts(tmp_path: Path) -> None:
    files = {
        "app.py": "def answer(): return 1\n",
        "test_a.py": """
            import app, pytest, queue, threading
            asked, answered = queue.Queue(), queue.Queue()
            def serve():
                while asked.get(): answered.put(app.answer())
            @pytest.fixture(scope="module")
            def server():
                thread = threading.Thread(target=serve)
                thread.start()
                yield
                asked.put(False)
                thread.join()
            def test_f(server):
                asked.put(True)
                assert answered.get() == 1
            def test_g(server):
                asked.put(True)
                assert answered.get() == 1
            def test_h(): pass
            """,
    }

    assert runs(tmp_path, files, {"app.py": "def answer(): return 2\n"}) == {"test_f", "test_g"}


# Going back and forth.


def test_switching_back_and_forth_costs_nothing(tmp_path: Path) -> None:
    one, two = "def f(): return 1\n", "def f(): return 2\n"
    project = new_project(tmp_path, {"app.py": one, "test_a.py": "import app\ndef test_f(): app.f()\n"})
    project.record()
    project.write({"app.py": two})
    project.record()

    project.write({"app.py": one})

    assert project.affected().run == set()


def test_source_that_changes_while_it_is_tested_is_not_trusted(tmp_path: Path) -> None:
    project = new_project(
        tmp_path,
        {
            "app.py": "def f(): return 1\n",
            "test_a.py": """
                import app
                def test_f():
                    with open("app.py", "w") as file: file.write("def f(): return 2")
                    app.f()
                """,
            "test_b.py": "def test_g(): pass\n",
        },
    )
    project.record()

    answer = project.affected()

    assert answer.run == {"test_a.py::test_f"}
    assert "changed while the test was recorded" in answer.details("test_a.py::test_f")


# Fixtures that end, and doctests.

_FIXTURE = "@pytest.fixture(scope='{}')\ndef s():\n    yield\n    app.end()\ndef test_a(s): pass\n"
_ENDING = {
    "a fixture of the module": _FIXTURE.format("module"),
    "a fixture of the session": _FIXTURE.format("session"),
    "a finalizer": (
        "@pytest.fixture(scope='module')\ndef s(request): request.addfinalizer(app.end)\ndef test_a(s): pass\n"
    ),
    "a fixture of a fixture": (
        "@pytest.fixture(scope='session')\ndef inner():\n    yield\n    app.end()\n"
        "@pytest.fixture(scope='module')\ndef s(inner): return 1\ndef test_a(s): pass\n"
    ),
    "a fixture that is asked for by name": (
        "@pytest.fixture(scope='module')\ndef s():\n    yield\n    app.end()\n"
        "def test_a(request): request.getfixturevalue('s')\n"
    ),
    "a module": "def teardown_module(): app.end()\ndef test_a(): pass\n",
    "a class": "class TestC:\n    @classmethod\n    def teardown_class(cls): app.end()\n    def test_a(self): pass\n",
    "a class of unittest": (
        "import unittest\nclass TestC(unittest.TestCase):\n    @classmethod\n    def tearDownClass(cls): app.end()\n"
        "    def test_a(self): pass\n"
    ),
}


@pytest.mark.parametrize("ends", _ENDING)
def test_what_ends_a_wider_fixture_counts_for_all_who_use_it_and_for_the_test_that_meets_it(
    ends: str, tmp_path: Path
) -> None:
    in_class = "class" in ends
    last = "    def test_b(self): pass\n" if in_class else "def test_b(): pass\n"
    files = {
        "app.py": "def end(): pass\n",
        "test_a.py": f"import app, pytest\n{_ENDING[ends]}{last}",
        "test_0.py": "def test_before(): pass\n",
    }

    assert runs(tmp_path, files, {"app.py": "def end(): 1 / 0\n"}) == {"test_a", "test_b"}


@pytest.mark.parametrize(
    "lines", ["import lib\n>>> lib.X", "from lib import X\n>>> X", "import lib as other\n>>> other.X"]
)
@pytest.mark.parametrize(
    "place", ["'''\n{}'''\n", "def f():\n    '''\n{}    '''\n", "class A:\n    def f():\n        '''\n{}        '''\n"]
)
def test_what_a_doctest_imports_counts_though_it_was_imported_before(lines: str, place: str, tmp_path: Path) -> None:
    indent = place.split("'''", maxsplit=1)[0].rpartition("\n")[2]
    text = "".join(f"{indent}{line}\n" for line in f">>> {lines}\n1".split("\n"))
    files = {"app.py": place.format(text), "lib.py": "X = 1\n", "unrelated.py": "'''\n>>> 1\n1\n'''\n"}

    answer = answer_after(tmp_path, files, {"lib.py": "X = 2\n"}, "--doctest-modules")

    assert {test.partition("::")[0] for test in answer.run} == {"app.py"}


@pytest.mark.parametrize("body", ["await 1", "break", "nonlocal x"])
def test_a_body_that_the_compiler_alone_refuses_runs_all_who_import_it(body: str, tmp_path: Path) -> None:
    files = {
        "app.py": "def f(): return 1\ndef g(): return 1\n",
        "test_a.py": "def test_g():\n    import app\n    app.g()\n",
        "test_b.py": "def test_h(): pass\n",
    }

    assert runs(tmp_path, files, {"app.py": f"def f(): {body}\ndef g(): return 1\n"}) == {"test_g"}


def test_a_body_that_the_compiler_warns_of_runs_all_who_import_it(tmp_path: Path) -> None:
    files = {
        "pytest.ini": "[pytest]\npythonpath = .\nfilterwarnings = error\n",
        "app.py": "def f(x): return x is None\ndef g(): return 1\n",
        "test_a.py": "def test_g():\n    import app\n    app.g()\n",
        "test_b.py": "def test_h(): pass\n",
    }

    assert runs(tmp_path, files, {"app.py": "def f(x): return x is 0\ndef g(): return 1\n"}) == {"test_g"}


# Names that a module makes to look them up among its own.

_MADE = {
    "lib.py": "_old = 1\nother = 2\ndef __getattr__(name):\n    return globals()[f'_{name}']\n",
    "test_a.py": "import lib\ndef test_a(): assert lib.old == 1\ndef test_b(): assert lib.other == 2\n",
}


@pytest.mark.parametrize(
    ("old", "new"),
    [("_old = 1", "_old = 3"), ("_old = 1", "_old: int = 1"), ("other", "_new = 1\nother"), ("_old = 1\n", "")],
)
def test_a_made_name_is_read_by_who_executes_what_makes_it(old: str, new: str, tmp_path: Path) -> None:
    assert "test_a" in runs(tmp_path, _MADE, {"lib.py": _MADE["lib.py"].replace(old, new)})


def test_a_name_that_can_not_be_the_made_one_is_not_read(tmp_path: Path) -> None:
    change = {"lib.py": _MADE["lib.py"] + "\ndef unused(): pass\n"}

    assert runs(tmp_path, _MADE, change) == set()


@pytest.mark.parametrize("by", ["from part import X as _old", "from part import *", "import part\n_old = part.X"])
def test_what_a_made_name_leads_to_is_read(by: str, tmp_path: Path) -> None:
    files = {**_MADE, "lib.py": _MADE["lib.py"].replace("_old = 1", by)}
    files["part.py"] = "X = 1\n_old = X\n__all__ = ['_old', 'X']\n"

    assert "test_a" in runs(tmp_path, files, {"part.py": files["part.py"].replace("X = 1", "X = 3")})


@pytest.mark.parametrize(
    "body",
    [
        "def f(x, name, look=getattr):\n    return look(x, name)\n",
        "import builtins\ndef f(x, name): return builtins.vars(x)[name]\n",
        "def f(x, name):\n    def g(vars): return vars\n    return vars(x)[name]\n",
        "def f(x, name):\n    [vars for vars in ()]\n    return vars(x)[name]\n",
        "from builtins import vars as help\ndef f(x, name): return help(x)[name]\n",
        "def g(vars, x): return vars(x)\ndef f(x, name): return g(vars, x)[name]\n",
    ],
)
def test_a_computed_member_is_read_whatever_the_function_is_called_that_reads_it(body: str, tmp_path: Path) -> None:
    files = {
        "lib.py": "class C:\n    member = 1\n    other = 2\n",
        "read.py": body,
        "test_a.py": "import lib, read\ndef test_a(): assert read.f(lib.C, 'mem' + 'ber') == 1\n",
    }

    assert runs(tmp_path, files, {"lib.py": files["lib.py"].replace("member = 1", "member = 3")}) == {"test_a"}


def test_who_has_a_parameter_called_help_reads_no_members(tmp_path: Path) -> None:
    files = {
        "lib.py": "class C:\n    help = 1\n    of_nobody_else = 2\n    def f(self, help=0): return help or self.help\n",
        "test_a.py": "import lib\ndef test_a(): assert lib.C().f() == 1\n",
    }

    assert (
        runs(tmp_path, files, {"lib.py": files["lib.py"].replace("of_nobody_else = 2", "of_nobody_else = 3")}) == set()
    )


# Functions that are called so often that their calls are looked into no more.


def test_a_rare_call_among_very_many_counts_for_who_finds_its_answer(tmp_path: Path) -> None:
    files = {
        "data.txt": "1",
        "app.py": """
            import functools

            def read(): return open("data.txt").read()

            @functools.cache
            def get(name): return read() if name == "x" else ""
        """,
        "test_a.py": """
            import app

            def test_f():
                app.read()
                for number in range(10_100):
                    app.get(number)
                app.get("x")

            def test_g(): assert app.get("x") == "1"
        """,
    }

    assert runs(tmp_path, files, {"data.txt": "2"}) == {"test_f", "test_g"}


def test_a_call_for_one_object_counts_though_there_were_very_many_for_another(tmp_path: Path) -> None:
    files = {
        "app.py": """
            def one(): return 1

            class A:
                value = None

                def get(self):
                    if self.value is None:
                        self.value = one()
                    return self.value

            often, once = A(), A()
        """,
        "test_a.py": """
            import app

            def test_f():
                for _ in range(10_100):
                    app.often.get()
                app.once.get()

            def test_g(): assert app.once.get() == 1
        """,
    }

    assert runs(tmp_path, files, {"app.py": files["app.py"].replace("return 1", "return 2")}) == {"test_f", "test_g"}


# Modules that are looked up among the names of another.


@pytest.mark.parametrize("looked_up", ['globals()["_part"]', 'globals().get("_part")', 'globals()[f"_{name}"]'])
def test_a_module_that_is_looked_up_by_its_name_may_be_read_as_a_whole(looked_up: str, tmp_path: Path) -> None:
    files = {
        "piece.py": "X = 1\n",
        "app.py": f"import piece as _part\ndef get(name): return {looked_up}\n",
        "test_a.py": """
            import app

            def test_f(): assert [name for name in app.get("part").__dict__ if "__" not in name] == ["X"]
        """,
    }

    assert runs(tmp_path, files, {"piece.py": "X = 1\nY = 1\n"}) == {"test_f"}


def test_a_module_that_is_read_by_a_spelled_name_may_be_read_as_a_whole(tmp_path: Path) -> None:
    files = {
        "piece.py": "X = 1\n",
        "app.py": "import piece as _part\n",
        "test_a.py": """
            import app

            def test_f(): assert [name for name in getattr(app, "_part").__dict__ if "__" not in name] == ["X"]
        """,
    }

    assert runs(tmp_path, files, {"piece.py": "X = 1\nY = 1\n"}) == {"test_f"}


# The collector.


def test_what_the_collector_finalizes_while_source_is_parsed_counts(tmp_path: Path) -> None:
    many = "".join(
        f"def f{number}(a, b=[{number}]): return dict(a=a, b=[b for c in a if c.d])\n" for number in range(500)
    )
    files = {
        "many.py": "def f(): return 1\n" + many,
        "app.py": """
            closed = []

            def one(): return 1

            class A:
                def __init__(self): self.me = self
                def __del__(self): closed.append(one())
        """,
        "test_a.py": """
            import gc
            import app, many

            def test_f():
                app.A()
                many.f()
                gc.collect()
                assert app.closed == [1]
        """,
    }

    assert runs(tmp_path, files, {"app.py": files["app.py"].replace("return 1", "return 2")}) == {"test_f"}


# Names that are bound, and not read.


_SAME_NAMES = {
    "app.py": "class A:\n    def put(self, n=1): return n\n__all__ = ['A']\nRATE = 1\n",
    "other.py": "class B:\n    def put(self, n=1): return n\n__all__ = ['B']\nRATE = 1\nclass C(B): pass\n",
    "test_a.py": "import app\ndef test_a(): assert app.A.__name__ and app.RATE\n",
    "test_b.py": "from other import B\ndef test_b(name='put'): assert getattr(B(), name)() == 1\n",
}


@pytest.mark.parametrize(("old", "new"), [("n=1", "n=2"), ("['A']", "['A', 'RATE']"), ("RATE = 1", "RATE = 2")])
def test_who_binds_the_name_that_changed_elsewhere_does_not_read_it(old: str, new: str, tmp_path: Path) -> None:
    change = {"app.py": _SAME_NAMES["app.py"].replace(old, new)}

    assert "test_b" not in runs(tmp_path, _SAME_NAMES, change)


@pytest.mark.parametrize(
    "heir",
    [
        "class B(app.A):\n    def put(self): return super().put()\n",
        "class B(app.A):\n    put = app.A.put\n",
        "class B:\n    put = put = app.A.put\n",
        "class B:\n    put: object = app.A.put\n",
        "def put(self, old=app.A.put): return old(self)\nclass B:\n    put = put\n",
        "class B:\n    def put(self, put=app.A.put): return put(self)\n",
        "class B:\n    put = staticmethod(lambda put=app.A.put: put(None))\n",
        "class B(app.A):\n    def put(self): return 1\n    del put\n",
    ],
)
def test_who_binds_a_name_to_something_made_of_that_name_reads_it(heir: str, tmp_path: Path) -> None:
    files = {
        "app.py": "class A:\n    def put(self, n=1): return n\n",
        "other.py": f"import app\n{heir}",
        "test_a.py": "import other\ndef test_a(): assert other.B().put() == 1\n",
        "test_b.py": "from other import B\ndef test_b(name='pu'): assert getattr(B(), name + 't')() == 1\n",
    }

    assert runs(tmp_path, files, {"app.py": files["app.py"].replace("n=1", "n=2")}) == {"test_a", "test_b"}


@pytest.mark.parametrize(
    ("hub", "test"),
    [
        ("from app import *", "hub.X"),
        ("from part import *", "hub.X"),
        ("from app import __all__\nfrom app import X", "'X' in hub.__all__"),
        ("import app\n__all__ = app.__all__\nfrom app import X", "'X' in hub.__all__"),
        ("import app\n__all__ = [*app.__all__]\nfrom app import X", "'X' in hub.__all__"),
        ("import app\nPUBLIC = app.__all__", "'X' in hub.PUBLIC"),
        ("import app\nPUBLIC = getattr(app, '__all__')", "'X' in hub.PUBLIC"),
        ("import app\ndef public(name='__al'): return vars(app)[name + 'l__']", "'X' in hub.public()"),
        ("import app\nimport inspect\n__all__ = dict(inspect.getmembers(app))['__all__']", "'X' in hub.__all__"),
    ],
)
def test_who_uses_the_list_of_public_names_runs_when_it_changes(hub: str, test: str, tmp_path: Path) -> None:
    files = {
        "app.py": "X = 1\nY = 1\n__all__ = ['X', 'Y']\n",
        "part.py": "from app import *\n",
        "hub.py": f"{hub}\n",
        "test_a.py": f"import hub\ndef test_a(): assert {test}\n",
    }

    assert runs(tmp_path, files, {"app.py": files["app.py"].replace("['X', 'Y']", "['Y']")}) == {"test_a"}


# Modules that are had through others.


@pytest.mark.parametrize(
    ("app", "read"),
    [
        ("import values as _Q", "getattr(getattr(app, '_' + 'Q'), 'RA' + 'TE')"),
        ("import values as _Q", "getattr(vars(app)['_' + 'Q'], 'RA' + 'TE')"),
        ("import values as _Q", "[vars(m) for n, m in vars(app).items() if n == '_' + 'Q'][0]['RA' + 'TE']"),
        ("from mid import _Q", "getattr(vars(app)['_' + 'Q'], 'RA' + 'TE')"),
        ("from mid import *", "getattr(vars(app)['_' + 'Q'], 'RA' + 'TE')"),
        ("import mid as _mid", "getattr(vars(vars(app)['_' + 'mid'])['_' + 'Q'], 'RA' + 'TE')"),
        ("import part", "getattr(vars(vars(app)['pa' + 'rt'])['val' + 'ues'], 'RA' + 'TE')"),
    ],
)
def test_a_module_that_a_computed_name_gives_may_be_read_by_computed_names(app: str, read: str, tmp_path: Path) -> None:
    files = {
        "app.py": f"{app}\n",
        "mid.py": "import values as _Q\n__all__ = ['_Q']\n",
        "part/__init__.py": "from part import user\n",
        "part/user.py": "import part.values\n",
        "part/values.py": "RATE = 1\n",
        "values.py": "RATE = 1\n",
        "test_a.py": f"import app\ndef test_a(): assert {read} == 1\n",
        "test_b.py": "import app\ndef test_b(): assert app\n",
    }
    change = {"values.py": "RATE = 22\n", "part/values.py": "RATE = 22\n"}

    assert runs(tmp_path, files, change) == {"test_a"}


# Everything of a module is imported.


_STARRED = {
    "app.py": """
        __all__ = ["A", "B", "C"]
        def A(): return 1
        def B(): return 1
        class C:
            def put(self): return 1
    """,
    "hub.py": "from app import *\n",
}


@pytest.mark.parametrize(
    "test",
    [
        "import hub\ndef test_f(): assert hub.A() == 1\n",
        "from hub import *\ndef test_f(): assert A() == 1\n",
        "from hub import A as other\ndef test_f(): assert other() == 1\n",
        "import hub\ndef test_f(name='A'): assert getattr(hub, name)() == 1\n",
        "import hub\ndef test_f(name='A'): assert vars(hub)[name]() == 1\n",
        "from hub import *\ndef test_f(name='A'): assert globals()[name]() == 1\n",
        "from hub import *\ndef test_f(name='A'): assert eval(name + '()') == 1\n",
        "import hub\nHUBS = [hub]\ndef test_f(name='A'): assert HUBS[0].__dict__[name]() == 1\n",
        "import hub\ndef test_f(monkeypatch):\n    monkeypatch.setattr(hub, 'B', hub.A)\n    assert hub.B() == 1\n",
        "from hub import *\nclass D:\n    f = staticmethod(A)\ndef test_f(): assert D.f() == 1\n",
        "from hub import *\ndef outer(): return lambda: A()\ndef test_f(): assert outer()() == 1\n",
        "from hub import *\ndef test_f(made=A): assert made() == 1\n",
    ],
)
@pytest.mark.parametrize("change", ["def A(n=0): return 2", "A = 2", ""])
def test_a_name_that_came_with_all_others_runs_who_reads_it(change: str, test: str, tmp_path: Path) -> None:
    files = {**_STARRED, "test_a.py": test}

    assert runs(tmp_path, files, {"app.py": _STARRED["app.py"].replace("def A(): return 1", change)})


def test_a_name_that_came_with_all_others_is_none_of_who_reads_another(tmp_path: Path) -> None:
    files = {
        **_STARRED,
        "test_a.py": "from hub import *\ndef test_a(): assert A()\n",
        "test_b.py": "from hub import *\ndef test_b(): assert C()\n",
    }

    assert runs(tmp_path, files, {"app.py": _STARRED["app.py"].replace("A(): return", "A(n=1): return")}) == {"test_a"}


@pytest.mark.parametrize(
    ("hub", "app"),
    [
        ("RATE = 1\nfrom app import *\n", "RATE = 2\n"),
        ("try:\n    from app import *\nexcept ImportError: pass\nRATE = globals().get('RATE', 1)\n", "RATE = 2\n"),
        ("RATE = 1\nif True:\n    from app import *\n", "RATE = 2\n"),
        ("RATE = 1\nfrom part import *\n", "RATE = 2\n"),
        ("from app import *\nRATE = len(())\n", "def len(_): return 2\n"),
        ("class Base: ...\nfrom app import *\nclass D(Base): ...\nRATE = D.rate\n", "class Base:\n    rate = 2\n"),
    ],
)
def test_a_name_that_comes_with_all_others_and_hides_one_runs_who_reads_that(
    hub: str, app: str, tmp_path: Path
) -> None:
    files = {
        "app.py": "class Base:\n    rate = 1\n" if "Base" in hub else "OTHER = 1\n",
        "part.py": "from app import *\n",
        "hub.py": hub,
        "test_a.py": "import hub\ndef test_a(): assert hub.RATE < 2\n",
    }

    assert runs(tmp_path, files, {"app.py": files["app.py"] + app}) == {"test_a"}


@pytest.mark.parametrize("names", ["['A', 'B']", "['B', 'C', 'D']", "NAMES"])
@pytest.mark.parametrize("hub", ["from app import *", "if True:\n    from app import *", "from part import *"])
def test_a_list_of_names_that_changes_runs_who_imports_all_of_them(hub: str, names: str, tmp_path: Path) -> None:
    app = "__all__ = ['A', 'B', 'C']\nNAMES = ['A']\nA = B = C = 1\n"
    files = {
        "app.py": app,
        "part.py": "from app import *\n",
        "hub.py": f"{hub}\n",
        "test_a.py": "import hub\ndef test_a(): assert hub\n",
    }

    assert runs(tmp_path, files, {"app.py": app.replace("['A', 'B', 'C']", names)})  # or it can't be collected


def test_a_name_that_is_gone_and_still_listed_runs_who_imports_all_of_them(tmp_path: Path) -> None:
    files = {
        "app.py": "A = 1\nB = 1\n",
        "part.py": "from app import *\n__all__ = ['A', 'B']\n",
        "hub.py": "from part import *\n",
        "test_a.py": "import hub\ndef test_a(): assert hub.A\n",
    }

    assert runs(tmp_path, files, {"app.py": "A = 1\n"}) == {"test_a.py"}, "it can't be collected"


# What only keeps a class.


_KEPT = {"app.py": "class C:\n    def put_away(self, n=1): return n\n    def get(self): return 1\n"}


@pytest.mark.parametrize(
    "keeper",
    [
        "TABLE = {C: [1]}\nfor one in TABLE: MADE = sorted(signatures(one))\n",
        "TABLE = {(1, 2): [C]}\nMADE = signatures(TABLE[1, 2][0])\n",
        "TABLE: list = [(C, {})]\nMADE = [signatures(one) for one, _ in TABLE]\n",
        "TABLE = {C: 1}\nOTHER = {1: TABLE}\nMADE = [signatures(one) for one in OTHER[1]]\n",
        "from functools import partial\nMADE = partial(signatures, C)()\n",
        "import pytest\n@pytest.fixture(params=[signatures(C)])\ndef made(): ...\nMADE = signatures(C)\n",
    ],
)
def test_what_looks_at_a_class_that_was_kept_for_it_counts_as_looking_at_it(keeper: str, tmp_path: Path) -> None:
    files = {
        **_KEPT,
        "tools.py": "import inspect\ndef signatures(one): return [str(x) for x in inspect.getmembers(one)]\n",
        "hub.py": f"from app import C\nfrom tools import signatures\n{keeper}",
        "test_a.py": "import hub\ndef test_a(): assert hub.MADE\n",
    }

    assert runs(tmp_path, files, {"app.py": _KEPT["app.py"].replace("n=1", "n=2")}) == {"test_a"}


def test_a_class_in_a_table_that_nothing_looks_at_concerns_who_reads_the_member(tmp_path: Path) -> None:
    files = {
        **_KEPT,
        "hub.py": "from app import C\nTABLE = {C: [C]}\nRATE = 1\n",
        "test_a.py": """
            import hub
            def test_put(): assert list(hub.TABLE)[0]().put_away()
            def test_rate(): assert hub.RATE
        """,
    }

    assert runs(tmp_path, files, {"app.py": _KEPT["app.py"].replace("n=1", "n=2")}) == {"test_put"}


def test_a_class_among_parameters_concerns_who_reads_the_member(tmp_path: Path) -> None:
    files = {
        **_KEPT,
        "test_a.py": """
            import functools, pytest
            from app import C

            @pytest.fixture(params=[C, functools.partial(C)])
            def made(request): return request.param()

            def test_put(made): assert made.put_away()
            def test_get(made): assert made.get()

            @pytest.mark.parametrize("of", [C, pytest.param(C)])
            def test_of(of): assert of().get()
        """,
    }

    assert {
        one.partition("[")[0] for one in runs(tmp_path, files, {"app.py": _KEPT["app.py"].replace("n=1", "n=2")})
    } == {"test_put"}


# Fixtures.


_FIXTURES = {
    "conftest.py": """
        import pytest
        @pytest.fixture
        def rate(): return 1
        @pytest.fixture
        def price(rate): return rate
    """,
    "tools.py": "import pytest\n@pytest.fixture\ndef rate(): return 2\n",
    "test_a.py": "RATES = 1\ndef test_a(price): assert price == 1\ndef test_b(): assert 1\n",
}


@pytest.mark.parametrize(
    "added",
    [
        "import pytest\n@pytest.fixture\ndef rate(): return 2\n",
        "import pytest\n@pytest.fixture(name='rate')\ndef other(): return 2\n",
        "import pytest\n@pytest.fixture(autouse=True)\ndef other(): raise OSError\n",
        "from tools import rate\n",
    ],
)
def test_a_fixture_that_comes_in_the_place_of_another_runs_who_gets_it_by_way_of_others(
    added: str, tmp_path: Path
) -> None:
    assert "test_a" in runs(tmp_path, _FIXTURES, {"test_a.py": added + _FIXTURES["test_a.py"]})


@pytest.mark.parametrize("change", ["def rate(): return 2", "def rate(n=2): return n", "def rate(request): return 2"])
def test_a_fixture_that_changes_runs_who_gets_it_and_no_other(change: str, tmp_path: Path) -> None:
    conftest = _FIXTURES["conftest.py"].replace("def rate(): return 1", change)

    assert runs(tmp_path, _FIXTURES, {"conftest.py": conftest}) == {"test_a"}


@pytest.mark.parametrize("params", ["[1, 2]", "[2]", "[A]"])
def test_the_parameters_of_a_fixture_concern_who_gets_it(params: str, tmp_path: Path) -> None:
    text = "import pytest\nfrom app import A\n@pytest.fixture(params=[1])\n"
    test = f"{text}def rate(request): return request.param\ndef test_a(rate): assert rate\ndef test_b(): assert 1\n"
    files = {"app.py": "class A: ...\n", "test_a.py": test}
    found = runs(tmp_path, files, {"test_a.py": test.replace("[1]", params)})

    assert found
    assert {one.partition("[")[0] for one in found} == {"test_a"}


def test_a_class_that_can_no_longer_be_called_runs_all_of_whom_the_fixtures_fail(tmp_path: Path) -> None:
    text = "import pytest\nfrom functools import partial\nfrom app import A\n@pytest.fixture(params=[partial(A)])\n"
    files = {
        "app.py": "class A: ...\n",
        "test_a.py": f"{text}def made(request): return request.param()\ndef test_b(): assert 1\n",
    }

    assert runs(tmp_path, files, {"app.py": "A = 1\n"})
