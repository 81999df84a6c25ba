"""The page as a file: whole, small, the same again, and nothing in a name can become markup."""

import re

from wiremap.graph import Binding, Component, Graph
from wiremap.render.page import render_page
from wiremap.render.page.assembly import SCRIPTS

GRAPH = Graph((Component("A", "A", "app"), Component("B", "B", "app")), (Binding("A", "run", "B", "method", ""),))


def test_it_asks_nobody_for_anything() -> None:
    page = render_page({"app": GRAPH})

    assert not re.findall(
        r"""<(?:link|img|iframe)|\bsrc\s*=\s*["']|@import|url\((?!#)|fetch\(|XMLHttpRequest|WebSocket""", page
    )


def test_it_is_smaller_than_two_megabytes_with_thousands_of_components() -> None:
    many = tuple(Component(f"Component{number}", "T", f"app.p{number % 70}") for number in range(5000))
    edges = tuple(
        Binding(f"Component{number * 7 % 5000}", f"cell{number}", f"Component{number % 4999}", "method", "")
        for number in range(20_000)
    )

    assert len(render_page({"app": Graph(many, edges)}).encode()) < 2_000_000


def test_it_is_the_same_again() -> None:
    assert render_page({"app": GRAPH}) == render_page({"app": GRAPH})


def test_nothing_in_a_name_becomes_markup() -> None:
    evil = "</script><script>alert(1)</script>"

    page = render_page({evil: Graph((Component(evil, evil, "app"),))}, title=evil)

    assert "alert(1)" not in page.replace("&lt;script&gt;alert(1)", "")


def test_the_licence_of_the_layout_engine_comes_along() -> None:
    page = render_page({"app": GRAPH})

    assert "elkjs 0.12.1" in page
    assert "EPL-2.0" in page


def test_every_script_of_the_folder_is_part_of_it() -> None:
    from importlib.resources import files  # noqa: PLC0415 -- of this test alone

    assets = files("wiremap.render.page") / "assets"
    found = {entry.name for entry in assets.iterdir() if entry.name.endswith(".js")}

    assert found == set(SCRIPTS)
