"""What a map holds after a process was killed, the disk got full, bytes were damaged, or many wrote at once."""

import multiprocessing
import os
import random
import signal
import sqlite3
import sys
import time
from pathlib import Path

import pytest

from wiremap.selection.facts import Fact, Trace
from wiremap.store.map import Map

NUM_TESTS = 40
NUM_KILLS = 60
NUM_STEPS = 750


def traces(edition: int, tests: range = range(NUM_TESTS)) -> list[Trace]:
    """Return traces of tests that share most facts; one fact in ten is another in each edition."""
    return [
        Trace(
            f"t{test}",
            frozenset(Fact("file", f"{test % 7}/{number}.txt", str(number % 10 or edition)) for number in range(60)),
            "passed",
            0.1,
        )
        for test in tests
    ]


def editions(store: Map) -> set[tuple[str, ...]]:
    """Return which editions the tests have; each must be whole."""
    found = set()
    for test, of_test in store.traces().items():
        known = []
        for one in of_test:
            facts = frozenset(one.facts)
            (edition,) = {fact.value for fact in facts if fact.key.endswith("/0.txt")}
            assert facts == traces(int(edition), range(int(test[1:]), int(test[1:]) + 1))[0].facts
            known.append(edition)
        found.add(tuple(known))
    return found


@pytest.mark.skipif(sys.platform == "win32", reason="forks")
def test_a_process_killed_at_any_moment_leaves_the_state_before_or_after(tmp_path: Path) -> None:
    store = Map(tmp_path)
    with store:
        store.record(traces(1))
        store.record_baseline({"edition": "1"})
    store.close()
    num_killed = 0
    now = 1

    for kill in range(NUM_KILLS):
        child = os.fork()
        if child == 0:
            _record_and_die(tmp_path, edition=now + 1, after=kill * NUM_STEPS // NUM_KILLS)
        if kill % 3 == 0:  # now and then from outside, where SQLite is between its steps: writing, or at the log
            time.sleep(kill / 2000)
            os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        num_killed += os.WIFSIGNALED(status)

        store = Map(tmp_path)
        (known,) = editions(store)
        assert store.notes == []
        assert int(known[-1]) in (now, now + 1)
        assert store.baseline() == {"edition": known[-1]}
        now = int(known[-1])
        store.close()

    assert num_killed > NUM_KILLS // 2


def _record_and_die(folder: Path, edition: int, after: int) -> None:
    """Record in this process and kill it after so many steps of SQLite's machine, if it comes that far."""
    try:
        store = Map(folder)
        countdown = iter(range(after))

        def step() -> None:
            if next(countdown, None) is None:
                os.kill(os.getpid(), signal.SIGKILL)

        store._db.set_progress_handler(step, 10)
        with store:
            store.record(traces(edition))
            store.record_baseline({"edition": str(edition)})
            store.tidy()
        store.close()
    finally:
        os._exit(0)


def test_many_processes_record_at_once_and_nothing_is_lost(tmp_path: Path) -> None:
    with multiprocessing.get_context("spawn").Pool(4) as pool:
        pool.starmap(_record_part, [(tmp_path, number) for number in range(12)])

    store = Map(tmp_path)
    assert set(store.traces()) == {f"t{number}" for number in range(12 * 5)}
    assert store.notes == []
    store.close()


def _record_part(folder: Path, number: int) -> None:
    for one in range(5):
        store = Map(folder)
        with store:
            store.record(traces(1, range(number * 5 + one, number * 5 + one + 1)))
            store.tidy()
        store.close()


def test_a_reader_sees_one_state_while_another_process_records(tmp_path: Path) -> None:
    store = Map(tmp_path)
    with store:
        store.record(traces(1))
    writer = multiprocessing.get_context("spawn").Process(target=_record_editions, args=(tmp_path,))
    writer.start()

    while writer.is_alive():
        assert len(editions(store)) == 1

    writer.join()
    store.close()


def _record_editions(folder: Path) -> None:
    store = Map(folder)
    for edition in range(2, 30):
        with store:
            store.record(traces(edition))
            store.tidy()
    store.close()


def test_a_full_disk_leaves_the_map_as_it_was_and_usable(tmp_path: Path) -> None:
    store = Map(tmp_path)
    with store:
        store.record(traces(1))
    (pages,) = store._db.execute("PRAGMA page_count").fetchone()
    store._db.execute(f"PRAGMA max_page_count = {pages + 1}")

    with pytest.raises(sqlite3.OperationalError, match="full"), store:
        store.record([Trace(f"u{number}", frozenset(), "passed", 1.0) for number in range(5000)])

    assert editions(store) == {("1",)}
    store._db.execute("PRAGMA max_page_count = 1000000")
    with store:
        store.record(traces(2))
    assert editions(store) == {("1", "2")}
    store.close()


def test_damaged_bytes_are_never_taken_for_a_record(tmp_path: Path) -> None:
    """Whatever byte is damaged: a trace is as it was written, or it is missing and the loss is told."""
    store = Map(tmp_path / "whole")
    with store:
        store.record(traces(1))
    store.close()
    whole = store.path.read_bytes()
    chance = random.Random(1)  # noqa: S311 - which byte is no secret
    written = {one.test: one.facts for one in traces(1)}
    num_lost = 0

    for number in range(150):
        damaged = bytearray(whole)
        damaged[chance.randrange(len(damaged))] ^= 1 << chance.randrange(8)
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / store.path.name).write_bytes(damaged)
        read = Map(folder)
        found = read.traces()
        assert all(one.facts == written[test] for test, of_test in found.items() for one in of_test)
        assert len(found) == NUM_TESTS or read.notes
        num_lost += len(found) < NUM_TESTS
        read.close()

    assert num_lost > 0


def test_a_damaged_record_is_made_anew_by_the_next_session(tmp_path: Path) -> None:
    store = Map(tmp_path)
    with store:
        store.record(traces(1))
        store._db.execute("UPDATE fact SET value = 'damaged' WHERE id % 5 = 0")
    store.close()

    store = Map(tmp_path)
    assert store.traces() == {}
    assert "40 records of the map are damaged and count as not made." in store.notes
    with store:
        store.record(traces(1))
    store.close()

    store = Map(tmp_path)
    assert editions(store) == {("1",)}
    store.close()
