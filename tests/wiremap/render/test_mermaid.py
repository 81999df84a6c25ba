import re

from tests.wiremap.render.golden import assert_golden
from tests.wiremap.render.samples import NASTY, moe_engine, nasty
from wiremap import Graph
from wiremap.render import render_mermaid


def test_an_engine_as_mermaid() -> None:
    assert_golden("moe_engine.mmd", render_mermaid(moe_engine()))


def test_nasty_names_as_mermaid() -> None:
    assert_golden("nasty.mmd", render_mermaid(nasty()))


def test_outside_of_quotes_there_is_nothing_to_misread() -> None:
    text = render_mermaid(nasty())

    for line in re.sub(r'"[^"\n]*"', "QUOTED", text).splitlines()[1:]:
        assert re.fullmatch(
            r"  (c_\w+\[QUOTED\]|c_\w+ -->(\|QUOTED\|)? c_\w+|linkStyle [\d,]+ stroke:#\w+(,color:#\w+)?)",
            line,
        )


def test_names_that_look_alike_stay_apart() -> None:
    handles = re.findall(r"^  (c_\w+)\[", render_mermaid(nasty()), re.MULTILINE)

    assert len(handles) == len(set(handles)) == len(NASTY)


def test_cells_are_blue_and_containment_is_grey() -> None:
    lines = render_mermaid(moe_engine(), nested=False).splitlines()

    assert lines[-2:] == [
        "  linkStyle 0,1,2 stroke:#2563eb,color:#2563eb",
        "  linkStyle 3,4,5 stroke:#9ca3af",
    ]


def test_an_empty_graph_is_an_empty_flowchart() -> None:
    assert render_mermaid(Graph()) == "flowchart LR\n"
