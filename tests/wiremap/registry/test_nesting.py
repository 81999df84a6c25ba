import gc
import os
import subprocess
import sys
import weakref
from pathlib import Path
from typing import Any

import pytest

from wiremap import Graph, RegistryOrchestrator
from wiremap.errors import LostGraphWarning


class Attention:
    def attend(self) -> str:
        return "attended"


class Sampler:
    def sample(self) -> str:
        return "sampled"


class Runner:
    """Wires its own inside, as a model runner does."""

    attend: Any

    def __init__(self, attention: Attention | None = None) -> None:
        orch = RegistryOrchestrator()
        orch.register(attention or Attention(), "attend", self)
        self.local_graph = orch.finalize()

    def run(self) -> str:
        return str(self.attend())


class Engine:
    run: Any


class Box:
    """Holds what it is handed."""


def _outer(*components: object) -> Graph:
    orch = RegistryOrchestrator()
    for component in components:
        orch.add(component)
    return orch.finalize()


def test_a_local_graph_hangs_below_the_component_that_it_was_wired_in() -> None:
    runner, engine, orch = Runner(), Engine(), RegistryOrchestrator()
    orch.register(runner, "run", engine)

    graph = orch.finalize()

    assert graph.nested == {"Runner": runner.local_graph}
    assert "Attention" not in graph
    assert engine.run() == "attended"


def test_compile_links_as_finalize_does() -> None:
    runner, orch = Runner(), RegistryOrchestrator()
    orch.add(runner)

    assert orch.compile().nested == {"Runner": runner.local_graph}


def test_the_owner_has_the_outer_id_inside_too() -> None:
    runner, orch = Runner(), RegistryOrchestrator()
    orch.add(runner, id="gpu0")

    local = orch.compile().nested["gpu0"]

    assert local.ids == ("Attention", "gpu0")
    assert local.bindings[0].consumer == "gpu0"


def test_an_inner_component_that_has_the_outer_id_gives_way() -> None:
    runner, orch = Runner(), RegistryOrchestrator()
    orch.add(runner, id="Attention")

    local = orch.compile().nested["Attention"]

    assert local.component("Attention").type == "Runner"
    assert local.component("Attention#inner").type == "Attention"


def test_a_component_that_only_provides_owns_no_graph() -> None:
    attention = Attention()
    Runner(attention)

    assert _outer(attention).nested == {}


def test_of_several_shared_components_the_one_that_the_graph_leads_to_owns_it() -> None:
    attention = Attention()
    runner = Runner(attention)

    assert _outer(attention, runner).nested.keys() == {"Runner"}


def test_of_several_possible_owners_the_last_in_topological_order_owns_it() -> None:
    attention, runner, engine, orch = Attention(), Box(), Box(), RegistryOrchestrator()
    orch.register(attention, "attend", orch.add(runner, id="z runner"))
    orch.connect(runner, orch.add(engine, id="a engine"))
    local = orch.finalize()

    assert local.topological_order() == ("Attention", "z runner", "a engine")
    assert _outer(runner, engine).nested == {"a engine": local}
    assert _outer(engine, runner).nested.keys() == {"a engine"}
    assert _outer(runner).nested == {"z runner": local}


def test_several_graphs_in_one_component_are_one_local_graph() -> None:
    runner = Runner()
    later = RegistryOrchestrator()
    later.register(Sampler(), "sample", runner)
    later.finalize()

    graph = _outer(runner)

    assert graph.nested["Runner"].ids == ("Attention", "Runner", "Sampler")
    assert [binding.provider for binding in graph.nested["Runner"].bindings] == ["Attention", "Sampler"]
    assert graph.nested["Runner"].nested == {}


def test_graphs_nest_to_any_depth() -> None:
    class Cluster:
        def __init__(self, runner: Runner) -> None:
            orch = RegistryOrchestrator()
            orch.register(runner, "run", self)
            orch.finalize()

    graph = _outer(Cluster(Runner()))

    assert graph.nested["Cluster"].nested["Runner"].ids == ("Attention", "Runner")
    assert Graph.from_json(graph.to_json()) == graph


def test_the_link_keeps_nothing_alive() -> None:
    runner = Runner()
    _outer(runner)
    gone = weakref.ref(runner)

    del runner
    gc.collect()

    assert gone() is None


def test_an_object_without_weak_references_is_not_linked() -> None:
    class Slotted:
        __slots__ = ("__dict__",)

    slotted = Slotted()
    orch = RegistryOrchestrator()
    orch.register(Attention(), "attend", slotted)
    orch.finalize()

    assert _outer(slotted).nested == {}


def test_parts_of_the_local_graph_count_as_components_among_the_parameters() -> None:
    class Holder(Runner):
        def __init__(self) -> None:
            attention = Attention()
            vars(attention)["handle"] = object()  # no plain data, so it has no digest itself
            self.attention = attention
            super().__init__(attention)
            del self.local_graph

    holder = Holder()

    assert _outer(holder).component("Holder").parameters is not None
    holder.attention = Attention()  # one that no graph knows
    vars(holder.attention)["handle"] = object()
    assert _outer(holder).component("Holder").parameters is None


def test_a_provider_in_any_of_several_graphs_in_one_component_can_be_overridden() -> None:
    class Fake:
        def attend(self) -> str:
            return "faked"

        def sample(self) -> str:
            return "faked"

    class Stages(Runner):
        sample: Any

        def __init__(self) -> None:
            super().__init__()
            later = RegistryOrchestrator()
            later.register(later.add(Sampler(), id="Attention"), "sample", self)
            later.finalize()

    stages = Stages()
    graph = _outer(stages)

    assert graph.nested["Stages"].ids == ("Attention", "Attention#2", "Stages")
    with graph.override("Attention#2", Fake()):
        assert (stages.attend(), stages.sample()) == ("attended", "faked")
    with graph.override("Attention", Fake()):
        assert (stages.attend(), stages.sample()) == ("faked", "sampled")


RECIPE = """
from wiremap import RegistryOrchestrator, recipe

class Part:
    def __init__(self, *names): self.names = set(names)
    def cell(self): ...

class Box:
    def __init__(self, parts):
        self.parts = set(parts)
        self.by_part = {(1, 2): frozenset(parts)}
        orch = RegistryOrchestrator()
        for part in parts:
            orch.register(part, "cell", orch.add(Reader(), tags={"x", "y", "z"}))
            orch.connect(part, self)
        orch.finalize()

class Reader: ...

@recipe
def combine():
    orch = RegistryOrchestrator()
    boxes = [orch.add(Box([Part(*"abc"[:n]) for n in range(4)])) for _ in range(3)]
    orch.connect(boxes[0], boxes[1])
    orch.finalize()
"""


def test_the_json_is_the_same_in_every_process(tmp_path: Path) -> None:
    (tmp_path / "wired.py").write_text(RECIPE)

    outputs = {
        subprocess.run(
            [sys.executable, "-m", "wiremap", "graph", "wired", "--format", "json"],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
            cwd=tmp_path,
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }

    (output,) = outputs
    assert Graph.from_json(output.decode()).nested.keys() == {"Box", "Box#2", "Box#3"}


class Aside:
    """Wires an inside that it takes no part in."""

    def __init__(self) -> None:
        self.runner = Runner()
        wire_a_sampler(Box())


def wire_a_sampler(box: Box) -> None:
    orch = RegistryOrchestrator()
    orch.register(Sampler(), "sample", orch.add(box))
    orch.finalize()


def test_a_graph_that_its_maker_takes_no_part_in_is_warned_of_at_its_line() -> None:
    with pytest.warns(
        LostGraphWarning, match=r"Aside takes and holds nothing(?s:.*)orch\.connect\(part, self\)"
    ) as caught:
        _outer(Aside())

    line = wire_a_sampler.__code__.co_firstlineno + 3
    assert [(warning.filename, warning.lineno) for warning in caught] == [(__file__, line)]


class LateAside:
    """Wires an inside that it takes no part in once it is wired itself."""

    def __post_wire__(self) -> None:
        wire_a_sampler(Box())

    def __pre_close__(self) -> None:
        self.is_closed = True


def test_so_is_one_that_is_made_when_its_maker_is_started() -> None:
    with pytest.warns(LostGraphWarning, match="LateAside takes and holds nothing") as caught:
        _outer(LateAside())

    line = wire_a_sampler.__code__.co_firstlineno + 3
    assert [(warning.filename, warning.lineno) for warning in caught] == [(__file__, line)]


@pytest.mark.filterwarnings("error")
def test_if_that_warning_is_an_error_what_had_been_started_is_closed() -> None:
    aside = LateAside()

    with pytest.raises(LostGraphWarning):
        _outer(aside)

    assert aside.is_closed


def test_a_component_that_is_started_may_wire_its_inside() -> None:
    class Late(Box):
        def __post_wire__(self) -> None:
            wire_a_sampler(self)

    assert list(_outer(Late()).nested) == ["Late"]


class Giving(Attention):
    """Hands itself to what it makes, and keeps none of it."""

    def __init__(self) -> None:
        wire_a_box(self)


class GivingLate(Attention):
    def __post_wire__(self) -> None:
        wire_a_box(self)


def wire_a_box(attention: Attention) -> None:
    orch = RegistryOrchestrator()
    orch.register(attention, "attend", Box())
    orch.finalize()


@pytest.mark.parametrize("maker", [Giving, GivingLate])
def test_a_graph_in_which_its_maker_only_provides_is_warned_of(maker: type[Attention]) -> None:
    with pytest.warns(LostGraphWarning, match=f"{maker.__name__} takes and holds nothing"):
        _outer(maker())


def test_a_provider_that_holds_its_consumer_owns_the_graph() -> None:
    class Holding(Attention):
        def __init__(self) -> None:
            orch, box = RegistryOrchestrator(), Box()
            orch.register(self, "attend", box)
            orch.connect(box, self)
            orch.finalize()

    assert list(_outer(Holding()).nested) == ["Holding"]


def test_a_graph_that_another_component_owns_is_not_lost() -> None:
    class Holding:
        def __init__(self) -> None:
            self.box = Box()
            wire_a_sampler(self.box)

    holding = Holding()

    assert list(_outer(holding, holding.box).nested) == ["Holding.box"]


def test_what_is_named_after_its_place_in_the_owner_is_so_under_its_outer_id_too() -> None:
    class Placed(Box):
        def __init__(self) -> None:
            orch = RegistryOrchestrator()
            self.sampler = Sampler()
            orch.add(self)
            orch.register(self.sampler, "sample", self)
            orch.finalize()

    graph = _outer(Placed(), Placed())

    assert {owner: local.ids for owner, local in graph.nested.items()} == {
        "Placed": ("Placed", "Placed.sampler"),
        "Placed#2": ("Placed#2", "Placed#2.sampler"),
    }
