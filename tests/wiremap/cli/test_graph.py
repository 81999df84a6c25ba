import argparse
from pathlib import Path

import pytest

from tests.wiremap.projects import new_project
from tests.wiremap.render.samples import component, crowd, moe_engine
from wiremap import Graph
from wiremap.cli import graph as command
from wiremap.errors import UnknownFormatError, UnwritableOutputError
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
    assert capsys.readouterr() == ("", f"wrote {target} (4 components, 10 bindings)\n")


def test_what_a_recipe_prints_does_not_get_into_the_graph(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "talkative_recipe.py").write_text(
        "from wiremap import RegistryOrchestrator, recipe\n"
        "class Engine: ...\n"
        "print('imported')\n"
        "@recipe\n"
        "def combine():\n"
        "    print('wiring')\n"
        "    orch = RegistryOrchestrator()\n"
        "    orch.add(Engine())\n"
        "    orch.finalize()\n",
        encoding="utf-8",
    )
    monkeypatch.chdir(tmp_path)

    _run("talkative_recipe", "--format", "json")

    written = capsys.readouterr()
    assert Graph.from_json(written.out).ids == ("Engine",)
    assert written.err == "imported\nwiring\n"


@pytest.mark.parametrize(
    ("name", "begins"),
    [
        ("a.svg", "<svg"),
        ("a.json", "{"),
        ("a.mmd", "flowchart"),
        ("a.md", "# Wiring"),
        ("a.gv", "digraph"),
        ("a.txt", "Graph"),
        ("a", "Graph"),
    ],
)
def test_the_name_of_the_file_tells_the_format(source: str, tmp_path: Path, name: str, begins: str) -> None:
    _run(source, "-o", str(tmp_path / name))

    assert (tmp_path / name).read_text(encoding="utf-8").startswith(begins)


def test_a_name_that_tells_no_format_is_refused_unless_one_is_asked_for(source: str, tmp_path: Path) -> None:
    with pytest.raises(UnknownFormatError, match=r"'.*a\.png' tells no format .* \.json, .* or \.txt"):
        _run(source, "-o", str(tmp_path / "a.png"))
    assert not (tmp_path / "a.png").exists()

    _run(source, "-o", str(tmp_path / "a.out"), "--format", "text")

    assert (tmp_path / "a.out").exists()


def test_notes_go_to_standard_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "app.py").write_text("class App: ...", encoding="utf-8")

    assert _run(str(tmp_path)) == 0
    out, err = capsys.readouterr()
    assert out == "Graph: 0 components, 0 bindings\n"
    assert err.startswith("note: The class here was not seen to keep an object of another in an attribute")


def test_a_file_that_can_not_be_written_is_named(source: str, tmp_path: Path) -> None:
    with pytest.raises(UnwritableOutputError, match=r"can't be written to '.*': .*\[unwritable-output\]"):
        _run(source, "-o", str(tmp_path / "no" / "folder"))


RECIPE = """
from wiremap import RegistryOrchestrator, recipe

class Blocks:
    def allocate(self): ...

class Engine:
    def step(self): ...

@recipe
def sound_but_odd():
    orch = RegistryOrchestrator()
    orch.register(Blocks(), "allocate", Engine())
    orch.finalize()

@recipe
def given_none():
    orch = RegistryOrchestrator()
    orch.register(Blocks(), "allocate", None)
    orch.finalize()
"""


def test_warnings_about_the_wiring_are_talk(tmp_path: Path) -> None:
    project = new_project(tmp_path, {"wired.py": RECIPE})

    finished = project.wiremap("graph", "wired:sound_but_odd")

    assert finished.exit_code == 0
    assert finished.stdout.startswith("Graph: 2 components, 1 binding")
    assert finished.stderr.splitlines() == [
        "wiremap: wired.py:13: Engine never reads 'allocate' of Blocks.",
        "    wired.py:7: the class of Engine",
        "Drop the registration, unless others read it there. [unused-cell]",
    ]


def test_a_wrong_argument_in_a_recipe_is_told_at_its_line(tmp_path: Path) -> None:
    project = new_project(tmp_path, {"wired.py": RECIPE})

    finished = project.wiremap("graph", "wired:given_none")

    assert (finished.exit_code, finished.stdout) == (2, "")
    assert finished.stderr.startswith(
        "wiremap: register() was given None as the consumer.\n    wired.py:19: register()\n"
    )
    assert "Traceback" not in finished.stderr


@pytest.mark.parametrize(
    ("options", "shown"),
    [
        (["--around", "Scheduler"], ["BlockManager", "LLMEngine", "Scheduler"]),
        (["--around", "BlockManager", "--depth", "0"], ["BlockManager"]),
        (["--around", "BlockManager", "--around", "ModelRunner", "--depth", "0"], ["BlockManager", "ModelRunner"]),
        (["--around", "BlockManager", "--depth", "2"], ["BlockManager", "LLMEngine", "Scheduler"]),
    ],
)
def test_one_component_is_shown_with_its_neighbours(
    source: str, capsys: pytest.CaptureFixture[str], options: list[str], shown: list[str]
) -> None:
    _run(source, *options, "--format", "json")

    assert Graph.from_json(capsys.readouterr().out) == moe_engine().subgraph(shown)


def test_neighbours_are_also_shown_inside_a_local_graph(source: str, capsys: pytest.CaptureFixture[str]) -> None:
    _run(source, "--local", "ModelRunner", "--around", "FlashinferAttention", "--format", "json")

    local = moe_engine().nested["ModelRunner"]
    assert Graph.from_json(capsys.readouterr().out) == local.neighbourhood("FlashinferAttention")


def test_a_component_that_is_not_there_is_wrong_usage(tmp_path: Path, source: str) -> None:
    finished = new_project(tmp_path, {}).wiremap("graph", source, "--around", "Schedular")

    assert (finished.exit_code, finished.stdout) == (2, "")
    assert "Did you mean 'Scheduler'?" in finished.stderr


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--depth", "2"], "it needs --around ID"),
        (["--around", "Scheduler", "--depth", "-1"], "'-1' is no number of edges"),
    ],
)
def test_a_depth_that_says_nothing_is_refused(
    source: str, capsys: pytest.CaptureFixture[str], options: list[str], told: str
) -> None:
    with pytest.raises(SystemExit):
        _run(source, *options)

    assert told in capsys.readouterr().err


def test_a_large_picture_comes_with_the_way_to_a_small_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "crowd.json"
    source.write_text(crowd().to_json(), encoding="utf-8")

    _run(str(source), "--format", "mermaid")
    assert "--around ID" in capsys.readouterr().err

    for options in (["--format", "json"], ["--around", "pkg0.Part0"]):
        _run(str(source), *options)
        assert not capsys.readouterr().err


def test_what_is_folded_makes_no_picture_large(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    layers = tuple(component(f"layers.{number}", "Layer") for number in range(60))
    source = tmp_path / "layers.json"
    source.write_text(Graph(layers).to_json(), encoding="utf-8")

    _run(str(source))
    assert not capsys.readouterr().err

    _run(str(source), "--unfold")
    assert "--around ID" in capsys.readouterr().err
