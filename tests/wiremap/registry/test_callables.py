"""Callables as providers: what hands itself over, and the consumer calls by a name of its own."""

import functools
from collections.abc import Callable
from typing import Any, Protocol

import pytest

from wiremap import Graph, RegistryOrchestrator, Requires, WiringError
from wiremap.errors import CellTypeError, InvalidCellNameError, UnknownCellError


def sample_greedy(logits: list[float]) -> int:
    return logits.index(max(logits))


def sample_first(logits: list[float]) -> int:
    return 0 * len(logits)


def sample_words(words: list[str]) -> str:
    return words[0]


class Sampler:
    def __init__(self, shift: int = 0) -> None:
        self.shift = shift

    def __call__(self, logits: list[float]) -> int:
        return sample_greedy(logits) + self.shift


class Scheduler:
    def step(self, logits: list[float]) -> Any:
        return self.sample(logits)  # type: ignore[attr-defined]


class TypedScheduler:
    sample = Requires[Callable[[list[float]], int]]()

    def step(self, logits: list[float]) -> int:
        return self.sample(logits)


LOGITS = [1.0, 3.0, 2.0]


def _graph(provider: object, consumer: object = None) -> Graph:
    orch = RegistryOrchestrator()
    orch.register(provider, "__call__", consumer or Scheduler(), name="sample")
    return orch.finalize()


@pytest.mark.parametrize(
    "provider",
    [sample_greedy, Sampler(), functools.partial(sample_greedy), max, lambda _: 1],
)
def test_what_can_be_called_hands_itself_over(provider: Any) -> None:
    scheduler: Any = Scheduler()

    _graph(provider, scheduler)

    assert scheduler.sample is provider


def test_a_class_is_handed_over_as_what_makes_its_instances() -> None:
    scheduler = Scheduler()

    _graph(dict, scheduler)

    assert scheduler.step([]) == {}


def test_a_typed_line_needs_no_name() -> None:
    orch, scheduler = RegistryOrchestrator(), TypedScheduler()
    TypedScheduler.sample.register(orch, sample_greedy, scheduler)

    graph = orch.finalize()

    assert scheduler.step(LOGITS) == 1
    assert graph == _graph(sample_greedy, TypedScheduler())


def test_the_graph_shows_the_function_itself_and_the_name_that_it_is_called_by() -> None:
    graph = _graph(sample_greedy)

    function, (binding,) = graph.component("sample_greedy"), graph.bindings
    assert (function.type, function.module, function.source_path.rpartition("/")[2], function.source_line) == (
        "sample_greedy",
        __name__,
        "test_callables.py",
        sample_greedy.__code__.co_firstlineno,
    )
    assert (binding.cell, binding.name) == ("__call__", "sample")
    assert Graph.from_json(graph.to_json()) == graph
    assert [dict(found) for found in graph.match("sample_greedy -[sample]-> Scheduler")] == [
        {"sample_greedy": "sample_greedy", "Scheduler": "Scheduler"}
    ]


def test_another_function_in_its_place_is_another_component_and_no_renaming() -> None:
    change = _graph(sample_greedy).diff(_graph(sample_first))

    assert [component.id for component in change.added] == ["sample_first"]
    assert _graph(sample_greedy).shape != _graph(sample_first).shape


def test_what_a_callable_was_made_with_is_told_apart() -> None:
    partials = [_graph(functools.partial(max, bound)).component("partial").parameters for bound in (1, 2)]
    closures = [_graph(_adding(bound)).component("add").parameters for bound in (1, 2)]

    assert None not in partials
    assert partials[0] != partials[1]
    assert None not in closures
    assert closures[0] != closures[1]


def _adding(bound: int) -> Callable[[list[float]], int]:
    def add(logits: list[float]) -> int:
        return len(logits) + bound

    return add


def test_a_consumer_may_hand_on_what_it_calls() -> None:
    orch = RegistryOrchestrator()
    first, second = TypedScheduler(), TypedScheduler()
    TypedScheduler.sample.register(orch, sample_greedy, first)
    orch.register(first, "sample", second)
    graph = orch.finalize()

    assert second.step(LOGITS) == 1
    with graph.override("sample_greedy", sample_first):
        assert (first.step(LOGITS), second.step(LOGITS)) == (0, 0)
    assert second.step(LOGITS) == 1


def test_one_consumer_calls_several_by_different_names() -> None:
    orch, consumer = RegistryOrchestrator(), Scheduler()
    orch.register(sample_greedy, "__call__", consumer, name="sample")
    orch.register(sample_first, "__call__", consumer, name="fall_back")
    orch.register(sample_greedy, "__call__", consumer, name="again")

    orch.finalize()

    reader: Any = consumer
    assert (reader.sample, reader.fall_back, reader.again) == (sample_greedy, sample_first, sample_greedy)


def test_two_under_one_name_are_a_fault() -> None:
    orch, consumer = RegistryOrchestrator(), Scheduler()
    orch.register(sample_greedy, "__call__", consumer, name="sample")
    orch.register(sample_first, "__call__", consumer, name="sample")

    with pytest.raises(WiringError, match="would get its cell 'sample' from sample_greedy and sample_first"):
        orch.compile()


def test_an_override_swaps_a_callable_and_puts_it_back() -> None:
    scheduler = Scheduler()
    graph = _graph(sample_greedy, scheduler)

    with graph.override("sample_greedy", Sampler(shift=5)):
        assert scheduler.step(LOGITS) == 6
        with graph.override("sample_greedy", sample_first):
            assert scheduler.step(LOGITS) == 0
    assert scheduler.step(LOGITS) == 1


def test_an_override_must_be_callable_and_fit() -> None:
    scheduler = TypedScheduler()
    graph = _graph(sample_greedy, scheduler)

    with pytest.raises(WiringError, match=r"object has no cell '__call__'(.*\n)*Pass what can be called"):
        graph.override("sample_greedy", object())
    with pytest.raises(WiringError, match=r"sample_words -\[sample\]-> TypedScheduler"):
        graph.override("sample_greedy", sample_words)


def _fault(provider: object, consumer: object) -> Exception:
    with pytest.raises(WiringError) as caught:
        _graph(provider, consumer)
    (fault,) = caught.value.faults
    return fault


def test_a_signature_that_does_not_fit_is_told_by_the_name_that_is_called() -> None:
    fault = _fault(sample_words, TypedScheduler())

    assert isinstance(fault, CellTypeError)
    assert "requires 'sample' as Callable[[list[float]], int], and that of sample_words does not fit" in str(fault)
    assert f"test_callables.py:{sample_words.__code__.co_firstlineno})" in str(fault)


def test_signatures_are_compared_for_each_function_though_all_are_of_one_class() -> None:
    orch = RegistryOrchestrator()
    for function in (sample_greedy, sample_words):
        TypedScheduler.sample.register(orch, function, TypedScheduler())  # type: ignore[arg-type]

    with pytest.raises(WiringError) as caught:
        orch.compile()
    assert len(caught.value.faults) == 1


def test_a_callable_is_no_state_and_no_interface() -> None:
    class Pool(Protocol):
        def allocate(self) -> None: ...

    class Needing:
        size = Requires[int]()
        pool = Requires[Pool]()

    orch, needing = RegistryOrchestrator(), Needing()
    for name in ("size", "pool"):
        orch.register(sample_greedy, "__call__", needing, name=name)

    with pytest.raises(WiringError) as caught:
        orch.compile()
    reasons = [fault.reason for fault in caught.value.faults if isinstance(fault, CellTypeError)]
    assert [reason.split(" (")[0].split(";")[0] for reason in reasons] == ["it is a callable", "it is a callable"]


def test_what_cant_be_called_and_what_is_a_method_of_another_object_is_refused() -> None:
    assert "Pass what can be called" in str(_fault(Scheduler(), Scheduler()))
    methods: list[object] = [Sampler().__call__, [].append]
    for method in methods:
        fault = _fault(method, Scheduler())
        assert isinstance(fault, UnknownCellError)
        assert "Pass the object, not its method" in str(fault)


def test_the_name_belongs_to_callables_and_they_need_one() -> None:
    orch = RegistryOrchestrator()

    with pytest.raises(InvalidCellNameError, match="Add what the consumer calls it"):
        orch.register(sample_greedy, "__call__", Scheduler())
    with pytest.raises(InvalidCellNameError, match="'shift' as the cell: its consumer can't call it"):
        orch.register(Sampler(), "shift", Scheduler(), name="offset")
    with pytest.raises(InvalidCellNameError, match="'two words' as the cell: it is no identifier"):
        orch.register(sample_greedy, "__call__", Scheduler(), name="two words")
    with pytest.raises(InvalidCellNameError, match="'__call__' as the cell: Python looks it up on the class"):
        orch.register(sample_greedy, "__call__", Scheduler(), name="__call__")


def test_a_taken_name_is_a_fault() -> None:
    class Own(Scheduler):
        def sample(self) -> None: ...

    assert "taken by" in str(_fault(sample_greedy, Own()))


def test_a_failed_start_takes_a_callable_back() -> None:
    class Failing(Scheduler):
        def __post_wire__(self) -> None:
            raise OSError("no device")

    consumer = Failing()
    with pytest.raises(OSError, match="no device"):
        _graph(sample_greedy, consumer)

    assert vars(consumer) == {}


def test_the_call_of_a_function_is_told_to_be_no_component() -> None:
    orch = RegistryOrchestrator()
    orch.register(getattr(len, "__call__"), "__call__", Scheduler(), name="allocate")  # noqa: B004, B009 -- its type is not known to type checkers

    with pytest.raises(WiringError, match="Pass the object, not its method '__call__'"):
        orch.compile()


class _Demanding:
    def __init__(self, first: str, second: str) -> None: ...


@pytest.mark.parametrize(
    "given", [functools.partial(sample_words, ["a"]), functools.partial(functools.partial(_Demanding)), _Demanding]
)
def test_a_misfit_shows_what_a_partial_or_a_class_calls(given: Any) -> None:
    orch = RegistryOrchestrator()
    orch.register(given, "__call__", TypedScheduler(), name="sample")

    with pytest.raises(WiringError) as caught:
        orch.compile()

    (fault,) = caught.value.faults
    assert isinstance(fault, CellTypeError)
    assert "test_callables.py:" in fault.reason
    assert "returns None" not in fault.reason
