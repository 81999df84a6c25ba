"""The page in a real browser, with real clicks and keys. Needs Chromium; `CHROMIUM` may say where it is."""

import os
import random
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from tests.wiremap.render.samples import crowd, marked, moe_engine, nasty
from wiremap.graph import Binding, Component, Graph
from wiremap.render.change_union import change_union
from wiremap.render.page import render_page

pytest.importorskip("playwright", reason="playwright is not installed")
from playwright.sync_api import Browser, Page, sync_playwright

CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")

Opened = Callable[..., Page]

# What must not happen in a picture: boxes on boxes, texts beyond their boxes, labels on boxes or on one another.
FAULTS = """() => {
  const rect = (element) => element.getBoundingClientRect();
  const clear = (a, b) => a.right <= b.left + 1 || a.bottom <= b.top + 1;
  const apart = (a, b) => clear(a, b) || clear(b, a);
  const named = (box) => box.getAttribute('aria-label');
  const boxes = [...document.querySelectorAll('.box')].map((box) => [box, rect(box.querySelector('.edge-of-box'))]);
  const labels = [...document.querySelectorAll('.label')].map((label) => [label, rect(label)]);
  const faults = [];
  boxes.forEach(([one, a], at) => boxes.slice(at + 1).forEach(([other, b]) => {
    if (!apart(a, b)) faults.push(`${named(one)} on ${named(other)}`);
  }));
  for (const [box, outer] of boxes) for (const text of box.querySelectorAll('text')) {
    const inner = rect(text);
    const fits = inner.left >= outer.left && inner.right <= outer.right + 1 && inner.bottom <= outer.bottom + 1;
    if (!fits) faults.push(`text leaves ${named(box)}`);
  }
  labels.forEach(([one, a], at) => {
    for (const [box, b] of boxes) if (!apart(a, b)) faults.push(`label ${one.textContent} on ${named(box)}`);
    labels.slice(at + 1).forEach(([other, b]) => {
      if (!apart(a, b)) faults.push(`label ${one.textContent} on ${other.textContent}`);
    });
  });
  return faults;
}"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def opened(browser: Browser, tmp_path: Path) -> Iterator[Opened]:
    """Open a page of a graph, from disk; whatever it asks the network for or complains about is a failure."""
    page = browser.new_page(viewport={"width": 1400, "height": 860})
    trouble: list[str] = []
    page.on("pageerror", lambda error: trouble.append(str(error)))
    page.on("console", lambda message: trouble.append(message.text) if message.type == "error" else None)
    page.on("request", lambda request: trouble.append(request.url) if request.url.startswith("http") else None)

    def open_(graph: Graph, tests: dict[str, list[str]] | None = None, hash_: str = "") -> Page:
        file = tmp_path / "page.html"
        tests_of = None if tests is None else lambda component: tests.get(component.id, [])
        file.write_text(render_page({"app": graph}, tests_of), encoding="utf-8")
        page.goto(file.as_uri() + hash_)
        drawn(page)
        return page

    yield open_
    page.close()
    assert not trouble


def drawn(page: Page, since: str | None = None) -> None:
    """Wait for a picture, one that was drawn after *since*."""
    page.wait_for_function("(since) => document.body.dataset.drawn && document.body.dataset.drawn !== since", arg=since)


def after(page: Page, act: Callable[[], Any]) -> None:
    """Do something and wait for the picture that it leads to."""
    before = page.evaluate("document.body.dataset.drawn")
    act()
    drawn(page, before)


def boxes(page: Page) -> list[str]:
    return sorted(box.get_attribute("aria-label").partition(",")[0] for box in page.query_selector_all(".box"))  # type: ignore[union-attr]


def toggle(page: Page, name: str) -> None:
    after(page, lambda: page.locator(f'.toggle[aria-label$=" {name}"]').click())


def random_graph(size: int) -> Graph:
    chance = random.Random(7)  # noqa: S311 -- a sample, no secret
    names = [f"Component{number}" for number in range(size)]
    components = tuple(Component(name, "Thing", f"app.p{at % 10}.m{at % 70}") for at, name in enumerate(names))
    edges = tuple(
        Binding(chance.choice(names[:at]), f"cell_{chance.randrange(90)}", names[at], "method", "")
        for at in range(1, size)
        for _ in range(2)
    )
    return Graph(components, edges)


def test_one_sees_the_outer_graph_first(opened: Opened) -> None:
    page = opened(moe_engine())

    assert boxes(page) == ["BlockManager", "LLMEngine", "ModelRunner", "Scheduler"]


def test_a_local_graph_opens_in_place_and_closes(opened: Opened) -> None:
    page = opened(moe_engine())

    toggle(page, "ModelRunner")
    assert "MoeBackend" in boxes(page)
    assert {"BlockManager", "ModelRunner"} <= set(boxes(page))

    toggle(page, "ModelRunner")
    assert boxes(page) == ["BlockManager", "LLMEngine", "ModelRunner", "Scheduler"]


@pytest.mark.parametrize(
    "graph",
    [
        pytest.param(moe_engine(), id="an engine"),
        pytest.param(nasty(), id="the worst names"),
        pytest.param(crowd(), id="a crowd"),
        pytest.param(marked(), id="tags and extensions"),
        pytest.param(random_graph(500), id="500 components at random"),
    ],
)
def test_nothing_lies_on_anything_else(opened: Opened, graph: Graph) -> None:
    page = opened(graph)
    assert page.evaluate(FAULTS) == []

    for sign in page.query_selector_all(".toggle")[:1]:
        after(page, sign.click)
    assert page.evaluate(FAULTS) == []


def test_names_of_any_length_and_writing_fit(opened: Opened) -> None:
    names = [
        "x" * 200,
        "\u05e9\u05dc\u05d5\u05dd.\u05e2\u05d5\u05dc\u05dd",
        "\U0001f469\u200d\U0001f680" * 30,
        "<script>window.hit = 1</script>",
        "&amp;",
    ]
    graph = Graph(
        tuple(Component(name, "T", "app") for name in names),
        tuple(Binding(name, f"<b>{name}", names[0], "method", "") for name in names[1:]),
    )

    page = opened(graph)

    assert page.evaluate(FAULTS) == []
    assert page.evaluate("window.hit") is None


def test_search_finds_what_is_closed_and_shows_it(opened: Opened) -> None:
    page = opened(moe_engine())

    page.keyboard.press("/")
    page.keyboard.type("moebackend")
    after(page, lambda: page.keyboard.press("Enter"))

    assert "MoeBackend" in boxes(page)
    assert page.locator("#panel h2").inner_text() == "MoeBackend"


def test_search_finds_cells(opened: Opened) -> None:
    page = opened(moe_engine())

    page.fill("#search", "can_append")

    assert "cell can_append" in page.locator("#results").inner_text()


def test_what_nobody_has_is_not_found_and_said(opened: Opened) -> None:
    page = opened(moe_engine())

    page.fill("#search", "no such thing")

    assert page.locator("#results").inner_text().startswith("Nothing has that")


def test_a_click_tells_everything_about_a_component(opened: Opened) -> None:
    page = opened(moe_engine(), {"Scheduler": ["tests/test_a.py::test_fair"]})

    after(page, lambda: page.locator('.box[aria-label^="Scheduler"]').click())

    told = page.locator("#panel").inner_text()
    assert "LLMEngine" in told
    assert "can_append" in told
    assert "test_fair" in told


def test_focus_shows_the_neighbours_only_and_ends(opened: Opened) -> None:
    graph = Graph(
        tuple(Component(name, "T", "app") for name in "ABCD"),
        tuple(Binding(a, "x", b, "method", "") for a, b in ("AB", "BC", "CD")),
    )
    page = opened(graph)

    after(page, lambda: page.locator('.box[aria-label^="A"]').click())
    after(page, lambda: page.keyboard.press("f"))
    assert boxes(page) == ["A", "B"]
    after(page, lambda: page.keyboard.press("f"))
    assert boxes(page) == ["A", "B", "C"]
    after(page, lambda: page.keyboard.press("Escape"))
    assert boxes(page) == ["A", "B", "C", "D"]


def test_keys_alone_are_enough(opened: Opened) -> None:
    page = opened(moe_engine())

    page.keyboard.press("ArrowRight")
    while not (page.evaluate("document.activeElement.getAttribute('aria-label')") or "").startswith("ModelRunner"):
        before = page.evaluate("document.activeElement.getAttribute('aria-label')")
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.getAttribute('aria-label')") != before
    after(page, lambda: page.keyboard.press("Space"))
    assert "MoeBackend" in boxes(page)
    assert "nodes shown" in page.locator("#status").inner_text()

    after(page, lambda: page.keyboard.press("Enter"))
    assert page.locator("#panel h2").inner_text() == "ModelRunner"


def test_the_address_holds_the_view(opened: Opened) -> None:
    page = opened(moe_engine(), {"Scheduler": ["test_fair"]})
    toggle(page, "ModelRunner")
    after(page, lambda: page.locator('.box[aria-label^="MoeBackend"]').click())
    after(page, lambda: page.select_option("#overlay", "tests"))
    seen, address = boxes(page), page.evaluate("location.hash")

    again = opened(moe_engine(), {"Scheduler": ["test_fair"]}, address)

    assert boxes(again) == seen
    assert again.locator("#panel h2").inner_text() == "MoeBackend"
    assert "open=ModelRunner" in unquote(address)


def test_an_address_of_another_graph_harms_nothing(opened: Opened) -> None:
    page = opened(moe_engine(), hash_="#open=Gone&select=Gone&focus=Gone&depth=9&show=test:gone")

    assert boxes(page) == ["BlockManager", "LLMEngine", "ModelRunner", "Scheduler"]


def test_components_without_a_test_are_told_by_more_than_colour(opened: Opened) -> None:
    page = opened(moe_engine(), {"Scheduler": ["test_fair"]})

    after(page, lambda: page.select_option("#overlay", "tests"))

    assert "1 test" in page.locator('.box[aria-label^="Scheduler"]').text_content()  # type: ignore[operator]
    assert "no test" in page.locator('.box[aria-label^="BlockManager"]').text_content()  # type: ignore[operator]


def test_a_change_is_shown_with_signs(opened: Opened) -> None:
    before = moe_engine()
    gone = next(edge for edge in before.bindings if edge.cell == "can_append")
    after_ = Graph(
        (*before.components, Component("Spare", "Spare", "engine")),
        (
            *(edge for edge in before.bindings if edge != gone),
            Binding("Spare", "can_append", gone.consumer, "method", ""),
        ),
        before.containment,
        before.nested,
    )

    page = opened(change_union(before, after_, before.diff(after_), ["LLMEngine"], with_equal_inside=True))

    labels = page.locator(".label").all_text_contents()
    assert {"+ can_append", "\u2212 can_append"} <= set(labels)
    assert "+ added" in page.locator('.box[aria-label^="Spare"]').text_content()  # type: ignore[operator]
    assert "edited inside" in page.locator('.box[aria-label^="LLMEngine"]').text_content()  # type: ignore[operator]


def test_the_picture_can_be_saved(opened: Opened) -> None:
    page = opened(moe_engine())

    with page.expect_download() as as_svg:
        page.click("#export-svg")
    with page.expect_download() as as_png:
        page.click("#export-png")

    text = as_svg.value.path().read_text(encoding="utf-8")
    assert "BlockManager" in text
    assert "var(" not in text
    assert as_png.value.path().read_bytes().startswith(b"\x89PNG")


def test_dragging_moves_the_picture_and_selects_nothing(opened: Opened) -> None:
    page = opened(moe_engine())
    before = page.locator("#picture").get_attribute("viewBox")
    place = page.locator('.box[aria-label^="Scheduler"]').bounding_box()
    assert place is not None

    page.mouse.move(place["x"] + 20, place["y"] + 10)
    page.mouse.down()
    page.mouse.move(place["x"] + 120, place["y"] + 60, steps=4)
    page.mouse.up()

    assert page.locator("#picture").get_attribute("viewBox") != before
    assert page.locator("#panel h2").inner_text() == "What is shown"


def test_what_can_not_be_laid_out_is_listed(opened: Opened) -> None:
    page = opened(moe_engine())
    # As when the engine needs too long: it is ended in the middle of its work.
    page.evaluate("Worker.prototype.postMessage = function () {}")

    page.evaluate("document.getElementById('collapse-all').click()")
    page.wait_for_selector("#notice:not([hidden])", timeout=20_000)

    assert "The list beside it has all edges" in page.locator("#notice").inner_text()
    assert "can_append" in page.locator("#panel").inner_text()
