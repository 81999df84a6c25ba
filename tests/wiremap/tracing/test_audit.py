import os
import pickle
import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from tests.wiremap.tracing.recording import SOURCES, recording
from wiremap.tracing import audit
from wiremap.tracing.observation import Observation
from wiremap.tracing.recorder import Recorder
from wiremap.tracing.session_file import Session
from wiremap.tracing.territory import Territory
from wiremap.tracing.variables import Variables


def test_a_database_that_is_opened_is_seen(recorder: Recorder, tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "data.sqlite")) as db:
        db.execute("CREATE TABLE t (x)")

    with recorder.context(Observation()) as seen, closing(sqlite3.connect(tmp_path / "data.sqlite")) as db:
        db.execute("SELECT * FROM t")

    assert [Path(real).name for real in seen.files] == ["data.sqlite"]


def test_a_database_in_memory_is_no_file(recorder: Recorder) -> None:
    with recorder.context(Observation()) as seen, closing(sqlite3.connect(":memory:")):
        pass

    assert seen.files == {}


def test_a_file_of_bytes_as_name_is_seen(recorder: Recorder, tmp_path: Path) -> None:
    (tmp_path / "data.txt").write_text("1")

    with recorder.context(Observation()) as seen, open(bytes(tmp_path / "data.txt"), "rb"):  # noqa: PTH123 - bytes
        pass

    assert [Path(real).name for real in seen.files] == ["data.txt"]


def test_who_unpickles_has_the_modules_that_the_data_names(recorder: Recorder) -> None:
    data = pickle.dumps(Path)

    with recorder.context(Observation()) as seen:
        pickle.loads(data)  # noqa: S301 - made above

    assert any(name.startswith("pathlib") for name in seen.unpickled)


def test_looking_at_a_file_is_no_read_of_a_test(recorder: Recorder, tmp_path: Path) -> None:
    """The digest of a file is taken by reading it."""
    (tmp_path / "data.txt").write_text("1")

    with recorder.context(Observation()):
        (tmp_path / "data.txt").read_text()

    assert audit._busy == set()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this platform has no named pipes")
def test_a_pipe_is_left_to_the_test_that_reads_it(recorder: Recorder, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=("for the test",))
    writer.start()

    with recorder.context(Observation()) as seen:
        text = pipe.read_text()

    writer.join()
    assert text == "for the test"
    assert set(seen.files.values()) == {"special"}


def test_one_thread_that_looks_at_a_file_hides_no_other(recorder: Recorder, tmp_path: Path) -> None:
    for number in range(40):
        (tmp_path / f"{number}.bin").write_bytes(bytes(200_000))

    with recorder.context(Observation()) as seen, ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: (tmp_path / f"{number}.bin").read_bytes(), range(40)))

    assert len([real for real in seen.files if real.endswith(".bin")]) == 40


def test_only_the_active_recorder_hears_of_events(recorder: Recorder, tmp_path: Path) -> None:
    other = Recorder(Session(Territory(tmp_path), Variables()))
    audit.activate(other)

    with recorder.context(Observation()) as seen:
        (tmp_path / "missing.txt").exists()
        (tmp_path / "data.txt").write_text("1")
        (tmp_path / "data.txt").read_text()

    assert seen.files == {}
    assert [Path(real).name for real in other.session.files] == ["data.txt"]


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("tool", ["coverage", "pytest_cov"])
def test_what_coverage_measurement_reads_is_no_dependency(tmp_path: Path, source: str, tool: str) -> None:
    (tmp_path / ".coverage").write_text("")
    look = f"import os\nopen({str(tmp_path / '.coverage')!r}).close()\nos.listdir({str(tmp_path)!r})\n"
    ask = f"os.path.exists({str(tmp_path / 'gone')!r})\n"

    with recording(tmp_path, source) as recorder, recorder.context(Observation()) as seen:
        exec(compile(look + ask, f"/lib/{tool}/data.py", "exec"), {"__name__": tool})  # noqa: S102 - stands for the tool

    assert (seen.files, seen.presences) == ({}, {})
