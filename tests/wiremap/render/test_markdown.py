from tests.wiremap.render.samples import crowd, moe_engine, nasty
from wiremap.render import mermaid_parts, render_markdown, render_mermaid
from wiremap.render.diagram import LEGEND


def test_a_small_graph_is_one_picture() -> None:
    assert render_markdown(moe_engine()).endswith(f"\n\n```mermaid\n{render_mermaid(moe_engine())}```\n")


def test_a_reviewer_reads_first_how_large_the_graph_is_and_whether_it_is_the_same() -> None:
    graph = moe_engine()

    heading, empty, legend, *_ = render_markdown(graph).splitlines()

    assert (heading, empty) == ("# Wiring of 4 components by 10 bindings", "")
    assert legend == f"{LEGEND} Digest of the graph: `{graph.digest}`"


def test_a_large_graph_has_a_heading_for_each_part() -> None:
    text = render_markdown(crowd())

    headings = [line for line in text.splitlines() if line.startswith("## ")]
    assert headings[:2] == ["## Overview", "## pkg0"]
    assert len(headings) == len(list(mermaid_parts(crowd())))


def test_no_name_closes_the_picture() -> None:
    assert render_markdown(nasty()).count("```") == 2
