import shutil
import subprocess

import pytest

from tests.wiremap.render.golden import assert_golden
from tests.wiremap.render.samples import moe_engine, nasty
from wiremap import Graph
from wiremap.render import render_dot


def test_an_engine_as_dot() -> None:
    assert_golden("moe_engine.dot", render_dot(moe_engine()))


def test_nasty_names_as_dot() -> None:
    assert_golden("nasty.dot", render_dot(nasty()))


@pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")
@pytest.mark.parametrize("graph", [moe_engine(), nasty(), Graph()], ids=["engine", "nasty", "empty"])
def test_graphviz_accepts_it(graph: Graph) -> None:
    dot = shutil.which("dot") or "dot"

    subprocess.run([dot, "-Tsvg"], input=render_dot(graph).encode(), check=True, capture_output=True)
