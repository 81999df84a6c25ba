"""Follows tests only as far as their graphs, for `wiremap compile`: nothing is observed, recorded or decided."""

import dataclasses
import json
import threading
from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from wiremap.project.files import project_root
from wiremap.project.sources import ProjectSources
from wiremap.pytest_plugin.items import test_id, units_of_test
from wiremap.registry import observers
from wiremap.registry.construction import UnderConstruction
from wiremap.registry.recipes import compile_calls, compile_mode, in_recipe
from wiremap.tracing.territory import Territory
from wiremap.use_cases.collection_errors import error_in_a_line
from wiremap.use_cases.compiling import CompiledTest
from wiremap.use_cases.references import ReferencesOfTests

if TYPE_CHECKING:
    from wiremap.graph import Graph


class CompiledToHere(BaseException):
    """Ends a test whose graph is known. It is no `Exception`, so that no test takes it for one of its own."""


def begin_compiling(config: pytest.Config) -> None:
    """Register the session's hooks."""
    config.pluginmanager.register(GraphCompiler(config), "wiremap-compile")


class GraphCompiler:
    """The hooks of such a session.

    A test ends where its first graph is whole: when the outermost recipe returns, or where an orchestrator outside
    of all recipes is finalized or compiled. Lifecycle hooks are not called; inside of recipes torch is on the meta
    device, and outside it is not, since fixtures may make what recipes read. A test whose source refers to nothing
    that makes an orchestrator is not begun.
    """

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._file = Path(config.known_args_namespace.wiremap_compile)
        root = project_root(config.rootpath)
        self._territory = Territory(root)
        self._references = ReferencesOfTests(ProjectSources(root))
        self._running: str | None = None
        self._made: list[Graph] = []
        self._graphs: dict[str, str] = {}
        self._tests: dict[str, CompiledTest] = {}
        self._errors: dict[str, str] = {}
        compile_calls(self._end_if_compiled)
        observers.subscribe(self._note)

    @pytest.hookimpl(tryfirst=True)
    def pytest_cmdline_main(self, config: pytest.Config) -> None:
        """Let one process do it all, and no workers of pytest-xdist."""
        if hasattr(config.option, "numprocesses"):
            config.option.numprocesses = 0

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_make_collect_report(self) -> Generator[None, Any, Any]:
        """Call no lifecycle hook for a graph that a module builds when it is imported."""
        with compile_mode(on_meta=False):
            return (yield)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Remember what could not be collected."""
        if report.failed:
            self._errors[report.nodeid] = error_in_a_line(report.longreprtext, str(self._config.rootpath))

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, Any, Any]:
        """Follow the test to its graph."""
        self._running, self._made = test_id(item), []
        self._tests[self._running] = CompiledTest(self._running)
        with compile_mode(on_meta=False):
            result = yield
        self._running = None
        return result

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Begin no test that makes no orchestrator."""
        units = units_of_test(item, self._territory)
        if units and not self._references.may_build_graph(units):
            raise CompiledToHere

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, Any, Any]:
        """Keep the graphs of the test, or why it did not come as far as one."""
        told = self._tests[test_id(item)]
        told.graphs = told.graphs or self._outer()
        error = call.excinfo
        if error is not None and not error.errisinstance((CompiledToHere, pytest.skip.Exception)):
            told.error = told.error or error_in_a_line(error.exconly(), str(self._config.rootpath))
        if call.when == "teardown" and not told.graphs:
            told.refers_to = list(map(str, self._references.units(units_of_test(item, self._territory))))
        return (yield)

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self) -> None:
        """Write what was found."""
        document = {
            "rootdir": str(self._config.rootpath),
            "graphs": self._graphs,
            "tests": [dataclasses.asdict(test) for test in self._tests.values()],
            "errors": self._errors,
        }
        self._file.write_text(json.dumps(document), encoding="utf-8")

    def _note(self, graph: "Graph") -> None:
        if self._running is not None:
            self._made.append(graph)
            self._end_if_compiled()

    def _end_if_compiled(self) -> None:
        """End the test if it has its graph, and neither a recipe nor a component's own wiring is still under way."""
        is_under_way = in_recipe() or UnderConstruction(depth=0).maker is not None
        # In another thread it would end that, and the test would wait for it.
        is_main = threading.current_thread() is threading.main_thread()
        if self._made and self._running is not None and is_main and not is_under_way:
            raise CompiledToHere

    def _outer(self) -> list[str]:
        """Return the digests of the graphs that stand in no other."""
        nested = {id(inner) for graph in self._made for inner in graph.nested.values()}
        outer = [graph for graph in self._made if id(graph) not in nested]
        self._graphs |= {graph.digest: graph.to_json() for graph in outer}
        return sorted({graph.digest for graph in outer})
