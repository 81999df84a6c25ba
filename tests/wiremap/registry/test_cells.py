import dataclasses
import functools
from typing import Any
from unittest.mock import MagicMock, patch

import pytest

from tests.wiremap.registry.parts import Blocks, Engine
from wiremap import RegistryOrchestrator
from wiremap.errors import ModuleStateCellUnsetError, StateCellAssignmentError, StateCellUnsetError, WiringError
from wiremap.graph import CellKind
from wiremap.registry.state_cell import TABLE


def _hand(provider: object, cell: str, consumer: object) -> CellKind:
    orch = RegistryOrchestrator()
    orch.register(provider, cell, consumer)
    return orch.finalize().bindings[0].kind


def _consumer_of(provider: object, *cells: str) -> Any:
    class Consumer:
        """A class of its own for each test."""

    consumer = Consumer()
    for cell in cells:
        _hand(provider, cell, consumer)
    return consumer


# Method cells


def test_a_method_cell_is_the_providers_bound_method_in_the_instance() -> None:
    blocks = Blocks()
    consumer = _consumer_of(blocks, "allocate")

    assert vars(consumer)["allocate"] == blocks.allocate
    assert consumer.allocate(3) == 4
    assert blocks.num_free == 4


def test_a_method_patched_on_the_instance_is_handed_over_as_patched() -> None:
    blocks = Blocks()
    blocks.allocate = lambda count: -count  # type: ignore[method-assign] # as tests do

    assert _consumer_of(blocks, "allocate").allocate(3) == -3
    assert _hand(blocks, "allocate", Engine()) == "method"


def test_a_mocked_method_is_handed_over_as_mocked() -> None:
    blocks = Blocks()
    with patch.object(blocks, "allocate", return_value=1) as mocked:
        consumer = _consumer_of(blocks, "allocate")

    assert consumer.allocate(5) == 1
    mocked.assert_called_once_with(5)


def test_a_cell_is_visible_on_its_consumer_and_nowhere_else() -> None:
    class Outer:
        pass

    class Inner:
        pass

    outer, inner, sibling = Outer(), Inner(), Inner()
    vars(outer)["inner"] = inner
    orch = RegistryOrchestrator()
    orch.add(outer)
    blocks = Blocks()
    orch.register(blocks, "allocate", inner)
    orch.register(blocks, "num_free", inner)

    graph = orch.finalize()

    assert {edge.consumer for edge in graph.bindings} == {"Outer.inner"}
    assert not any(hasattr(other, cell) for other in (outer, sibling) for cell in ("allocate", "num_free"))


def test_a_frozen_dataclass_can_consume() -> None:
    @dataclasses.dataclass(frozen=True)
    class Frozen:
        size: int

    frozen: Any = Frozen(3)
    _hand(Blocks(), "allocate", frozen)
    _hand(Blocks(), "num_free", frozen)

    assert frozen.allocate(1) == 6
    assert frozen.num_free == 7
    assert frozen == Frozen(3)


class _Menu:
    """Everything that a class can hold under a name."""

    constant = 3
    plain_builtin = len
    annotated: int

    def __init__(self) -> None:
        self.stored = 1
        self.function = len
        self.items: list[int] = []
        self.append = self.items.append

    def method(self) -> str:
        return "method"

    @classmethod
    def of_class(cls) -> str:
        return cls.__name__

    @staticmethod
    def static() -> str:
        return "static"

    @functools.lru_cache  # noqa: B019 -- one instance
    def cached(self) -> str:
        return "cached"

    @property
    def computed(self) -> int:
        return self.stored + 1

    @functools.cached_property
    def once(self) -> int:
        return self.stored


@pytest.mark.parametrize(
    ("cell", "kind"),
    [
        ("method", "method"),
        ("of_class", "method"),
        ("static", "method"),
        ("cached", "method"),
        ("append", "state"),
        ("constant", "state"),
        ("plain_builtin", "state"),
        ("annotated", "state"),
        ("stored", "state"),
        ("function", "state"),
        ("computed", "state"),
        ("once", "state"),
    ],
)
def test_kinds_of_cells(cell: str, kind: str) -> None:
    assert _hand(_Menu(), cell, _consumer_of(Blocks())) == kind


def test_every_kind_of_method_can_be_called_through_its_cell() -> None:
    consumer = _consumer_of(menu := _Menu(), "method", "of_class", "static", "cached", "append")

    consumer.append(1)

    assert (consumer.method(), consumer.of_class(), consumer.static(), consumer.cached()) == (
        "method",
        "_Menu",
        "static",
        "cached",
    )
    assert menu.items == [1]


def test_finding_out_the_kind_runs_no_property() -> None:
    class Costly:
        runs = 0

        @property
        def weights(self) -> int:
            Costly.runs += 1
            return 1

    orch = RegistryOrchestrator()
    orch.register(Costly(), "weights", Engine())
    orch.compile()

    assert Costly.runs == 0


def test_a_provider_with_dynamic_attributes_hands_over_state() -> None:
    provider = MagicMock()

    assert _consumer_of(provider, "anything").anything is provider.anything


def test_a_cell_can_be_handed_on() -> None:
    blocks, middle, last = Blocks(), _consumer_of(Blocks()), _consumer_of(Blocks())
    orch = RegistryOrchestrator()
    for cell in ("allocate", "num_free"):
        orch.register(middle, cell, last)
        orch.register(blocks, cell, middle)

    graph = orch.finalize()

    assert [edge.kind for edge in graph.bindings if edge.consumer == "Consumer#2"] == ["method", "state"]
    assert last.allocate(2) == 5
    assert last.num_free == 5


# State cells


def test_a_state_cell_always_reads_the_current_value() -> None:
    blocks = Blocks()
    consumer = _consumer_of(blocks, "num_free", "allocate")

    blocks.num_free = 8
    assert consumer.num_free == 8
    consumer.allocate(3)
    assert consumer.num_free == 5


def test_a_bound_method_kept_under_a_name_of_its_own_may_be_replaced_by_another() -> None:
    class Switching:
        def __init__(self) -> None:
            self.run = self.slow

        def __post_wire__(self) -> None:
            self.run = self.fast

        def slow(self) -> str:
            return "slow"

        def fast(self) -> str:
            return "fast"

    assert _consumer_of(Switching(), "run").run() == "fast"


def test_assigning_or_deleting_a_state_cell_names_its_owner() -> None:
    blocks = Blocks()
    consumer = _consumer_of(blocks, "num_free")

    message = r"^Consumer reads 'num_free' from Blocks and can't assign or delete it\. .*\[state-cell-as"
    with pytest.raises(StateCellAssignmentError, match=message):
        consumer.num_free = 8
    with pytest.raises(StateCellAssignmentError, match=message):
        del consumer.num_free
    assert blocks.num_free == 7


def test_a_class_that_assigns_in_a_way_of_its_own_refuses_too_and_goes_on_with_the_rest() -> None:
    @dataclasses.dataclass(frozen=True)
    class Frozen:
        size: int

    class Storing:
        def __setattr__(self, name: str, value: object) -> None:
            vars(self)[name] = value

    frozen, storing = Frozen(3), Storing()
    for consumer in (frozen, storing):
        reader: Any = consumer
        _hand(Blocks(), "num_free", reader)
        with pytest.raises(StateCellAssignmentError, match="reads 'num_free' from Blocks"):
            reader.num_free = 8

    with pytest.raises(dataclasses.FrozenInstanceError):
        frozen.size = 4  # type: ignore[misc]
    storing.size = 4
    assert vars(storing)["size"] == 4


def test_other_instances_of_the_class_behave_as_before() -> None:
    consumer = _consumer_of(Blocks(), "num_free")
    other = type(consumer)()

    with pytest.raises(AttributeError, match=r"^'Consumer' object has no attribute 'num_free'$"):
        _ = other.num_free
    with pytest.raises(AttributeError, match="no attribute"):
        del other.num_free
    assert not hasattr(type(consumer), "num_free")
    other.num_free = 1
    assert other.num_free == 1
    assert vars(other) == {"num_free": 1}
    del other.num_free
    assert not hasattr(other, "num_free")


class Counting:
    """Defines what another class further down is handed."""

    limit = 5

    @property
    def num_free(self) -> int:
        return self._num_free

    @num_free.setter
    def num_free(self, value: int) -> None:
        self._num_free = value * 10

    @num_free.deleter
    def num_free(self) -> None:
        del self._num_free


def test_an_unwired_instance_of_a_derived_class_has_what_another_base_defines() -> None:
    class Wired:
        """Comes before that base."""

    class Derived(Wired, Counting):
        """Of which no instance is wired."""

    class Provider(Blocks):
        limit = 7

    wired = Wired()
    for cell in ("num_free", "limit"):
        _hand(Provider(), cell, wired)
    derived = Derived()

    derived.num_free = 3
    assert (derived.num_free, derived.limit) == (30, 5)
    assert (Derived.num_free, Derived.limit) == (Counting.num_free, 5)
    derived.limit = 6
    assert derived.limit == 6
    del derived.num_free
    assert vars(derived) == {"limit": 6}


def test_two_instances_of_one_class_read_from_their_own_providers() -> None:
    first = _consumer_of(Blocks(), "num_free")
    second: Any = type(first)()
    blocks = Blocks()
    _hand(blocks, "num_free", second)

    blocks.num_free = 1

    assert (first.num_free, second.num_free) == (7, 1)


def test_dynamic_attributes_of_an_unwired_instance_still_work() -> None:
    class Dynamic:
        def __getattr__(self, name: str) -> str:
            return f"dynamic {name}"

    wired: Any = Dynamic()
    _hand(Blocks(), "num_free", wired)

    assert wired.num_free == 7
    assert Dynamic().num_free == "dynamic num_free"


def test_a_state_that_is_only_annotated_may_come_later() -> None:
    menu = _Menu()
    consumer = _consumer_of(menu, "annotated")

    with pytest.raises(
        StateCellUnsetError,
        match=r"read the cell 'annotated', but _Menu has no value for it now\.\nSet it in _Menu",
    ):
        _ = consumer.annotated
    assert not hasattr(consumer, "annotated")
    menu.annotated = 4
    assert consumer.annotated == 4


def test_wiring_is_noted_in_the_consumer_and_keeps_the_provider_alive() -> None:
    consumer = _consumer_of(blocks := Blocks(), "num_free")

    ((name, note),) = vars(consumer)[TABLE].items()
    assert (name, note.provider, note.provider_id) == ("num_free", blocks, "Blocks")
    assert note.where.file == __file__


def test_one_name_may_be_state_on_one_instance_and_a_method_on_another() -> None:
    class Giver:
        def num_free(self) -> str:
            return "a method"

    class Failing(Giver):
        def __post_wire__(self) -> None:
            raise RuntimeError("no")

    first = _consumer_of(Blocks(), "num_free")
    second, third = type(first)(), type(first)()
    _hand(Giver(), "num_free", second)
    with pytest.raises(RuntimeError, match="no"):
        _hand(Failing(), "num_free", third)

    assert first.num_free == 7
    assert second.num_free() == "a method"
    assert not hasattr(third, "num_free")


def test_a_class_with_getattr_is_told_which_state_is_missing() -> None:
    class Dynamic:
        def __getattr__(self, name: str) -> str:
            return f"dynamic {name}"

    reader: Any = Dynamic()
    _hand(_Menu(), "annotated", reader)

    with pytest.raises(ModuleStateCellUnsetError, match=r"^Dynamic read the cell 'annotated', but _Menu has no value"):
        _ = reader.annotated


def test_a_subclass_that_wraps_the_assignment_of_its_base_refuses_too() -> None:
    class Storing:
        def __setattr__(self, name: str, value: object) -> None:
            vars(self)[name] = value

    _hand(Blocks(), "num_free", Storing())

    class Derived(Storing):
        @functools.wraps(Storing.__setattr__)
        def __setattr__(self, name: str, value: object) -> None:  # type: ignore[override] # what it wraps has another self
            vars(self)[name] = value

    derived: Any = Derived()
    _hand(Blocks(), "num_free", derived)

    with pytest.raises(StateCellAssignmentError):
        derived.num_free = 3


def _refusing(_: object) -> None:
    raise AttributeError("hidden")


@pytest.mark.parametrize("hidden", [property(_refusing), property(lambda _: {}), property(lambda _: None)])
def test_a_class_that_hides_its_dict_reads_and_assigns_as_any_other(hidden: property) -> None:
    class Storing:
        def __setattr__(self, name: str, value: object) -> None:
            object.__setattr__(self, name, value)

    first: Any = Storing()
    _hand(Blocks(), "num_free", first)
    hiding = type("Hiding", (Storing,), {"__dict__": hidden})
    unwired: Any = hiding()
    wired: Any = hiding()
    _hand(Blocks(), "num_free", wired)

    unwired.num_free = 3
    unwired.other = 4
    assert (unwired.num_free, unwired.other, wired.num_free) == (3, 4, 7)
    with pytest.raises(StateCellAssignmentError):
        wired.num_free = 3


def test_a_class_whose_dict_can_not_be_reached_has_no_room() -> None:
    hiding: Any = type("Hiding", (), {"__dict__": property(_refusing)})

    with pytest.raises(WiringError, match="its class Hiding hides the __dict__ of its instances"):
        _hand(Blocks(), "num_free", hiding())
