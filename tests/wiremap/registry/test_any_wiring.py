"""Whatever is wired: a cell reads what its provider has now; a wrong wiring is a ``WiringError`` with all faults."""

import dataclasses
import gc
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from functools import partial
from graphlib import CycleError, TopologicalSorter
from types import ModuleType
from typing import Any, Final, NamedTuple, Protocol

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wiremap import RegistryOrchestrator, Requires, WiringError

MOST: Final = 6
NUMBERS: Final = range(2 * MOST)  # two wirings may be put side by side


class Peer(Protocol):
    shared_state: Any

    def shared(self) -> Any: ...


class Link(NamedTuple):
    """A registration by the numbers of its ends; ``of`` is whose cell it is where the provider hands it on."""

    form: str
    provider: int
    consumer: int
    of: int

    @property
    def cell(self) -> str:
        """The name that is registered."""
        owner = self.of if self.form.startswith("hand on") else self.provider
        return {"method": "m{}", "hand on method": "m{}", "call": "__call__", "unknown": "nothing{}"}.get(
            self.form, "s{}"
        ).format(owner)

    @property
    def name(self) -> str:
        """What the consumer reads."""
        return {"call": f"f{self.provider}", "peer": "peer"}.get(self.form, self.cell)


class Plan(NamedTuple):
    """Kinds of components, and what is registered between them."""

    kinds: tuple[str, ...]
    links: tuple[Link, ...]


KINDS: Final = ("plain", "frozen", "slotted data", "slots for cells", "module", "own module class", "function")
FORMS: Final = ("method", "state", "hand on method", "hand on state", "call", "peer", "unknown")


@st.composite
def plans(draw: st.DrawFn, first: int = 0, num_links: tuple[int, int] = (0, 12)) -> Plan:
    """Draw any plan, right or wrong, whose components are numbered from *first* on."""
    kinds = draw(st.lists(st.sampled_from(KINDS), min_size=2, max_size=MOST))
    number = st.integers(first, first + len(kinds) - 1)
    links = draw(
        st.lists(
            st.builds(Link, st.sampled_from(FORMS), number, number, number),
            min_size=num_links[0],
            max_size=num_links[1],
        )
    )
    distinct = {(link.name, *link[1:3]): link for link in links if link.provider != link.consumer}
    return Plan(tuple(kinds), tuple(distinct.values()))


def sound_plans() -> st.SearchStrategy[Plan]:
    """Draw plans from which each link was taken that would make them wrong."""
    return plans(num_links=(12, 30)).map(_without_faults)


def _hands_to(link: Link, onward: Link) -> bool:
    return link.consumer == onward.provider and link.form.rpartition(" ")[2] == onward.form.rpartition(" ")[2]


def _without_faults(plan: Plan) -> Plan:
    kept: tuple[Link, ...] = ()
    for link in plan.links:
        forth = link._replace(provider=min(link[1:3]), consumer=max(link[1:3]))
        handed = [one.of if one.form.startswith("hand on") else one.provider for one in kept if _hands_to(one, forth)]
        if handed and link.form.startswith("hand on"):
            forth = forth._replace(of=handed[link.of % len(handed)])
        is_new = all((one.name, *one[1:3]) != (forth.name, *forth[1:3]) for one in kept)
        if is_new and not Model(Plan(plan.kinds, (*kept, forth))).is_wrong():
            kept = (*kept, forth)
    return Plan(plan.kinds, kept)


# What is expected


class Model:
    """What a plan means, told without the registry."""

    def __init__(self, plan: Plan) -> None:
        self.kinds, self.links = plan
        self.handing = {(link.consumer, link.name): link for link in self.links}

    def is_wrong(self) -> bool:
        """Tell whether links form a cycle, or one is a rival or has no cell or no room."""
        try:
            TopologicalSorter(self._providers()).prepare()
        except CycleError:
            return True
        return len(self.handing) < len(self.links) or not all(map(self._fits, self.links))

    def _providers(self) -> dict[int, list[int]]:
        found: dict[int, list[int]] = defaultdict(list)
        for link in self.links:
            found[link.consumer].append(link.provider)
        return found

    def _fits(self, link: Link) -> bool:
        kind = self.kind_of(link)
        if kind is None or (link.form == "peer" and self.kinds[link.consumer] != "plain"):
            return False
        room = {"slotted data": "", "slots for cells": "method", "module": "method", "function": "method"}
        return link.form == "peer" or kind in room.get(self.kinds[link.consumer], "method state")

    def kind_of(self, link: Link) -> str | None:
        """Return the kind of the cell that a link hands over; None if its provider has no such cell."""
        provider = self.kinds[link.provider]
        if link.form == "call":
            return "method" if provider == "function" else None
        if link.form == "unknown" or (provider == "function" and not link.form.startswith("hand on")):
            return None
        if link.cell in (f"m{link.provider}", f"s{link.provider}"):
            if provider == "function":
                return None
            return "state" if link.cell.startswith("s") or "module" in provider else "method"
        handed = self.handing.get((link.provider, link.cell))
        found = handed and self.kind_of(handed)
        # What stands in a slot may be another at any time, as that of any attribute.
        return "state" if found and provider == "slots for cells" else found

    def source(self, link: Link, stand_ins: Mapping[int, Any], components: Mapping[int, Any]) -> Any:
        """Return the object from which the consumer of a link is to read now."""
        if link.provider in stand_ins:
            return stand_ins[link.provider]
        if link.form.startswith("hand on") and (handed := self.handing.get((link.provider, link.cell))):
            return self.source(handed, stand_ins, components)
        return components[link.provider]


# What is wired


def component(kind: str, number: int, names: set[str]) -> Any:
    """Make a component that is to be handed *names*, and provides cells of its number and the members of a peer."""
    methods: dict[str, Any] = {f"m{number}": lambda self: self, "shared": lambda self: self}
    states: dict[str, Any] = {f"s{number}": object(), "shared_state": object()}
    title = f"C{number}"
    if kind == "function":
        return _function(title)
    if "module" in kind:
        module = type(title, (ModuleType,), {})(title) if kind == "own module class" else ModuleType(title)
        vars(module).update(states, **{name: partial(method, module) for name, method in methods.items()})
        return module
    if kind == "slots for cells":
        slots = [name for name in names if name[0] in "mf" and name not in methods]
        made = type(title, (), {"__slots__": ("__weakref__", *slots, *states), **methods})()
        for name, value in states.items():
            setattr(made, name, value)
        return made
    if kind == "plain":
        requires = {"peer": Requires[Peer]()} if "peer" in names else {}
        made = type(title, (), {**methods, **requires})
        for value in requires.values():
            value.__set_name__(made, "peer")
        instance = made()
        vars(instance).update(states)
        return instance
    options: dict[str, Any] = {"frozen": True} if kind == "frozen" else {"slots": True, "weakref_slot": True}
    fields = [(name, object, dataclasses.field(default=value)) for name, value in states.items()]
    return dataclasses.make_dataclass(title, fields, namespace=methods, eq=False, **options)()


def _function(title: str) -> Callable[[], Any]:
    def function() -> Any:
        return function

    function.__name__ = title
    return function


class StandIn:
    """Has the cells of all components."""

    def __init__(self) -> None:
        self.shared_state = object()
        for number in NUMBERS:
            setattr(self, f"s{number}", object())

    def shared(self) -> Any:
        return self

    __call__ = shared


for _number in NUMBERS:
    setattr(StandIn, f"m{_number}", StandIn.shared)


class Wired:
    """Orchestrator and components of one plan, or of several."""

    def __init__(self, *plans_and_firsts: tuple[Plan, int]) -> None:
        self.orch = RegistryOrchestrator()
        self.components: dict[int, Any] = {}
        for plan, first in plans_and_firsts:
            for number, kind in enumerate(plan.kinds, first):
                made = component(kind, number, {link.name for link in plan.links if link.consumer == number})
                self.components[number] = self.orch.add(made, id=f"C{number}")
            for link in plan.links:
                self._register(link)

    def _register(self, link: Link) -> None:
        provider, consumer = self.components[link.provider], self.components[link.consumer]
        if link.form == "peer" and "peer" in vars(type(consumer)):
            type(consumer).peer.register(self.orch, provider, consumer)
        elif link.form == "call":
            self.orch.register(provider, "__call__", consumer, name=link.name)
        else:
            self.orch.register(provider, "nothing" if link.form == "peer" else link.cell, consumer)

    def fault_codes(self) -> Counter[str]:
        """Return how many faults of which code the wiring has."""
        try:
            self.orch.compile()
        except WiringError as error:
            return Counter(fault.code for fault in error.faults)
        return Counter()


def _reads(link: Link, consumer: Any, source: Any) -> None:
    """Check that *consumer* reads what *source* has now."""
    read, cell = (consumer.peer, "shared_state") if link.form == "peer" else (consumer, link.cell)
    if link.form == "peer":
        assert read.shared() is source
    if cell.startswith("s"):
        assert getattr(read, cell) is getattr(source, cell)
        object.__setattr__(source, cell, object())
        assert getattr(read, cell) is getattr(source, cell)
    else:
        assert getattr(consumer, link.name)() is source


@settings(max_examples=400)
@given(sound_plans(), st.lists(st.integers(0, MOST), min_size=1, max_size=4))
def test_a_consumer_reads_what_its_provider_or_the_latest_stand_in_has_now(plan: Plan, overridden: list[int]) -> None:
    wired, model = Wired((plan, 0)), Model(plan)
    compiled = wired.orch.compile()
    graph = wired.orch.finalize()
    assert compiled == graph
    stand_ins: dict[int, StandIn] = {}

    def check() -> None:
        for link in plan.links:
            _reads(link, wired.components[link.consumer], model.source(link, stand_ins, wired.components))

    def end(number: int, before: StandIn | None) -> None:
        if before is None:
            del stand_ins[number]
        else:
            stand_ins[number] = before

    check()
    providers = sorted({link.provider for link in plan.links})
    with ExitStack() as stack:
        for number in (providers[chosen % len(providers)] for chosen in overridden if providers):
            stand_in = StandIn()
            stack.callback(check)
            stack.callback(end, number, stand_ins.get(number))
            stack.enter_context(graph.override(f"C{number}", stand_in))
            stand_ins[number] = stand_in
            check()
    assert stand_ins == {}
    check()


@settings(max_examples=400)
@given(plans())
def test_a_wrong_wiring_is_told_as_such_by_compile_and_finalize_and_binds_nothing(plan: Plan) -> None:
    wired = Wired((plan, 0))
    told = wired.fault_codes()
    assert bool(told) == Model(plan).is_wrong()
    if not told:
        wired.orch.finalize()
        return
    kept = {number: dict(getattr(made, "__dict__", {})) for number, made in wired.components.items()}

    with pytest.raises(WiringError) as caught:
        wired.orch.finalize()

    assert Counter(fault.code for fault in caught.value.faults) == told
    assert {number: dict(getattr(made, "__dict__", {})) for number, made in wired.components.items()} == kept
    assert str(caught.value)


@given(plans(), plans(first=MOST))
def test_the_faults_of_two_wirings_side_by_side_are_those_of_each(one: Plan, other: Plan) -> None:
    both = Wired((one, 0), (other, MOST)).fault_codes()

    assert both == Wired((one, 0)).fault_codes() + Wired((other, MOST)).fault_codes()


@given(sound_plans())
def test_a_system_goes_when_nothing_refers_to_it(plan: Plan) -> None:
    wired = Wired((plan, 0))
    graph = wired.orch.finalize()
    classes = {type(made) for made in wired.components.values()} - {ModuleType, type(_function)}
    del wired
    gc.collect()

    assert graph.ids
    assert [found for found in gc.get_objects() if type(found) in classes] == []
