import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.wiremap.render.layout.geometry import assert_sound, chain, random_picture
from wiremap.render.layout import Layout, Link, Size, arranged

BOX = Size(100, 40)
LABEL = Size(60, 15)

sizes = st.builds(Size, st.integers(1, 300), st.integers(12, 80))
keys = st.sampled_from("abcdefgh")


def _at_most_one_loop_each(links: list[Link]) -> list[Link]:
    loops = {link.start: link for link in links if link.start == link.end}
    return [*(link for link in links if link.start != link.end), *loops.values()]


links = st.lists(st.builds(Link, keys, keys, st.none() | sizes, st.booleans()), max_size=20)


@given(st.fixed_dictionaries(dict.fromkeys("abcdefgh", sizes)), links.map(_at_most_one_loop_each))
def test_every_layout_is_sound(boxes: dict[str, Size], links: list[Link]) -> None:
    assert_sound(boxes, links, arranged(boxes, links))


@pytest.mark.parametrize(
    ("boxes", "links"),
    [random_picture(60, 100, seed=1), random_picture(60, 400, seed=2), random_picture(500, 600, seed=3), chain(200)],
    ids=["sixty", "dense", "five hundred", "chain"],
)
def test_large_layouts_are_sound(boxes: dict[str, Size], links: list[Link]) -> None:
    assert_sound(boxes, links, arranged(boxes, links))


def test_the_same_input_gives_the_same_layout() -> None:
    assert arranged(*random_picture(60, 150, seed=4)) == arranged(*random_picture(60, 150, seed=4))


def test_nothing_takes_no_room() -> None:
    assert arranged({}, []) == Layout(Size(0, 0), {}, ())


def test_links_lead_from_left_to_right() -> None:
    layout = arranged({"a": BOX, "b": BOX}, [Link("a", "b", LABEL)])

    label = layout.routes[0].label
    assert label is not None
    assert layout.boxes["a"].right < label.x < label.right < layout.boxes["b"].x


def test_a_chain_is_one_straight_line() -> None:
    boxes, links = chain(5)

    routes = arranged(boxes, links).routes

    assert len({point.y for route in routes for strand in route.strands for point in strand}) == 1


def test_a_link_against_the_others_leads_back() -> None:
    links = [Link("a", "b", LABEL), Link("b", "a", LABEL)]

    there, back = arranged({"a": BOX, "b": BOX}, links).routes

    assert there.strands[0][0].x < there.strands[-1][-1].x
    assert back.strands[0][0].x > back.strands[-1][-1].x


def test_parts_that_nothing_joins_stand_in_rows() -> None:
    boxes = {str(number): BOX for number in range(40)}

    layout = arranged(boxes, [])

    assert_sound(boxes, [], layout)
    assert layout.size.width > layout.size.height
    assert len({rect.y for rect in layout.boxes.values()}) > 1


def test_many_links_without_labels_to_one_box_arrive_as_one() -> None:
    children = [str(number) for number in range(9)]
    boxes = dict.fromkeys([*children, "parent"], BOX)

    routes = arranged(boxes, [Link(child, "parent", firm=False) for child in children]).routes

    assert len({route.strands[-1][-1] for route in routes}) == 1


def test_a_box_grows_with_the_links_that_touch_it() -> None:
    users = [str(number) for number in range(30)]
    boxes = dict.fromkeys(["hub", *users], BOX)

    layout = arranged(boxes, [Link("hub", user, LABEL) for user in users])

    assert len({route.strands[0][0] for route in layout.routes}) == 30
    assert layout.boxes["hub"].height > BOX.height
