import os
import posix
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.wiremap.tracing.recording import SOURCES, recording
from wiremap.tracing.observation import Observation
from wiremap.tracing.process_starts import VARIABLE
from wiremap.tracing.recorder import Recorder
from wiremap.tracing.start_notes import CHILD_PROCESS

TELL = "import os, sys; sys.stdout.write(str(sorted(os.environ)))"
SHOW = ["env"]


def output(start: Callable[[], object], capfd: pytest.CaptureFixture[str]) -> str:
    start()
    return capfd.readouterr().out


@pytest.mark.parametrize(
    "start",
    [
        lambda: subprocess.run([sys.executable, "-c", TELL], check=True),
        lambda: subprocess.run([sys.executable, "-c", TELL], check=True, env={"A": "1"}),
        lambda: os.system(f"{sys.executable} -c '{TELL}'"),  # noqa: S605 - what is tested
        lambda: subprocess.run(SHOW, check=True),
        lambda: subprocess.run(SHOW, check=True, env={"A": "1", "PATH": os.environ["PATH"]}),
        lambda: os.system("env"),  # noqa: S605, S607 - what is tested
        lambda: os.waitpid(os.posix_spawnp("env", SHOW, {"A": "1"}), 0),
    ],
)
@pytest.mark.usefixtures("recorder")
def test_no_program_sees_the_variable(start: Callable[[], object], capfd: pytest.CaptureFixture[str]) -> None:
    told = output(start, capfd)

    assert told
    assert VARIABLE not in told
    assert VARIABLE not in os.environ


def test_a_process_is_noted_where_it_starts(recorder: Recorder) -> None:
    with recorder.context(Observation()) as seen:
        subprocess.run([sys.executable, "-c", ""], check=True)
    with recorder.context(Observation()) as other:
        pass

    assert len(seen.processes) == 1
    assert (seen.doubts, other.processes, other.doubts) == (set(), set(), set())


@pytest.mark.parametrize(
    "start",
    [
        lambda: posix.posix_spawn("/bin/true", ["true"], {}),
        lambda: posix.posix_spawn(sys.executable, [sys.executable, "-c", ""], {}),
        lambda: os.posix_spawn("/usr/bin/env", ["env", "true"], {}),
    ],
    ids=["past the wrapper", "Python past the wrapper", "not Python"],
)
def test_a_start_of_which_no_more_is_known_is_a_doubt(recorder: Recorder, start: Callable[[], int]) -> None:
    with recorder.context(Observation()) as seen:
        os.waitpid(start(), 0)

    assert seen.doubts == {CHILD_PROCESS}


def test_a_replaced_starter_is_a_doubt(recorder: Recorder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subprocess, "_fork_exec", lambda *_: os.fork() or os._exit(0))

    with recorder.context(Observation()) as seen:
        subprocess.run([sys.executable], check=True)

    assert CHILD_PROCESS in seen.doubts


@pytest.mark.usefixtures("recorder")
@pytest.mark.parametrize(
    ("program", "error"),
    [([1], TypeError), (["/no/such/program"], FileNotFoundError), (["a\0b"], ValueError), (["/"], PermissionError)],
)
def test_a_start_that_fails_fails_as_it_would(program: list[str], error: type[Exception]) -> None:
    with pytest.raises(error):
        subprocess.run(program, check=True)
    with pytest.raises(error):
        os.posix_spawn(program[0], program, {})


def test_a_program_that_is_missing_is_no_doubt(recorder: Recorder) -> None:
    with recorder.context(Observation()) as seen, pytest.raises(FileNotFoundError):
        subprocess.run(["/no/such/program"], check=True)

    assert (seen.doubts, seen.processes) == (set(), set())


@pytest.mark.parametrize("source", SOURCES)
def test_everything_is_as_before_at_the_end(tmp_path: Path, source: str) -> None:
    names = ("execv", "execve", "posix_spawn", "posix_spawnp", "system")
    before = [getattr(os, name) for name in names]

    with recording(tmp_path, source):
        during = [getattr(os, name) for name in names]

    assert [getattr(os, name) for name in names] == before
    assert all(one is not other for one, other in zip(before, during, strict=True))


def test_a_starter_that_somebody_kept_works_when_the_recorder_has_gone(tmp_path: Path) -> None:
    with recording(tmp_path, SOURCES[0]) as recorder:
        kept = os.posix_spawn

    pid = kept(sys.executable, [sys.executable, "-c", ""], {})

    assert os.waitpid(pid, 0)[1] == 0
    assert recorder.session.processes == set()
