from types import CodeType

from wiremap.source.keepers import PROCESS
from wiremap.tracing.kept_work import Kept, KeptWork
from wiremap.tracing.observation import Observation


class Holder:
    """Something that keeps what is filled."""


FOR_PROCESS, FOR_FIRST = (PROCESS,), (0,)


def only(kept: list[Kept]) -> Kept:
    (one,) = kept
    return one


def code_of(name: str) -> CodeType:
    return compile("", name, "exec")


GET = code_of("get.py")


def test_work_for_the_process_is_kept_once() -> None:
    kept = KeptWork()

    assert only(kept.of(GET, FOR_PROCESS, (Holder(),))) is only(kept.of(GET, FOR_PROCESS, (Holder(),)))


def test_work_for_an_object_is_kept_for_each() -> None:
    kept, one, two = KeptWork(), Holder(), Holder()

    assert only(kept.of(GET, FOR_FIRST, (one,))) is only(kept.of(GET, FOR_FIRST, (one,)))
    assert only(kept.of(GET, FOR_FIRST, (one,))) is not only(kept.of(GET, FOR_FIRST, (two,)))


def test_work_for_a_class_is_kept_for_all_who_derive_from_it() -> None:
    class Derived(Holder):
        """Has what its base keeps."""

    kept = KeptWork()

    assert only(kept.of(GET, FOR_FIRST, (Holder,))) is only(kept.of(GET, FOR_FIRST, (Derived,)))


def test_work_for_several_keepers_is_kept_for_each() -> None:
    kept, one, two = KeptWork(), Holder(), Holder()

    first, second = kept.of(GET, (0, 1), (one, two))

    assert only(kept.of(GET, FOR_FIRST, (one,))) is first
    assert only(kept.of(GET, FOR_FIRST, (two,))) is second


def test_the_function_itself_is_part_of_its_work() -> None:
    assert only(KeptWork().of(GET, FOR_PROCESS, ())).work.codes == {id(GET): GET}


def test_work_of_two_functions_is_kept_apart() -> None:
    kept = KeptWork()

    assert only(kept.of(GET, FOR_PROCESS, ())) is not only(kept.of(code_of("other.py"), FOR_PROCESS, ()))


def test_what_an_object_kept_is_forgotten_with_it() -> None:
    kept, holder = KeptWork(), Holder()
    only(kept.of(GET, FOR_FIRST, (holder,)))

    del holder

    assert kept.all() == []


def test_work_is_from_before_when_another_context_began_it() -> None:
    kept = KeptWork()
    kept.begin_context()
    found = only(kept.of(GET, FOR_PROCESS, ()))
    in_its_own = kept.is_from_before(found)

    kept.begin_context()

    assert not in_its_own
    assert kept.is_from_before(only(kept.of(GET, FOR_PROCESS, ())))


def see(kept: KeptWork, work: Kept, seen: Observation, around: Observation | None = None) -> None:
    """Let *seen* happen in a call."""
    around = around or Observation()
    call = kept.begin_call([work], around)
    call.seen.absorb(seen)
    kept.end_call(call, around)


def test_what_happened_in_all_calls_is_kept_together() -> None:
    kept = KeptWork()
    found = only(kept.of(GET, FOR_PROCESS, ()))

    see(kept, found, Observation(modules={"a.py"}))
    see(kept, found, Observation(modules={"b.py"}, files={"/a": "1"}))
    see(kept, found, Observation(files={"/a": "2"}))

    assert found.work.modules == {"a.py", "b.py"}
    assert found.work.files == {"/a": "1"}


def test_what_happened_in_a_call_happened_around_it_too() -> None:
    kept, around = KeptWork(), Observation()
    found = only(kept.of(GET, FOR_PROCESS, ()))

    see(kept, found, Observation(modules={"a.py"}), around)
    see(kept, found, Observation(modules={"a.py", "b.py"}), around)

    assert around.modules == {"a.py", "b.py"}


def test_what_happened_in_one_place_is_not_taken_for_what_happens_in_another() -> None:
    kept, one, other = KeptWork(), Observation(), Observation()
    found = only(kept.of(GET, FOR_PROCESS, ()))

    see(kept, found, Observation(modules={"a.py"}), one)
    see(kept, found, Observation(modules={"b.py"}), other)

    assert (one.modules, other.modules) == ({"a.py"}, {"b.py"})


def test_calls_in_one_place_are_taken_together() -> None:
    kept, around = KeptWork(), Observation()
    works = kept.of(GET, FOR_PROCESS, ())
    first = kept.begin_call(works, around)
    kept.end_call(first, around)

    assert kept.begin_call(works, around) is first


def test_calls_of_which_none_has_ended_are_kept_apart() -> None:
    kept, around = KeptWork(), Observation()
    works = kept.of(GET, FOR_PROCESS, ())

    assert kept.begin_call(works, around) is not kept.begin_call(works, around)


def test_calls_of_two_contexts_are_kept_apart() -> None:
    kept, around = KeptWork(), Observation()
    works = kept.of(GET, FOR_PROCESS, ())
    first = kept.begin_call(works, around)
    kept.end_call(first, around)

    kept.begin_context()

    assert kept.begin_call(works, around) is not first


def test_a_call_that_ends_in_another_place_than_it_began_is_kept_apart() -> None:
    kept, around = KeptWork(), Observation()
    works = kept.of(GET, FOR_PROCESS, ())
    first = kept.begin_call(works, around)
    kept.end_call(first, Observation())

    assert kept.begin_call(works, around) is not first


def test_calls_that_bring_nothing_new_are_looked_into_no_more_until_the_context_changes() -> None:
    kept = KeptWork()
    found = only(kept.of(GET, FOR_PROCESS, ()))
    for _ in range(10_001):
        see(kept, found, Observation())

    tired = not kept.is_watched(found)
    kept.begin_context()

    assert tired
    assert kept.is_watched(found)


def test_who_was_passed_by_keeps_all_that_happened_in_the_context() -> None:
    kept = KeptWork()
    passed, other = kept.of(GET, (0, 1), (Holder(), Observation()))

    kept.pass_by(passed)
    kept.add_unseen([Observation(modules={"a.py"}), Observation(files={"/a": "1"})])
    kept.begin_context()
    kept.add_unseen([Observation(modules={"b.py"})])

    assert (passed.work.modules, passed.work.files) == ({"a.py"}, {"/a": "1"})
    assert other.work.modules == set()
