"""Calls of fillers that are told no more lose no dependency."""

import importlib
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.wiremap.tracing.recording import SOURCES, recording
from wiremap.source.keepers import PROCESS, Keepers
from wiremap.tracing import kept_work
from wiremap.tracing.observation import Observation, with_kept

PROGRAM = """
def one(): ...
def two(): ...
def three(): ...

WORK = (one, two, three)
SHARED = {}

def get_shared(key):
    if key not in SHARED:
        SHARED[key] = WORK[key]()

class Holder:
    def __init__(self): self.found = {}

    def get(self, key, depth):
        if depth:
            self.get((key + depth) % 3, depth - 1)
        if key not in self.found:
            self.found[key] = WORK[key]()

    def each(self, key):
        def pause(): return self
        yield
        if key not in self.found:
            self.found[key] = WORK[key]()
        yield

    def fail(self, key):
        self.get(key, 0)
        raise ValueError("filled")

class Slotted(Holder):
    __slots__ = ()

class Bare:
    __slots__ = ("found",)
    __init__, get, each, fail = Holder.__init__, Holder.get, Holder.each, Holder.fail
"""
KEEPERS: dict[str, Keepers] = {
    "get_shared": (PROCESS,),
    "Holder.get": (0,),
    "Holder.each": (0,),
    "Holder.fail": (0, PROCESS),
}
OWNERS, NEVER = 3, 10**9

owners, keys, times = st.integers(0, OWNERS - 1), st.integers(0, 2), st.integers(1, 6)
steps = st.one_of(
    st.tuples(st.just("shared"), owners, keys, times, st.just(0)),
    st.tuples(st.just("get"), owners, keys, times, st.integers(0, 3)),
    st.tuples(st.sampled_from(["each", "fail", "renew", "renew bare", "work"]), owners, keys, times, st.just(0)),
)
Step = tuple[str, int, int, int, int]
programs = st.lists(st.lists(steps, max_size=8), min_size=2, max_size=4)


@pytest.fixture(autouse=True)
def _module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    (tmp_path / "filling.py").write_text(PROGRAM)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    yield
    sys.modules.pop("filling", None)


def take(step: Step, module: Any, held: list[Any]) -> None:
    kind, owner, key, count, depth = step
    for _ in range(count):
        if kind == "shared":
            module.get_shared(key)
        elif kind == "get":
            held[owner].get(key, depth)
        elif kind == "each":
            list(held[owner].each(key))
        elif kind == "fail":
            with pytest.raises(ValueError, match="filled"):
                held[owner].fail(key)
        elif kind == "work":
            module.WORK[key]()
        else:
            held[owner] = None  # so that the next one may get its id
            held[owner] = module.Bare() if kind == "renew bare" else module.Holder()


@contextmanager
def most_idle(idle_calls: int) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kept_work, "_IDLE_CALLS", idle_calls)
        yield


def reached(root: Path, source: str, program: Sequence[Sequence[Step]], idle_calls: int) -> list[set[str]]:
    """Run each part of *program* in a context; return the functions that each rests on."""
    sys.modules.pop("filling", None)
    with most_idle(idle_calls), pytest.MonkeyPatch.context() as patch, recording(root, source) as recorder:
        patch.setattr(recorder, "_keepers_of", lambda _path, name: KEEPERS.get(name, ()))
        module = importlib.import_module("filling")
        held: list[Any] = [module.Holder() for _ in range(OWNERS)]
        seen = []
        for part in program:
            with recorder.context(Observation()) as one:
                for step in part:
                    take(step, module, held)
            seen.append(one)
        return [
            {
                code.co_name
                for found in with_kept([one])
                for code in found.codes.values()
                if "filling" in code.co_filename
            }
            for one in seen
        ]


@pytest.mark.parametrize("source", SOURCES)
@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(program=programs, idle_calls=st.integers(0, 4))
def test_what_is_told_no_more_loses_no_dependency(
    tmp_path: Path, source: str, program: list[list[Step]], idle_calls: int
) -> None:
    told = reached(tmp_path, source, program, NEVER)
    passed_by = reached(tmp_path, source, program, idle_calls)

    assert all(all_of_it <= found for all_of_it, found in zip(told, passed_by, strict=True))


@settings(deadline=None, max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(program=programs, idle_calls=st.one_of(st.integers(0, 40), st.just(NEVER)))
def test_a_compiled_source_that_repeats_calls_by_itself_tells_the_same_as_one_in_python(
    tmp_path: Path, program: list[list[Step]], idle_calls: int
) -> None:
    in_python = "monitoring in Python" if "monitoring in Python" in SOURCES else "profile"
    # Whether such an object gets the place of a dead one is chance.
    program = [[step for step in part if step[0] != "renew bare"] for part in program]

    told = [reached(tmp_path, source, program, idle_calls) for source in SOURCES if source != "profile"]

    assert all(one == reached(tmp_path, in_python, program, idle_calls) for one in told)


@pytest.mark.parametrize("source", SOURCES)
@settings(deadline=None, max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    kind=st.sampled_from(["get", "each", "fail"]),
    parts=st.lists(st.lists(st.tuples(owners, keys, times), max_size=8), min_size=2, max_size=3),
    idle_calls=st.one_of(st.integers(0, 40), st.just(NEVER)),
)
def test_who_finds_filled_what_threads_filled_at_once_rests_on_what_they_did(
    tmp_path: Path, source: str, kind: str, parts: list[list[tuple[int, int, int]]], idle_calls: int
) -> None:
    sys.modules.pop("filling", None)
    found = {}
    with (
        most_idle(idle_calls),
        switching_often(),
        recording(tmp_path, source) as recorder,
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setattr(recorder, "_keepers_of", lambda _path, name: KEEPERS.get(name, ()))
        module = importlib.import_module("filling")
        held: list[Any] = [module.Holder() for _ in range(OWNERS)]

        def run(part: list[tuple[int, int, int]]) -> None:
            for owner, key, count in part * 5:
                take((kind, owner, key, count, 0), module, held)

        threads = [threading.Thread(target=run, args=(part,)) for part in parts]
        with recorder.context(Observation()):
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        for owner, key in {step[:2] for part in parts for step in part}:
            with recorder.context(Observation()) as later:
                take((kind, owner, key, 1, 0), module, held)
            found[owner, key] = {code.co_name for one in with_kept([later]) for code in one.codes.values()}

    assert {place for place, names in found.items() if module.WORK[place[1]].__name__ not in names} == set()


@contextmanager
def switching_often() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


@pytest.mark.parametrize("source", SOURCES)
def test_an_object_at_the_place_of_a_dead_one_is_told(tmp_path: Path, source: str) -> None:
    fill_hot = [("get", 0, 0, 9, 0), ("renew", 0, 0, 9, 0), ("get", 0, 0, 9, 0)]

    (_, later) = reached(tmp_path, source, [fill_hot, [("get", 0, 0, 1, 0)]], 2)

    assert "one" in later


@pytest.mark.parametrize("source", SOURCES)
def test_a_generator_that_is_first_seen_when_an_exception_resumes_it_raises_that(tmp_path: Path, source: str) -> None:
    paused = importlib.import_module("filling").Holder().each(0)
    next(paused)

    with recording(tmp_path, source), pytest.raises(ValueError, match="thrown"):
        paused.throw(ValueError("thrown"))
