"""What pytest's items and fixtures tell about dependencies before anything of theirs runs."""

import ast
import inspect
from types import CodeType, FrameType
from typing import Any

import pytest

from wiremap.selection.facts import PRESENCE, Fact
from wiremap.source.units import UnitKey, unit_of_code
from wiremap.tracing.observation import Observation
from wiremap.tracing.path_state import path_presence
from wiremap.tracing.territory import Territory
from wiremap.tracing.watched_calls import Watcher


def test_id(item: pytest.Item) -> str:
    """Return the node id as one process has it: workers of pytest-xdist append the group under `--dist loadgroup`."""
    if not getattr(item.config.option, "loadgroup", False):
        return item.nodeid
    names = {str([*mark.args, mark.kwargs.get("name", "default")][0]) for mark in item.iter_markers("xdist_group")}
    return item.nodeid.removesuffix(f"@{'_'.join(sorted(names))}")


def watched_fixtures() -> dict[int, tuple[CodeType, Watcher]]:
    """Return the code of pytest that hands out fixtures, to be watched: it runs for a ready fixture too."""
    definition = getattr(pytest, "FixtureDef", None)
    code = getattr(getattr(definition, "execute", None), "__code__", None)
    return {id(code): (code, _note_fixture)} if isinstance(code, CodeType) else {}


def may_still_run(fixture: Any) -> bool:
    """Tell whether a fixture is ready and its tear-down, in code of anybody but pytest, still to come."""
    if getattr(fixture, "cached_result", None) is None:
        return False
    module = str(getattr(fixture.func, "__module__", ""))
    # These two call the set-up and tear-down methods of the project's modules and classes.
    return not module.startswith("_pytest.") or module in ("_pytest.python", "_pytest.unittest")


def units_of_test(item: pytest.Item, territory: Territory) -> frozenset[UnitKey]:
    """Return the functions that a test begins with: its own and those of its fixtures; none where it has none."""
    if (own := _unit_of(getattr(item, "function", None), territory)) is None:
        return frozenset()
    definitions = getattr(getattr(item, "_fixtureinfo", None), "name2fixturedefs", {}).values()
    fixtures = (_unit_of(getattr(one, "func", None), territory) for same in definitions for one in same)
    owner = own.unit.rpartition(".")[0]
    set_up = (UnitKey(own.path, f"{owner}.{name}" if owner else name) for name in _SET_UP)
    return frozenset({own, *filter(None, fixtures), *set_up})


# What pytest and unittest call before a test, without a fixture of the project.
_SET_UP = ("setup_module", "setup_function", "setup_class", "setup_method", "setUpModule", "setUpClass", "setUp")


def _unit_of(function: object, territory: Territory) -> UnitKey | None:
    code = getattr(inspect.unwrap(function) if callable(function) else None, "__code__", None)
    if not isinstance(code, CodeType) or (path := territory.code_path(code.co_filename)) is None:
        return None
    return UnitKey(path, unit_of_code(code.co_qualname, code.co_flags))


def doctest_units(item: pytest.Item, territory: Territory) -> frozenset[UnitKey]:
    """Return the unit whose docstring a doctest stands in, if *item* is one of a Python file."""
    test = getattr(item, "dtest", None)
    path = territory.code_path(str(item.path))
    if test is None or path is None or item.path.suffix != ".py":
        return frozenset()
    module = str(test.globs.get("__name__", ""))
    return frozenset({UnitKey(path, test.name.removeprefix(f"{module}."))})


def doctest_imports(item: pytest.Item) -> frozenset[str]:
    """Return the absolute names of what a doctest imports by statements, and what it may reach through that.

    Its code is no function whose source could be looked at later. A module may have been imported before it ran.
    """
    test = getattr(item, "dtest", None)
    nodes = [node for example in getattr(test, "examples", ()) for node in _nodes_of(example.source)]
    modules = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    members = {
        f"{node.module}.{alias.name}"
        for node in nodes
        if isinstance(node, ast.ImportFrom) and node.module and not node.level
        for alias in node.names
    }
    owners = {name.rpartition(".")[0] for name in members}
    attributes = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    reached = {f"{owner}.{name}" for owner in modules | members for name in attributes}
    return frozenset(modules | members | owners | reached)


def _nodes_of(source: str) -> list[ast.AST]:
    try:
        return list(ast.walk(ast.parse(source)))
    except (SyntaxError, ValueError):
        return []  # it does not run either


def folder_facts(test_file: Any, territory: Territory) -> frozenset[Fact]:
    """Return facts on the files that rule over a folder of tests by being there, from the root down."""
    found = set()
    for folder in (test_file.parent, *test_file.parent.parents):
        for name in ("conftest.py", "__init__.py"):
            path = territory.data_path(str(folder / name))
            if path is not None:
                found.add(Fact(PRESENCE, path, path_presence(str(folder / name))))
    return frozenset(found)


def _note_fixture(arguments: tuple[object, ...], _caller: FrameType | None, seen: Observation) -> None:
    definition = arguments[0]
    if getattr(definition, "scope", "function") != "function":
        seen.fixtures.add(id(definition))
