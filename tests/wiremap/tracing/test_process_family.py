import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest

from tests.wiremap.tracing.recording import SOURCES, recording
from wiremap.tracing import process_family
from wiremap.tracing.child_processes import child_pids
from wiremap.tracing.expectation import FORK, PROGRAM, Expectation
from wiremap.tracing.journal import OUTSIDE_OF_IMPORTS, Journal
from wiremap.tracing.observation import Observation
from wiremap.tracing.process_family import ProcessFamily
from wiremap.tracing.session_file import Session
from wiremap.tracing.start_notes import CHILD_PROCESS
from wiremap.tracing.territory import Territory
from wiremap.tracing.variables import Variables

FORK_SERVER = ("python", "-c", "from multiprocessing.forkserver import main; main(1)")
DEAD = 999_999_999


@pytest.fixture
def family(tmp_path: Path) -> Iterator[ProcessFamily]:
    one = ProcessFamily(Session(Territory(tmp_path), Variables()))
    yield one
    one.close()


def start(family: ProcessFamily, process: str, seen: Observation, way: str = FORK) -> None:
    """Start *process* in the context of *seen*."""
    family.expect(process, Expectation(os.getpid(), way), seen)
    seen.processes.add(process)


def report(family: ProcessFamily, process: str, *arguments: str) -> Journal:
    """Let *process* read a file of its own name. As this process writes for it, it lives."""
    journal = Journal(family.folder, process, Territory(family.folder))
    journal.begin(arguments)
    journal.observation(OUTSIDE_OF_IMPORTS).files[f"/{process}"] = "file:1"
    return journal


def fork(journal: Journal, process: str) -> None:
    """Let the process of *journal* fork."""
    journal.expect(process, Expectation(os.getpid(), FORK), Observation())


def settle(family: ProcessFamily, *observations: Observation) -> None:
    family.settle(observations, {}, frozenset())


def test_who_started_a_process_did_what_it_did(family: ProcessFamily) -> None:
    seen, other = Observation(), Observation()
    start(family, "p", seen)
    report(family, "p")

    settle(family, seen, other)

    assert (seen.files, seen.doubts) == ({"/p": "file:1"}, set())
    assert (other.files, other.doubts) == ({}, set())


def test_a_process_that_did_not_report_is_a_doubt_for_who_started_it(family: ProcessFamily) -> None:
    seen, other = Observation(), Observation()
    start(family, "p", seen)

    settle(family, seen, other)

    assert (seen.doubts, other.doubts) == ({CHILD_PROCESS}, set())


def test_a_process_that_is_not_the_one_that_was_meant_is_a_doubt(family: ProcessFamily) -> None:
    seen = Observation()
    start(family, "p", seen, way=PROGRAM)
    report(family, "p", "python", "other.py")

    settle(family, seen)

    assert seen.doubts == {CHILD_PROCESS}


def test_a_damaged_journal_is_a_doubt(family: ProcessFamily) -> None:
    seen = Observation()
    start(family, "p", seen)
    report(family, "p")
    with Path(family.folder, "p").open("ab") as file:
        file.write(b"half a li")

    settle(family, seen)

    assert seen.doubts == {CHILD_PROCESS}


def test_what_a_process_started_in_turn_counts_too(family: ProcessFamily) -> None:
    seen = Observation()
    start(family, "p", seen)
    fork(report(family, "p"), "q")
    report(family, "q")

    settle(family, seen)

    assert set(seen.files) == {"/p", "/q"}


def test_one_that_did_not_report_below_one_that_did_is_a_doubt(family: ProcessFamily) -> None:
    seen = Observation()
    start(family, "p", seen)
    fork(report(family, "p"), "q")

    settle(family, seen)

    assert seen.doubts == {CHILD_PROCESS}


def test_a_process_counts_for_each_context_during_which_it_lived(family: ProcessFamily) -> None:
    first, second = Observation(), Observation()
    family.begin_context(first)
    start(family, "p", first)
    report(family, "p")
    family.end_context(first)
    family.begin_context(second)
    family.end_context(second)

    settle(family, first, second)

    assert set(first.files) == set(second.files) == {"/p"}
    assert list(second.kept.values()) == [first], "what led to its start counts as well"


def test_what_forks_off_a_fork_server_belongs_to_who_asked(
    family: ProcessFamily, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second, third = Observation(), Observation(), Observation()
    family.begin_context(first)
    start(family, "server", first)
    server = report(family, "server", *FORK_SERVER)
    family.end_context(first)
    family.begin_context(second)
    fork(server, "p")
    with monkeypatch.context() as patch:
        patch.setattr(os, "getpid", lambda: DEAD)
        report(family, "p")
    family.end_context(second)
    family.begin_context(third)
    family.end_context(third)

    settle(family, first, second, third)

    assert (set(first.files), set(second.files), set(third.files)) == ({"/server"}, {"/server", "/p"}, set())
    assert not second.kept, "who asked for the server first does not matter"


def test_a_stranger_that_lives_is_a_doubt_while_it_does(family: ProcessFamily, monkeypatch: pytest.MonkeyPatch) -> None:
    of_other_tests = child_pids()
    monkeypatch.setattr(process_family, "child_pids", lambda: child_pids() - of_other_tests)
    before, during, after = Observation(), Observation(), Observation()
    family.begin_context(before)
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE):
        family.begin_context(during)
    family.begin_context(after)

    settle(family, before, during, after)

    assert (before.doubts, during.doubts, after.doubts) == (set(), {CHILD_PROCESS}, set())


def test_modules_that_a_process_imported_are_imported(family: ProcessFamily) -> None:
    seen, imports = Observation(), {"both.py": Observation(files={"/here": "file:1"})}
    start(family, "p", seen)
    journal = Journal(family.folder, "p", Territory(family.folder))
    journal.begin()
    for path in ("both.py", "new.py", "unwatched.py"):
        journal.observation(path).files["/there"] = "file:1"

    family.settle([seen], imports, {"unwatched.py"})
    family.close()

    assert {path: set(one.files) for path, one in imports.items()} == {
        "both.py": {"/here", "/there"},
        "new.py": {"/there"},
    }
    assert family.modules() == {"both.py", "new.py", "unwatched.py"}


def test_the_folder_is_made_for_the_first_process_and_removed(family: ProcessFamily) -> None:
    assert family._folder is None

    folder = Path(family.folder)
    assert folder.is_dir()
    family.close()

    assert not folder.exists()


def test_a_fork_that_is_observed_tells_what_it_does(tmp_path: Path, load: Callable[[str, str], ModuleType]) -> None:
    functions = load("functions", "def f(): ...\ndef g(): ...\n")

    with recording(tmp_path, SOURCES[0]) as recorder:
        with recorder.context(Observation()) as seen:
            child = os.fork()
            if child == 0:
                functions.f()
                os._exit(0)
            os.waitpid(child, 0)
            functions.g()
        family = recorder._family
        assert isinstance(family, ProcessFamily)
        family.settle([seen], recorder.imports, frozenset())
        family.close()

    assert seen.units == {("functions.py", "f")}
    assert {code.co_name for code in seen.codes.values()} >= {"g"}
    assert "f" not in {code.co_name for code in seen.codes.values()}
