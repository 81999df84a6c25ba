import re

from hypothesis import given

from tests.wiremap.graph.strategies import graphs
from tests.wiremap.render.samples import nasty
from wiremap.graph import Binding, Component, Containment, Graph
from wiremap.render.change_picture import MAX_NODES, ChangePicture, render_change

A, B, C, D = (Component(id_, id_, "m") for id_ in "ABCD")
AB, BC, CD = Binding("A", "x", "B"), Binding("B", "y", "C"), Binding("C", "z", "D")
BEFORE = Graph((A, B, C, D), (AB, BC, CD))


def picture(before: Graph, after: Graph, *edited: str) -> ChangePicture:
    return render_change(before, after, before.diff(after), edited)


def nodes(text: str) -> dict[str, str]:
    return dict(re.findall(r'^ *(c__\w+)\["(.*)"\]', text, flags=re.MULTILINE))


def test_what_is_added_and_removed_is_told_in_words_and_colours() -> None:
    text = picture(BEFORE, Graph((A, B, C, Component("E", "E", "m")), (AB, Binding("E", "w", "B")))).text

    assert 'c__D["D<br/>removed"]:::removed' in text
    assert 'c__E["E<br/>added"]:::added' in text
    assert 'c__E -->|"added#58; w"| c__B' in text
    assert 'c__B -.->|"removed#58; y"| c__C' in text
    assert "classDef changed" not in text


def test_neighbours_are_drawn_and_what_lies_farther_off_is_not() -> None:
    text = picture(BEFORE, Graph((Component("A", "A", "m", tags=("new",)), B, C, D), (AB, BC, CD))).text

    assert nodes(text) == {"c__A": "A<br/>changed", "c__B": "B"}


def test_what_was_edited_is_marked_where_it_is_drawn() -> None:
    text = picture(BEFORE, Graph((A, B, C, D), (AB, BC)), "C", "A").text

    assert 'c__C["C<br/>edited"]:::edited' in text
    assert "c__A" not in nodes(text)


def test_containment_that_changed_has_a_label() -> None:
    text = picture(Graph((A, B)), Graph((A, B), containment=(Containment("A", "B"),))).text

    assert 'c__A -->|"added#58; held"| c__B' in text


def test_a_component_of_another_class_under_one_name_stands_beside_the_one_before() -> None:
    other = Graph((Component("A", "Z", "n"), Component("B", "B", "m")), (Binding("A", "q", "B"),))

    shown = nodes(picture(Graph((A, B), (AB,)), other).text)

    assert {"A<br/>Z<br/>added", "A (before)<br/>A<br/>removed"} <= set(shown.values()) or "A<br/>Z<br/>changed" in set(
        shown.values()
    )


def test_what_differs_inside_a_component_is_drawn_inside() -> None:
    before = Graph((A, B), (AB,), nested={"B": Graph((B, C), (Binding("C", "c", "B"),))})
    after = Graph((A, B), (AB,), nested={"B": Graph((B, C, D), (Binding("C", "c", "B"), Binding("D", "d", "B")))})

    text = picture(before, after).text

    assert 'subgraph in_c__B["inside B"]' in text
    assert 'c__B_D["D<br/>added"]:::added' in text


def test_layers_that_differ_in_the_same_way_are_drawn_once() -> None:
    layers = tuple(Component(f"M.layers.{number}", "Layer", "m") for number in range(48))
    bound = tuple(Binding("A", "x", layer.id) for layer in layers)

    text = picture(Graph((A, *layers)), Graph((A, *layers), bound)).text

    assert len(nodes(text)) == 2
    assert "layers.[0..47]" in text


def test_of_more_than_a_picture_holds_the_rest_is_counted() -> None:
    many = tuple(
        Component(f"N{chr(65 + number // 26)}{chr(65 + number % 26)}", f"T{number}", "m") for number in range(90)
    )

    found = picture(Graph((A,)), Graph((A, *many)))

    assert len(nodes(found.text)) == MAX_NODES
    assert found.hidden == 90 - MAX_NODES


def test_nasty_names_are_escaped() -> None:
    text = picture(Graph(), nasty()).text

    assert text.count("\n  ") >= len(nodes(text))
    assert all(line.count('"') in (0, 2) for line in text.splitlines())
    assert "`" not in text


@given(graphs(), graphs())
def test_any_two_graphs_have_a_picture_that_is_small_enough_and_whole(before: Graph, after: Graph) -> None:
    found = picture(before, after)

    shown = nodes(found.text)
    assert len(shown) <= MAX_NODES
    ends = re.findall(r"^  (c__\w+) -\.?->?(?:\|.*\|)? (c__\w+)$", found.text, flags=re.MULTILINE)
    assert all(end in found.text for pair in ends for end in pair)
