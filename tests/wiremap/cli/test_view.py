import gzip
import json
import re
from base64 import b64decode
from pathlib import Path
from typing import Any

import pytest

from tests.wiremap.checks.engines import new_engine
from tests.wiremap.projects import Project, new_project
from tests.wiremap.render.samples import moe_engine


@pytest.fixture
def engine(tmp_path: Path) -> Project:
    return new_engine(tmp_path / "engine-project")


def scene(page: str) -> dict[str, Any]:
    """What the page holds."""
    (packed,) = re.findall(r'<script id="scene" type="text/plain">(.*?)</script>', page)
    document: dict[str, Any] = json.loads(gzip.decompress(b64decode(packed)))
    return document


def test_without_an_argument_it_shows_the_recipes_of_the_project(engine: Project) -> None:
    finished = engine.wiremap("view")

    assert (finished.exit_code, finished.stdout) == (0, "")
    first, second = finished.stderr.splitlines()
    assert re.fullmatch(
        r"wrote wiremap\.html \(\d+ components, \d+ bindings; no tests were recorded: `wiremap run` records\)", first
    )
    assert second == f"open {(engine.root / 'wiremap.html').as_uri()}"
    assert scene((engine.root / "wiremap.html").read_text(encoding="utf-8"))["nodes"]


def test_a_project_without_recipes_is_shown_as_its_source_tells_of_it(tmp_path: Path) -> None:
    project = new_project(
        tmp_path,
        {
            "shop.py": """
                class Store:
                    def price(self): return 3

                class Till:
                    def __init__(self, store: Store): self.store = store
                    def total(self): return self.store.price()
            """,
            "test_shop.py": """
                from shop import Store, Till
                def test_total(): assert Till(Store()).total() == 3
                def test_price(): assert Store().price() == 3
            """,
        },
    )
    project.record()

    page = scene(project.wiremap("view", "-o", "-").stdout)

    reached = {page["nodes"][int(at)]["title"]: tests for at, tests in page["reached"].items()}
    assert page["tests"] == ["test_shop.py::test_price", "test_shop.py::test_total"]
    assert reached == {"Store": [0, 1], "Till": [1]}


def test_it_takes_what_graph_takes(tmp_path: Path) -> None:
    project = new_project(tmp_path, {"engine.json": moe_engine().to_json()})

    assert project.wiremap("view", "engine.json", "-o", "engine.html").exit_code == 0
    assert "MoeBackend" in str(scene((tmp_path / "engine.html").read_text(encoding="utf-8")))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere.json"], "nowhere.json"),
        (["engine.json", "-o", "missing/page.html"], "can't be written to 'missing/page.html'"),
    ],
)
def test_what_can_not_be_done_is_one_error(tmp_path: Path, arguments: list[str], message: str) -> None:
    project = new_project(tmp_path, {"engine.json": moe_engine().to_json()})

    finished = project.wiremap("view", *arguments)

    assert finished.exit_code == 2
    assert message in finished.stderr
    assert "Traceback" not in finished.stderr
