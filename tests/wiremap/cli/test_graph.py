import argparse
from pathlib import Path

import pytest

from tests.wiremap.render.samples import moe_engine
from wiremap import Graph
from wiremap.cli import graph as command
from wiremap.errors import UnwritableOutputError
from wiremap.render import render_dot, render_markdown, render_mermaid, render_svg, render_text


@pytest.fixture
def source(tmp_path: Path) -> str:
    path = tmp_path / "engine.json"
    path.write_text(moe_engine().to_json(), encoding="utf-8")
    return str(path)


def _run(*arguments: str) -> int:
    parser = argparse.ArgumentParser()
    command.configure(parser.add_subparsers())
    args = parser.parse_args(["graph", *arguments])
    return int(args.run(args))


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ([], render_text(moe_engine())),
        (["--format", "mermaid"], render_mermaid(moe_engine())),
        (["--format", "markdown"], render_markdown(moe_engine())),
        (["--format", "dot"], render_dot(moe_engine())),
        (["--format", "svg"], render_svg(moe_engine())),
        (["--format", "json"], moe_engine().to_json()),
        (["--outer"], render_text(moe_engine(), nested=False)),
        (["--local", "ModelRunner"], render_text(moe_engine().nested["ModelRunner"])),
        (["--unfold"], render_text(moe_engine(), fold=False)),
    ],
)
def test_the_graph_goes_to_standard_output(
    source: str, capsys: pytest.CaptureFixture[str], options: list[str], expected: str
) -> None:
    assert _run(source, *options) == 0
    assert capsys.readouterr() == (expected, "")


def test_the_graph_goes_to_a_file(source: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "out.json"

    _run(source, "--format", "json", "-o", str(target))

    assert Graph.from_json(target.read_text(encoding="utf-8")) == moe_engine()
    assert capsys.readouterr() == ("", "")


def test_a_file_that_can_not_be_written_is_named(source: str, tmp_path: Path) -> None:
    with pytest.raises(UnwritableOutputError, match=r"can't be written to '.*': .*\[unwritable-output\]"):
        _run(source, "-o", str(tmp_path / "no" / "folder"))
