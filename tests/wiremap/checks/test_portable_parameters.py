from wiremap.checks.portable_parameters import with_portable_parameters
from wiremap.graph import Component, Graph


def _component(*values: str) -> Component:
    return Component("Cache", "Cache", "parts", parameters="1" * 32, parameter_values=values)


def test_where_a_digest_only_holds_here_the_values_count_and_not_the_digest_of_all() -> None:
    there = with_portable_parameters(Graph((_component("home=<str> ~12345678", "size=8"),)))

    assert there.component("Cache").parameters is None
    assert there.component("Cache").parameter_values == ("home=<str>", "size=8")


def test_a_component_without_such_a_digest_stays_as_it_is() -> None:
    graph = Graph((_component("data=<list> #12345678", "text='a ~12345678'"),))

    assert with_portable_parameters(graph) == graph


def test_components_inside_others_are_no_exception() -> None:
    inside = Graph(
        (
            Component("Cache", "Cache", "parts"),
            Component("Log", "Log", "parts", parameter_values=("p=<str> ~12345678",)),
        )
    )
    graph = Graph((Component("Cache", "Cache", "parts"),), nested={"Cache": inside})

    assert with_portable_parameters(graph).nested["Cache"].component("Log").parameter_values == ("p=<str>",)
