import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

import pytest

from wiremap.source.keepers import PROCESS
from wiremap.tracing.event_sink import Interest
from wiremap.tracing.observation import Observation
from wiremap.tracing.recorder import OUTLIVED, Recorder
from wiremap.tracing.start_notes import CHILD_PROCESS

Load = Callable[[str, str], ModuleType]

FUNCTIONS = """
    def outer():
        return inner()

    def inner():
        return 1

    def generator():
        yield 1
        yield 2

    def idle(): ...

    class Shape:
        def area(self):
            return inner()
"""


def ran(seen: Observation) -> set[str]:
    """Return the names of the functions of `FUNCTIONS` that *seen* holds."""
    return {code.co_qualname for code in seen.codes.values() if code.co_filename.endswith("functions.py")}


def files(recorder: Recorder, seen: Observation) -> set[str]:
    return {recorder.territory.relative(real) for real in seen.files}


# Functions.


def test_functions_that_start_are_seen_and_others_are_not(recorder: Recorder, load: Load) -> None:
    functions = load("functions", FUNCTIONS)

    with recorder.context(Observation()) as seen:
        functions.outer()

    assert ran(seen) == {"outer", "inner"}


def test_each_context_sees_a_function_anew(recorder: Recorder, load: Load) -> None:
    functions = load("functions", FUNCTIONS)

    found = []
    for _ in range(3):
        with recorder.context(Observation()) as seen:
            for _ in range(100):  # often enough to be disarmed where that is done
                functions.inner()
        found.append(ran(seen))

    assert found == [{"inner"}] * 3


def test_what_happens_in_an_inner_context_is_not_the_outers(recorder: Recorder, load: Load) -> None:
    functions = load("functions", FUNCTIONS)

    with recorder.context(Observation()) as outer:
        functions.idle()
        with recorder.context(Observation()) as inner:
            functions.inner()
        functions.Shape()

    assert (ran(outer), ran(inner)) == ({"idle"}, {"inner"})


def test_the_outer_context_sees_again_what_an_inner_one_saw(recorder: Recorder, load: Load) -> None:
    functions = load("functions", FUNCTIONS)

    with recorder.context(Observation()) as outer:
        with recorder.context(Observation()):
            functions.inner()
        functions.inner()

    assert ran(outer) == {"inner"}


def test_a_context_that_outlives_the_one_around_it_ends_no_other(recorder: Recorder, load: Load) -> None:
    functions = load("functions", FUNCTIONS)
    inner = Observation()  # as an import in a thread that goes on when the test has ended
    begun = recorder.context(inner)
    with recorder.context(Observation()):
        begun.__enter__()

    with recorder.context(Observation()) as following:
        begun.__exit__(None, None, None)
        functions.idle()

    assert ran(following) == {"idle"}
    assert inner.doubts == {OUTLIVED}


def test_a_call_of_a_filler_keeps_what_is_noted_with_calls_that_began_later_in_other_threads(
    recorder: Recorder, load: Load, monkeypatch: pytest.MonkeyPatch
) -> None:
    functions = load("functions", FUNCTIONS)
    monkeypatch.setattr(recorder, "_keepers_of", lambda _path, unit: (PROCESS,) if unit != "inner" else ())
    first, second = functions.outer.__code__, functions.idle.__code__
    assert recorder.classify(first) is recorder.classify(second) is Interest.FILLER
    with recorder.context(Observation()):
        tokens = [recorder.on_filler_enter(code, (), None) for code in (first, second)]
        functions.inner()  # of whichever of them calls it
        for token in tokens:
            assert token is not None
            recorder.on_filler_leave(token)

    kept = {one.code: ran(one.work) for one in recorder.kept_work.all()}

    assert kept[first] >= {"outer", "inner"}
    assert kept[second] >= {"idle", "inner"}


def test_a_generator_that_is_resumed_in_another_context_is_seen_there(recorder: Recorder, load: Load) -> None:
    functions = load("functions", FUNCTIONS)
    with recorder.context(Observation()):
        started = functions.generator()
        next(started)

    with recorder.context(Observation()) as seen:
        next(started)

    assert ran(seen) == {"generator"}


def test_threads_belong_to_the_context_that_runs(recorder: Recorder, load: Load) -> None:
    functions = load("functions", FUNCTIONS)

    with recorder.context(Observation()) as seen:
        thread = threading.Thread(target=functions.outer)
        thread.start()
        thread.join()

    assert ran(seen) == {"outer", "inner"}


def test_a_thread_that_runs_already_is_seen_where_it_stands(recorder: Recorder, load: Load) -> None:
    module = load("functions", "def serve(started, stop):\n    started.set()\n    stop.wait()\n")
    started, stop = threading.Event(), threading.Event()
    thread = threading.Thread(target=module.serve, args=(started, stop))
    thread.start()
    started.wait()

    with recorder.context(Observation()) as seen:
        pass

    stop.set()
    thread.join()
    assert ran(seen) == {"serve"}


def test_equal_functions_of_two_files_are_told_apart(recorder: Recorder, load: Load) -> None:
    one, two = load("one", "def f(): return 1\n"), load("two", "def f(): return 1\n")

    with recorder.context(Observation()) as seen:
        one.f()
        two.f()

    names = {Path(code.co_filename).name for code in seen.codes.values() if code.co_name == "f"}
    assert names == {"one.py", "two.py"}


def test_foreign_and_generated_functions_are_not_seen(recorder: Recorder) -> None:
    generated: dict[str, Callable[[], None]] = {}
    exec("def made(): ...", generated)  # noqa: S102 - the point of the test

    with recorder.context(Observation()) as seen:
        generated["made"]()
        os.path.join("a", "b")  # noqa: PTH118 - a function of the standard library

    assert {code.co_name for code in seen.codes.values()}.isdisjoint({"made", "join"})


def test_callers_are_remembered_also_through_foreign_frames(recorder: Recorder, load: Load) -> None:
    module = load(
        "functions",
        """
        import functools

        def through():
            return functools.reduce(lambda a, b: a + b, map(leaf, [1, 2]))

        def leaf(value):
            return value
        """,
    )

    with recorder.context(Observation()):
        module.through()

    pairs = [(caller.co_qualname, callee.co_qualname) for caller, callee in list(recorder.callers.values())]
    assert ("through", "leaf") in pairs


@pytest.mark.parametrize("num_callers", [1, 100])
def test_there_is_a_way_to_a_function_from_each_of_its_callers(
    recorder: Recorder, load: Load, num_callers: int
) -> None:
    callers = [f"caller_{number}" for number in range(num_callers)]
    module = load("many", "\n".join(["def leaf(): ...", *(f"def {name}(): leaf()" for name in callers)]))

    for name in callers * 2:
        with recorder.context(Observation()):
            getattr(module, name)()

    pairs = [(caller.co_qualname, callee.co_qualname) for caller, callee in list(recorder.callers.values())]
    assert sorted(caller for caller, callee in pairs if callee == "leaf") == sorted(callers)


def test_of_what_many_call_a_caller_of_many_is_noted_for_a_few(recorder: Recorder, load: Load) -> None:
    calls = "\n".join(f"    leaf_{number}()" for number in range(100))
    leaves = [f"def leaf_{number}(): ..." for number in range(100)]
    module = load("many", "\n".join([*leaves, *(f"def caller_{number}():\n{calls}" for number in range(40))]))

    for number in range(40):
        with recorder.context(Observation()):
            getattr(module, f"caller_{number}")()

    called = [callee.co_qualname for _, callee in list(recorder.callers.values())]
    assert sum(name.startswith("leaf") for name in called) <= 100 * 17 + 40 * 16


def test_nothing_is_seen_after_the_end(recorder: Recorder, load: Load, tmp_path: Path) -> None:
    functions = load("functions", FUNCTIONS)
    (tmp_path / "data.txt").write_text("1")
    recorder.stop()

    with recorder.context(Observation()) as seen:
        functions.outer()
        (tmp_path / "data.txt").read_text()

    assert (ran(seen), seen.files) == (set(), {})
    recorder.start()


# Imports.


def test_the_import_of_a_module_has_an_observation_of_its_own(recorder: Recorder, load: Load) -> None:
    with recorder.context(Observation()) as seen:
        load("functions", FUNCTIONS + "\n    VALUE = outer()\n")

    assert "functions.py" in seen.modules
    assert ran(seen) == set()
    assert {"outer", "inner"} <= ran(recorder.imports["functions.py"])


def test_an_import_inside_an_import_is_noted_there(recorder: Recorder, load: Load, tmp_path: Path) -> None:
    (tmp_path / "inner_module.py").write_text("")

    with recorder.context(Observation()) as seen:
        load("outer_module", "import inner_module\n")

    sys.modules.pop("inner_module")
    assert "inner_module.py" not in seen.modules
    assert recorder.imports["outer_module.py"].modules == {"inner_module.py"}


def test_an_import_that_fails_ends_too(recorder: Recorder, load: Load) -> None:
    with recorder.context(Observation()) as seen:
        with pytest.raises(ZeroDivisionError):
            load("broken", "1 / 0\n")
        assert recorder.current is seen

    assert "broken.py" in seen.modules


def test_a_computed_name_is_noted(recorder: Recorder, load: Load) -> None:
    load("wanted", "")
    module = load("functions", "import importlib\ndef f(name): importlib.import_module(name)\n")

    with recorder.context(Observation()) as seen:
        module.f("wanted")

    assert "wanted" in seen.imports


def test_a_relative_computed_name_is_noted_absolutely(recorder: Recorder, load: Load) -> None:
    module = load("functions", "import importlib\ndef f(): importlib.import_module('.missing', 'functions')\n")

    with recorder.context(Observation()) as seen, pytest.raises(ImportError):
        module.f()

    assert "functions.missing" in seen.imports


def test_an_import_that_found_nothing_is_noted(recorder: Recorder, load: Load) -> None:
    module = load("functions", "def f():\n    try: import not_there\n    except ImportError: pass\n")

    with recorder.context(Observation()) as seen:
        module.f()

    assert "not_there" in seen.imports


# Files.


@pytest.fixture
def data(tmp_path: Path) -> Path:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "data.txt").write_text("1")
    return tmp_path / "folder" / "data.txt"


@pytest.mark.parametrize(
    "read",
    [
        lambda path: path.read_text(),
        lambda path: path.read_bytes(),
        lambda path: os.close(os.open(path, os.O_RDONLY)),
        lambda path: path.open("r+").close(),
        lambda path: path.open("rb").close(),
    ],
    ids=["read_text", "read_bytes", "os.open", "r+", "rb"],
)
def test_a_file_that_is_read_is_seen(recorder: Recorder, data: Path, read: Callable[[Path], object]) -> None:
    with recorder.context(Observation()) as seen:
        read(data)

    assert files(recorder, seen) == {"folder/data.txt"}


def test_a_file_is_kept_as_it_was_at_first(recorder: Recorder, data: Path) -> None:
    with recorder.context(Observation()) as first:
        data.read_text()
    with recorder.context(Observation()) as seen:
        data.read_text()
        data.write_text("2")
        data.read_text()

    assert seen.files == first.files


def test_a_file_that_is_only_written_is_not_seen(recorder: Recorder, data: Path) -> None:
    with recorder.context(Observation()) as seen:
        data.write_text("2")
        with data.open("a") as file:
            file.write("3")

    assert seen.files == {}


def test_a_file_that_is_missing_is_seen_as_absent(recorder: Recorder, data: Path) -> None:
    with recorder.context(Observation()) as seen, pytest.raises(FileNotFoundError):
        data.with_name("missing.txt").read_text()

    assert set(seen.files.values()) == {"absent"}


@pytest.mark.parametrize(
    "read",
    [
        os.listdir,
        lambda folder: list(os.scandir(folder)),
        lambda folder: list(folder.iterdir()),
        lambda folder: list(folder.glob("*.txt")),
    ],
    ids=["listdir", "scandir", "iterdir", "glob"],
)
def test_a_folder_that_is_listed_is_seen(recorder: Recorder, data: Path, read: Callable[[Path], object]) -> None:
    with recorder.context(Observation()) as seen:
        read(data.parent)

    assert files(recorder, seen) == {"folder"}


def test_a_file_outside_of_the_root_is_not_seen(recorder: Recorder) -> None:
    with recorder.context(Observation()) as seen:
        Path(__file__).read_text(encoding="utf-8")

    assert seen.files == {}


def test_source_that_the_import_system_reads_is_no_data(recorder: Recorder, load: Load) -> None:
    with recorder.context(Observation()) as seen:
        load("functions", FUNCTIONS)

    assert seen.files == {}
    assert recorder.imports["functions.py"].files == {}


def test_source_that_the_project_asks_for_is_data(recorder: Recorder, load: Load) -> None:
    module = load("functions", "import inspect\ndef f():\n    return inspect.getsource(f)\n")

    with recorder.context(Observation()) as seen:
        module.f()

    assert files(recorder, seen) == {"functions.py"}


def test_source_that_a_traceback_shows_is_no_data(recorder: Recorder, load: Load) -> None:
    module = load(
        "functions", "import traceback\ndef f():\n    try: 1 / 0\n    except Exception: return traceback.format_exc()\n"
    )

    with recorder.context(Observation()) as seen:
        text = module.f()

    assert "1 / 0" in text
    assert seen.files == {}


# Variables.


@pytest.mark.parametrize(
    "read",
    [lambda name: os.environ[name], os.environ.get, os.getenv, lambda name: name in os.environ],
    ids=["item", "get", "getenv", "in"],
)
def test_a_variable_that_is_read_is_seen(recorder: Recorder, read: Callable[[str], object]) -> None:
    with recorder.context(Observation()) as seen:
        read("WIREMAP_TEST")

    assert set(seen.variables) == {"WIREMAP_TEST"}


def test_a_variable_that_the_test_set_itself_is_not_seen(recorder: Recorder) -> None:
    with recorder.context(Observation()) as seen:
        os.environ["WIREMAP_TEST"] = "2"  # the fixture puts it back
        os.environ.get("WIREMAP_TEST")

    assert seen.variables == {}


def test_an_unset_variable_that_is_read_is_seen(recorder: Recorder) -> None:
    with recorder.context(Observation()) as seen:
        os.environ.get("WIREMAP_TEST_UNSET")

    assert seen.variables == {"WIREMAP_TEST_UNSET": None}


def test_what_the_terminal_and_the_runner_set_is_not_seen(recorder: Recorder) -> None:
    with recorder.context(Observation()) as seen:
        for name in ("COLUMNS", "PYTEST_CURRENT_TEST", "PWD"):
            os.environ.get(name)

    assert seen.variables == {}


# What can't be seen.


def test_a_program_that_is_not_python_is_a_doubt(recorder: Recorder) -> None:
    with recorder.context(Observation()) as seen:
        subprocess.run(["env", "true"], check=True)  # noqa: S607 - any will do

    assert CHILD_PROCESS in seen.doubts


def test_nothing_is_doubted_without_reason(recorder: Recorder, load: Load) -> None:
    functions = load("functions", FUNCTIONS)

    with recorder.context(Observation()) as seen:
        functions.outer()

    assert seen.doubts == set()


def test_threads_may_fill_something_at_once(recorder: Recorder, load: Load, monkeypatch: pytest.MonkeyPatch) -> None:
    functions = load("filling", "def fill(): return leaf()\ndef leaf(): return 1\n")
    monkeypatch.setattr(recorder, "_keepers_of", lambda _path, unit: (PROCESS,) if unit == "fill" else ())
    begin = threading.Barrier(9)

    def fill_often() -> None:
        begin.wait()
        for _ in range(200):
            functions.fill()

    with recorder.context(Observation()) as seen:
        threads = [threading.Thread(target=fill_often) for _ in range(8)]
        for thread in threads:
            thread.start()
        with rapid_thread_switches():
            begin.wait()
            for thread in threads:
                thread.join()

    assert recorder.current is recorder.session
    assert {code.co_qualname for code in seen.codes.values()} >= {"fill", "leaf"}


@contextmanager
def rapid_thread_switches() -> Iterator[None]:
    """Let threads take turns so often that a race shows."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        yield
    finally:
        sys.setswitchinterval(interval)
