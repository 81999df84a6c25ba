"""A provider is swapped on all its consumers for a while, and everything is as before afterwards."""

import gc
import threading
import warnings
import weakref
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from typing import Any, Protocol, cast
from unittest.mock import Mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wiremap import Graph, RegistryOrchestrator, Requires, WiringError
from wiremap.errors import CannotOverrideError, OverrideNotEnteredWarning, UnknownComponentError


class Pool(Protocol):
    num_free: int

    def allocate(self, count: int) -> int: ...


class Blocks:
    def __init__(self, num_free: int = 7) -> None:
        self.num_free = num_free

    def allocate(self, count: int) -> int:
        self.num_free -= count
        return self.num_free


class Scheduler:
    allocate = Requires[Callable[[int], int]]()
    num_free: Requires[int]


class Whole:
    blocks = Requires[Pool]()


class Wired:
    """Blocks → Scheduler and Whole; and what Scheduler is handed it hands on to a Reporter."""

    def __init__(self) -> None:
        orch = RegistryOrchestrator()
        self.blocks, self.scheduler, self.whole = orch.add(Blocks()), orch.add(Scheduler()), orch.add(Whole())
        self.reporter: Any = orch.add(Reporter())
        orch.register(self.blocks, "allocate", self.scheduler)
        orch.register(self.blocks, "num_free", self.scheduler)
        Whole.blocks.register(orch, self.blocks, self.whole)
        orch.register(self.scheduler, "allocate", self.reporter)
        orch.register(self.scheduler, "num_free", self.reporter)
        self.graph = orch.finalize()

    def reads(self) -> list[int]:
        """Return ``num_free`` of now, in every way in which it can be read."""
        return [
            self.scheduler.num_free,
            self.scheduler.allocate(0),
            self.whole.blocks.num_free,
            self.whole.blocks.allocate(0),
            self.reporter.num_free,
            self.reporter.allocate(0),
        ]


class Reporter: ...


def test_every_consumer_has_the_stand_in_inside_and_the_provider_afterwards() -> None:
    wired = Wired()

    with wired.graph.override("Blocks", Blocks(100)) as stand_in:
        inside = wired.reads()

    assert isinstance(stand_in, Blocks)
    assert inside == [100] * 6
    assert wired.reads() == [7] * 6


def test_state_is_the_stand_ins_own_and_current() -> None:
    wired = Wired()

    with wired.graph.override("Blocks", Blocks(100)) as stand_in:
        stand_in.num_free = 3

        assert wired.reads() == [3] * 6
    assert wired.blocks.num_free == 7


def test_an_exception_puts_it_back() -> None:
    wired = Wired()

    with pytest.raises(ZeroDivisionError), wired.graph.override("Blocks", Blocks(100)):
        raise ZeroDivisionError

    assert wired.reads() == [7] * 6


def test_the_innermost_of_nested_overrides_counts() -> None:
    wired = Wired()

    with wired.graph.override("Blocks", Blocks(1)):
        with wired.graph.override("Blocks", Blocks(2)):
            assert wired.reads() == [2] * 6
        assert wired.reads() == [1] * 6
    assert wired.reads() == [7] * 6


def test_a_consumer_that_hands_on_may_be_overridden_too() -> None:
    wired = Wired()

    with wired.graph.override("Scheduler", Blocks(50)), wired.graph.override("Blocks", Blocks(1)):
        assert wired.reads() == [1, 1, 1, 1, 50, 50]
    assert wired.reads() == [7] * 6


@given(st.permutations(range(4)), st.permutations(range(4)))
def test_overrides_that_end_in_any_order_leave_all_as_before(begin: list[int], end: list[int]) -> None:
    wired = Wired()
    ways = {number: wired.graph.override("Blocks", Blocks(number)) for number in range(4)}
    for number in begin:
        ways[number].__enter__()

    open_ones = list(begin)
    for number in end:
        assert wired.reads() == [open_ones[-1]] * 6
        ways[number].__exit__(None, None, None)
        open_ones.remove(number)

    assert wired.reads() == [7] * 6


def test_overrides_from_many_threads_leave_all_as_before() -> None:
    wired = Wired()
    barrier = threading.Barrier(8)

    def work(number: int) -> None:
        barrier.wait()
        for _ in range(50):
            with wired.graph.override("Blocks", Blocks(number)):
                wired.reads()

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert wired.reads() == [7] * 6


def test_an_override_that_threads_share_ends_in_each_with_its_own_block() -> None:
    wired = Wired()
    shared, other = wired.graph.override("Blocks", Blocks(100)), wired.graph.override("Blocks", Blocks(200))

    with ThreadPoolExecutor(1) as first, ThreadPoolExecutor(1) as second:
        first.submit(shared.__enter__).result()
        with other:
            second.submit(shared.__enter__).result()
            first.submit(shared.__exit__, None, None, None).result()
            assert wired.reads() == [100] * 6, "the second thread entered it last, and is still in its block"
            second.submit(shared.__exit__, None, None, None).result()
            assert wired.reads() == [200] * 6

    assert wired.reads() == [7] * 6


def test_threads_that_share_an_override_leave_all_as_before() -> None:
    wired, barrier = Wired(), threading.Barrier(8)
    shared = wired.graph.override("Blocks", Blocks(100))

    def work() -> set[int]:
        barrier.wait()
        seen = set[int]()
        for _ in range(50):
            with shared:
                seen.update(wired.reads())
        return seen

    with ThreadPoolExecutor(8) as pool:
        seen = [future.result() for future in [pool.submit(work) for _ in range(8)]]

    assert seen == [{100}] * 8
    assert wired.reads() == [7] * 6


def test_an_override_may_be_ended_in_another_thread() -> None:
    wired = Wired()
    shared = wired.graph.override("Blocks", Blocks(100))

    with ThreadPoolExecutor(1) as pool:
        pool.submit(shared.__enter__).result()
        shared.__exit__(None, None, None)

    assert wired.reads() == [7] * 6


def test_an_override_is_seen_by_other_threads() -> None:
    wired, seen = Wired(), list[int]()

    with wired.graph.override("Blocks", Blocks(100)):
        thread = threading.Thread(target=lambda: seen.extend(wired.reads()))
        thread.start()
        thread.join()

    assert seen == [100] * 6


def test_a_mock_may_stand_in() -> None:
    wired, mock = Wired(), Mock(num_free=1)
    mock.allocate.return_value = 1

    with wired.graph.override("Blocks", mock):
        assert wired.reads() == [1] * 6
    assert mock.allocate.call_count == 3


def test_a_stand_in_that_lacks_a_cell_is_refused_and_nothing_is_swapped() -> None:
    class Half:
        def alocate(self, count: int) -> int:
            return count

    wired = Wired()

    with (
        pytest.raises(WiringError, match=r"Half has no cell 'allocate' (.*\n)*.*Did you mean 'alocate'") as caught,
        wired.graph.override("Blocks", Half()),
    ):
        pytest.fail("it was let in")

    assert [fault.code for fault in caught.value.faults] == ["unknown-cell"] * 2  # once each, not for each consumer
    assert wired.reads() == [7] * 6


def test_a_stand_in_without_any_such_cell_is_told_to_define_it() -> None:
    class Empty: ...

    wired = Wired()

    with pytest.raises(
        WiringError, match=r"Empty has no cell 'num_free' (.*\n)* *Define it on the class of the stand-in\."
    ):
        wired.graph.override("Blocks", Empty())


@pytest.mark.parametrize("name", ["blocks", "scheduler", "reporter"])
def test_a_component_in_place_of_its_id_is_told_its_id(name: str) -> None:
    wired = Wired()
    component = getattr(wired, name)

    with pytest.raises(UnknownComponentError, match=f"of class {name.title()}, with the id '{name.title()}'"):
        wired.graph.override(component, Blocks())


def test_a_component_is_told_the_id_that_it_has_now_and_its_owners() -> None:
    class Engine:
        def __init__(self) -> None:
            self.wired = Wired()
            orch = RegistryOrchestrator()
            orch.register(self.wired.blocks, "num_free", self)
            orch.finalize()

    orch, engine = RegistryOrchestrator(), Engine()
    orch.add(engine, id="Core")
    graph = orch.finalize().renamed({"Core": "Main"})

    with pytest.raises(UnknownComponentError, match="with the id 'Main/Blocks'"):
        graph.override(engine.wired.blocks, Blocks())  # type: ignore[arg-type]


@pytest.mark.parametrize("other", [None, Blocks(), 3])
def test_nothing_is_told_of_an_object_that_is_no_component(other: Any) -> None:
    with pytest.raises(UnknownComponentError, match=r"this is an object of class \w+\. \["):
        Wired().graph.override(other, Blocks())


def test_a_stand_in_that_does_not_fit_the_requirement_is_refused() -> None:
    class Other:
        num_free = 1

        def allocate(self, text: str) -> int:
            return len(text)

    wired = Wired()

    with (
        pytest.raises(WiringError, match=r"Scheduler requires 'allocate' as Callable\[\[int\], int\]"),
        wired.graph.override("Blocks", Other()),
    ):
        pytest.fail("it was let in")


def test_a_value_can_not_stand_in_for_a_method_though_nothing_is_required_of_it() -> None:
    orch, reporter = RegistryOrchestrator(), Reporter()
    orch.register(Blocks(), "allocate", reporter)
    graph, stand_in = orch.finalize(), Blocks()
    vars(stand_in)["allocate"] = 3

    with pytest.raises(WiringError, match=r"'allocate' as a method, (.*\n)*.*it is a value of type int"):
        graph.override("Blocks", stand_in)


class Computed:
    hook: Callable[[], int] | None = None

    @property
    def num_free(self) -> int:
        return 7

    @property
    def untold(self):  # type: ignore[no-untyped-def] # noqa: ANN201 -- its type is not to be told
        return 7


def test_a_method_can_not_stand_in_for_a_value_but_for_what_may_be_called() -> None:
    class Forgetful:
        def num_free(self) -> int:
            return 3

        def untold(self) -> int:
            return 3

        def hook(self) -> int:
            return 3

    orch, reporter = RegistryOrchestrator(), Reporter()
    for cell in ("num_free", "untold", "hook"):
        orch.register(Computed(), cell, reporter)
    graph = orch.finalize()

    with pytest.raises(WiringError, match=r"'num_free' as a value, (.*\n)*.*it is a method, without @property") as told:
        graph.override("Computed", Forgetful())
    assert len(told.value.faults) == 1
    with graph.override("Computed#2", Forgetful()), graph.override("Computed#3", Forgetful()):
        assert cast(Any, reporter).hook() == 3


def test_an_override_may_be_entered_again_after_its_end_and_within_itself() -> None:
    wired = Wired()
    way = wired.graph.override("Blocks", Blocks(1))

    for _ in range(2):
        with way:
            with wired.graph.override("Blocks", Blocks(2)), way:
                assert wired.reads() == [1] * 6
            assert wired.reads() == [1] * 6
        assert wired.reads() == [7] * 6


def test_a_stand_in_whose_cell_raises_changes_nothing() -> None:
    class Failing(Blocks):
        def __getattribute__(self, name: str) -> Any:
            if name == "allocate" and object.__getattribute__(self, "__dict__").get("armed"):
                raise RuntimeError("not now")
            return object.__getattribute__(self, name)

    wired, failing = Wired(), Failing(100)
    way = wired.graph.override("Blocks", failing)
    failing.__dict__["armed"] = True

    with pytest.raises(RuntimeError, match="not now"), way:
        pytest.fail("it was let in")

    assert wired.reads() == [7] * 6


def test_what_hands_over_nothing_can_not_be_overridden() -> None:
    with pytest.raises(CannotOverrideError, match="Reporter can't be overridden: it hands no cell to anyone"):
        Wired().graph.override("Reporter", Reporter())


def test_a_consumer_that_an_override_would_not_reach_refuses_it() -> None:
    orch = RegistryOrchestrator()
    orch.register(Blocks(), "allocate", Slotted())
    graph = orch.finalize()

    with pytest.raises(
        CannotOverrideError,
        match=r"its consumer Slotted can't be referenced weakly\.\nAdd '__weakref__' to its __slots__",
    ):
        graph.override("Blocks", Blocks())


@dataclass(frozen=True, slots=True)
class Limits:
    """Can't be referenced weakly, as each dataclass with slots."""

    most: int

    def allows(self, count: int) -> bool:
        return count <= self.most


class Limited(Protocol):
    @property
    def most(self) -> int: ...

    def allows(self, count: int) -> bool: ...


class Gate:
    limits = Requires[Limited]()


def test_a_provider_with_slots_only_is_found_through_its_consumers() -> None:
    orch, reader, gate = RegistryOrchestrator(), Reporter(), Gate()
    reader_: Any = reader
    limits = Limits(3)
    orch.register(limits, "most", reader)
    orch.register(limits, "allows", reader)
    Gate.limits.register(orch, limits, gate)
    graph = orch.finalize()

    def reads() -> list[object]:
        return [reader_.most, reader_.allows(4), gate.limits.most, gate.limits.allows(4)]

    outer, inner = graph.override("Limits", Limits(9)), graph.override("Limits", Limits(1))
    with outer:
        inner.__enter__()
        assert reads() == [1, False, 1, False]
    assert reads() == [1, False, 1, False]
    inner.__exit__(None, None, None)

    assert reads() == [3, False, 3, False]
    with graph.override("Limits", Limits(9)):
        assert reads() == [9, True, 9, True]


class Slotted:
    __slots__ = ("allocate", "allows")


class Referable(Slotted):
    __slots__ = ("__weakref__",)


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        (Slotted, "its consumer Slotted can't be referenced weakly"),
        (Referable, "it can't be referenced weakly, and its consumer Referable keeps no note of it"),
    ],
)
def test_a_consumer_with_slots_only_in_any_graph_refuses_where_its_provider_has_slots_only_too(
    kind: type[Slotted], reason: str
) -> None:
    limits, consumer = Limits(3), kind()

    class Owner:
        def __init__(self) -> None:
            orch = RegistryOrchestrator()
            orch.add(limits, id="called otherwise here")
            orch.register(limits, "allows", consumer)
            orch.register(limits, "most", self)
            orch.finalize()

    orch = RegistryOrchestrator()
    orch.add(Owner())
    orch.register(limits, "allows", Reporter())
    graph = orch.finalize()

    with pytest.raises(CannotOverrideError, match=f"Limits can't be overridden: {reason}"):
        graph.override("Limits", Limits(9))


def test_a_consumer_with_slots_only_that_a_cell_is_handed_on_to_refuses_it_too() -> None:
    orch, reporter = RegistryOrchestrator(), Reporter()
    orch.register(Blocks(), "allocate", reporter)
    orch.register(reporter, "allocate", Slotted())
    graph = orch.finalize()

    with pytest.raises(CannotOverrideError, match="its consumer Slotted can't be referenced weakly"):
        graph.override("Blocks", Blocks(9))


def test_an_override_refuses_where_a_cell_was_handed_on_and_assigned_over() -> None:
    wired = Wired()
    wired.reporter.allocate = lambda count: count + 1

    with pytest.raises(WiringError, match="another value was assigned"), wired.graph.override("Blocks", Blocks(1)):
        pytest.fail("it was let in")

    assert wired.scheduler.allocate(0) == 7


def test_a_graph_does_not_keep_a_provider_with_slots_only_alive() -> None:
    orch, reader = RegistryOrchestrator(), Reporter()
    orch.register(Limits(3), "most", reader)
    graph = orch.finalize()
    with graph.override("Limits", Limits(9)):
        pass
    del orch, reader
    gc.collect()

    assert not any(type(found) is Limits for found in gc.get_objects())
    with pytest.raises(CannotOverrideError, match="it is gone, and so are its consumers"):
        graph.override("Limits", Limits(9))


def test_a_consumer_can_not_stand_in_for_its_own_provider() -> None:
    wired = Wired()

    with pytest.raises(CannotOverrideError, match="the stand-in is its own consumer Scheduler"):
        wired.graph.override("Blocks", wired.scheduler)


def test_a_state_cell_of_that_name_on_the_class_keeps_no_method_from_being_swapped() -> None:
    class Giver:
        def num_free(self) -> int:
            return 1

    class Other:
        def num_free(self) -> int:
            return 2

    consumer = Reporter()
    orch, later = RegistryOrchestrator(), RegistryOrchestrator()
    orch.register(Giver(), "num_free", consumer)
    graph = orch.finalize()
    with graph.override("Giver", Other()):
        later.register(Blocks(), "num_free", Reporter())
        later.finalize()
        assert consumer.num_free() == 2  # type: ignore[attr-defined] # a cell
    assert consumer.num_free() == 1  # type: ignore[attr-defined] # same


def test_a_misspelled_id_is_told_with_near_ones() -> None:
    with pytest.raises(UnknownComponentError, match="Did you mean 'Blocks'"):
        Wired().graph.override("Block", Blocks())


def test_a_graph_that_was_read_holds_nothing_to_override() -> None:
    graph = Graph.from_json(Wired().graph.to_json())

    with pytest.raises(CannotOverrideError, match="nothing lives in this graph"):
        graph.override("Blocks", Blocks())


def test_a_component_of_a_nested_graph_is_found_by_its_id() -> None:
    class Runner:
        def __init__(self) -> None:
            orch = RegistryOrchestrator()
            orch.register(orch.add(Blocks(5), id="inner blocks"), "allocate", self)
            orch.finalize()

        allocate = Requires[Callable[[int], int]]()

        def run(self) -> int:
            return self.allocate(0)

    orch, runner, engine = RegistryOrchestrator(), Runner(), Reporter()
    orch.add(runner, id="the runner")
    orch.register(runner, "run", engine)
    graph = orch.finalize()

    with graph.override("inner blocks", Blocks(9)):
        assert runner.run() == 9
        with graph.nested["the runner"].override("inner blocks", Blocks(11)):
            assert runner.run() == 11
    with graph.override("the runner/inner blocks", Blocks(7)):
        assert runner.run() == 7
    assert runner.run() == 5


class Store:
    """Wires *blocks* to itself, in a graph inside."""

    def __init__(self, blocks: Blocks) -> None:
        orch = RegistryOrchestrator()
        orch.register(blocks, "allocate", self)
        orch.finalize()

    allocate = Requires[Callable[[int], int]]()

    def put(self) -> int:
        return self.allocate(0)


class Client:
    put = Requires[Callable[[], int]]()
    allocate = Requires[Callable[[int], int]]()


def _stores_with_clients(*stores: Store) -> tuple[Graph, list[Client]]:
    """Return the graph in which each store serves a client, and hands on to it what it is handed inside."""
    orch, clients = RegistryOrchestrator(), [Client() for _ in stores]
    for store, client in zip(stores, clients, strict=True):
        orch.register(store, "put", client)
        orch.register(store, "allocate", client)
    return orch.finalize(), clients


def test_a_provider_that_several_nested_graphs_share_is_swapped_in_all_of_them() -> None:
    blocks = Blocks(5)
    graph, clients = _stores_with_clients(Store(blocks), Store(blocks))

    with graph.override("Blocks", Blocks(9)):
        assert [client.put() for client in clients] == [9, 9]
    assert [client.put() for client in clients] == [5, 5]


def test_what_is_handed_on_out_of_a_nested_graph_comes_from_the_stand_in_too() -> None:
    graph, [client] = _stores_with_clients(Store(Blocks(5)))

    with graph.override("Blocks", Blocks(9)):
        assert (client.put(), client.allocate(0)) == (9, 9)
    assert client.allocate(0) == 5


def test_of_several_components_with_one_id_in_nested_graphs_none_is_chosen() -> None:
    graph, clients = _stores_with_clients(Store(Blocks(5)), Store(Blocks(6)))

    with pytest.raises(CannotOverrideError, match=r"(?s)several graphs inside .*\.\nAsk the one .* graph\.nested\["):
        graph.override("Blocks", Blocks(9))
    with graph.nested["Store#2"].override("Blocks", Blocks(9)):
        assert [client.put() for client in clients] == [5, 9]


def test_who_hands_cells_over_only_inside_is_asked_for_there() -> None:
    blocks = Blocks(5)
    orch, store, client = RegistryOrchestrator(), Store(blocks), Reporter()
    orch.add(blocks)
    orch.register(store, "put", client)
    graph = orch.finalize()

    with pytest.raises(CannotOverrideError, match=r"(?s)only in a graph inside .*graph\.nested\["):
        graph.override("Blocks", Blocks(9))


def test_a_graph_keeps_no_component_alive() -> None:
    wired = Wired()
    graph, gone = wired.graph, weakref.ref(wired.blocks)

    del wired
    gc.collect()

    assert gone() is None
    with pytest.raises(CannotOverrideError, match="it is gone"):
        graph.override("Blocks", Blocks())


def test_a_state_cell_that_was_lost_on_the_class_is_told_and_comes_back_with_the_patch_undone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Base: ...

    class Reading(Base): ...

    orch, reading = RegistryOrchestrator(), Reading()
    orch.register(Blocks(), "num_free", reading)
    graph = orch.finalize()
    monkeypatch.setattr(Reading, "num_free", 5, raising=False)

    for told, outcome in (
        (orch.compile, r"All else is bound as before\."),
        (lambda: graph.override("Blocks", Blocks()).__enter__(), r"Nothing was swapped\."),
    ):
        with pytest.raises(
            WiringError,
            match=rf"Reading reads 'num_free' from Blocks no more\.\n.*Reading\.num_free was a(.*\n)*{outcome}",
        ):
            told()
    monkeypatch.undo()

    assert reading.num_free == 7  # type: ignore[attr-defined] # a cell
    assert orch.compile() == graph


@pytest.mark.parametrize("name", ["allocate", "blocks"])
def test_a_property_on_the_class_that_hides_a_method_cell_or_an_interface_is_told(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    class Pooling(Whole): ...

    orch, blocks, pooling = RegistryOrchestrator(), Blocks(), Pooling()
    orch.register(blocks, "allocate", pooling)
    Pooling.blocks.register(orch, blocks, pooling)
    graph = orch.finalize()
    monkeypatch.setattr(Pooling, name, property(lambda _: None), raising=False)

    for told in (orch.compile, lambda: graph.override("Blocks", Blocks()).__enter__()):
        with pytest.raises(WiringError, match=rf"Pooling reads '{name}' from Blocks no more\.\n.*{name} was a"):
            told()
    monkeypatch.undo()

    assert orch.compile() == graph


def test_an_override_refuses_where_a_method_cell_was_assigned_over() -> None:
    wired = Wired()
    wired.scheduler.allocate = lambda count: count + 1

    with pytest.raises(WiringError, match="another value was assigned"), wired.graph.override("Blocks", Blocks(1)):
        pytest.fail("it was let in")

    assert wired.scheduler.allocate(1) == 2
    assert wired.whole.blocks.num_free == 7


def test_what_is_assigned_over_a_method_cell_inside_the_block_stays() -> None:
    wired = Wired()

    with wired.graph.override("Blocks", Blocks(1)):
        wired.scheduler.allocate = lambda count: count + 1

    assert wired.scheduler.allocate(1) == 2
    assert wired.scheduler.num_free == 7


def test_an_interface_that_is_kept_in_a_slot_is_swapped_and_put_back() -> None:
    class Requiring:
        __slots__ = ()
        blocks = Requires[Pool]()

    class Keeping(Requiring):
        __slots__ = ("__weakref__", "blocks")

    orch, blocks, slotted = RegistryOrchestrator(), Blocks(), Keeping()
    Requiring.blocks.register(orch, blocks, slotted)
    graph = orch.finalize()

    with graph.override("Blocks", Blocks(1)):
        assert (slotted.blocks.num_free, slotted.blocks.allocate(0)) == (1, 1)
    assert (slotted.blocks.num_free, slotted.blocks.allocate(0)) == (7, 7)


def _told(act: Callable[[], object]) -> list[str]:
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        act()
        gc.collect()
    return [str(warning.message) for warning in told if warning.category is OverrideNotEnteredWarning]


def test_an_override_that_is_thrown_away_says_that_nothing_was_swapped() -> None:
    wired = Wired()

    told = _told(lambda: wired.graph.override("Blocks", Blocks(1)))

    assert told == ["Blocks was not overridden: override() swaps it inside a `with` block only. [override-not-entered]"]


def test_an_override_that_was_entered_or_refused_says_nothing_of_that() -> None:
    wired = Wired()

    def act() -> None:
        with ExitStack() as stack:
            stack.enter_context(wired.graph.override("Blocks", Blocks(1)))
        with suppress(WiringError):
            wired.graph.override("Blocks", Reporter())
        wired.scheduler.allocate = lambda count: count
        with suppress(WiringError), wired.graph.override("Blocks", Blocks(1)):
            pass

    assert _told(act) == []


class Borrowing(Blocks):
    """A stand-in for Blocks that requires a cell itself."""

    lend = Requires[Callable[[], int]]()


def test_a_stand_in_that_was_not_handed_what_it_requires_is_refused() -> None:
    wired = Wired()

    with pytest.raises(
        CannotOverrideError, match="the stand-in Borrowing requires 'lend' itself, and was handed no such"
    ):
        wired.graph.override("Blocks", Borrowing())

    assert wired.reads() == [7] * 6


def test_a_stand_in_that_was_wired_before_or_takes_the_requirement_back_serves() -> None:
    class Lender:
        def lend(self) -> int:
            return 3

    class Free(Borrowing):
        lend = None  # type: ignore[assignment] # takes it back

    wired, orch, borrowing = Wired(), RegistryOrchestrator(), Borrowing(2)
    Borrowing.lend.register(orch, Lender().lend, borrowing)
    orch.finalize()

    with wired.graph.override("Blocks", borrowing):
        assert wired.reads() == [2] * 6
    with wired.graph.override("Blocks", Free(1)):
        assert wired.reads() == [1] * 6


def _slotted() -> tuple[Graph, Any, Blocks]:
    orch, blocks, slotted = RegistryOrchestrator(), Blocks(), Referable()
    orch.register(blocks, "allocate", slotted)
    return orch.finalize(), slotted, blocks


def test_what_is_assigned_in_a_slot_inside_the_block_stays() -> None:
    graph, slotted, _blocks = _slotted()

    with graph.override("Blocks", Blocks(1)):
        slotted.allocate = lambda count: count + 1

    assert slotted.allocate(1) == 2


def test_an_override_refuses_where_a_slot_was_assigned_over() -> None:
    graph, slotted, _blocks = _slotted()
    slotted.allocate = lambda count: count + 1

    with pytest.raises(WiringError, match="another value was assigned"), graph.override("Blocks", Blocks(1)):
        pytest.fail("it was let in")


def test_a_slot_is_put_back_though_the_stand_in_was_patched_in_the_block() -> None:
    graph, slotted, _blocks = _slotted()
    stand_in = Blocks(1)

    with graph.override("Blocks", stand_in), graph.override("Blocks", Mock()):
        vars(stand_in)["allocate"] = lambda _: 3

    assert slotted.allocate(0) == 7
