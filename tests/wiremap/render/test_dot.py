import json
import re
import shutil
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.wiremap.render.golden import assert_golden
from tests.wiremap.render.samples import NASTY, component, moe_engine, nasty
from wiremap import Binding, Graph
from wiremap.render import render_dot
from wiremap.render.diagram import diagram_of

QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')


def _names(text: str) -> list[str]:
    """Return the names of the nodes as the grammar of DOT has it: a backslash stays, but in front of a quote."""
    lines = (line for line in text.splitlines() if " [label=" in line and " -> " not in line)
    return [QUOTED.findall(line)[0].replace('\\"', '"') for line in lines]


def test_an_engine_as_dot() -> None:
    assert_golden("moe_engine.dot", render_dot(moe_engine()))


def test_nasty_names_as_dot() -> None:
    assert_golden("nasty.dot", render_dot(nasty()))


@given(st.lists(st.text(min_size=1, alphabet=st.characters(exclude_categories=["C", "Z"])), min_size=1, unique=True))
def test_nodes_are_named_by_their_ids(ids: list[str]) -> None:
    text = render_dot(Graph(tuple(map(component, ids))), fold=False)

    names = [re.sub(r"^\\x25", "%", name).replace("\\\\", "\\") for name in _names(text)]
    assert names == sorted(ids)


@given(st.lists(st.text(min_size=1, alphabet='\\"n\n\0&'), min_size=1, unique=True))
def test_names_stay_apart_and_on_their_lines(ids: list[str]) -> None:
    names = _names(render_dot(Graph(tuple(map(component, ids))), fold=False))

    assert len(set(names)) == len(ids)


def test_labels_show_entities_and_escapes_as_they_are() -> None:
    graph = Graph((component("&lt;\\N"), component("b")), (Binding("&lt;\\N", "&amp;", "b"),))

    text = render_dot(graph)

    assert r'[label="&amp;lt;\\N"]' in text
    assert '[label="&amp;amp;"' in text


needs_graphviz = pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")


def _drawn(graph: Graph) -> list[dict[str, str]]:
    dot = shutil.which("dot") or "dot"
    done = subprocess.run([dot, "-Tjson"], input=render_dot(graph).encode(), check=True, capture_output=True)
    assert done.stderr == b""
    return list(json.loads(done.stdout).get("objects", []))


@needs_graphviz
@pytest.mark.parametrize("graph", [moe_engine(), nasty(), Graph()], ids=["engine", "nasty", "empty"])
def test_graphviz_accepts_it(graph: Graph) -> None:
    nodes = [node for part in diagram_of(graph).walk() for node in part.nodes]

    assert len(_drawn(graph)) >= len(nodes)


@needs_graphviz
def test_graphviz_names_nodes_by_their_ids() -> None:
    names = {node["name"].replace("\\\\", "\\") for node in _drawn(nasty())}

    assert names == {re.sub("^%", r"\\x25", name).replace("\n", "\\n") for name in NASTY}


def test_long_names_are_short_at_edges_and_stay_apart() -> None:
    one, other = "\u202e" + "x" * 10_000 + "1", "\u202e" + "x" * 10_000 + "2"
    text = render_dot(Graph((component(one, "T"), component(other, "T")), (Binding(one, "run", other),)), fold=False)

    names = _names(text)
    assert len(set(names)) == 2
    assert [line for line in text.splitlines() if line.startswith(f'  "{names[0]}" -> "{names[1]}" [')]
    assert max(map(len, names)) < 300
