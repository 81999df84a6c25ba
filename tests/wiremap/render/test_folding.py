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
    assert fold.graph.bindings == (Binding("P", "attn", "M.layers.[0..47]"),)
    assert fold.graph.containment == (Containment("M.layers.[0..47]", "M"),)


def test_a_layer_that_differs_stays_visible() -> None:
    graph = _stack(range(6), also=(Binding("P", "extra", "M.layers.3"),))

    assert fold_repetition(graph).graph.ids == ("M", "M.layers.3", "M.layers.[0..2,4..5]", "P")


def test_layers_that_know_their_number_still_fold() -> None:
    graph = Graph(tuple(dataclasses.replace(component(f"M.{i}", "T"), parameters=str(i)) for i in range(3)))

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


dotted = st.lists(st.sampled_from(("a", "0", "1", "2", "12")), min_size=1, max_size=4).map(".".join)


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
    bare = dataclasses.replace(graph, nested={})

    assert len(fold_repetition(bare).graph.components) <= len(bare.components)
