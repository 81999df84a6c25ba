"""The map at size: how large it gets, how long writing takes, and how long it takes to decide from it.

    python bench/store.py                    50,000 tests, 300 dependencies each
    python bench/store.py --tests 5000

Two kinds of data. `like` is made after what was recorded of click 8.5.1: the tests of one file share most of what they
rest on, and three in ten have a set that no other test has. `random` is the worst case: six in ten have a set of
their own, drawn at random from 600 functions, so that nothing is near to anything.

Deciding means: the map is opened and read, every fact looked up, every test judged, with nothing changed, and again
with twenty functions changed. The resident size is that of a process that does only this. CPU time.
"""

import argparse
import multiprocessing
import random
import resource
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from wiremap.selection.facts import ENVIRONMENT, FUNCTION, IMPORT, Fact, Trace
from wiremap.selection.verdicts import verdicts
from wiremap.store.map import Map

NUM_FUNCTIONS = 20_000
NUM_FACTS = 300
TESTS_PER_FILE = 250
NUM_CHANGED = 20
ENVIRONMENTS = frozenset(Fact(ENVIRONMENT, f"aspect {number}", "as it is") for number in range(9))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tests", type=int, default=50_000)
    options = parser.parse_args()
    print(f"{options.tests} tests x {NUM_FACTS} dependencies, {NUM_FUNCTIONS} functions")
    for name, make in (("like click", _like_click), ("random", _random)):
        with tempfile.TemporaryDirectory() as folder:
            first, size, peak = _apart(_write, folder, make, options.tests, 0)
            again, grown, _ = _apart(_write, folder, make, options.tests, 1)
            few, _, _ = _apart(_write, folder, make, 10, 2)
            print(f"{name}")
            print(f"  first recording          {first:6.2f} s  {size / 1e6:6.1f} MB on disk, {peak:4.0f} MB resident")
            print(f"  all anew after an edit   {again:6.2f} s  {grown / 1e6:6.1f} MB on disk")
            print(f"  ten tests anew           {few:6.2f} s")
            for changed in (0, NUM_CHANGED):
                seconds, num_run, peak = _apart(_decide, folder, changed)
                print(f"  verdicts, {changed:2} changed     {seconds:6.2f} s  {num_run} run, {peak:4.0f} MB resident")


def _apart(function: Callable[..., int], *arguments: object) -> tuple[float, int, float]:
    """Call *function* in a process of its own; return its CPU seconds, its result, and its peak size in MB."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(_measured, (function, *arguments))


def _measured(function: Callable[..., int], *arguments: object) -> tuple[float, int, float]:
    before = time.process_time()
    result = function(*arguments)
    seconds = time.process_time() - before
    return seconds - _making, result, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


_making = 0.0
"""Seconds spent on making data, which are none of the map's."""


def _write(folder: str, make: Callable[[int, int], Iterator[Trace]], num_tests: int, edition: int) -> int:
    store = Map(Path(folder))
    with store:
        store.record(_timed(make(num_tests, edition)))
    store.close()
    return store.path.stat().st_size


def _decide(folder: str, num_changed: int) -> int:
    store = Map(Path(folder))
    traces = store.traces()
    store.close()
    changed = {f"pkg/m{number}.py::f" for number in range(num_changed)}
    values = {(fact.kind, fact.key): fact.value for fact in ENVIRONMENTS}

    def now(kind: str, key: str) -> str:
        if key in changed:
            return "changed"
        return values.get((kind, key)) or _value(key, 1)

    return sum(verdict.runs for verdict in verdicts(traces, traces, now))


def _timed(traces: Iterator[Trace]) -> Iterator[Trace]:
    global _making  # noqa: PLW0603 - a stop-watch
    while True:
        before = time.process_time()
        trace = next(traces, None)
        _making += time.process_time() - before
        if trace is None:
            return
        yield trace


def _like_click(num_tests: int, edition: int) -> Iterator[Trace]:
    chance = random.Random(1)  # noqa: S311 - data, not secrets
    shared = {_fact(number, edition) for number in range(100)}
    for file in range(num_tests // TESTS_PER_FILE + 1):
        own = {_fact(chance.randrange(NUM_FUNCTIONS), edition) for _ in range(160)}
        sets = []
        for _ in range(TESTS_PER_FILE * 3 // 10):
            few = {
                _fact(chance.randrange(NUM_FUNCTIONS), edition)
                for _ in range(NUM_FACTS - 100 - 160 - len(ENVIRONMENTS))
            }
            sets.append(frozenset(shared | own | few | ENVIRONMENTS))
        for number in range(min(TESTS_PER_FILE, num_tests - file * TESTS_PER_FILE)):
            yield _trace(file, number, sets[number % len(sets)])


def _random(num_tests: int, edition: int) -> Iterator[Trace]:
    chance = random.Random(1)  # noqa: S311 - as above
    for file in range(num_tests // TESTS_PER_FILE + 1):
        pool = [_fact(chance.randrange(NUM_FUNCTIONS), edition) for _ in range(600)]
        sets = [frozenset(chance.sample(pool, NUM_FACTS - 9)) | ENVIRONMENTS for _ in range(TESTS_PER_FILE * 6 // 10)]
        for number in range(min(TESTS_PER_FILE, num_tests - file * TESTS_PER_FILE)):
            yield _trace(file, number, sets[number % len(sets)])


def _trace(file: int, number: int, facts: frozenset[Fact]) -> Trace:
    return Trace(f"tests/test_module_{file}.py::test_behaviour[{number}]", facts, "passed", 0.01)


_facts: dict[tuple[int, int], Fact] = {}


def _fact(number: int, edition: int) -> Fact:
    if (number, edition) not in _facts:
        kind, key = (IMPORT, f"pkg.m{number}") if number % 3 == 0 else (FUNCTION, f"pkg/m{number}.py::f")
        _facts[number, edition] = Fact(kind, key, _value(key, edition))
    return _facts[number, edition]


def _value(key: str, edition: int) -> str:
    """Return the value of a fact: one in a hundred is another in each edition, as after an edit."""
    number = int(key.partition(".py")[0].removeprefix("pkg").strip("./m"))
    return f"{number:020x}{edition if number % 100 == 0 else 0:04x}"


if __name__ == "__main__":
    main()
