import json
from pathlib import Path

import pytest

from tests.wiremap.projects import Project
from tests.wiremap.render.golden import assert_golden
from tests.wiremap.repositories import commit, new_repository

FILES = {
    ".gitignore": ".wiremap\n",
    "pyproject.toml": '[tool.wiremap]\nrecipes = ["wiring"]\n',
    "wiring.py": """\
        from wiremap import RegistryOrchestrator, recipe

        class Blocks:
            def allocate(self, count):
                return count

        class Layer:
            def forward(self):
                return self.allocate(1)

        class Engine:
            pass

        @recipe
        def build():
            orch = RegistryOrchestrator()
            blocks, engine = orch.add(Blocks()), orch.add(Engine())
            engine.layers = [Layer() for _ in range(3)]
            for layer in engine.layers:
                orch.register(blocks, "allocate", layer)
            orch.finalize()
            return engine
        """,
    "test_wiring.py": "from wiring import build\ndef test_build(): assert build().layers[0].forward() == 1\n",
}


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A repository in which a layer was added, and what it is handed was edited; its one test was recorded before."""
    made = new_repository(tmp_path / "project", FILES)
    made.record()
    text = (made.root / "wiring.py").read_text()
    text = text.replace("range(3)", "range(4)").replace("return count", "return count + 0")
    made.write({"wiring.py": text, "notes | `x`.txt": ""})
    return made


def test_text_is_one_screen(project: Project) -> None:
    finished = project.wiremap("diff")

    assert finished.exit_code == 0
    assert_golden("diff.txt", finished.stdout)


def test_markdown_is_a_table_a_picture_and_the_tests(project: Project) -> None:
    finished = project.wiremap("diff", "--format", "markdown")

    assert (finished.exit_code, finished.stderr) == (0, "")
    assert_golden("diff.md", finished.stdout)


def test_json_is_one_document_and_the_same_again(project: Project) -> None:
    first, second = (project.wiremap("diff", "HEAD", "--format=json") for _ in range(2))

    document = json.loads(first.stdout)
    assert document["schema"] == "wiremap.diff/1"
    assert document["head"] == {"name": "the working tree", "commit": None}
    assert (document["kind"], document["topology"]) == ("data", "changed")
    assert [one["why"] for one in document["tests"]["run"]] == ["reached"]
    (wiring,) = document["wirings"]
    assert [component["id"] for component in wiring["diff"]["added"]] == ["Layer#4"]
    assert "Layer#4" in {component["id"] for component in wiring["after"]["components"]}
    assert first == second


def test_where_the_wiring_is_as_it_was_nothing_is_said_of_it(project: Project) -> None:
    commit(project.root)
    text = (project.root / "wiring.py").read_text().replace("return count + 0", "return count + 00")
    project.write({"wiring.py": text + "\nX = 1\n"})

    shown = project.wiremap("diff").stdout + project.wiremap("diff", "--format=markdown").stdout

    assert "Blocks" not in shown or "iring of" not in shown
    assert "mermaid" not in shown


def test_a_file_is_written_in_the_form_that_its_name_tells(project: Project, tmp_path: Path) -> None:
    page, document = tmp_path / "page.md", tmp_path / "diff.json"

    finished = project.wiremap("diff", "-o", str(page))
    project.wiremap("diff", "-o", str(document))

    assert (finished.stdout, finished.stderr) == ("", f"wrote {page}\n")
    assert page.read_text().startswith("### Wiremap: Data, topology, local: 3 components, 2 files\n")
    assert json.loads(document.read_text())["schema"] == "wiremap.diff/1"


def test_a_file_that_can_not_be_written_is_wrong_usage(project: Project, tmp_path: Path) -> None:
    finished = project.wiremap("diff", "-o", str(tmp_path / "missing" / "page.md"))

    assert finished.exit_code == 2
    assert "[unwritable-output]" in finished.stderr


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["nothing"], "unknown-revision"),
        (["HEAD..HEAD", "HEAD"], "revision-range"),
        (["..", "--staged"], "revision-range"),
    ],
)
def test_wrong_ends_are_wrong_usage(project: Project, arguments: list[str], code: str) -> None:
    finished = project.wiremap("diff", *arguments)

    assert (finished.exit_code, finished.stdout) == (2, "")
    assert f"[{code}]" in finished.stderr


def test_without_any_difference_that_is_said(project: Project) -> None:
    commit(project.root)

    finished = project.wiremap("diff")

    assert finished.stdout.splitlines()[1:] == ["Nothing differs."]
    assert finished.stderr == ""


def test_many_changes_beside_components_are_told_by_file_unless_all_are_asked_for(project: Project) -> None:
    commit(project.root)
    project.write({"many.py": "".join(f"def f{number}(): return 1\n" for number in range(30))})
    commit(project.root)
    project.write({"many.py": "".join(f"def f{number}(): return 22\n" for number in range(30))})

    short, whole = project.wiremap("diff").stdout, project.wiremap("diff", "--all").stdout

    assert "  many.py  local: 30 changes" in short
    assert "  many.py:30 f29  local: function body changed" in whole
