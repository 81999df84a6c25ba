import dataclasses

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.wiremap.graph.strategies import graphs
from tests.wiremap.render.samples import LAYERS, bindings, component, moe_engine
from wiremap import Binding, Containment, Graph
from wiremap.render.folding import fold_repetition


def _stack(indexes: range, *, also: tuple[Binding, ...] = ()) -> Graph:
    return Graph(
        components=(component("P"), component("M"), *(component(f"M.layers.{i}", "Layer") for i in indexes)),
        bindings=(*(Binding("P", "attn", f"M.layers.{i}") for i in indexes), *also),
        containment=tuple(Containment(f"M.layers.{i}", "M") for i in indexes),
    )


def test_equal_layers_become_one_with_their_number() -> None:
    fold = fold_repetition(_stack(range(48)))

    assert fold.graph.ids == ("M", "M.layers.[0..47]", "P")
    assert fold.counts == {"M.layers.[0..47]": 48}
    assert fold.members["M.layers.[0..47]"] == tuple(sorted(f"M.layers.{number}" for number in range(48)))
    assert fold.graph.bindings == (Binding("P", "attn", "M.layers.[0..47]"),)
    assert fold.graph.containment == (Containment("M.layers.[0..47]", "M"),)


def test_a_layer_that_differs_stays_visible() -> None:
    graph = _stack(range(6), also=(Binding("P", "extra", "M.layers.3"),))

    assert fold_repetition(graph).graph.ids == ("M", "M.layers.3", "M.layers.[0..2,4..5]", "P")


def test_layers_that_know_their_number_still_fold() -> None:
    graph = Graph(
        tuple(
            dataclasses.replace(component(f"M.{i}", "T"), parameters=str(i), parameter_values=(f"i={i}",))
            for i in range(3)
        )
    )

    assert fold_repetition(graph).counts == {"M.[0..2]": 3}


def test_one_layer_is_no_repetition() -> None:
    graph = _stack(range(1))

    assert fold_repetition(graph).graph == graph


def test_layers_that_hand_cells_to_one_another_do_not_repeat_each_other() -> None:
    graph = _stack(range(3), also=tuple(bindings("M.layers.0", "M.layers.1", "x")))

    assert fold_repetition(graph).graph.ids == ("M", "M.layers.0", "M.layers.1", "M.layers.2", "P")


def test_parts_of_a_layer_may_hand_cells_to_one_another() -> None:
    names = [f"M.{i}.{part}" for i in range(3) for part in "ab"]
    graph = Graph(
        components=tuple(component(name, "T") for name in names),
        bindings=tuple(Binding(f"M.{i}.a", "x", f"M.{i}.b") for i in range(3)),
    )

    assert fold_repetition(graph).graph.bindings == (Binding("M.[0..2].a", "x", "M.[0..2].b"),)


def test_repetition_inside_repetition_multiplies() -> None:
    graph = Graph(tuple(component(f"M.{i}.experts.{j}", "Expert") for i in range(3) for j in range(4)))

    assert fold_repetition(graph).counts == {"M.[0..2].experts.[0..3]": 12}


def test_unequal_inner_repetition_keeps_outer_parts_apart() -> None:
    graph = Graph(tuple(component(f"M.{i}.experts.{j}", "Expert") for i, n in ((0, 2), (1, 3)) for j in range(n)))

    assert fold_repetition(graph).counts == {"M.0.experts.[0..1]": 2, "M.1.experts.[0..2]": 3}


def test_kept_components_are_not_folded() -> None:
    fold = fold_repetition(_stack(range(3)), kept={"M.layers.1"})

    assert fold.graph.ids == ("M", "M.layers.1", "M.layers.[0,2]", "P")


def test_a_real_engine_folds_to_one_layer() -> None:
    fold = fold_repetition(moe_engine().nested["ModelRunner"])

    assert len(fold.graph.components) == 7
    assert set(fold.counts.values()) == {LAYERS}


def _workers(count: int, *bindings: Binding) -> Graph:
    names = ["Worker", *(f"Worker#{number}" for number in range(2, count + 1))]
    return Graph(
        components=(component("Pool"), *(component(name, "Worker") for name in names)),
        bindings=(*(Binding("Pool", "queue", name) for name in names), *bindings),
    )


def test_equal_components_of_one_name_become_one_with_their_number() -> None:
    fold = fold_repetition(_workers(48))

    assert fold.graph.ids == ("Pool", "Worker")
    assert fold.counts == {"Worker": 48}


def test_a_component_that_differs_from_those_of_its_name_stays_visible() -> None:
    first_differs = fold_repetition(_workers(5, Binding("Pool", "extra", "Worker")))
    another_differs = fold_repetition(_workers(5, Binding("Pool", "extra", "Worker#4")))

    assert first_differs.graph.ids == ("Pool", "Worker", "Worker#[2..5]")
    assert another_differs.graph.ids == ("Pool", "Worker#4", "Worker#[1..3,5]")


def test_what_lies_in_components_of_one_name_is_folded_with_them() -> None:
    names = [f"{worker}.engine" for worker in ("Worker", "Worker#2", "Worker#3")]
    graph = _workers(3)
    graph = dataclasses.replace(graph, components=(*graph.components, *(component(name, "Engine") for name in names)))

    assert fold_repetition(graph).counts == {"Worker": 3, "Worker.engine": 3}


def test_series_that_are_joined_number_by_number_are_folded_together() -> None:
    pairs = [("Queue", "Worker"), ("Queue#2", "Worker#2"), ("Queue#3", "Worker#3")]
    graph = Graph(
        components=tuple(component(name, name.split("#")[0]) for pair in pairs for name in pair),
        bindings=tuple(Binding(queue, "get", worker) for queue, worker in pairs),
    )

    fold = fold_repetition(graph)

    assert fold.counts == {"Queue": 3, "Worker": 3}
    assert fold.graph.bindings == (Binding("Queue", "get", "Worker"),)


def test_series_that_are_joined_crosswise_are_not() -> None:
    names = ("Queue", "Queue#2", "Worker", "Worker#2")
    graph = Graph(
        components=tuple(component(name, name.split("#")[0]) for name in names),
        bindings=(*bindings("Queue", "Worker#2", "get"), *bindings("Queue#2", "Worker#2", "get")),
    )

    assert fold_repetition(graph).counts == {"Queue": 2}


def _runner(name: str, cell: str = "run") -> Graph:
    return Graph(
        components=(component(name, "Runner"), component("Model"), component(f"{name}.cache", "Cache")),
        bindings=(*bindings("Model", name, cell), *bindings(f"{name}.cache", "Model", "get")),
    )


def test_components_with_equal_local_graphs_are_folded_and_keep_one() -> None:
    names = ("Runner", "Runner#2")
    graph = Graph(tuple(component(name, "Runner") for name in names), nested={name: _runner(name) for name in names})

    fold = fold_repetition(graph)

    assert fold.counts == {"Runner": 2}
    assert fold.graph.nested == {"Runner": _runner("Runner")}


def test_local_graphs_follow_their_owner_into_its_new_name() -> None:
    names = ("M.0", "M.1")
    graph = Graph(tuple(component(name, "Runner") for name in names), nested={name: _runner(name) for name in names})

    assert fold_repetition(graph).graph.nested == {"M.[0..1]": _runner("M.[0..1]")}


def test_components_with_different_local_graphs_stay_apart() -> None:
    graph = Graph(
        components=tuple(component(name, "Runner") for name in ("Runner", "Runner#2")),
        nested={"Runner": _runner("Runner"), "Runner#2": _runner("Runner#2", cell="other")},
    )

    assert fold_repetition(graph).counts == {}


dotted = st.lists(st.sampled_from(("a", "a#2", "a#3", "0", "1", "2", "12", "01")), min_size=1, max_size=4).map(".".join)


@settings(deadline=None)
@given(st.data())
def test_folding_loses_no_component_and_is_stable(data: st.DataObject) -> None:
    names = data.draw(st.lists(dotted, min_size=1, max_size=12, unique=True))
    some = st.sampled_from(names)
    graph = Graph(
        components=tuple(component(name, "T") for name in names),
        bindings=tuple(data.draw(st.lists(st.builds(Binding, some, st.just("x"), some), max_size=6))),
    )

    fold = fold_repetition(graph)

    assert sum(fold.counts.get(name, 1) for name in fold.graph.ids) == len(names)
    assert fold_repetition(fold.graph).graph == fold.graph


@settings(deadline=None)
@given(graphs())
def test_any_graph_can_be_folded(graph: Graph) -> None:
    fold = fold_repetition(graph)

    assert sum(fold.counts.get(name, 1) for name in fold.graph.ids) == len(graph.components)
