from wiremap import Binding, Component, Graph
from wiremap.selection.components import ComponentIndex, Place


def component(component_id: str, type_name: str, path: str = "shop/parts.py") -> Component:
    return Component(
        id=component_id, type=type_name, module="shop.parts", source_path=path, source_line=1, tags=(),
        extension="core", provides=(), requires=(), parameters=None,
    )  # fmt: skip


BLOCKS, SCHEDULER = component("Blocks", "Blocks"), component("Scheduler", "Scheduler")
GRAPH = Graph((BLOCKS, SCHEDULER), (Binding("Blocks", "allocate", "Scheduler", "method"),))


def test_a_method_of_a_component_belongs_to_it() -> None:
    place = ComponentIndex([GRAPH]).place("src/shop/parts.py::Blocks.free")

    assert place == Place("Blocks")


def test_a_method_that_is_handed_over_is_a_cell_with_its_consumers() -> None:
    place = ComponentIndex([GRAPH]).place("shop/parts.py::Blocks.allocate")

    assert place == Place("Blocks", "allocate", ("Scheduler",))


def test_a_function_that_is_a_component_belongs_to_itself_and_is_its_own_cell() -> None:
    function = component("sample", "sample_greedy")
    graph = Graph((function, SCHEDULER), (Binding("sample", "__call__", "Scheduler", "method", "sample"),))

    place = ComponentIndex([graph]).place("shop/parts.py::sample_greedy")

    assert place == Place("sample", "__call__", ("Scheduler",))


def test_other_units_belong_to_no_component() -> None:
    index = ComponentIndex([GRAPH])

    for unit in (
        "shop/parts.py::helper",
        "shop/other.py::Blocks.free",
        "workshop/parts.py::Blocks.free",
        "a.py::<module>",
    ):
        assert index.place(unit) is None


def test_repeated_components_of_one_class_are_told_by_the_first() -> None:
    graph = Graph((component("Layer#2", "Layer"), component("Layer", "Layer")))

    assert ComponentIndex([graph]).place("shop/parts.py::Layer.forward") == Place("Layer")


def test_components_of_local_graphs_are_found() -> None:
    outer = Graph((SCHEDULER,), nested={"Scheduler": Graph((SCHEDULER, BLOCKS))})

    assert ComponentIndex([outer]).place("shop/parts.py::Blocks.free") == Place("Blocks")


def test_consumers_of_all_graphs_are_told_together() -> None:
    engine = component("Engine", "Engine")
    other = Graph((BLOCKS, engine), (Binding("Blocks", "allocate", "Engine", "method"),))

    place = ComponentIndex([GRAPH, other]).place("shop/parts.py::Blocks.allocate")

    assert place == Place("Blocks", "allocate", ("Engine", "Scheduler"))


def test_what_is_registered_nowhere_belongs_to_the_first_component_that_declares_it() -> None:
    index = ComponentIndex([GRAPH], {"core": ["shop/*.py"], "till": ["shop/till.py", "*::Till.*"]})

    assert index.place("shop/till.py::open_till") == Place("core")
    assert index.place("app/other.py::Till.open") == Place("till")
    assert index.place("app/other.py::Shop.open") is None


def test_a_registered_class_outranks_a_declaration() -> None:
    index = ComponentIndex([GRAPH], {"core": ["*"]})

    assert index.place("shop/parts.py::Blocks.free") == Place("Blocks")


def test_a_class_is_a_component_as_its_methods_are() -> None:
    assert ComponentIndex([GRAPH]).place("shop/parts.py::Blocks") == Place("Blocks")


def test_the_wiring_of_a_class_is_what_all_its_components_hand_over_and_are_handed() -> None:
    index = ComponentIndex([GRAPH])

    assert index.wiring("shop/parts.py::Blocks").provides == {"allocate": ("Scheduler",)}
    assert index.wiring("shop/parts.py::Scheduler").requires == {"allocate": ("Blocks",)}
