from wiremap.graph import Binding, Component, Containment, Graph
from wiremap.selection.wiring_matches import wiring_matches

POOL = Component("Pool", "Pool", "parts", "parts.py", 3, parameters="1")
SCHEDULER = Component("Scheduler", "Scheduler", "parts", "parts.py", 9)
OTHER = Component("Other", "Other", "parts", "parts.py", 20)
PATTERN = "Pool -[allocate]-> Scheduler"


def graph(*more: Binding | Component, pool: Component = POOL, cell: str = "allocate") -> Graph:
    components = [one for one in more if isinstance(one, Component)]
    bindings = [one for one in more if isinstance(one, Binding)]
    return Graph((pool, SCHEDULER, *components), (Binding("Pool", cell, "Scheduler"), *bindings))


def digest(found: Graph, pattern: str = PATTERN, recipe: str = "recipe") -> str:
    return wiring_matches(pattern, {recipe: found}).digest


def test_what_stands_elsewhere_in_the_graph_changes_no_match() -> None:
    assert digest(graph(OTHER)) == digest(graph())


def test_an_edge_a_parameter_and_a_match_that_goes_change_what_matches() -> None:
    changed = Component("Pool", "Pool", "parts", "parts.py", 3, parameters="2")
    found = {
        digest(graph()),
        digest(graph(pool=changed)),
        digest(graph(cell="free")),
        digest(graph(OTHER, Binding("Pool", "free", "Other"))),
        digest(Graph()),
    }

    assert len(found) == 4, "the graph in which the cell is another matches as little as an empty one"
    assert digest(graph(cell="free")) == digest(Graph())


def test_where_a_class_is_written_is_no_matter() -> None:
    moved = Component("Pool", "Pool", "parts", "parts.py", 4, parameters="1")

    assert digest(graph(pool=moved)) == digest(graph())


def test_each_recipe_counts_for_itself() -> None:
    assert digest(graph(), recipe="other") != digest(graph())


def test_an_owner_counts_with_its_edges_in_and_out_of_its_local_graph() -> None:
    def nested(cell: str) -> Graph:
        inner = Graph((SCHEDULER, OTHER), (Binding("Other", cell, "Scheduler"),), (Containment("Other", "Scheduler"),))
        return Graph((POOL, SCHEDULER), (Binding("Pool", "allocate", "Scheduler"),), nested={"Scheduler": inner})

    assert digest(nested("a")) != digest(nested("b"))
    assert digest(nested("a"), "Other -[a]-> Scheduler") != digest(nested("b"), "Other -[a]-> Scheduler")


def test_the_components_of_all_matches_are_told() -> None:
    found = wiring_matches("* -[allocate]-> *", {"recipe": graph(OTHER)})

    assert [component.id for component in found.components] == ["Pool", "Scheduler"]
    assert wiring_matches("Poll", {"recipe": graph()}).are_none
