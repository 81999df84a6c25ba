import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

from tests.wiremap.tracing.recording import recording
from wiremap.tracing.observation import Observation
from wiremap.tracing.recorder import DISPLACED


def names(seen: Observation) -> set[str]:
    return {code.co_name for code in seen.codes.values() if code.co_filename.endswith("functions.py")}


def test_another_profiler_is_a_doubt_until_the_hook_is_taken_back(
    tmp_path: Path, load: Callable[[str, str], ModuleType]
) -> None:
    functions = load("functions", "def f(): ...\n")

    with recording(tmp_path, "profile") as recorder:
        with recorder.context(Observation()) as displaced:
            sys.setprofile(None)
            functions.f()
        with recorder.context(Observation()) as repaired:
            functions.f()

    assert displaced.doubts == {DISPLACED}
    assert (repaired.doubts, names(repaired)) == (set(), {"f"})


def test_threads_are_seen_again_after_another_profiler(tmp_path: Path, load: Callable[[str, str], ModuleType]) -> None:
    functions = load("functions", "def f(): ...\n")

    with recording(tmp_path, "profile") as recorder:
        with recorder.context(Observation()):
            sys.setprofile(None)
            threading.setprofile(None)
        with recorder.context(Observation()) as repaired:
            thread = threading.Thread(target=functions.f)
            thread.start()
            thread.join()

    assert names(repaired) == {"f"}


def test_the_hook_of_another_profiler_is_left_alone_at_the_end(tmp_path: Path) -> None:
    def other(*_: object) -> None: ...

    with recording(tmp_path, "profile"):
        sys.setprofile(other)

    left = sys.getprofile()
    sys.setprofile(None)
    assert left is other
