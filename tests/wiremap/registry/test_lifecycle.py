import gc
import itertools
import re
import warnings
from collections.abc import Callable, Generator
from contextlib import suppress
from types import ModuleType
from typing import Any

import pytest

from tests.wiremap.registry.parts import Blocks, Engine
from wiremap import RegistryOrchestrator, Requires, WiringError, compile_mode
from wiremap.errors import AlreadyClosedError, AlreadyFinalizedError, AsyncHookError, NeverFinalizedWarning


class Heavy:
    """Says when it is started and closed, and hands one cell on."""

    other: Any
    part: Any

    def __init__(self, name: str, log: list[str]) -> None:
        self.name, self.log = name, log

    def work(self) -> str:
        return f"{self.name} works"

    def __post_wire__(self) -> None:
        self.log.append(f"+{self.name}")

    def __pre_close__(self) -> None:
        self.log.append(f"-{self.name}")


def test_a_hook_that_nothing_would_await_is_a_fault_told_once_for_its_class() -> None:
    class Cache:
        async def __post_wire__(self) -> None: ...

        def __pre_close__(self) -> Any:
            yield

    orch = RegistryOrchestrator()
    orch.add(Cache())
    orch.add(Cache())

    with pytest.raises(WiringError) as caught:
        orch.finalize()
    assert [fault.args[:2] for fault in caught.value.faults] == [
        ("Cache", "__post_wire__"),
        ("Cache", "__pre_close__"),
    ]


def test_a_hook_that_turns_out_to_be_async_when_it_is_called_is_an_error_and_all_is_taken_back() -> None:
    class Cache:
        def __post_wire__(self) -> Any:
            async def load() -> None: ...

            return load()

    log: list[str] = []
    orch = chain(Heavy("a", log))
    orch.add(Cache())

    with pytest.raises(AsyncHookError, match=r"Cache\.__post_wire__ is async"):
        orch.finalize()

    assert log == ["+a", "-a"]


def test_a_hook_may_be_any_kind_of_method() -> None:
    log: list[object] = []

    class Shared:
        @classmethod
        def __post_wire__(cls) -> None:
            log.append(cls)

        @staticmethod
        def __pre_close__() -> None:
            log.append("closed")

    with RegistryOrchestrator() as orch:
        orch.add(Shared())
        orch.finalize()

    assert log == [Shared, "closed"]


class Failing(Heavy):
    """Raises in the hooks that it is told to."""

    def __init__(self, name: str, log: list[str], *, starting: bool = True) -> None:
        super().__init__(name, log)
        self.starting = starting

    def __post_wire__(self) -> None:
        super().__post_wire__()
        if self.starting:
            raise MemoryError("no weights")

    def __pre_close__(self) -> None:
        super().__pre_close__()
        raise ValueError(f"{self.name} is busy")


def wire_inside(owner: Heavy) -> None:
    inside = Heavy(f"inside {owner.name}", owner.log)
    vars(inside)["work_inside"] = inside.work
    orch = RegistryOrchestrator()
    orch.register(inside, "work_inside", owner)
    orch.finalize()


class Runner(Heavy):
    """Wires its own inside in ``__init__``."""

    work_inside: Any

    def __init__(self, name: str, log: list[str]) -> None:
        super().__init__(name, log)
        wire_inside(self)


class LateRunner(Heavy):
    """Wires its own inside in ``__post_wire__``, and may fail after it."""

    work_inside: Any
    fails = False

    def __post_wire__(self) -> None:
        wire_inside(self)
        super().__post_wire__()
        if self.fails:
            raise MemoryError("no weights")


def chain(*components: Any) -> RegistryOrchestrator:
    """Return an orchestrator in which each component hands the next one a cell, against the order of their ids."""
    orch = RegistryOrchestrator()
    for number, component in enumerate(components):
        orch.add(component, id=f"{len(components) - number} {component.name}")
    for number, (provider, consumer) in enumerate(itertools.pairwise(components)):
        vars(provider)[f"work_{number}"] = provider.work
        orch.register(provider, f"work_{number}", consumer)
    return orch


# Starting


def test_hooks_run_once_all_is_bound_and_providers_come_first() -> None:
    log: list[str] = []

    chain(Heavy("provider", log), Heavy("consumer", log)).finalize()

    assert log == ["+provider", "+consumer"]


def test_a_contained_component_is_ready_before_its_container() -> None:
    log: list[str] = []
    orch = RegistryOrchestrator()
    orch.connect(orch.add(Heavy("inner", log), id="z"), orch.add(Heavy("outer", log), id="a"))

    orch.finalize()

    assert log == ["+inner", "+outer"]


def test_compile_mode_binds_but_calls_no_hook() -> None:
    log: list[str] = []
    provider, consumer = Heavy("provider", log), Heavy("consumer", log)

    with compile_mode(), chain(provider, consumer) as orch:
        orch.finalize()

    assert getattr(consumer, "work_0")() == "provider works"  # noqa: B009 -- a cell
    assert log == []


def test_a_hook_that_fails_is_named_and_leaves_nothing_bound() -> None:
    class Broken(Engine):
        def __post_wire__(self) -> None:
            raise MemoryError("no weights")

    orch = RegistryOrchestrator()
    blocks, broken = Blocks(), Broken()
    orch.register(blocks, "allocate", broken)
    orch.register(blocks, "num_free", broken)

    with pytest.raises(MemoryError, match="no weights") as caught:
        orch.finalize()

    assert caught.value.__notes__ == ["while __post_wire__ of the component 'Broken' ran"]
    assert vars(broken) == {}
    assert not hasattr(broken, "num_free")


class _SelfWiring(Engine):
    """Finalizes its own inside in ``__init__``, and requires a cell that comes from outside."""

    allocate: Requires[Callable[[int], int]]

    def __init__(self, log: list[str]) -> None:
        self.log = log
        orch = RegistryOrchestrator()
        orch.register(orch.add(Heavy("inside", log)), "work", self)
        orch.finalize()
        self.whole = True

    def __post_wire__(self) -> None:
        self.log.append(f"outside, whole: {self.whole}, {self.allocate(1)}")


def test_a_component_that_is_being_made_is_judged_and_started_by_who_gets_it_whole() -> None:
    log: list[str] = []
    runner = _SelfWiring(log)
    orch = RegistryOrchestrator()
    orch.register(Blocks(), "allocate", runner)

    assert log == ["+inside"]
    orch.finalize()
    assert log == ["+inside", "outside, whole: True, 6"]


def test_what_a_whole_component_requires_is_still_asked_for() -> None:
    orch = RegistryOrchestrator()
    orch.add(_SelfWiring([]))

    with pytest.raises(WiringError, match=r"_SelfWiring requires the cell 'allocate'"):
        orch.finalize()


def test_a_component_of_two_orchestrators_is_started_and_closed_by_the_first() -> None:
    log: list[str] = []
    shared = Heavy("shared", log)
    first, second = chain(shared), chain(shared)

    first.finalize()
    second.finalize()
    second.close()
    assert log == ["+shared"]
    first.close()
    assert log == ["+shared", "-shared"]


# Closing


def test_closing_goes_against_the_order_of_starting() -> None:
    log: list[str] = []
    orch = chain(Heavy("first", log), Heavy("second", log), Heavy("third", log))
    orch.finalize()
    log.clear()

    orch.close()

    assert log == ["-third", "-second", "-first"]


def test_closing_again_does_nothing() -> None:
    log: list[str] = []
    orch = chain(Heavy("one", log))
    orch.finalize()

    orch.close()
    orch.close()

    assert log == ["+one", "-one"]


def test_a_with_block_closes_even_if_it_is_left_by_an_exception() -> None:
    log: list[str] = []

    def fail() -> None:
        with chain(Heavy("one", log)) as orch:
            orch.finalize()
            raise KeyError

    with pytest.raises(KeyError):
        fail()

    assert log == ["+one", "-one"]


def test_cells_and_graph_stay_after_closing() -> None:
    provider, consumer = Heavy("provider", []), Heavy("consumer", [])
    orch = chain(provider, consumer)
    graph = orch.finalize()

    orch.close()

    assert getattr(consumer, "work_0")() == "provider works"  # noqa: B009 -- a cell
    assert orch.compile() == graph


def test_nothing_is_taken_after_closing() -> None:
    orch = RegistryOrchestrator()
    orch.close()

    where = r"tests.wiremap.registry.test_lifecycle\.py:\d+"
    with pytest.raises(AlreadyClosedError, match=rf"^finalize\(\) at {where} came too late: .* closed at {where}\."):
        orch.finalize()


def test_a_component_with_only_a_closing_hook_is_closed() -> None:
    log: list[str] = []

    class Passive(Heavy):
        __post_wire__ = None  # type: ignore[assignment] # as if it were not there

    orch = chain(Passive("passive", log))
    orch.finalize()
    orch.close()

    assert log == ["-passive"]


def test_a_closing_hook_that_fails_keeps_no_other_from_closing() -> None:
    log: list[str] = []
    orch = chain(Heavy("a", log), Failing("b", log, starting=False), Failing("c", log, starting=False))
    orch.finalize()
    log.clear()

    with pytest.raises(ExceptionGroup, match="could not be closed; all others were") as caught:
        orch.close()

    assert log == ["-c", "-b", "-a"]
    assert [str(error) for error in caught.value.exceptions] == ["c is busy", "b is busy"]
    assert caught.value.exceptions[0].__notes__ == ["while __pre_close__ of the component '1 c' ran"]


def test_an_interrupt_while_closing_stays_one_and_keeps_no_other_from_closing() -> None:
    log: list[str] = []

    class Interrupted(Heavy):
        def __pre_close__(self) -> None:
            raise KeyboardInterrupt

    orch = chain(Heavy("a", log), Interrupted("b", log))
    orch.finalize()

    with pytest.raises(KeyboardInterrupt):
        orch.close()

    assert log == ["+a", "+b", "-a"]


def test_an_interrupt_while_closing_tells_what_else_went_wrong() -> None:
    class Interrupted(Heavy):
        def __pre_close__(self) -> None:
            raise KeyboardInterrupt

    orch = chain(Failing("a", [], starting=False), Interrupted("b", []))
    orch.finalize()

    with pytest.raises(KeyboardInterrupt) as caught:
        orch.close()

    assert "ValueError: a is busy\nwhile __pre_close__ of the component '2 a' ran" in caught.value.__notes__[0]


# A start that fails


def test_what_was_started_before_a_hook_failed_is_closed_in_reverse() -> None:
    log: list[str] = []
    orch = chain(Heavy("a", log), Heavy("b", log), Failing("c", log), Heavy("d", log))

    with pytest.raises(MemoryError, match="no weights"):
        orch.finalize()

    assert log == ["+a", "+b", "+c", "-b", "-a"]


def test_errors_of_closing_are_noted_on_the_error_that_led_to_it() -> None:
    orch = chain(Failing("a", [], starting=False), Failing("b", []))

    with pytest.raises(MemoryError, match="no weights") as caught:
        orch.finalize()

    first, second = caught.value.__notes__
    assert first == "while __post_wire__ of the component '1 b' ran"
    assert second.startswith("When what had been started was closed again:\nTraceback")
    assert "ValueError: a is busy\nwhile __pre_close__ of the component '2 a' ran" in second


def test_each_error_of_closing_is_noted_once_however_many_there_are() -> None:
    names = [f"c{number}" for number in range(12)]
    orch = chain(*(Failing(name, [], starting=False) for name in names), Failing("last", []))

    with pytest.raises(MemoryError) as caught:
        orch.finalize()

    notes = "".join(caught.value.__notes__)
    assert [notes.count(f"{name} is busy") for name in names] == [1] * len(names)
    assert "no weights" not in notes


def test_after_a_start_that_failed_all_can_be_started_again() -> None:
    log: list[str] = []
    failing = Failing("b", log)
    orch = chain(Heavy("a", log), failing)
    with pytest.raises(MemoryError):
        orch.finalize()
    log.clear()
    failing.starting = False

    orch.finalize()

    assert log == ["+a", "+b"]


# Inside of components


def test_an_inside_is_closed_right_after_its_owner() -> None:
    log: list[str] = []
    orch = chain(Heavy("provider", log), Runner("runner", log), Heavy("consumer", log))
    orch.finalize()
    log.clear()

    orch.close()

    assert log == ["-consumer", "-runner", "-inside runner", "-provider"]


def test_an_inside_that_closed_itself_is_not_closed_again() -> None:
    log: list[str] = []

    class Careful(Runner):
        def __init__(self) -> None:
            super().__init__("first inside", log)
            self.orch = RegistryOrchestrator()
            self.orch.connect(Heavy("second inside", log), self)
            self.orch.finalize()

        def __pre_close__(self) -> None:
            self.orch.close()

    orch = chain(Careful())
    orch.finalize()
    log.clear()

    orch.close()

    assert sorted(log) == ["-inside first inside", "-second inside"]


def test_insides_of_insides_are_closed_too() -> None:
    log: list[str] = []

    class Cluster(Heavy):
        def __init__(self, runner: Runner) -> None:
            super().__init__("cluster", log)
            orch = RegistryOrchestrator()
            orch.register(runner, "work_inside", self)
            orch.finalize()

    orch = chain(Cluster(Runner("runner", log)))
    orch.finalize()
    assert log == ["+inside runner", "+runner", "+cluster"]
    log.clear()

    orch.close()

    assert log == ["-cluster", "-runner", "-inside runner"]


def test_what_is_wired_in_a_hook_is_nested_and_closed() -> None:
    log: list[str] = []
    orch = chain(LateRunner("late", log))

    graph = orch.finalize()
    orch.close()

    assert graph.nested["1 late"].ids == ("1 late", "Heavy")
    assert orch.compile() == graph
    assert log == ["+inside late", "+late", "-late", "-inside late"]


def test_what_a_hook_wired_before_it_failed_is_closed() -> None:
    log: list[str] = []
    late = LateRunner("late", log)
    late.fails = True

    with pytest.raises(MemoryError):
        chain(late).finalize()

    assert log == ["+inside late", "+late", "-inside late"]


def test_after_a_start_that_failed_insides_are_open_until_the_orchestrator_is_closed() -> None:
    log: list[str] = []

    with chain(Runner("runner", log), Failing("x", log)) as orch:
        with pytest.raises(MemoryError):
            orch.finalize()
        assert log == ["+inside runner", "+runner", "+x", "-runner"]

    assert log[4:] == ["-inside runner"]


def test_an_inside_that_is_shared_is_closed_by_the_first_orchestrator_that_got_its_owner() -> None:
    log: list[str] = []
    runner = Runner("runner", log)
    first, second = chain(runner), chain(runner)
    first.finalize()
    second.finalize()
    log.clear()

    second.close()
    assert log == []
    first.close()
    assert log == ["-runner", "-inside runner"]


def test_a_component_that_is_gone_needs_no_closing() -> None:
    log: list[str] = []

    class Forgetful(Heavy):
        def __init__(self) -> None:
            super().__init__("forgetful", log)
            orch = RegistryOrchestrator()
            orch.add(Heavy("forgotten", log))
            orch.connect(Heavy("kept by nobody", log), self)
            orch.finalize()

    orch = chain(Forgetful())
    orch.finalize()
    gc.collect()
    log.clear()

    orch.close()

    assert log == ["-forgetful"]


def test_a_component_that_allows_no_weak_reference_is_closed_all_the_same() -> None:
    log: list[str] = []

    class Slotted:
        __slots__ = ()

        def work_inside(self) -> None: ...

        def __pre_close__(self) -> None:
            log.append("-slotted")

    class Owner(Heavy):
        def __init__(self) -> None:
            super().__init__("owner", log)
            orch = RegistryOrchestrator()
            orch.register(Slotted(), "work_inside", self)
            orch.finalize()

    orch = chain(Owner())
    orch.finalize()
    orch.close()

    assert log == ["+owner", "-owner", "-slotted"]


def test_a_hook_that_deletes_its_cell_and_fails_leaves_nothing_bound() -> None:
    class Provider:
        size = 5

        def method(self) -> int:
            return 1

    class Consumer:
        def __post_wire__(self) -> None:
            if not done:
                del self.method  # type: ignore[attr-defined]
                raise ValueError("mine")

    done: list[bool] = []
    provider, consumer = Provider(), Consumer()
    failing, fine = RegistryOrchestrator(), RegistryOrchestrator()
    for orch in (failing, fine):
        orch.register(provider, "size", consumer)
        orch.register(provider, "method", consumer)

    with pytest.raises(ValueError, match="mine"):
        failing.finalize()
    done.append(True)
    fine.finalize()

    assert (consumer.size, consumer.method()) == (5, 1)  # type: ignore[attr-defined]


def test_what_a_hook_registers_comes_too_late_and_says_so() -> None:
    class Late:
        def __post_wire__(self) -> None:
            orch.register(Reader(), "read", self)

    class Reader:
        def read(self) -> str:
            return "read"

    orch = RegistryOrchestrator()
    orch.add(Late())

    with pytest.raises(AlreadyFinalizedError, match=r"register\(\) came too late"):
        orch.finalize()
    assert orch.add(Reader())  # it failed, so it is open as before


# The end of a block


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, ValueError])
def test_what_leaves_a_block_is_not_replaced_by_what_closing_raises(error: type[BaseException]) -> None:
    def leave() -> None:
        with chain(Failing("one", [], starting=False)) as orch:
            orch.finalize()
            raise error("left")

    with pytest.raises(error, match="left") as caught:
        leave()

    assert "ValueError: one is busy" in caught.value.__notes__[0]


def test_an_interrupt_of_closing_passes_on_though_an_error_left_the_block() -> None:
    class Interrupted(Heavy):
        def __pre_close__(self) -> None:
            raise KeyboardInterrupt

    def leave() -> None:
        with chain(Interrupted("one", [])) as orch:
            orch.finalize()
            raise ValueError

    with pytest.raises(KeyboardInterrupt):
        leave()


def test_an_interrupt_of_closing_passes_on_though_a_start_failed() -> None:
    class Interrupted(Heavy):
        def __pre_close__(self) -> None:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        chain(Interrupted("one", []), Failing("two", [])).finalize()


def test_a_generator_that_is_closed_inside_a_block_tells_what_closing_raises() -> None:
    def served() -> Generator[None, None, None]:
        with chain(Failing("one", [], starting=False)) as orch:
            orch.finalize()
            yield

    serving = served()
    next(serving)

    with pytest.raises(ExceptionGroup, match="could not be closed"):
        serving.close()


def _told_at_the_end_of_a_block(act: Callable[[RegistryOrchestrator], object]) -> list[str]:
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", NeverFinalizedWarning)
        with suppress(KeyError), chain(Heavy("a", []), Heavy("b", [])) as orch:
            act(orch)
    return [str(warning.message) for warning in told if warning.category is NeverFinalizedWarning]


def test_a_block_that_ends_and_bound_nothing_says_so() -> None:
    (told,) = _told_at_the_end_of_a_block(lambda _: None)

    assert re.match(
        r"The block of the orchestrator ended without finalize\(\).*\n +\S*test_lifecycle\.py:\d+: the first", told
    )


def _fail(_: object) -> None:
    raise KeyError


@pytest.mark.parametrize(
    "act", [RegistryOrchestrator.compile, RegistryOrchestrator.finalize, RegistryOrchestrator.describe, _fail]
)
def test_a_block_that_was_asked_for_a_graph_or_failed_is_not_warned_of(
    act: Callable[[RegistryOrchestrator], object],
) -> None:
    assert _told_at_the_end_of_a_block(act) == []


def test_an_empty_block_is_not_warned_of() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with RegistryOrchestrator():
            pass


# Where a hook may be


def test_a_module_starts_and_closes_by_its_functions() -> None:
    log: list[str] = []
    module = ModuleType("cache")
    vars(module).update(__post_wire__=lambda: log.append("+"), __pre_close__=lambda: log.append("-"))

    with RegistryOrchestrator() as orch:
        orch.add(module)
        orch.finalize()

    assert log == ["+", "-"]


def test_a_hook_on_the_instance_counts_before_that_of_its_class() -> None:
    log: list[str] = []
    heavy = Heavy("one", log)
    vars(heavy)["__post_wire__"] = lambda: log.append("its own")

    with RegistryOrchestrator() as orch:
        orch.add(heavy)
        orch.finalize()

    assert log == ["its own", "-one"]


def test_hooks_of_a_class_that_is_a_component_are_for_its_instances() -> None:
    orch = RegistryOrchestrator()
    orch.add(Heavy)

    orch.finalize()
