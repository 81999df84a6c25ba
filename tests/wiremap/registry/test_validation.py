"""Every fault of a wiring, each told once; ``tests/golden/wiring_messages.txt`` shows the messages as a whole."""

import collections
import dataclasses
import random
import re
import types
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, Protocol
from unittest.mock import Mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.wiremap.registry.parts import Blocks, Engine, Scheduler
from wiremap import RegistryOrchestrator, Requires, WiringError
from wiremap.errors import (
    BindingCycleError,
    CannotHoldCellError,
    ConflictingIdError,
    DuplicateIdError,
    MissingCellError,
    NameTakenError,
    TwoProvidersError,
    UnknownCellError,
    WiremapError,
)

HERE = r"tests.wiremap.registry.test_validation\.py:\d+"
PARTS = r"tests.wiremap.registry.parts\.py:\d+"
Registration = tuple[object, str, object]


def _registered(*registrations: Registration) -> RegistryOrchestrator:
    orch = RegistryOrchestrator()
    for provider, cell, consumer in registrations:
        orch.register(provider, cell, consumer)
    return orch


def _faults(orch: RegistryOrchestrator) -> tuple[WiremapError, ...]:
    with pytest.raises(WiringError) as caught:
        orch.compile()
    return caught.value.faults


def _only_fault(orch: RegistryOrchestrator) -> Any:
    (fault,) = _faults(orch)
    return fault


class _Giver:
    """Has the state cells that it is told."""

    def __init__(self, *cells: str) -> None:
        vars(self).update(dict.fromkeys(cells, 1))


# A cell that the provider lacks


def test_an_unknown_cell_names_both_ends_the_lines_and_near_names() -> None:
    fault = _only_fault(_registered((Blocks(), "alocate", Engine())))

    assert isinstance(fault, UnknownCellError)
    assert re.fullmatch(
        rf"Blocks has no cell 'alocate' to hand to Engine\.\n"
        rf"    {HERE}: Blocks -\[alocate\]-> Engine\n"
        rf"    {PARTS}: the class of Blocks\n"
        r"Did you mean 'allocate'\? \[unknown-cell\]",
        str(fault),
    )


def test_an_unknown_cell_without_near_names_says_how_to_declare_it() -> None:
    with pytest.raises(WiringError, match="Define it on the provider's class, or annotate it there"):
        _registered((Blocks(), "zzz", Engine())).compile()


def test_near_names_are_those_of_cells_that_this_very_provider_has() -> None:
    class Reader:
        freed: int

        def _free(self) -> None: ...

    _registered((Blocks(), "num_free", Reader())).finalize()  # leaves a descriptor on the class
    _registered((_Giver("free_blocks"), "free_blocks", reader := Reader())).finalize()

    fault = _only_fault(_registered((reader, "free", Engine())))

    assert fault.known == ("free_blocks", "freed")


def test_a_misspelled_cell_is_not_also_missed_by_its_consumer() -> None:
    fault = _only_fault(_registered((Blocks(), "alocate", Scheduler())))

    assert isinstance(fault, UnknownCellError)
    ((cell, where),) = fault.wanted
    assert cell == "allocate"
    assert re.fullmatch(PARTS, where)
    assert f"{where}: Scheduler requires 'allocate'" in str(fault)


def test_a_provider_taken_for_the_consumer_is_told_once() -> None:
    fault = _only_fault(_registered((Scheduler(), "allocate", Blocks())))

    assert isinstance(fault, UnknownCellError)
    assert "Blocks has it: pass the provider first" in str(fault)


def test_a_misspelled_cell_is_told_of_the_first_that_hands_it_on() -> None:
    blocks, first, second = Blocks(), Engine(), Engine()

    fault = _only_fault(_registered((first, "alocate", second), (blocks, "alocate", first)))

    assert fault.site[:3] == ("Blocks", "alocate", "Engine")


def test_a_misspelled_cell_closes_no_cycle_takes_no_name_and_has_no_rival() -> None:
    scheduler, blocks, sealed = _Giver("schedule"), Blocks(), _Sealed()
    orch = _registered(
        (blocks, "allocate", scheduler),
        (scheduler, "alocate", blocks),
        (blocks, "shedule", scheduler),
        (scheduler, "shedule", sealed),
        (_Giver("shedule"), "shedule", engine := Engine()),
        (_Giver(), "shedule", engine),
    )

    assert [fault.code for fault in _faults(orch)] == ["unknown-cell"] * 3


# What the consumer can't take


def test_two_providers_of_one_cell_are_both_named_with_their_lines() -> None:
    engine = Engine()
    fault = _only_fault(_registered((Blocks(), "allocate", engine), (Blocks(), "allocate", engine)))

    assert isinstance(fault, TwoProvidersError)
    assert [site[:3] for site in fault.sites] == [("Blocks", "allocate", "Engine"), ("Blocks#2", "allocate", "Engine")]
    assert all(re.fullmatch(HERE, site.where) for site in fault.sites)


def test_a_method_of_the_consumers_class_is_not_replaced_silently() -> None:
    class Stubborn(Engine):
        def allocate(self) -> None: ...

    fault = _only_fault(_registered((Blocks(), "allocate", Stubborn())))

    assert isinstance(fault, NameTakenError)
    assert fault.holder.endswith("Stubborn.allocate of its class")
    assert re.fullmatch(HERE, fault.holder_at)
    assert fault.holder_at != fault.site.where


def test_a_default_on_the_consumers_class_takes_the_name() -> None:
    class Defaulted:
        allocate: Callable[[int], int] | None = None

    with pytest.raises(WiringError, match=r"Defaulted\.allocate of its class"):
        _registered((Blocks(), "allocate", Defaulted())).compile()


def test_an_attribute_takes_the_name_and_its_line_is_found() -> None:
    class Counting:
        def __init__(self) -> None:
            self.num_free = 3

    fault = _only_fault(_registered((Blocks(), "num_free", Counting())))

    assert fault.holder == "an attribute of the instance"
    assert re.fullmatch(HERE, fault.holder_at)


def test_a_name_taken_is_told_once_however_many_would_give_it() -> None:
    engine = Engine()
    vars(engine)["allocate"] = 3

    faults = _faults(_registered((Blocks(), "allocate", engine), (Blocks(), "allocate", engine)))

    assert [fault.code for fault in faults] == ["two-providers", "name-taken"]


def test_a_cell_of_another_orchestrator_takes_the_name() -> None:
    engine = Engine()
    first = RegistryOrchestrator()
    first.register(Blocks(), "allocate", engine)
    first.finalize()

    fault = _only_fault(_registered((Blocks(), "allocate", engine)))

    assert fault.holder == "Blocks's cell in another orchestrator"
    assert re.fullmatch(HERE, fault.holder_at)
    assert fault.holder_at != fault.site.where
    assert fault.cure.startswith("A cell stays, after close() too")


class _Executing:
    @property
    def num_free(self) -> int:
        return 0

    def allocate(self) -> None: ...


def test_who_may_not_rename_its_method_or_property_is_shown_the_way_by_a_protocol() -> None:
    cures = [_only_fault(_registered((Blocks(), name, _Executing()))).cure for name in ("allocate", "num_free")]

    assert cures == [
        "Remove or rename that. Where both must stay,\n"
        f"require a protocol, peer = Requires[Peer](), and read self.peer.{name}."
        for name in ("allocate", "num_free")
    ]


def test_the_same_binding_in_two_orchestrators_is_harmless() -> None:
    blocks, engine = Blocks(), Engine()

    first = _registered((blocks, "allocate", engine)).finalize()
    second = _registered((blocks, "allocate", engine)).finalize()

    assert first.bindings == second.bindings


def test_a_bare_annotation_takes_no_name() -> None:
    class Annotated:
        allocate: Callable[[int], int]

    _registered((Blocks(), "allocate", Annotated())).finalize()


def test_a_mock_that_answers_everything_can_consume() -> None:
    consumer = Mock()

    _registered((blocks := Blocks(), "allocate", consumer)).finalize()

    assert consumer.allocate.__self__ is blocks


class _Slotted:
    __slots__ = ("allocate",)
    allocate: Any


class _Sealed:
    __slots__ = ()


class _AttrsSlots:
    """What attrs makes of a class, as far as it matters here."""

    __slots__ = ("__weakref__",)
    __attrs_attrs__ = ()


class _Sizes(NamedTuple):
    size: int


@dataclasses.dataclass(frozen=True, slots=True)
class _FrozenSlots:
    size: int = 1


@pytest.mark.parametrize(
    ("cell", "consumer", "message"),
    [
        (
            "allocate",
            _Sealed(),
            r"no place for new attributes\nAdd '__dict__' to its __slots__, or the name of the cell\.",
        ),
        ("num_free", _Sealed(), r"no place for new attributes\nAdd '__dict__' to its __slots__\. \["),
        ("allocate", _FrozenSlots(), r"class _FrozenSlots has no place .*\nTake slots=True out of its @dataclass\. \["),
        ("allocate", _AttrsSlots(), r"no place .*\nPass slots=False to its decorator of attrs, as in @define\("),
        ("allocate", _Sizes(1), r"no place for new attributes\nMake it a dataclass: nothing .* to a NamedTuple\. \["),
        ("num_free", types.SimpleNamespace(), r"is built in and can't be extended\nDerive a class of your own"),
        ("allocate", collections.deque(), r"its class deque is built in"),
    ],
)
def test_a_consumer_without_room_is_told_why_and_what_to_do(cell: str, consumer: object, message: str) -> None:
    orch = _registered((Blocks(), cell, consumer))

    assert isinstance(_only_fault(orch), CannotHoldCellError)
    with pytest.raises(WiringError, match=message):
        orch.finalize()


def test_a_consumer_without_room_for_several_cells_is_told_once() -> None:
    blocks, sealed = Blocks(), _Sealed()

    fault = _only_fault(_registered((blocks, "allocate", sealed), (blocks, "num_free", sealed)))

    assert [site.cell for site in fault.sites] == ["allocate", "num_free"]
    assert fault.cure == "Add '__dict__' to its __slots__."


class _Extended:
    def read(self) -> None: ...


setattr(_Extended, "num_free", 3)  # noqa: B010 -- as a plug-in does it


def test_a_value_put_on_the_class_later_is_told_with_the_line_of_the_class() -> None:
    line = _Extended.read.__code__.co_firstlineno - 1

    with pytest.raises(WiringError, match=rf"test_validation\.py:{line}: taken by _Extended\.num_free of its class"):
        _registered((Blocks(), "num_free", _Extended())).compile()


def test_a_slot_has_no_room_for_a_state_cell() -> None:
    class Slotted:
        __slots__ = ("__dict__", "num_free")

    with pytest.raises(WiringError, match="Take 'num_free' out of the __slots__ of "):
        _registered((Blocks(), "num_free", Slotted())).compile()


def test_a_free_slot_takes_a_method_cell_and_a_filled_one_does_not() -> None:
    free, filled = _Slotted(), _Slotted()
    filled.allocate = 1

    _registered((Blocks(), "allocate", free)).finalize()

    assert free.allocate(2) == 5
    with pytest.raises(WiringError, match="taken by the value in its slot"):
        _registered((Blocks(), "allocate", filled)).compile()


# Cycles


def test_a_cycle_is_drawn_with_every_line() -> None:
    orch = RegistryOrchestrator()
    p, q = orch.add(_Giver("x"), id="A"), orch.add(_Giver("y"), id="B")
    orch.register(p, "x", q)
    orch.register(q, "y", p)

    fault = _only_fault(orch)

    assert isinstance(fault, BindingCycleError)
    assert re.match(
        rf"The bindings form a cycle: A -\[x\]-> B -\[y\]-> A\n"
        rf"    {HERE}: A -\[x\]-> B\n"
        rf"    {HERE}: B -\[y\]-> A\n"
        r"Drop one",
        str(fault),
    )


def test_a_cycle_names_every_cell_between_two_of_its_components() -> None:
    orch = RegistryOrchestrator()
    p, q = orch.add(_Giver("x", "more"), id="A"), orch.add(_Giver("y"), id="B")
    orch.register(p, "x", q)
    orch.register(q, "y", p)
    orch.register(p, "more", q)

    assert re.match(
        rf"The bindings form a cycle: A -\[x, more\]-> B -\[y\]-> A\n"
        rf"    {HERE}: A -\[x\]-> B\n"
        rf"    {HERE}: A -\[more\]-> B\n"
        rf"    {HERE}: B -\[y\]-> A\n"
        r"Drop all from one component to the next, or move",
        str(_only_fault(orch)),
    )


def test_many_cells_of_a_cycle_are_drawn_in_short() -> None:
    p, q = _Giver("a", "b", "c", "d"), _Giver("y")

    fault = _only_fault(_registered(*((p, cell, q) for cell in "abcd"), (q, "y", p)))

    assert "-[a, b, ...]->" in str(fault)


def test_an_interface_is_told_once_in_a_cycle() -> None:
    class Pool(Protocol):
        num_free: int

        def allocate(self, count: int) -> int: ...

    class User:
        pool = Requires[Pool]()
        size = 3

    orch, blocks, user = RegistryOrchestrator(), Blocks(), User()
    orch.register(user, "size", blocks)
    User.pool.register(orch, blocks, user)

    assert [site.cell for site in _only_fault(orch).sites] == ["pool", "size"]


def test_a_cell_handed_round_in_a_circle_is_a_cycle_and_not_unknown() -> None:
    a, b, c = Engine(), Engine(), Engine()

    fault = _only_fault(_registered((a, "x", b), (b, "x", c), (c, "x", a)))

    assert isinstance(fault, BindingCycleError)


def test_separate_cycles_are_reported_together() -> None:
    a, b, c, d = _Giver("ab"), _Giver("ba"), _Giver("cd"), _Giver("dc")

    faults = _faults(_registered((a, "ab", b), (b, "ba", a), (c, "cd", d), (d, "dc", c)))

    assert [fault.code for fault in faults] == ["binding-cycle"] * 2


def test_components_that_were_given_one_id_are_not_one_in_a_cycle() -> None:
    orch = RegistryOrchestrator()
    a, b, c = orch.add(_Giver("x"), id="same"), _Giver("y"), orch.add(_Giver(), id="same")
    orch.register(a, "x", b)
    orch.register(b, "y", c)

    assert isinstance(_only_fault(orch), DuplicateIdError)


# Missing cells


def test_a_missing_cell_shows_who_needs_it_where_and_who_has_it() -> None:
    orch = RegistryOrchestrator()
    scheduler = orch.add(Scheduler())
    orch.add(Blocks())
    orch.register(scheduler, "schedule", Engine())

    fault = _only_fault(orch)

    assert isinstance(fault, MissingCellError)
    assert re.fullmatch(
        r"Scheduler requires the cell 'allocate', and nobody hands it over\.\n"
        rf"    {PARTS}: 'allocate' is required\n"
        rf"    {HERE}: Scheduler is added\n"
        r"    \?\?\? -\[allocate\]-> Scheduler -\[schedule\]-> Engine\n"
        r"Blocks has it: orch\.register\(provider, 'allocate', consumer\)\. \[missing-cell\]",
        str(fault),
    )


class _Pool(Protocol):
    num_free: int

    def allocate(self, count: int) -> int: ...


class _Pooling:
    pool = Requires[_Pool]()


def test_a_missing_interface_is_had_by_who_has_all_of_its_cells() -> None:
    orch = RegistryOrchestrator()
    orch.add(_Pooling())
    orch.add(_Giver("num_free"))
    orch.add(Blocks())

    fault = _only_fault(orch)

    assert isinstance(fault, MissingCellError)
    assert "\nBlocks has it: _Pooling.pool.register(orch, provider, consumer)." in str(fault)


def test_a_missing_cell_that_nobody_has_may_have_another_name() -> None:
    orch = RegistryOrchestrator()
    orch.add(Scheduler())
    orch.add(_Giver("allocated"))

    assert "_Giver has 'allocated': use one name on both sides" in str(_only_fault(orch))


def test_a_missing_cell_is_not_also_unknown_where_it_should_be_handed_on() -> None:
    fault = _only_fault(_registered((Scheduler(), "allocate", Engine())))

    assert isinstance(fault, MissingCellError)
    assert fault.path == (("allocate", "Scheduler"), ("allocate", "Engine"))


def test_a_requirement_can_be_met_by_hand_or_by_another_orchestrator() -> None:
    by_hand, by_other = Scheduler(), Scheduler()
    by_hand.allocate = lambda count: count
    _registered((Blocks(), "allocate", by_other)).finalize()
    orch = RegistryOrchestrator()

    orch.add(by_hand)
    orch.add(by_other)

    orch.compile()


def test_a_required_state_cell_met_by_another_orchestrator_is_not_missing() -> None:
    class Reader:
        num_free: Requires[int]

    reader = Reader()
    _registered((Blocks(), "num_free", reader)).finalize()
    orch = RegistryOrchestrator()
    orch.add(reader)

    orch.compile()


# Ids


def test_one_id_for_two_components_names_both_and_where_the_id_was_given() -> None:
    orch = RegistryOrchestrator()
    blocks, engine = Blocks(), Engine()
    orch.register(blocks, "allocate", engine)
    orch.add(blocks, id="kv")
    orch.add(engine, id="kv")

    fault = _only_fault(orch)

    assert isinstance(fault, DuplicateIdError)
    assert [type_name for type_name, _ in fault.holders] == ["Blocks", "Engine"]
    first, second = (int(where.split(":")[1]) for _, where in fault.holders)
    assert second == first + 1


def test_two_ids_for_one_component_are_a_fault_in_one_orchestrator_and_in_two() -> None:
    blocks = Blocks()
    orch = RegistryOrchestrator()
    orch.add(blocks, id="kv")
    orch.finalize()
    other = RegistryOrchestrator()
    other.add(blocks, id="cache")

    fault = _only_fault(other)

    assert isinstance(fault, ConflictingIdError)
    assert [name for name, _ in fault.names] == ["kv", "cache"]
    assert all(re.fullmatch(HERE, where) for _, where in fault.names)
    twice = RegistryOrchestrator()
    twice.add(engine := Engine(), id="a")
    twice.add(engine, id="b")
    assert _only_fault(twice).code == "conflicting-id"


def test_whether_one_of_two_ids_is_given_elsewhere_is_not_asked() -> None:
    orch = RegistryOrchestrator()
    blocks = orch.add(Blocks(), id="kv")
    orch.add(blocks, id="cache")
    orch.add(Engine(), id="kv")

    assert isinstance(_only_fault(orch), ConflictingIdError)


# All together


def test_all_faults_are_reported_together_and_numbered() -> None:
    orch = RegistryOrchestrator()
    orch.add(Scheduler())
    orch.register(Blocks(), "alocate", Engine())
    orch.register(Blocks(), "allocate", _Sealed())

    with pytest.raises(WiringError) as caught:
        orch.finalize()

    text = str(caught.value)
    assert [fault.code for fault in caught.value.faults] == ["unknown-cell", "cannot-hold-cell", "missing-cell"]
    assert text.startswith("The wiring has 3 faults:\n\n  1. Blocks has no cell")
    assert text.endswith("\n\nNothing was bound. [wiring]")


def test_a_single_fault_reads_without_a_number() -> None:
    with pytest.raises(WiringError) as caught:
        _registered((Blocks(), "alocate", Engine())).compile()

    first, *_, last = str(caught.value).splitlines()
    assert first == "Blocks has no cell 'alocate' to hand to Engine."
    assert last == "Nothing was bound. [wiring]"


def test_many_faults_of_one_sort_do_not_hide_another() -> None:
    orch = RegistryOrchestrator()
    for _ in range(48):
        orch.add(Scheduler())
    orch.register(Blocks(), "alocate", Engine())

    with pytest.raises(WiringError) as caught:
        orch.compile()

    text = str(caught.value)
    assert len(caught.value.faults) == 49
    assert text.count("[missing-cell]\n") == 5
    assert "... and 43 more [missing-cell], in error.faults" in text
    assert "[unknown-cell]" in text


Step = Callable[[RegistryOrchestrator], object]
Plan = tuple[list[Step], str]
"""What makes one fault of a wiring, and its code."""


def _register(*registrations: Registration) -> list[Step]:
    def step(registration: Registration) -> Step:
        return lambda orch: orch.register(*registration)

    return [step(registration) for registration in registrations]


def _requiring(cell: str) -> Any:
    return type("Requiring", (), {"__annotations__": {cell: Requires[int]}})()


def _planted(sort: str, cell: str, sound: _Giver) -> Plan:
    """Return a fault that mentions *cell*, at components of its own that also take something *sound*."""
    giver, taker, other = _Giver(cell), _Giver(), _Giver(cell)
    also_sound = _register((sound, "sound", taker))
    plans: dict[str, Callable[[], Plan]] = {
        "unknown": lambda: (_register((sound, cell, taker)), "unknown-cell"),
        "misspelled": lambda: (_register((giver, f"{cell}s", _requiring(cell))), "unknown-cell"),
        "swapped": lambda: (_register((_requiring(cell), cell, giver)), "unknown-cell"),
        "handed on": lambda: (_register((sound, cell, taker), (taker, cell, Engine())), "unknown-cell"),
        "rivals": lambda: (_register((giver, cell, taker), (other, cell, taker)), "two-providers"),
        "taken": lambda: (_register((giver, cell, other)), "name-taken"),
        "sealed": lambda: (_register((giver, cell, sealed := _Sealed()), (sound, "sound", sealed)), "cannot-hold-cell"),
        "cycle": lambda: (_register((giver, cell, taker), (taker, "sound", giver)), "binding-cycle"),
        "missing": lambda: (
            _register((asking := _requiring(cell), cell, taker), (sound, "sound", asking)),
            "missing-cell",
        ),
        "one id": lambda: ([lambda o: o.add(giver, id=cell), lambda o: o.add(other, id=cell)], "duplicate-id"),
        "two ids": lambda: ([lambda o: o.add(giver, id=cell), lambda o: o.add(giver, id="x" + cell)], "conflicting-id"),
    }
    steps, code = plans[sort]()
    return steps + also_sound, code


SORTS = [
    *("unknown", "misspelled", "swapped", "handed on", "rivals", "taken", "sealed"),
    *("cycle", "missing", "one id", "two ids"),
]


def _sound_wiring(chance: random.Random, size: int) -> tuple[list[_Giver], list[Step]]:
    """Return components of which each may give to later ones, and what registers that."""
    parts = [_Giver("sound" if number == 0 else f"cell_{number}") for number in range(size)]
    links = [
        (parts[giver], "sound" if giver == 0 else f"cell_{giver}", parts[taker])
        for taker in range(size)
        for giver in range(taker)
        if chance.random() < 0.3
    ]
    return parts, _register(*links)


@given(st.randoms(use_true_random=False), st.integers(1, 8), st.lists(st.sampled_from(SORTS), max_size=6))
def test_exactly_the_faults_that_are_there_are_told_in_whatever_order_it_was_registered(
    chance: random.Random, size: int, sorts: Iterable[str]
) -> None:
    parts, steps = _sound_wiring(chance, size)
    expected: list[tuple[str, str]] = []
    for number, sort in enumerate(sorts):
        cell = f"planted_{number}_"
        more, code = _planted(sort, cell, parts[0])
        steps += more
        expected.append((code, cell))
    chance.shuffle(steps)
    orch = RegistryOrchestrator()
    for step in steps:
        step(orch)

    faults = _faults(orch) if expected else ()

    found = [(fault.code, cell) for fault in faults for cell in re.findall(r"planted_\d_", str(fault))[:1]]
    assert sorted(found) == sorted(expected)
    assert len(faults) == len(expected)
