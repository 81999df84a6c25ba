from textwrap import dedent

import pytest

from wiremap.source.reach import OWN_MODULE, Reach
from wiremap.source.units import MODULE_UNIT, parse_units


def reach(text: str) -> Reach:
    """Return the reach of the module's own statements."""
    return parse_units(dedent(text).encode()).units[MODULE_UNIT].reach


def reach_of_f(body: str, before: str = "import app, pkg.mod\nfrom pkg import part as p\n") -> Reach:
    """Return the reach of a function."""
    return parse_units(f"{before}def f(self, x, name):\n    {body}\n".encode()).units["f"].reach


# Computed names.


@pytest.mark.parametrize(
    "body",
    [
        "x.name",
        "getattr(x, 'name')",
        "getattr(x, 'name', None)",
        "hasattr(x, 'name')",
        "setattr(x, 'name', 1)",
        "mock.patch.object(x, 'name')",
        "f(eval=1)",
        "frame.f_globals['__name__']",
        "frame.f_globals.get('__name__')",
        "globals()['x']",
        "name in sys.modules",
        "vars()",
        "locals()",
        "__import__('json')",
    ],
)
def test_a_unit_that_spells_out_what_it_reads_sees_that_alone(body: str) -> None:
    assert reach_of_f(body).sight == ""


@pytest.mark.parametrize(
    "body",
    [
        "getattr(x, name)",
        "getattr(self, name)",
        "hasattr(x, name)",
        "setattr(x, name, 1)",
        "map(getattr, x, name)",
        "x.__dict__",
        "vars(x)",
        "dir(x)",
        "x.__getattribute__(name)",
        "operator.attrgetter(name)(x)",
        "inspect.getmembers(x)",
        "getattr(x, '__dict__')",
        "pydoc.render_doc(x)",
        "mock.patch('a.b', autospec=True)",
        "mock.patch.object(x, name)",
        "from operator import attrgetter as get",
        "from cloudpickle import loads",
    ],
)
def test_a_unit_that_computes_names_of_members_sees_all_of_them(body: str) -> None:
    assert reach_of_f(body).sight == "members"


@pytest.mark.parametrize(
    "body",
    [
        "eval(x)",
        "exec(x)",
        "__import__(name)",
        "x.__subclasses__()",
        "gc.get_objects()",
        "importlib.reload(x)",
        "sys.modules[name]",
        "from sys import modules",
        "frame.f_globals[name]",
        "f.__globals__",
        "inspect.getmodule(x)",
        "request.module",
        "pytest.importorskip(name)",
        "runpy.run_path(x)",
        "monkeypatch.setattr(f'app.{name}', 1)",
        "monkeypatch.setattr(name, 1)",
        "monkeypatch.delattr(name)",
        "getattr(x, '__globals__')",
        "import sys as s; s.modules[name]",
        "unittest.defaultTestLoader.loadTestsFromName(x)",
        "inspect.getclosurevars(x)",
    ],
)
def test_a_unit_that_gets_any_module_by_a_computed_name_sees_everything(body: str) -> None:
    assert reach_of_f(body).sight == "all"


# Modules that are handed on.


@pytest.mark.parametrize("body", ["app.f(1)", "app.x.y = app.z", "getattr(app, 'x')", "m.setattr(app, 'x', 1)"])
def test_a_module_of_which_a_name_is_read_is_not_handed_on(body: str) -> None:
    assert "app" not in reach_of_f(body).handled


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("x(app)", "app"),
        ("return app", "app"),
        ("y = app", "app"),
        ("y = [1, {2: app}]", "app"),
        ("getattr(app, name)", "app"),
        ("m.setattr(app, name, 1)", "app"),
        ("x(pkg.mod)", "pkg.mod"),
        ("x(p)", "pkg.part"),
        ("import late as l; x(l)", "late"),
        ("from . import near; x(near)", ".near"),
        ("x(app.hub)", "app.hub"),
        ("app.__dict__[name]", "app"),
        ("app.hub.__dict__.items()", "app.hub"),
        ("getattr(app, '__dict__')", "app"),
        ("pytest.importorskip('app')", "app"),
        ("sys.modules['app']", "app"),
    ],
)
def test_a_module_that_is_used_as_an_object_is_handed_on(body: str, expected: str) -> None:
    assert expected in reach_of_f(body).handled


@pytest.mark.parametrize(
    "body", ["app = x; return app", "for app in x: x(app)", "app = x; return lambda: app", "with x as app: x(app)"]
)
def test_a_variable_of_that_name_is_no_module(body: str) -> None:
    assert "app" not in reach_of_f(body).handled


@pytest.mark.parametrize(
    "body",
    [
        "import app; app = app or x; return app",
        "global app; app = x; return app",
        "[app for app in x]; return app",
        "def g(app=app): ...",
        "def g():\n        app = 1\n    return app",
        "class C:\n        app = app\n    app = x",
    ],
)
def test_the_module_is_handed_on_wherever_no_variable_is_surely_meant(body: str) -> None:
    assert "app" in reach_of_f(body).handled


def test_a_default_is_no_variable_of_its_function() -> None:
    assert "app" in parse_units(b"import app\ndef f(app=app): return app\n").units["f"].reach.handled


def test_who_has_the_dictionary_of_its_own_module_has_that_module() -> None:
    assert OWN_MODULE in reach_of_f("globals()[name]").handled
    assert OWN_MODULE in reach("locals().update(x)").handled
    assert OWN_MODULE not in reach_of_f("locals()").handled


def test_what_a_class_imports_is_handed_on_under_a_name_that_is_no_modules() -> None:
    assert "app" in reach("class C:\n    import app\n").handled


def test_strings_may_spell_the_name_of_a_module() -> None:
    assert reach_of_f("'A docstring.'; load('app', by='pkg.mod:f', of='two words', name=f'a{x}b')").spelled == {
        "app",
        "a",
        "b",
    }


def test_what_a_function_does_is_not_what_its_module_does() -> None:
    assert reach("import app\ndef f(x): return eval(x), g(app)\n") == Reach()


# Words that stand for something else.


@pytest.mark.parametrize("body", ["x.help", "x.dir(name)", "help = x", "vars = x; return vars[name]"])
def test_a_variable_or_an_attribute_of_that_name_is_not_the_built_in_function(body: str) -> None:
    assert reach_of_f(body).sight == ""


@pytest.mark.parametrize(
    "body",
    [
        "return lambda vars=vars: vars",
        "import builtins; return builtins.dir(x)",
        "__builtins__['vars'](x)",
        "[vars for vars in x]; vars(x)",
        "global vars; vars = vars(x)",
        "def g():\n        vars = 1\n    return vars(x)",
        "def g(vars): pass\n    return vars(x)",
        "class C:\n        vars = vars(x)",
        "vars = 1\n    class C:\n        vars = vars(x)",
        "def g(a=vars): return a",
        "class C:\n        def m(self):\n            global dir\n            return dir(x)\n    dir = 1",
    ],
)
def test_the_built_in_function_is_seen_wherever_no_variable_is_surely_meant(body: str) -> None:
    assert reach_of_f(body).sight == "members"


def test_a_parameter_of_a_function_around_is_a_variable_too() -> None:
    assert reach_of_f("def g(help):\n        def h(): return help\n        return h").sight == ""


def test_a_member_of_a_class_that_is_called_help_reads_nothing() -> None:
    assert reach("class C:\n    help: str | None\n    dir = 1\n").sight == ""


# Names that are made.


def test_a_name_that_is_made_tells_how_it_begins() -> None:
    found = reach_of_f("return globals()[f'_{name}']")

    assert found.made == {"_"}
    assert found.handled == frozenset()


@pytest.mark.parametrize(
    "body", ["globals()[f'{name}_']", "globals()['_' + name]", "globals()[f'_{name}'] = globals()"]
)
def test_a_name_of_which_the_beginning_is_not_told_may_be_any(body: str) -> None:
    assert OWN_MODULE in reach_of_f(body).handled


def test_the_name_of_a_distribution_names_no_module() -> None:
    assert reach_of_f("importlib.metadata.version('app')").spelled == frozenset()
    assert reach_of_f("importlib.metadata.version(x('app'))").spelled == {"app"}
