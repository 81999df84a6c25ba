from wiremap.checks.locked_form import locked_form
from wiremap.graph import Component, Graph


def _layers(*values: tuple[str, ...]) -> Graph:
    return Graph(
        tuple(
            Component(f"M.layers.{number}", "Layer", "parts", parameter_values=one) for number, one in enumerate(values)
        )
    )


def _values(graph: Graph) -> tuple[str, ...]:
    (component,) = locked_form(graph).components
    return component.parameter_values


def test_what_repeats_is_one_component_with_its_count() -> None:
    assert _values(_layers(("size=8",), ("size=8",))) == ("(count)=2", "size=8")


def test_parameters_that_differ_among_equals_are_told_in_the_order_of_their_numbers() -> None:
    values = [(f"number={number}", "size=8") for number in range(11)]

    assert _values(_layers(*values))[1] == "number=0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10"


def test_a_change_in_one_of_many_equals_is_a_change() -> None:
    values = [(f"number={number}",) for number in range(100)]
    other = [*values[:50], ("number=0",), *values[51:]]

    assert _values(_layers(*values))[1].startswith("number=100 values #")
    assert _values(_layers(*values)) != _values(_layers(*other))


def test_a_parameter_that_only_some_have_is_told() -> None:
    assert _values(_layers(("size=8",), ())) == ("(count)=2", "size=8 | absent")


def test_a_digest_of_this_machine_and_that_of_a_secret_are_left_out() -> None:
    values = ("api_key=*** #12345678", "clock=<function> ~12345678", "data=<list> #12345678", "text='a ~12345678'")

    (component,) = locked_form(Graph((Component("A", "A", "parts", parameter_values=values),))).components

    assert component.parameter_values == (
        "api_key=***",
        "clock=<function>",
        "data=<list> #12345678",
        "text='a ~12345678'",
    )


def test_parameters_inside_folded_owners_count() -> None:
    def engine(*sizes: int) -> Graph:
        ids = [f"M.layers.{number}" for number in range(len(sizes))]
        owners = [Component(id_, "Layer", "parts") for id_ in ids]
        nested = {
            id_: Graph(
                (Component(id_, "Layer", "parts"), Component("E", "E", "parts", parameter_values=(f"n={size}",)))
            )
            for id_, size in zip(ids, sizes, strict=True)
        }
        return Graph(tuple(owners), nested=nested)

    assert _values(engine(1, 1)) == ("(count)=2",)
    assert _values(engine(1, 2)) != _values(engine(1, 3))


def test_lines_of_source_do_not_count() -> None:
    here, there = (Graph((Component("A", "A", "parts", "parts.py", line),)) for line in (1, 2))

    assert locked_form(here) == locked_form(there)
