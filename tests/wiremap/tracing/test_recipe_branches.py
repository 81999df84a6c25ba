"""Recipes that tell which branches they take, and those that are left as they are."""

import contextlib
import importlib.util
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent
from types import ModuleType

import pytest

from wiremap.registry.observers import notify_recipe, observe_recipes
from wiremap.source.units import UnitKey
from wiremap.tracing.recipe_branches import RecipeBranches

WIRE = UnitKey("recipes.py", "wire")
TWO_BRANCHES = """
    from wiremap import recipe

    @recipe
    def wire(a, b=None):
        '''Wire.'''
        if a:
            return 1
        elif not b:
            return sys.exc_info
        for one in b:
            if one:
                return 2
    """


class Watched:
    """Recipes of one file, watched."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.told: list[tuple[str, str, int, bool]] = []
        self.branches = RecipeBranches(
            lambda filename: Path(filename).name if filename.startswith(str(folder)) else None,
            lambda *what: self.told.append(what),
            contextlib.nullcontext,
        )

    def load(self, text: str) -> ModuleType:
        """Import *text* as a file of the project."""
        file = self.folder / "recipes.py"
        file.write_text(dedent(text), encoding="utf-8")
        spec = importlib.util.spec_from_file_location("recipes", file)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module


@pytest.fixture
def watched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Watched]:
    monkeypatch.delitem(sys.modules, "greenlet", raising=False)  # which another test of this process may have brought
    made = Watched(tmp_path)
    end = observe_recipes(made.branches.watch)
    yield made
    end()


def test_a_recipe_tells_each_branch_that_it_takes(watched: Watched) -> None:
    wire = watched.load(TWO_BRANCHES).wire

    results = [wire(1), wire(0, [1])]

    assert results == [1, 2]
    assert watched.told == [(*WIRE, 0, True), (*WIRE, 0, False), (*WIRE, 1, False)]


def test_the_function_stays_what_it_is(watched: Watched) -> None:
    wire = watched.load(TWO_BRANCHES).wire

    code = wire.__code__
    assert (wire.__doc__, wire.__defaults__, wire.__name__) == ("Wire.", (None,), "wire")
    assert (code.co_firstlineno, code.co_varnames, code.co_qualname) == (4, ("a", "b", "one"), "wire")
    with pytest.raises(NameError) as error:
        wire(0)
    assert error.traceback[-1].lineno == 9


def test_what_it_was_is_kept_as_text_with_its_fingerprint(watched: Watched) -> None:
    watched.load(TWO_BRANCHES)

    (told,) = watched.branches.whole().values()

    assert told.text.startswith('@recipe\ndef wire(a, b=None):\n    """Wire."""\n    if a:')
    assert len(told.fingerprint) == 24


SILENT = {
    "a method": "class A:\n    @recipe\n    def wire(self): pass",
    "a function in another": "def outer():\n    @recipe\n    def wire(): pass\nouter()",
    "below another decorator": "@(lambda one: one)\n@recipe\ndef wire(): pass",
    "above another decorator": "@recipe\n@(lambda one: one)\ndef wire(): pass",
    "defined twice": "@recipe\ndef wire(): pass\n@recipe\ndef wire(): pass",
    "defined below a condition": "if recipe:\n    @recipe\n    def wire(): pass",
    "a lambda": "wire = recipe(lambda: 1)",
    "made of text": "exec('@recipe\\ndef wire(): pass')",
    "not a function": "import functools\nwire = recipe(functools.partial(print))",
    "of another file": "exec(compile('@recipe\\ndef wire(): pass', '/elsewhere.py', 'exec'))",
    "other than its source says": "exec(compile('@recipe\\ndef wire(): return 1', __file__, 'exec'))\ndef wire(): ...",
}


@pytest.mark.parametrize("text", SILENT.values(), ids=SILENT.keys())
def test_others_are_left_as_they_are(watched: Watched, text: str) -> None:
    watched.load(f"from wiremap import recipe\n{text}")

    assert watched.branches.whole() == {}


def test_one_that_ran_in_another_thread_did_not_tell_all(watched: Watched) -> None:
    wire = watched.load(TWO_BRANCHES).wire

    thread = threading.Thread(target=wire, args=(1,))
    thread.start()
    thread.join()

    assert watched.branches.whole() == {}


def test_one_that_was_loaded_in_two_versions_did_not_tell_all(watched: Watched) -> None:
    watched.load(TWO_BRANCHES)
    watched.load(TWO_BRANCHES)
    assert watched.branches.whole().keys() == {WIRE}

    watched.load(TWO_BRANCHES.replace("return 1", "return 3"))
    assert watched.branches.whole() == {}


def test_greenlets_may_rest_in_the_middle(watched: Watched, monkeypatch: pytest.MonkeyPatch) -> None:
    watched.load(TWO_BRANCHES)
    monkeypatch.setitem(sys.modules, "greenlet", ModuleType("greenlet"))

    assert watched.branches.whole() == {}


def test_nobody_is_told_any_more(watched: Watched) -> None:
    observe_recipes(lambda _function: None)()

    notify_recipe(print)
    assert watched.branches.whole() == {}
