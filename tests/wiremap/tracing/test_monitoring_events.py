import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

import pytest

from tests.wiremap.tracing.recording import recording
from wiremap.tracing.observation import Observation
from wiremap.tracing.recorder import DISPLACED, Recorder
from wiremap.tracing.session_file import Session
from wiremap.tracing.territory import Territory
from wiremap.tracing.variables import Variables

pytestmark = pytest.mark.skipif(sys.version_info < (3, 12), reason="sys.monitoring came with Python 3.12")

if sys.version_info >= (3, 12):

    def names(seen: Observation) -> set[str]:
        return {code.co_name for code in seen.codes.values() if code.co_filename.endswith("functions.py")}

    def held_tools() -> set[int]:
        return {tool for tool in range(6) if sys.monitoring.get_tool(tool) is not None}

    def test_the_tools_are_given_back(tmp_path: Path) -> None:
        before = held_tools()

        with recording(tmp_path, "monitoring"):
            during = held_tools()

        assert len(during - before) == 2
        assert held_tools() == before

    def test_another_tool_that_stops_the_events_is_a_doubt_until_they_come_again(
        tmp_path: Path, load: Callable[[str, str], ModuleType]
    ) -> None:
        functions = load("functions", "def f(): ...\ndef g(): ...\n")

        with recording(tmp_path, "monitoring") as recorder:
            (discovery, _) = sorted(held_tools())[-2:][::-1]
            with recorder.context(Observation()) as displaced:
                sys.monitoring.set_events(discovery, 0)
            with recorder.context(Observation()) as repaired:
                functions.g()

        assert displaced.doubts == {DISPLACED}
        assert (repaired.doubts, names(repaired)) == (set(), {"g"})

    def test_without_free_tools_the_recorder_watches_by_profiling(
        tmp_path: Path, load: Callable[[str, str], ModuleType]
    ) -> None:
        functions = load("functions", "def f(): ...\n")
        taken = sorted(set(range(6)) - held_tools())
        for tool in taken:
            sys.monitoring.use_tool_id(tool, "somebody else")

        try:
            recorder = Recorder(Session(Territory(tmp_path), Variables()))
            recorder.start()
            with recorder.context(Observation()) as seen:
                functions.f()
            recorder.stop()
        finally:
            for tool in taken:
                sys.monitoring.free_tool_id(tool)

        assert names(seen) == {"f"}

    def test_a_hot_function_is_seen_in_the_next_context_too(
        tmp_path: Path, load: Callable[[str, str], ModuleType]
    ) -> None:
        functions = load("functions", "def f(): ...\n")

        with recording(tmp_path, "monitoring") as recorder:
            with recorder.context(Observation()):
                for _ in range(1000):
                    functions.f()
            with recorder.context(Observation()) as seen:
                functions.f()

        assert names(seen) == {"f"}

    def test_a_function_that_was_watched_is_left_in_peace_at_the_end(
        tmp_path: Path, load: Callable[[str, str], ModuleType]
    ) -> None:
        functions = load("functions", "def f(): ...\n")
        with recording(tmp_path, "monitoring") as recorder, recorder.context(Observation()) as seen:
            functions.f()
        seen.codes.clear()

        for _ in range(1000):
            functions.f()

        assert seen.codes == {}

    @pytest.mark.skipif(find_spec("wiremap.tracing._monitoring") is None, reason="built without a compiler")
    def test_a_recorder_that_begins_within_another_is_a_doubt_for_that_until_its_events_come_again(
        tmp_path: Path, load: Callable[[str, str], ModuleType]
    ) -> None:
        functions = load("functions", "def f(): ...\ndef g(): ...\n")

        with recording(tmp_path, "monitoring") as outer:
            with outer.context(Observation()):
                functions.f()
            with outer.context(Observation()) as displaced:
                with recording(tmp_path, "monitoring") as inner, inner.context(Observation()) as within:
                    functions.f()
                functions.f()
            with outer.context(Observation()) as repaired:
                functions.f()

        assert names(within) == {"f"}
        assert displaced.doubts == {DISPLACED}
        assert (repaired.doubts, names(repaired)) == (set(), {"f"})

    @pytest.mark.parametrize("source", ["monitoring", "monitoring in Python"])
    def test_starts_and_callers_are_the_same_with_and_without_the_compiled_module(
        source: str, tmp_path: Path, load: Callable[[str, str], ModuleType]
    ) -> None:
        functions = load("functions", "def f(): ...\ndef g(): f()\ndef numbers():\n    f()\n    yield 1\n    g()\n")

        with recording(tmp_path, source) as recorder:
            with recorder.context(Observation()) as first:
                running = functions.numbers()
                next(running)
            with recorder.context(Observation()) as second:
                list(running)

        calls = {(caller.co_name, code.co_name) for caller, code in recorder.callers.values()}
        assert names(first) == {"numbers", "f"}
        assert names(second) == {"numbers", "f", "g"}
        assert calls >= {("numbers", "f"), ("numbers", "g"), ("g", "f")}
